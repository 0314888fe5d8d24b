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

# Bytes have LIKE and string_agg, numerics gcd and lcm, arrays of arguments VARIADIC.
SELECT string_agg(b, ','::bytea) FROM (VALUES ('a'::bytea),('b')) v(b);
SELECT string_agg(b, ',') FROM (VALUES ('a'::bytea),('b')) v(b);
SELECT string_agg(b, '\x00'::bytea ORDER BY b DESC) FROM (VALUES ('a'::bytea),('b'),(NULL)) v(b);
SELECT string_agg(DISTINCT b, '-'::bytea) FROM (VALUES ('b'::bytea),('a'),('b'),(NULL)) v(b);
SELECT string_agg(b, d) FROM (VALUES ('b'::bytea,'1'::bytea),('a','2'),('c',NULL)) v(b,d);
SELECT string_agg(b, NULL) FROM (VALUES ('b'::bytea),('a')) v(b);
SELECT string_agg(b, '') FROM (VALUES (NULL::bytea)) v(b);
SELECT string_agg(b, ',') OVER (ORDER BY b) FROM (VALUES ('b'::bytea),('a')) v(b);
SELECT string_agg(b, ',') FILTER (WHERE b > 'a') FROM (VALUES ('b'::bytea),('a')) v(b);
SELECT g, string_agg(b, '|' ORDER BY b) FROM (VALUES (1,'b'::bytea),(1,'a'),(2,'c')) v(g,b) GROUP BY g ORDER BY g;
SELECT gcd(12.5, 2.5), lcm(1.5, 2.0), gcd(0, 0.0), lcm(0, 1.5), gcd(-4.0, 6), lcm(-4, 6.0), gcd(4331.250, 463.75000), lcm(4232.820::numeric, 132.72000), gcd(NULL, 1.5), gcd(330.3, 462.00)::text;
SELECT gcd(12.5, 2.5) + 1, gcd(12.5, 2.5) * 2 = 5;
SELECT gcd(9223372036854775808, 2), lcm(9223372036854775807, 2.0);
SELECT 'abc'::bytea LIKE '_b_'::bytea, 'abc'::bytea NOT LIKE '_b_', 'a_c'::bytea LIKE 'a$__'::bytea ESCAPE '$'::bytea, 'a_c'::bytea NOT LIKE 'a$__'::bytea ESCAPE '$'::bytea, 'abcabc'::bytea LIKE '%bc', 'abcabd'::bytea LIKE '%b%d%', ''::bytea LIKE '%', 'a'::bytea LIKE '', 'aXbXc'::bytea LIKE 'a%X%b%c', 'ab'::bytea LIKE 'a%b%c', 'é'::bytea LIKE '__', 'a\\b'::bytea LIKE 'a\\\\b';
SELECT 'a'::bytea LIKE '\\'::bytea;
SELECT like_escape('a#%', '#'), like_escape('a#%\_', '#'), like_escape('a\', ''), like_escape('a\%', '\'), like_escape('##', '#'), like('abc'::bytea, 'a%'::bytea), notlike('abc'::bytea, 'a%');
SELECT like_escape('a', '##');
SELECT num_nulls(VARIADIC ARRAY[1,NULL]), num_nonnulls(VARIADIC '{1,2,NULL,3}'::int[]), num_nulls(VARIADIC NULL::int[]), num_nonnulls(VARIADIC '{}'::text[]);
SELECT num_nulls(VARIADIC 'a');
SELECT num_nonnulls(VARIADIC 1);
SELECT concat(VARIADIC NULL::int[]), concat_ws(',', VARIADIC NULL::int[]), concat_ws(NULL, VARIADIC ARRAY[1]), concat(VARIADIC ARRAY[1,2,NULL]), concat_ws('-', VARIADIC ARRAY[1,NULL,2]), concat(VARIADIC '{}'::text[]), concat_ws(',', VARIADIC '{}'::int[]);
SELECT collation for ('a'), collation for ('a'::text), collation for ('a'::name), collation for ('a' COLLATE "POSIX"), pg_collation_for('a'::char(2));
SELECT collation for (1);
SELECT hashint2(1::int2), hashint4(5), hashint4(-5), hashint8(5), hashint8(-5), hashint8(5000000000), hashint8(-5000000000), hashoid(5), hashfloat8(1.5), hashfloat8(0), hashfloat8('-0'), hashfloat8('NaN'), hashfloat4(1.5), uuid_hash('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), hashname('abc'), hashbpchar('abc  '::char(5)), hashtext('abc'), hashint4(NULL);
SELECT hashint4extended(5, 0), hashint8extended(-5, 1), hashint2extended(1::int2, 77), hashtextextended('abc', 3);
SELECT to_hex(5::smallint);
SELECT 'abc'::bytea ILIKE 'ABC';
SELECT gcd(4::smallint, 6::smallint);
SELECT gcd(1, 2.5), gcd(4, 6::bigint), lcm('4', 6);
SELECT gcd('4', '6');
SELECT generate_series(1::smallint, 3::smallint);
SELECT factorial(4::smallint), chr(65::smallint), repeat('a', 2::smallint), round(5::smallint), sqrt(4::smallint), power(2::smallint, 2::smallint), mod(5::smallint, 3), div(5::smallint, 2), log(2::smallint, 8::smallint), to_timestamp(1::smallint), width_bucket(1::smallint, 0::smallint, 5::smallint, 2), trunc(2::smallint), scale(3::smallint);
SELECT position(1 in 'a1');
SELECT trim(5);
SELECT 'a' SIMILAR TO 5;

# Arguments may have names.
SELECT parse_ident('foo.boo[]', strict => false), parse_ident(str => 'a.b'), parse_ident(strict := true, str := 'a');
SELECT make_date(year => 2024, month => 1, day => 2), make_time(8, 15, sec => 23.5), make_timestamp(2024, 1, 2, 3, sec => 4, min => 5), make_interval(days => 3);
SELECT make_timestamptz(year => 2024, month => 1, mday => 2, hour => 3, min => 4, sec => 5, timezone => 'UTC'), make_timestamptz(2024, 1, 2, 3, 4, sec => 5);
SELECT jsonb_set('{"a":1}', '{b}', '2', create_if_missing => false), jsonb_set(jsonb_in => '{"a":1}', path => '{b}', replacement => '2'), jsonb_insert('[1,2]', '{0}', '9', insert_after => true), jsonb_set_lax('{"a":1}', '{a}', NULL, null_value_treatment => 'delete_key');
SELECT jsonb_path_query('{"a":[1,2]}', '$.a[*]', silent => true), jsonb_path_exists(target => '{"a":1}', path => '$.a ? (@ == $x)', vars => '{"x":1}');
SELECT make_date(year => 2024, month => 1, month => 2);
SELECT make_date(year => 2024, 1, 2);
SELECT make_date(year => 2024, foo => 1, day => 2);
SELECT make_date(2024, year => 1, day => 2);
SELECT make_date(year => 2024, day => 2);
SELECT lower(str => 'A');
SELECT count(x => 1);
SELECT sum(a => 1.5) FROM (VALUES (1)) v(a);
SELECT nosuch(1, a => 'x');
SELECT pg_catalog.make_date(year => 2024, month => 13, day => 2);
SELECT * FROM jsonb_path_query('[1,2]', path => '$[*]');

# Numbers of characters in expressions, escapes of LIKE, currencies and Roman numbers.
SELECT 'A' ~ '\101', E'\n' ~ '\012', '8' ~ '\60', E'\x01' ~ '\01', 'a9' ~ '\1419', '''0' ~ '\0470', E'\x01' ~ '^\0001$', '/' ~ '\057';
SELECT 'a' ~ '\8';
SELECT 'a' ~ '\89';
SELECT 'a' ~ '(a)\12';
SELECT 'a' ~ '[b-a]';
SELECT x ~ '[b-a]' FROM (VALUES ('a')) v(x);
SELECT regexp_count('a', '[b-a]');
SELECT x LIKE 'a\' FROM (VALUES ('ab')) v(x);
SELECT x LIKE y FROM (VALUES ('ab', 'a\'), ('a', 'b\')) v(x, y);
SELECT x LIKE y ESCAPE e FROM (VALUES ('ab', 'a', 'ab')) v(x, y, e);
SELECT x LIKE y ESCAPE e, x NOT LIKE y ESCAPE e, x ILIKE y ESCAPE e FROM (VALUES ('a%', 'aé%', 'é'), ('A_', 'a#_', '#'), ('a\b', 'a\b', ''), ('a', 'a', NULL)) v(x, y, e);
SELECT 'a%' LIKE 'aé%' ESCAPE 'é', 'a%' LIKE 'a#%' ESCAPE '#', 'a' LIKE 'a' ESCAPE NULL, 'a\' LIKE 'a\' ESCAPE '', 'a%' ILIKE 'A!%' ESCAPE '!', 'a' NOT LIKE 'a#' || 'b' ESCAPE '#';
SELECT 'a' LIKE 'a##' ESCAPE '##';
SELECT 'a' LIKE 'a#' ESCAPE '#';
SELECT x LIKE 'a#' ESCAPE '#' FROM (VALUES ('ab')) v(x);
SELECT 'a' LIKE 'a' ESCAPE 5;
SELECT 'ab '::char(5) LIKE 'ab#   ' ESCAPE '#', 'ab' LIKE 'ab'::char(3) ESCAPE '#', 'ab'::name LIKE 'a#b' ESCAPE '#', 'ab'::varchar LIKE 'a_' ESCAPE '#';
SELECT to_char(5, 'abc'), to_char(5, '9C'), to_char(5, 'C9'), to_char(1.5, 'C9.9');
SELECT to_char(5000000000, 'RN');
SELECT to_char(2147483647, 'RN'), to_char(1e10::float8, 'RN'), to_char(2147483648.4::float8, 'FMRN');
SELECT to_char(2147483647.5, 'RN');
SELECT to_number('C5', 'C9'), to_number('5C', '9C');

# What is out of range is named by its type, and told why.
SELECT -((-32768)::int2);
SELECT -((-2147483648)::int4);
SELECT -('-9223372036854775808'::int8);
SELECT -x FROM (VALUES (-9223372036854775808)) v(x);
SELECT abs((-2147483648)::int);
SELECT abs((-32768)::int2);
SELECT @ (-9223372036854775808);
SELECT gcd((-9223372036854775808)::int8, 0::int8);
SELECT 4294967296::oid;
SELECT sin('Infinity'::float8);
SELECT 99.95::numeric(3,1);
SELECT 1234::numeric(3);
SELECT x::numeric(3,1) FROM (VALUES ('99.95')) v(x);
SELECT x::numeric(3,3) FROM (VALUES (1.5)) v(x);
SELECT x::numeric(3,1) FROM (VALUES (100::float8)) v(x);
SELECT x::numeric(3,1) FROM (VALUES ('abc')) v(x);
SELECT x::numeric(3,1) FROM (VALUES ('1.25'), (' 99.94 ')) v(x);
SELECT ('{"a":100}'::jsonb->'a')::numeric(3,1);
SELECT '100'::numeric(3,1);
SELECT '+NaN'::numeric;
SELECT x::numeric FROM (VALUES ('-NaN')) v(x);
SELECT -1::smallint, -(5::bigint), - - 5, -(1.5), -'1 day'::interval, -x, pg_typeof(-x) FROM (VALUES (5::smallint)) v(x);
SELECT -x, count(*) FROM (VALUES (1),(2),(1)) v(x) GROUP BY -x ORDER BY -x;
SELECT -0, -(0::int), -(0::float8), -(0.0);
