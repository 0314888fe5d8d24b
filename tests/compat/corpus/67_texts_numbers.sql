# Texts and numbers, as PostgreSQL's own tests ask for them.

# A number is rounded before it is asked whether it fits.
SELECT 32767.6::float8::smallint;
SELECT (-32768.6)::float8::smallint;
SELECT (-32768.4)::float8::smallint, 32767.4::float8::smallint, 32766.5::real::smallint, (-0.5)::float8::smallint;
SELECT 2147483647.6::float8::int;
SELECT int4(2147483647.5::float8);
SELECT (-2147483648.4)::float8::int, 2147483647.4::float8::int, 2147483646.5::float8::int, int2(-32768.5::real);
SELECT 1e300::float8::int;
SELECT '-Infinity'::float8::smallint;
SELECT 1e19::float8::bigint;
SELECT round(2147483647.7::float8)::int;
SELECT ARRAY[1.5, 2.5]::float8[]::int[];

# An empty match may stand right behind another one, whatever stands around it.
SELECT regexp_replace(E'1\n2\n', '.?$', '-\&-', 'ng'), regexp_count(E'\n1\n2', '^', 1, 'n'), regexp_count(E'\n1\n2', '$', 1, 'n'), regexp_count(E'a\nb', '^.?', 2, 'n');
SELECT regexp_count('ab ab', '\y', 1), regexp_count('ab ab', '\y', 2), regexp_instr('xab ab', '\yab', 2), regexp_substr('aab aab', 'a+b\y', 2);
SELECT regexp_matches(E'\n1\n2\n3', '.?$', 'ng');
SELECT regexp_split_to_array(E'a\nb\nc', '$', 'n'), regexp_split_to_array('ab cd', '\y'), regexp_replace('one two', '\y[a-z]+\y', 'x', 'g');

# {1,1} gives an expression a preference that it has not by itself.
SELECT regexp_matches('llmmmfff', '^(l*){1,1}?(.*)(f*)$'), regexp_matches('llmmmfff', '^(l*){1,1}?(.*){1,1}?(f*)$'), regexp_matches('llmmmfff', '^(l*?){1,1}(.*)(f*)$'), regexp_matches('llmmmfff', '^(l*?){1,1}?(.*){1,1}?(f*)$');
SELECT regexp_match('abc01234xyz', '(?:(.*?)(\d+)(.*)){1,1}'), substring('aaa' from '(a{2,2}?)'), substring('aaaa' from 'a{2,3}?'), substring('abab' from '(?:a|ab){1,1}?');

# SIMILAR TO has escapes, and patterns that are known only when it runs.
SELECT 'a%' SIMILAR TO 'a!%' ESCAPE '!', 'ab' SIMILAR TO 'a!%' ESCAPE '!', 'a\b' SIMILAR TO 'a\b' ESCAPE '', 'abc' SIMILAR TO 'a' ESCAPE NULL, NULL SIMILAR TO 'a';
SELECT x SIMILAR TO p ESCAPE e, x NOT SIMILAR TO p, x SIMILAR TO p FROM (VALUES ('a%','a#%','#'),('ab','a_','#'),('abc','%(b|c)','\')) v(x,p,e);
SELECT id FROM customer WHERE name SIMILAR TO '(A|B)%' ORDER BY id;
SELECT 'a' SIMILAR TO 'ab##' ESCAPE '##';
SELECT 5 SIMILAR TO '5';
SELECT 'abc'::char(5) SIMILAR TO 'abc', 'abc'::char(5) SIMILAR TO 'abc  ', 'é' SIMILAR TO '_', 'aé' SIMILAR TO 'aééé' ESCAPE 'é', E'a\nb' SIMILAR TO 'a_b', 'ABC' SIMILAR TO 'abc', 'a1' SIMILAR TO 'a\d';
SELECT 'abc' SIMILAR TO '(a';
SELECT similar_to_escape('a%b', '#'), similar_to_escape('a%b'), similar_escape('a_', NULL), similar_to_escape('a', NULL), similar_to_escape('a[_%]b.c');
SELECT substring('abcdefg' SIMILAR 'a*#"%#"g*' ESCAPE '#'), substring('abcdefg' SIMILAR 'a#"%g' ESCAPE '#'), substring('abcdefg' SIMILAR '#"%#"g' ESCAPE '#'), substring('abcdefg' SIMILAR 'a|b#"%#"g' ESCAPE '#'), substring('abcdefg' SIMILAR 'a#"%#"x|g' ESCAPE '#'), substring('abcdefg' SIMILAR 'a#"%|ab#"g' ESCAPE '#');
SELECT substring('abcdefg' SIMILAR 'a*#"%#"g*#"x' ESCAPE '#');
SELECT substring('abc' SIMILAR 'a' ESCAPE '##');
SELECT regexp_like('abc', 'a.c', 'g');
SELECT regexp_like(x, 'a.c', 'g') FROM (VALUES ('abc')) v(x);

# Messages have the client's text as it is, and hints come with them.
SELECT parse_ident(E'"c".X X\\X');
SELECT parse_ident(E'a\nb c');
SELECT 1 AS "a""b" WHERE "x""y" = 1;
SELECT to_date('x\y', 'YYYY');
SELECT E'wrong: \u061';
SELECT U&'wrong: \061';
SELECT regexp_match('abc', 'Bd', 'ig');
