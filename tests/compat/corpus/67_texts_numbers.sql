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

# Statistics of what is not finite, and of few points.
SELECT stddev(x), variance(x), avg(x), sum(x), stddev_pop(x), var_pop(x) FROM (VALUES ('Infinity'::float8), (1)) v(x);
SELECT stddev(x), variance(x), stddev_pop(x), var_pop(x) FROM (VALUES ('NaN'::float8), (1), (2)) v(x);
SELECT stddev(x), variance(x), stddev_pop(x), var_pop(x) FROM (VALUES (1::float8), (2), ('-Infinity')) v(x);
SELECT stddev(x), var_pop(x), stddev_pop(x) FROM (VALUES ('Infinity'::float8)) v(x);
SELECT corr(y, x), covar_pop(y, x), covar_samp(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_avgx(y, x), regr_avgy(y, x), regr_count(y, x) FROM (VALUES ('Infinity'::float8, 1), (1, 2), (2, 4)) v(y, x);
SELECT corr(y, x), covar_pop(y, x), covar_samp(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_avgx(y, x), regr_avgy(y, x), regr_count(y, x) FROM (VALUES (1::float8, 'NaN'::float8), (1, 2), (2, 4)) v(y, x);
SELECT corr(y, x), covar_pop(y, x), covar_samp(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_avgx(y, x), regr_avgy(y, x), regr_count(y, x) FROM (VALUES (1::float8, 7::float8), (1.5, 2), (2.25, 4), (NULL, 1), (3, NULL)) v(y, x);
SELECT corr(y, x), regr_slope(y, x), regr_r2(y, x), covar_samp(y, x) FROM (VALUES (1::float8, 1::float8)) v(y, x);
SELECT corr(y, x), regr_slope(y, x), regr_r2(y, x), covar_samp(y, x), regr_intercept(y, x) FROM (VALUES (1::float8, 1::float8), (1, 2)) v(y, x);
SELECT corr(y, x), regr_slope(y, x), regr_r2(y, x), covar_samp(y, x), regr_intercept(y, x) FROM (VALUES (1::float8, 1::float8), (2, 1)) v(y, x);
SELECT stddev(x) FROM (VALUES (1e308::float8), (-1e308)) v(x);
SELECT var_pop(x) FROM (VALUES (1e200::float8), (-1e200)) v(x);
SELECT stddev(x), var_samp(x), var_pop(x) FROM (VALUES (1.1::real), (2.2), (3.3)) v(x);
SELECT stddev(DISTINCT x), variance(x) FILTER (WHERE x > 1) FROM (VALUES (1.5::float8), (2), (2), (4)) v(x);
SELECT x, stddev(x) OVER (ORDER BY x), var_pop(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), corr(x, x) OVER (ORDER BY x) FROM (VALUES (1.5::float8), (2), (5), (4)) v(x) ORDER BY x;
SELECT g, stddev(x), corr(x, g) FROM (VALUES (1, 1.5::float8), (1, 2), (2, 5), (2, 4), (3, 1)) v(g, x) GROUP BY g ORDER BY g;
SELECT stddev(x), corr(x, x), regr_count(x,x), regr_avgx(x,x) FROM (VALUES (NULL::float8)) v(x);
SELECT stddev(x) FROM (SELECT 1::float8 AS x WHERE false) q;
SELECT power('-Infinity'::float8, 3.5);
SELECT power('-Infinity'::float8, -0.5), '-Infinity'::float8 ^ 2.5;
