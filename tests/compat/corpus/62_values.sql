-- what ANY and ALL compare with an array: queries, columns of a query around, names like those within
SELECT (SELECT 5) > ALL (ARRAY[1,2]), (SELECT 5) <> ALL (ARRAY[1,NULL]), 'a' LIKE ANY (ARRAY['b%',(SELECT 'a%')]);
SELECT id, (SELECT max(id) FROM product) > ALL (ARRAY[id,2]) FROM sale ORDER BY id;
SELECT t.id, q.u FROM product t, LATERAL (SELECT t.id > ALL (ARRAY[x]) AS u FROM (VALUES (1),(2)) v(x)) q ORDER BY 1, 2;
SELECT t.id, (SELECT x > ALL (ARRAY[t.id, 1]) FROM (VALUES (1)) v(x)) FROM product t ORDER BY 1;
SELECT t.id, q.u FROM customer t, LATERAL (SELECT x FROM (VALUES ('c1')) v(x) WHERE x < ALL (ARRAY[t.id])) AS q(u) ORDER BY 1, 2;
SELECT balance > ANY (ARRAY[balance, age]) FROM customer ORDER BY id;
SELECT sum(age) > ALL (ARRAY[1, count(*)]) FROM customer;
SELECT 5 <> ALL ('{}'::int[]), NULL::int <> ALL (ARRAY[1]), 1.5 <> ALL (ARRAY[1,2]), 1 <> ALL (NULL::int[]), 'a' NOT LIKE ALL (ARRAY['b%','a%']), 1 <> ALL (ARRAY[1,NULL]);
SELECT id FROM product WHERE name <> ALL (ARRAY['Pro','Mug']) AND id <> ALL ('{1,2}') ORDER BY id;
SELECT t.id, q.u FROM customer t, LATERAL (SELECT string_to_array('a c1 b', ' ', t.id) AS u) q ORDER BY 1;
SELECT t.id, q.u FROM customer t, LATERAL (SELECT width_bucket(t.age, ARRAY[1,30,60]) AS u) q ORDER BY 1;
SELECT t.id, q.u FROM customer t, LATERAL (SELECT array_fill(t.age, ARRAY[2]) AS u) q ORDER BY 1;
SELECT t.id, q.u FROM customer t, LATERAL (SELECT generate_subscripts(ARRAY[t.age, 2], 1, t.active) AS u) q ORDER BY 1, 2;
SELECT array_fill(7, ARRAY[3]), array_fill(NULL::int, ARRAY[2]), array_fill(1, ARRAY[0]), string_to_array('a,b,,c', ',', ''), generate_subscripts(ARRAY[1,2,3], 1, true);
-- fields of what never ends
SELECT date_part('epoch', 'infinity'::date), date_part('epoch', '-infinity'::timestamp), date_part('epoch', 'infinity'::timestamptz), date_part('day', 'infinity'::date);
SELECT date_part('year', 'infinity'::date), date_part('isoyear', '-infinity'::timestamp), date_part('dow', 'infinity'::date), date_part('decade', '-infinity'::date), date_part('julian', '-infinity'::date), date_part('Century', 'infinity'::timestamptz);
SELECT extract(year FROM 'infinity'::timestamptz), extract(epoch FROM '-infinity'::date);
-- sums of double precision
SELECT avg(x), sum(x), avg(DISTINCT x), sum(x) FILTER (WHERE x > 1) FROM (VALUES (1::float8), (2.5), (NULL), (1)) v(x);
SELECT avg(x), sum(x) FROM (VALUES (2.5::float8)) v(x) WHERE x > 5;
SELECT avg(x), sum(x) FROM (VALUES (2.5::float8), ('Infinity')) v(x);
SELECT sum(x), avg(x) FROM (VALUES ('Infinity'::float8), ('-Infinity')) v(x);
SELECT avg(x), sum(x) FROM (VALUES (1::real), (2.5), (NULL)) v(x);
SELECT sum(x) OVER (ORDER BY x ROWS 1 PRECEDING), avg(x) OVER (ORDER BY x DESC) FROM (VALUES (1::float8), (2.5), (4)) v(x) ORDER BY x;
-- the end of a day
SELECT time(1) '23:59:59.99', '23:59:59.99'::time(0), time(0) '24:00:00', time(3) '12:00:00.1235', x::time(0) FROM (VALUES ('23:59:59.6')) v(x);
-- hexadecimal floats
SELECT '0x1p3'::float8, '0x1.8p1'::real, ' -0X.8 '::float8, '0x10'::float8, x::float8, x::real FROM (VALUES (' 0x1.8p1 '), ('-0x10')) v(x) ORDER BY 5;
SELECT '0x1p2000'::float8;
SELECT '0x1p-2000'::float8;
SELECT '0x1p200'::real;
SELECT '0xg'::float8;
SELECT x::float8 FROM (VALUES ('0x1p2000')) v(x);
SELECT x::real FROM (VALUES ('0x')) v(x);
-- fields, the least and the greatest of timetz
SELECT extract(hour FROM timetz '10:30:05.5+02'), extract(second FROM timetz '10:30:05.5+02'), extract(milliseconds FROM timetz '10:30:05.5+02'), extract(microseconds FROM timetz '10:30:05.5+02');
SELECT extract(timezone FROM timetz '10:30+02:30'), extract(timezone_hour FROM timetz '10:30-02:30'), extract(timezone_minute FROM timetz '10:30-02:30'), extract(epoch FROM timetz '10:30-02:30'), extract(minute FROM timetz '10:30-02:30');
SELECT date_part('hour', timetz '10:30:05.5+02'), date_part('seconds', timetz '10:30:05.5+02'), date_part('epoch', timetz '10:30:05.5+02'), date_part(f, timetz '10:30+02') FROM (VALUES ('hour'), ('EPOCH')) v(f) ORDER BY 4;
SELECT extract(day FROM timetz '10:30+02');
SELECT extract(foo FROM timetz '10:30+02');
SELECT date_part(f, timetz '10:30+02') FROM (VALUES ('foo')) v(f);
SELECT max(x) OVER (ORDER BY i), min(x) OVER () FROM (VALUES (timetz '10:00+02', 1), (timetz '09:00+00', 2), (NULL, 3)) v(x, i) ORDER BY i;
SELECT max(x), min(DISTINCT x) FROM (VALUES (timetz '10:00+02')) v(x) WHERE false;
-- a literal in a query is a text before it is compared
SELECT 1 IN (SELECT '1');
SELECT 1 = ANY (SELECT '1');
SELECT 1 IN (SELECT NULL);
SELECT date '2024-01-01' NOT IN (SELECT '2024-01-01');
SELECT (1,2) IN (SELECT '1', 2);
SELECT '1' IN (SELECT 1), 'a'::varchar(3) IN (SELECT 'a'), (1, 'a') IN (SELECT 1, 'a'), NULL IN (SELECT NULL), 1 IN (SELECT 1.0);
-- the least and the greatest of char(n)
SELECT max(x), min(x::char(2)), max(x::char(3)) || '|' FROM (VALUES ('a'::char(3)), ('ab'), (NULL)) v(x);
-- a table called as the engine's columns of functions are
SELECT v.id, (SELECT string_agg(x || v.id, ',' ORDER BY x) FROM unnest(ARRAY['a','b']) AS u(x)), (SELECT count(*) FROM unnest(ARRAY[1], ARRAY[2,3]) AS u(x, y) WHERE v.id IS NOT NULL) FROM sale v ORDER BY 1;
