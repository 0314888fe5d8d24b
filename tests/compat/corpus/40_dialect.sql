# date_trunc, with zone and interval
SELECT date_trunc('hour', timestamp '2024-05-17 13:45:59.987654');
SELECT date_trunc('week', timestamp '2024-01-03 10:00'), date_trunc('quarter', timestamp '2024-05-17'), date_trunc('decade', timestamp '2024-05-17');
SELECT date_trunc('milliseconds', timestamp '2024-05-17 13:45:59.987654'), date_trunc('microseconds', timestamp '2024-05-17 13:45:59.987654');
SELECT date_trunc('day', timestamptz '2024-03-10 03:30:00+00', 'America/New_York');
SELECT date_trunc('month', created, 'Europe/Berlin') FROM customer ORDER BY id;
SELECT date_trunc('day', timestamptz '2024-03-31 01:30:00+00' AT TIME ZONE 'Europe/Berlin');
SELECT date_trunc('day', created AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo') FROM customer ORDER BY id;
SELECT date_trunc('month', birth) FROM customer ORDER BY id;
SELECT date_trunc('hour', interval '2 days 03:47:33'), date_trunc('month', interval '1 year 5 mons 20 days');
SELECT date_trunc('day', 'infinity'::timestamp), date_trunc('day', NULL::timestamptz);
SELECT DATE_TRUNC('MONTH', timestamp '2024-05-17'), date_trunc('Day', timestamp '2024-05-17 10:00');
SELECT date_bin('15 minutes', timestamp '2024-02-11 15:44:17', timestamp '2001-01-01');
SELECT date_bin('7 days', timestamp '2000-12-25 10:00', timestamp '2001-01-01 00:00');

# extract and date_part of every field
SELECT extract(century FROM date '2024-01-01'), extract(decade FROM date '2024-01-01'), extract(millennium FROM timestamp '2001-01-01');
SELECT extract(isoyear FROM date '2024-12-30'), extract(week FROM date '2021-01-03'), extract(isodow FROM date '2024-05-19'), extract(dow FROM date '2024-05-19');
SELECT extract(julian FROM timestamp '2024-05-17 12:00'), extract(julian FROM date '2024-05-17');
SELECT extract(epoch FROM timestamp '2024-05-17 13:45:59.987654'), extract(epoch FROM date '2024-05-17'), extract(epoch FROM interval '1 year 1 mon 1 day');
SELECT extract(microseconds FROM timestamp '2024-05-17 13:45:59.987654'), extract(milliseconds FROM time '13:45:59.9876'), extract(second FROM interval '1 minute 2.5 seconds');
SELECT extract(timezone FROM timestamptz '2024-05-17 12:00+02'), extract(timezone_hour FROM timestamptz '2024-05-17 12:00+02');
SELECT date_part('year', timestamp '2024-05-17'), date_part('epoch', timestamp '2024-05-17 00:00:00.5'), date_part('dow', date '2024-05-17');
SELECT extract(hour FROM time '13:45:59'), extract(minute FROM interval '90 minutes'), extract(day FROM interval '40 days 1 hour'), extract(month FROM interval '14 months');
SELECT extract(quarter FROM interval '14 months'), extract(decade FROM interval '25 years'), extract(year FROM interval '14 months');
SELECT extract(epoch FROM created) FROM customer ORDER BY id;
SELECT extract('year' FROM timestamp '2024-05-17'), extract("month" FROM timestamp '2024-05-17');
SELECT date_part('hour', time '10:30'), date_part('minutes', timestamp '2024-05-17 10:31');

# to_char of times
SELECT to_char(timestamp '2024-05-07 13:05:09.012345', 'YYYY-MM-DD HH24:MI:SS.US');
SELECT to_char(created AT TIME ZONE 'America/New_York', 'YYYY-MM-DD HH24:MI TZ') FROM customer ORDER BY id;

# to_date, to_timestamp, to_number
SELECT to_date('2024-05-07', 'YYYY-MM-DD'), to_date('05 Dec 2000', 'DD Mon YYYY'), to_date('20240507', 'YYYYMMDD'), to_date('7/5/24', 'DD/MM/YY');
SELECT to_date(NULL, 'YYYY'), to_date('2024', 'YYYY'), to_date('202405', 'YYYYMM');
SELECT to_timestamp('2024-05-07 13:05:09', 'YYYY-MM-DD HH24:MI:SS'), to_timestamp('2024-05-07 01:05 PM', 'YYYY-MM-DD HH12:MI AM');
SELECT to_timestamp(x, 'DD.MM.YYYY') FROM (VALUES ('07.05.2024'), ('31.12.1999')) v(x) ORDER BY 1;
SELECT to_date(to_char(created, 'YYYYMMDD'), 'YYYYMMDD') FROM customer ORDER BY id;

# age
SELECT age(timestamp '2024-05-07', timestamp '1990-12-25'), age(timestamp '1990-12-25', timestamp '2024-05-07');
SELECT age(date '2024-03-31', date '2024-02-29'), age(timestamp '2024-05-07 10:00', timestamp '2024-05-06 11:30:15.5');
SELECT age(timestamptz '2024-05-07', created) FROM customer ORDER BY id;
SELECT age(current_date, current_date), age(NULL::date), age(timestamp '2024-01-31', timestamp '2023-02-28');
SELECT extract(year FROM age(date '2024-05-07', birth))::int FROM customer ORDER BY id;

# date, time, timestamp and interval arithmetic
SELECT date '2024-02-29' + interval '1 year', date '2024-02-29' - interval '1 year', timestamp '2024-01-31' + interval '1 month', timestamp '2024-03-31' - interval '1 month';
SELECT date '2024-05-07' + time '10:30', date '2024-05-07' - 7, 7 + date '2024-05-07', date '2024-05-07' + interval '36 hours';
SELECT timestamp '2024-05-07 10:00' - timestamp '2024-05-01', timestamp '2024-05-07' - date '2024-05-01', date '2024-05-07' - timestamp '2024-05-01 12:00';
SELECT timestamptz '2024-05-07 10:00+02' - timestamptz '2024-05-07 10:00-05', timestamptz '2024-05-07 10:00+02' + interval '1 day';
SELECT interval '1 mon 31 days 24:00:00', interval '1 day' - interval '25 hours', interval '1 day -1 hours', interval '-1 year -2 mons +3 days';
SELECT interval '1 day' = interval '24 hours', interval '30 days' = interval '1 month', interval '1 month' > interval '29 days', interval '1 year' = interval '360 days';
SELECT interval '1:30', interval '1 02:03', interval '3 4:05:06.789', interval '1-2', interval '1-2 3 4:05:06', interval '@ 1 hour ago';
SELECT interval '1 week', interval '2 decades', interval '1 century', interval '1.5 weeks', interval '0.1 months', interval '1 microsecond', interval '100 milliseconds';
SELECT time '10:00' + interval '15 hours', time '10:00' - interval '11 hours', time '10:00' - time '11:30', time '23:59:59.999999' + interval '1 microsecond', time '24:00';
SELECT timestamptz '2024-03-10 06:59+00' AT TIME ZONE 'US/Eastern', timestamp '2024-03-10 02:30' AT TIME ZONE 'US/Eastern', timestamp '2024-11-03 01:30' AT TIME ZONE 'US/Eastern';
SELECT date 'May 7, 2024', date '7 May 2024', date '20240507', date '05/07/2024', date '2024.05.07', date '2024-W19', date 'J2460438';
SELECT date '5874898-01-01';
SELECT timestamp '294277-01-01';
SELECT current_timestamp(0) IS NOT NULL, localtimestamp(2) IS NOT NULL, current_time(1) IS NOT NULL;
SELECT timestamp '2024-05-07 10:00' = date '2024-05-07', timestamptz '2024-05-07' > date '2024-05-06', date '2024-05-07' BETWEEN '2024-05-01' AND '2024-05-31';
SELECT timestamp '2024-05-07' + 1;
SELECT timestamp '2024-05-07' + timestamp '2024-05-07';
SELECT date '2024-05-07' * 2;
SELECT interval 'nonsense';
SELECT created::date, created::time, created::timestamp, created::text, birth::timestamp, birth::timestamptz, birth::text FROM customer ORDER BY id;
SELECT interval '1 day'::text, (interval '1 month' + interval '1 day')::text, interval '0', interval '-00:00:01', interval '-1 month 1 day';
SELECT created + quantity * interval '1 day' FROM customer c JOIN subscription s ON s.left_key = c.id ORDER BY 1;
SELECT (created + interval '1 month')::date - created::date FROM customer ORDER BY id;
SELECT now() > '2020-01-01', current_date > '2020-01-01'::date, now()::date::text = current_date::text;

# generate_series
SELECT * FROM generate_series(timestamp '2024-01-31', timestamp '2024-05-31', interval '1 month') AS d;
SELECT d::date FROM generate_series(date '2024-02-27', date '2024-03-02', '1 day') AS d;
SELECT generate_series(date '2024-02-27', date '2024-03-01', interval '1 day');
SELECT * FROM generate_series(timestamptz '2024-03-30 12:00+00', timestamptz '2024-04-01 12:00+00', '12 hours') AS t(x);
SELECT * FROM generate_series(1, 0), generate_series(1, 2) AS b;
SELECT * FROM generate_series(10, 1, -4) AS x;
SELECT a, generate_series(1, a) AS b FROM generate_series(1, 3) AS a ORDER BY 1, 2;
SELECT x, row_number() OVER () FROM generate_series(5, 7) AS x;
SELECT count(*) FROM generate_series(1, 100000);
SELECT generate_series(1, 3), generate_series(1, 2), 'x';
SELECT * FROM generate_series(1, 3) WITH ORDINALITY AS g(v, n);
SELECT * FROM generate_series(timestamp '2024-01-01', timestamp '2024-01-02', interval '0');
SELECT array(SELECT generate_series(1, 5)), (SELECT sum(x) FROM generate_series(1, 10) x);
SELECT g, to_char(date '2024-01-01' + g, 'Dy') FROM generate_series(0, 6) g ORDER BY g;
SELECT c.id, m FROM customer c CROSS JOIN LATERAL generate_series(1, coalesce(c.age, 0)::int / 20) AS m ORDER BY 1, 2;

# string_agg, array_agg and other aggregates with ORDER BY, DISTINCT, FILTER
SELECT string_agg(name, '|' ORDER BY length(name) DESC, name) FROM product;
SELECT string_agg(DISTINCT category, ',' ORDER BY category DESC) FROM product;
SELECT string_agg(name, ', ') FILTER (WHERE stock > 10) FROM product WHERE id < 3;
SELECT string_agg(id, ',') FROM product;
SELECT array_agg(DISTINCT category ORDER BY category), array_agg(price ORDER BY price NULLS FIRST), array_agg(launched ORDER BY id) FROM product;
SELECT array_agg(id) FILTER (WHERE false), array_agg(NULL::int) FROM product;
SELECT array_agg(ARRAY[id, stock] ORDER BY id) FROM product;
SELECT array_agg(x ORDER BY x DESC) FROM (VALUES (1.5), (2), (NULL)) v(x);
SELECT array_to_string(array_agg(name ORDER BY id), ';') FROM product;
SELECT (array_agg(name ORDER BY stock DESC))[1] FROM product;
SELECT category, count(*) FILTER (WHERE price > 5) AS dear, sum(stock) FILTER (WHERE price IS NULL) FROM product GROUP BY category ORDER BY 1;
SELECT bool_and(price > 1), bool_or(stock = 0), every(true) FROM product;
SELECT count(DISTINCT category), count(DISTINCT (category, stock)), sum(DISTINCT stock), avg(DISTINCT stock) FROM product;
SELECT avg(price), sum(price), avg(stock), stddev(price), var_pop(stock) FROM product;
SELECT avg(x), sum(x) FROM (VALUES (1::int2), (2::int2)) v(x);
SELECT avg(x), sum(x), stddev_samp(x) FROM (VALUES (1.1::float4), (2.2::float4)) v(x);
SELECT sum(x) FROM (VALUES (9223372036854775807), (1)) v(x);
SELECT sum(x) FROM (VALUES (2147483647), (1)) v(x);
SELECT min(x), max(x) FROM (VALUES ('b'), ('A'), ('é'), ('')) v(x);
SELECT min(active), max(active) FROM customer;
SELECT max(attrs) FROM customer;
SELECT min(x), max(x) FROM (VALUES (ARRAY[1,2]), (ARRAY[1]), (ARRAY[0,9])) v(x);
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY launched), mode() WITHIN GROUP (ORDER BY category DESC) FROM product;
SELECT category, percentile_cont(0.5) WITHIN GROUP (ORDER BY stock) FILTER (WHERE stock > 0) FROM product GROUP BY category ORDER BY 1;
SELECT median(stock) FROM product;
SELECT any_value(category) FROM product;
SELECT array_agg(id ORDER BY id), count(*) FROM product GROUP BY category, price IS NULL ORDER BY 2 DESC, 1;
SELECT xmlagg(1) FROM product;
SELECT avg(name) FROM product;
SELECT sum(active) FROM customer;
SELECT count(*) FROM customer WHERE active GROUP BY (); 
SELECT grouping(category), category, stock > 20, count(*) FROM product GROUP BY CUBE (category, stock > 20) ORDER BY 1, 2, 3;
SELECT category, name, sum(stock), grouping(category, name) FROM product GROUP BY ROLLUP (category, name) ORDER BY 4, 1, 2;
SELECT category, launched, count(*) FROM product GROUP BY GROUPING SETS ((category), (launched), ()) ORDER BY 1, 2, 3;
SELECT category, count(*) FROM product GROUP BY GROUPING SETS (category, ROLLUP (category, name)) ORDER BY 1, 2;
SELECT sum(stock) AS s FROM product GROUP BY category HAVING sum(stock) > 200 AND min(id) < 3;
SELECT count(*) FROM product WHERE false GROUP BY category;
SELECT count(*), sum(1) FROM product WHERE false GROUP BY ROLLUP (category);

# GROUP BY of a primary key, and what is not grouped
SELECT p.id, p.name, p.price, count(s.*) FROM product p LEFT JOIN subscription s ON s.right_key = p.id GROUP BY p.id ORDER BY p.id;
SELECT s.left_key, s.right_key, s.note, count(*) FROM subscription s GROUP BY s.left_key, s.right_key ORDER BY 1, 2;
SELECT s.left_key, s.note FROM subscription s GROUP BY s.left_key;
SELECT c.id, c.name || ' ' || coalesce(c.tier, '?'), max(s.since) FROM customer c LEFT JOIN subscription s ON s.left_key = c.id GROUP BY c.id HAVING c.age > 20 ORDER BY c.name;
SELECT q.id, q.name FROM (SELECT id, name FROM product) q GROUP BY q.id;
SELECT category, stock + 1 FROM product GROUP BY category, stock ORDER BY 1, 2;
SELECT category || '!', count(*) FROM product GROUP BY category ORDER BY 1;
SELECT category AS stock, count(*) FROM product GROUP BY stock ORDER BY 1, 2;
SELECT id % 2 AS odd, count(*) FROM product GROUP BY odd HAVING count(*) > 1 ORDER BY odd;
SELECT id FROM product GROUP BY 1, name ORDER BY 1;
SELECT count(*) FROM product GROUP BY count(*);
SELECT name FROM product GROUP BY category ORDER BY name;
SELECT category FROM product GROUP BY category ORDER BY stock;
SELECT DISTINCT category FROM product GROUP BY category, stock ORDER BY category;

# DISTINCT ON
SELECT DISTINCT ON (category) category, name, price FROM product ORDER BY category, price DESC NULLS LAST;
SELECT DISTINCT ON (category, launched IS NULL) id, category FROM product ORDER BY category, launched IS NULL, id;
SELECT DISTINCT ON (1) category, id FROM product ORDER BY 1, 2 DESC;
SELECT DISTINCT ON (left_key) left_key, since, note FROM subscription ORDER BY left_key, since DESC;
SELECT DISTINCT ON (category) * FROM product ORDER BY category, id LIMIT 1;
SELECT DISTINCT ON (nosuch) id FROM product;
SELECT count(*) FROM (SELECT DISTINCT ON (tier) * FROM customer) q;
SELECT DISTINCT price FROM product ORDER BY price DESC NULLS LAST;
SELECT DISTINCT attrs->>'city' FROM customer ORDER BY 1;

# LATERAL
SELECT c.id, x.n FROM customer c, LATERAL (SELECT count(*) AS n FROM subscription s WHERE s.left_key = c.id) x ORDER BY c.id;
SELECT c.id, s.since FROM customer c LEFT JOIN LATERAL (SELECT since FROM subscription WHERE left_key = c.id ORDER BY since DESC LIMIT 1) s ON true ORDER BY c.id;
SELECT p.id, u FROM product p CROSS JOIN LATERAL unnest(string_to_array(p.name, 'o')) AS u ORDER BY 1, 2;
SELECT c.id, e.key, e.value FROM customer c LEFT JOIN LATERAL jsonb_each(c.attrs) e ON true ORDER BY 1, 2;
SELECT c.id, t.tag, t.n FROM customer c CROSS JOIN LATERAL jsonb_array_elements_text(c.attrs->'tags') WITH ORDINALITY AS t(tag, n) ORDER BY 1, 3;
SELECT a.x, b.y FROM (VALUES (1), (2)) a(x), LATERAL (VALUES (a.x * 10), (a.x * 20)) b(y) ORDER BY 1, 2;
SELECT p.id, v.k, v.val FROM product p CROSS JOIN LATERAL (VALUES ('stock', p.stock::text), ('price', p.price::text)) AS v(k, val) ORDER BY 1, 2;

# Window frames
SELECT id, sum(stock) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), count(*) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) FROM product ORDER BY id;
SELECT id, sum(stock) OVER (ORDER BY stock RANGE BETWEEN 50 PRECEDING AND CURRENT ROW) FROM product ORDER BY id;
SELECT left_key, sum(quantity) OVER (ORDER BY since RANGE BETWEEN interval '1 month' PRECEDING AND CURRENT ROW) FROM subscription ORDER BY since, left_key;
SELECT id, array_agg(id) OVER (ORDER BY category GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM product ORDER BY id;
SELECT id, sum(id) OVER (ORDER BY category ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM product ORDER BY id;
SELECT id, count(*) OVER (ORDER BY category RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM product ORDER BY id;
SELECT id, first_value(price) OVER w, last_value(price) OVER w, nth_value(price, 2) OVER w FROM product WINDOW w AS (PARTITION BY category ORDER BY price ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY id;
SELECT id, lag(price, 2, 0) OVER (ORDER BY id), lead(stock, -1) OVER (ORDER BY id), lag(name, 0) OVER (ORDER BY id) FROM product ORDER BY id;
SELECT id, ntile(3) OVER (ORDER BY id DESC), cume_dist() OVER (ORDER BY category), percent_rank() OVER (ORDER BY category) FROM product ORDER BY id;
SELECT id, row_number() OVER (PARTITION BY category ORDER BY price NULLS FIRST), rank() OVER (ORDER BY price DESC) FROM product ORDER BY id;
SELECT category, sum(stock), sum(sum(stock)) OVER (), round(100.0 * sum(stock) / sum(sum(stock)) OVER (), 1) FROM product GROUP BY category ORDER BY 1;
SELECT id, sum(stock) OVER (w ROWS 1 PRECEDING) FROM product WINDOW w AS (ORDER BY id) ORDER BY id;
SELECT id, string_agg(name, ',') OVER (ORDER BY id), avg(price) OVER (ORDER BY id ROWS 2 PRECEDING), max(name) OVER (PARTITION BY category) FROM product ORDER BY id;
SELECT id, avg(stock) OVER (PARTITION BY category) FROM product ORDER BY id;
SELECT id FROM product WHERE row_number() OVER (ORDER BY id) = 1;
SELECT count(DISTINCT category) OVER () FROM product;
SELECT id, lag(id) OVER nowhere FROM product;
SELECT id, first_value(name) OVER (ORDER BY id) || '-' || lead(name) OVER (ORDER BY id) FROM product ORDER BY row_number() OVER (ORDER BY id DESC);

# Recursive CTEs and other WITH
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n), array_agg(n ORDER BY n) FROM t;
WITH RECURSIVE fib(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM fib WHERE b < 100) SELECT a FROM fib ORDER BY a;
WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT n % 3 + 1 FROM t) SELECT n FROM t ORDER BY n;
WITH RECURSIVE walk(id, path) AS (SELECT 1::bigint, ARRAY[1::bigint] UNION ALL SELECT p.id, path || p.id FROM product p JOIN walk w ON p.id = w.id + 1) SELECT * FROM walk ORDER BY id;
WITH RECURSIVE t(n, s) AS (SELECT 1, 'a'::text UNION ALL SELECT n + 1, s || 'b' FROM t WHERE n < 4) SELECT * FROM t ORDER BY n;
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT n FROM t LIMIT 5;
WITH a AS MATERIALIZED (SELECT * FROM product), b AS NOT MATERIALIZED (SELECT * FROM a WHERE stock > 5) SELECT count(*) FROM b;
WITH a(x, y) AS (SELECT id, name FROM product) SELECT x FROM a WHERE y LIKE 'P%';
WITH a AS (WITH b AS (SELECT 1 AS n) SELECT n + 1 AS n FROM b) SELECT * FROM a;
WITH t AS (SELECT 1 AS n) SELECT (WITH u AS (SELECT n + 1 AS m FROM t) SELECT m FROM u), * FROM t;
WITH t AS (SELECT n FROM t2), t2 AS (SELECT 1 AS n) SELECT * FROM t;

# Set operations
SELECT id FROM product EXCEPT SELECT right_key FROM subscription ORDER BY 1;
SELECT id FROM product INTERSECT SELECT right_key FROM subscription ORDER BY 1;
SELECT category FROM product UNION ALL SELECT tier FROM customer ORDER BY 1 NULLS FIRST;
(SELECT id FROM product ORDER BY id DESC LIMIT 1) UNION ALL (SELECT id FROM product ORDER BY id LIMIT 1) ORDER BY 1;
SELECT 1 AS a UNION SELECT 2.5 UNION SELECT NULL ORDER BY a;
SELECT 'a' UNION SELECT 'b' ORDER BY 1;
SELECT NULL UNION SELECT 1;
SELECT 1 EXCEPT ALL SELECT 1;
SELECT x FROM (VALUES (1), (1), (2)) v(x) EXCEPT ALL SELECT 1 ORDER BY 1;
SELECT x FROM (VALUES (1), (1), (2)) v(x) INTERSECT ALL SELECT x FROM (VALUES (1), (1)) w(x);
SELECT now() UNION SELECT 1;
SELECT 1 UNION SELECT 2 ORDER BY nosuch;
SELECT id, name FROM product UNION SELECT id FROM product;

# jsonb operators
SELECT '{"a":{"b":[10,20,{"c":"x"}]}}'::jsonb #> '{a,b,2,c}', '{"a":{"b":[10,20]}}'::jsonb #>> '{a,b,-1}', '{"a":1}'::jsonb #> '{}';
SELECT '{"b":1,"aa":2,"a":3,"b":4}'::jsonb, '  [1 , 2,{"x" :  null}] '::jsonb, '1.10'::jsonb, '1e2'::jsonb, '-0'::jsonb, '"\u00e9\n\/"'::jsonb;
SELECT '{"b":1, "a":2,"b":3}'::json, ' [1 , 2]'::json, '1.10'::json;
SELECT '{"a":[1,2,3]}'::jsonb @> '{"a":[3,1]}', '[1,[2,3]]'::jsonb @> '[[2]]', '["a"]'::jsonb @> '"a"', '{"a":{"b":1,"c":2}}'::jsonb @> '{"a":{"b":1}}', '[]'::jsonb @> '[]', '1'::jsonb <@ '[1]';
SELECT '{"a":1}'::jsonb || '{"b":2}', '[1]'::jsonb || '2', '{"a":1}'::jsonb || '[3]', '1'::jsonb || '2', NULL::jsonb || '{"a":1}';
SELECT '{"a":1,"b":2}'::jsonb - 'a', '["a","b","a"]'::jsonb - 'a', '[1,2,3]'::jsonb - 1, '[1,2,3]'::jsonb - -1, '{"a":1,"b":2,"c":3}'::jsonb - '{a,c}'::text[], '{"a":[1,{"b":2}]}'::jsonb #- '{a,1,b}';
SELECT ('{"a":true}'::jsonb->'a')::bool, ('5'::jsonb)::bigint, ('5.5'::jsonb)::numeric, ('5.5'::jsonb)::int;
SELECT '{"a":1}'::jsonb->>0, '[{"a":5}]'::jsonb->0->>'a', '[1,2]'::json->>-1;
SELECT '{"a":1}'::jsonb - 1;
SELECT '{a:1}'::jsonb;
SELECT '{"a":1,}'::json;
SELECT '"\u0000"'::jsonb;
SELECT '01'::jsonb;
SELECT ''::jsonb;
SELECT jsonb '{"a": 12345678901234567890}' ->> 'a', jsonb '1e400', jsonb '0.1000';
SELECT count(*) FROM customer WHERE attrs -> 'deep' ->> 'x' = '10';
SELECT attrs['city'], attrs['tags'][0], attrs['deep']['x'] FROM customer ORDER BY id;
SELECT attrs->>'city' AS city, count(*) FROM customer GROUP BY attrs->>'city' ORDER BY 1;

# json and jsonb functions
SELECT jsonb_set('{"a":[1,2]}', '{a,0}', '9'), jsonb_set('{"a":1}', '{b}', '2', false), jsonb_insert('{"a":[1,2]}', '{a,1}', '"x"');
SELECT * FROM jsonb_each('{"a":1,"b":{"c":2}}') AS e(k, v) ORDER BY k;
SELECT key, value FROM jsonb_each_text('{"a":1,"b":"x","c":null}');
SELECT jsonb_object_keys('{"bb":1,"a":2,"c":3}');
SELECT jsonb_array_length('[1,2,3]'), jsonb_array_length('[]');
SELECT jsonb_typeof('null'), jsonb_typeof('1.5'), jsonb_typeof('"x"'), jsonb_typeof('true'), jsonb_typeof('[]'), jsonb_typeof('{}'), jsonb_typeof(NULL);
SELECT row_to_json(row(1, 'a', NULL)), row_to_json(p, true) FROM (SELECT 1 AS a) p;
SELECT jsonb_extract_path('{"a":{"b":[1,2]}}', 'a', 'b', '1'), jsonb_extract_path_text('{"a":{"b":"x"}}', 'a', 'b'), json_extract_path_text('{"a":1}', 'z');

# Nested paths: any, count, average length of lists in jsonb
SELECT id FROM customer c WHERE EXISTS (SELECT 1 FROM jsonb_array_elements_text(CASE WHEN jsonb_typeof(attrs->'tags') = 'array' THEN attrs->'tags' ELSE '[]' END) AS t WHERE t = 'b') ORDER BY id;
SELECT id, (SELECT count(*) FROM jsonb_array_elements_text(attrs->'tags') t WHERE t > 'a') FROM customer ORDER BY id;
SELECT id, coalesce(jsonb_array_length(attrs->'tags'), 0) AS n FROM customer ORDER BY n DESC, id;
SELECT id, attrs#>>'{deep,x,y}', attrs#>'{city,x}', attrs->'deep'->'missing'->'x' FROM customer ORDER BY id;

# Regular expressions
SELECT regexp_split_to_table('the quick  fox', '\s+'), regexp_split_to_array('a,b;c', '[,;]'), regexp_split_to_array('abc', '');
SELECT substring('2024-05-07' FROM '(\d+)-\d+'), substring('abc' FROM 'z'), substring('foobar', 'o+'), substring(NULL FROM 'a');
SELECT name ~* '^a', name !~ 'o', name SIMILAR TO '%(a|e)%' FROM customer ORDER BY id;
SELECT 'abc' LIKE 'a_c', 'a_c' LIKE 'a\_c', 'ABC' NOT ILIKE 'abc', 'abc' LIKE '', '' LIKE '%', 'abc' LIKE ANY (ARRAY['x%', 'a%']), 'abc' NOT LIKE ALL (ARRAY['x%', 'y%']);
SELECT 'abc' LIKE 'abc\';
SELECT 'a%c' LIKE 'a!%c' ESCAPE '!', 'abc' LIKE 'a\bc' ESCAPE '', 'abc' ~~ 'a%', 'abc' !~~* 'A%', 'abc' ^@ 'ab';
SELECT 'abc' SIMILAR TO 'a(b|c)+', 'abc' SIMILAR TO '_{3}', 'abd' NOT SIMILAR TO '%c', 'a%' SIMILAR TO 'a\%', 'ab' SIMILAR TO '[a-b]{2}';

# format, quote_*
SELECT format('%s %s', 'a', 1), format('%I.%I', 'public', 'My Table'), format('%L', 'it''s'), format('%L', NULL), format('%%'), format('%s', NULL);
SELECT format('%s', ARRAY[1,2]), format('%s', true), format('%s', date '2024-05-07'), format('%s', 1.50);

# width_bucket
SELECT width_bucket(balance, 0, 1500, 3), count(*) FROM customer GROUP BY 1 ORDER BY 1;
SELECT width_bucket(price, 0, 100, 4) FROM product ORDER BY id;

# current_setting, set_config, SHOW
SELECT current_setting('nosuch');

# Integers: division, overflow, bits
SELECT 7 / 2, -7 / 2, 7 / -2, 7 % -3, -7 % 3, 7::bigint / 2::smallint, 1::smallint / 2::smallint, mod(-7, 3);
SELECT -(-9223372036854775808);
SELECT 5 / 0.0;
SELECT 0 / 0;
SELECT mod(5, 0);
SELECT 5 % 0::smallint;
SELECT '0x10'::int;
SELECT ' 12 '::int, '+5'::int, '-0'::int;
SELECT '1.0'::int;
SELECT ''::int;
SELECT '12abc'::bigint;
SELECT 5 ! ;
SELECT int4(5.5), int8('5'), float8(1), text(5), bool('t'), numeric(5), int2(7), float4(1.5);
SELECT id / 2, id % 2, id * 1.0 / 2, stock / 7, -stock / 7 FROM product ORDER BY id;
SELECT sum(stock) / count(*), sum(stock)::numeric / count(*), sum(stock) * 1.0 / count(*) FROM product;

# numeric: scale and arithmetic
SELECT 1.10 + 2.205, 1.10 * 2.20, 5.00 - 5, 1.5 * 2, 3.000 * 0.1, -1.50, +1.500, 0.0, 0.00 * 1;
SELECT 10.0 % 3, -10.5 % 3, 10.25 % 0.5, mod(5.5, 2), 7.0 / 7, power(2.0, 0.5), 2.0 ^ 3, 2 ^ 0.5, 10.0 ^ -2, 0.0 ^ 0;
SELECT round(1.005, 2), round(-2.5), round(2.5), round(1234.567, -2), round(0.5), round(1.45, 1), trunc(1.999, 2), trunc(-1.5), trunc(1234.5, -2), ceil(-0.5), floor(-0.5), round(5, 2), round(150, -2);
SELECT sqrt(2.0), sqrt(16.0), sqrt(2), exp(1.0), exp(1), ln(2.0), ln(10), log(100.0), log(2, 8), log(2.0, 64.0), cbrt(27.0), pi(), log10(1000), degrees(pi()), radians(180);
SELECT 1000::numeric(3,0);
SELECT 123.456::numeric(4,2);
SELECT 'abc'::numeric;
SELECT '1.2.3'::numeric;
SELECT avg(x), sum(x), min(x), max(x) FROM (VALUES (1.50), (2.25), (3)) v(x);
SELECT sum(price), avg(price), price * 1.1, price / 3 FROM product WHERE id = 2 GROUP BY price;
SELECT price, price * 2, price + 0.5, price - price, price / 2, price % 2, -price, round(price, 1), price::text, price::int FROM product ORDER BY id;
SELECT credit, credit::text, credit * 1.00, credit / 3, round(credit, 2), trunc(credit, 1), credit::int FROM customer WHERE id <> 'c5' ORDER BY id;
SELECT 1.0 = 1.00, 1.10 > 1.1, greatest(1.0, 1.00), least(2, 1.5), coalesce(NULL, 1.50), nullif(1.0, 1), CASE WHEN true THEN 1 ELSE 2.50 END;
SELECT 'Infinity'::float8 - 'Infinity'::float8, 'NaN'::float8 = 'NaN'::float8, 'NaN'::float8 > 'Infinity'::float8, '-Infinity'::float4, 1e308::float8 * 1, 4.9e-324::float8;
SELECT ln(-1.0);
SELECT sqrt(-1.0);
SELECT log(0.0);
SELECT round(1.5::float8), round(2.5::float8), round(-0.5::float8), trunc(2.7::float8), ceil(2.1::float8), floor(-2.1::float8), sign(-2.0::float8), cbrt(8), power(2, 10), power(2::numeric, 10), exp(2::float8), 5::float8 / 2, -5.5::float8;
SELECT round(2.567::float8, 2);
SELECT balance, balance / 3, balance * 2, round(balance), balance::numeric, balance::text, balance::int8 FROM customer WHERE id <> 'c5' ORDER BY id;
SELECT avg(balance), sum(balance), stddev(balance) FROM customer WHERE id <> 'c5';
SELECT 1 + NULL, NULL * 2.5, NULL || 'a', NULL = NULL, NULL <> 1, NULL AND false, NULL OR true, NOT NULL::bool;
SELECT 1 + '2', '3' * 2.5, '10' / 4, 5 - '2.5', '1' || 2, 2 > '10', '5' + '5'::int;
SELECT 5 + '2.5'::text;
SELECT 1 || 2;
SELECT true + 1;

# Ordering of NULL and text
SELECT x FROM (VALUES ('b'), ('a'), ('B'), ('A'), (NULL), ('_'), ('1'), ('é'), ('z'), ('')) v(x) ORDER BY x;
SELECT x FROM (VALUES ('b'), ('a'), (NULL), ('C')) v(x) ORDER BY x DESC;
SELECT x FROM (VALUES (1), (NULL), (-1), (3)) v(x) ORDER BY x NULLS FIRST;
SELECT x FROM (VALUES ('a b'), ('ab'), ('a-b'), ('aB'), ('a_b')) v(x) ORDER BY x COLLATE "C";
SELECT x FROM (VALUES ('10'), ('9'), ('1')) v(x) ORDER BY x::int DESC;
SELECT x FROM (VALUES (true), (false), (NULL)) v(x) ORDER BY x;
SELECT x FROM (VALUES ('NaN'::float8), ('Infinity'), (1), ('-Infinity'), (NULL)) v(x) ORDER BY x;
SELECT x FROM (VALUES (ARRAY[1,2]), (ARRAY[1]), (ARRAY[2]), (NULL), (ARRAY[1,NULL])) v(x) ORDER BY x;
SELECT id, tier, age FROM customer ORDER BY tier DESC, age NULLS FIRST, id;
SELECT name FROM customer ORDER BY lower(name), id;
SELECT id FROM customer ORDER BY active, active IS NULL, id DESC;
SELECT id FROM customer ORDER BY CASE WHEN tier = 'gold' THEN 0 ELSE 1 END, id;
SELECT tier, id FROM customer ORDER BY 1 USING >, 2;
SELECT 'a' < 'B', 'a' < 'b' COLLATE "C", 'é' > 'f', 'abc' < 'abcd', '' < ' ', 'Z' < 'a', 'ß' > 'z';
SELECT max(name), min(name) FROM customer WHERE name <> '';
SELECT 3 IN (1, NULL), 3 NOT IN (1, NULL), 1 IN (1, NULL), NULL IN (1), 3 NOT IN (SELECT id FROM product WHERE id < 3), 3 = ALL (SELECT 3), 3 > ANY (SELECT id FROM product);
SELECT NULL IS DISTINCT FROM NULL, 1 IS DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM 1, 1 IS NULL, NULL ISNULL, 1 NOTNULL, true IS NOT FALSE, NULL::bool IS UNKNOWN;

# Text of intervals, timestamps, floats and others
SELECT interval '1 year 2 months 3 days 4 hours 5 minutes 6.789 seconds', interval '-1 year', interval '1 year -1 month', interval '-1 day +02:03:04', interval '100 hours', interval '1 mon', interval '0 days';
SELECT timestamp '2024-05-07 10:00:00.100', timestamp '2024-05-07 10:00:00.000001', timestamp '2024-05-07', timestamptz '2024-05-07 10:00+02', date '0099-01-01', timestamp '0044-03-15 10:00 BC', timestamp '12024-01-01';
SELECT 1e0::float8, 1e5::float8, 123456.7::float8, 1e-4::float8, 0.00001::float8, 1e14::float8, 123456789012345680::float8, 3.0e8::float8, 1.7976931348623157e308::float8, 1::float8 / 3;
SELECT true::text, false, 't'::bool::int, NOT true, 'yes'::bool, 'of'::bool, '1'::bool, ' TRUE '::bool;
SELECT '\xDEADbeef'::bytea, 'a\000b'::bytea, E'\\001'::bytea, 'abc'::bytea, ''::bytea, '\x'::bytea;
SELECT (p).name, (p).price FROM product p ORDER BY (p).id;
SELECT name::"char", 'abcdef'::char(3), 'ab'::char(5) || '|', 'abc'::varchar(2), 'x'::name, length('ab'::char(5)), 'ab'::char(5) = 'ab', repeat('x', 70)::name FROM product WHERE id = 1;

# Array literals and functions
SELECT string_to_array('a,b,,c', ','), string_to_array('a,b,,c', ',', ''), string_to_array('abc', NULL), string_to_array(NULL, ','), string_to_array('', ','), string_to_array('a', '');
SELECT unnest(ARRAY[1,2]), unnest(ARRAY['a','b','c']);
SELECT * FROM unnest(ARRAY[1,2], ARRAY['a']) AS t(a, b);
SELECT ARRAY(SELECT name FROM product ORDER BY id), ARRAY(SELECT price FROM product WHERE false), ARRAY(SELECT price FROM product ORDER BY id);
SELECT array_agg(x ORDER BY x) FILTER (WHERE x > 1) FROM unnest(ARRAY[3,1,2]) x;
SELECT ARRAY[1,2,3]::text[], ARRAY['1','2']::int[], ARRAY[1,2]::float8[], '{1,2}'::text::int[], ARRAY[1,2]::text, '{t,f}'::bool[], '{2024-05-07}'::date[];
SELECT array_sample(ARRAY[1,2], 1);
SELECT id FROM customer WHERE tier = ANY('{gold,silver}') AND id <> ALL(ARRAY['c2']) ORDER BY id;
SELECT id FROM product WHERE id = ANY(ARRAY[1, 3]::bigint[]) ORDER BY array_position(ARRAY[3, 1]::bigint[], id);
SELECT '{1,a}'::int[];
SELECT '{{1,2},{3}}'::int[];
SELECT ARRAY[1,'a'];
SELECT array_length(5, 1);

# String functions
SELECT upper('abc'), lower('ABC'), initcap('the o''neil-smith of x1y'), length('日本'), char_length(''), octet_length('日本'), bit_length('é'), length('x'::bytea);
SELECT substring('hello' FROM -1 FOR 4), substring('hello' FROM 0), substring('hello', 10), substr('hello', 2, 100), substring('日本語' FROM 2 FOR 1), substring('hello' FROM 2147483647);
SELECT substr('hello', 1, -1);
SELECT trim('\n' FROM 'nn\nabc'), ltrim('zzyabc', 'xyz'), rtrim('abc   '), trim(trailing 'c' FROM 'abcc'), trim(both FROM '  x '), btrim('  x'), trim('ab' FROM 'baxab'), trim(E'\t x\n'), ltrim('  ');
SELECT left('abc', 10), right('abc', -2), left('日本語', 2), right('abc', 0), left('abc', -5), left(NULL, 1);
SELECT lpad('abc', 6, 'xy'), rpad('abc', 6, 'xy'), lpad('abc', -1), rpad('日', 3, '本'), lpad('abc', 5, ''), lpad('', 3, 'x');
SELECT replace('aXbX', 'X', ''), replace('abc', '', 'x'), replace(NULL, 'a', 'b'), translate('12345', '143', 'ax'), translate('abc', '', 'x'), reverse('日本'), repeat('-', 5), overlay('abcdef' PLACING 'XX' FROM 3), overlay('abc' PLACING 'X' FROM 2 FOR 0);
SELECT concat(), 1;
SELECT encode('a', 'nosuch');
SELECT 'a' 'b';
SELECT 'a'
'b', U&'d\0061t\+000061', E'\x41\u00e9\101', $tag$it's$tag$, N'x';
SELECT string_agg(chr(65 + g), '' ORDER BY g) FROM generate_series(0, 25) g;
SELECT char_length(name), upper(left(name, 1)) || lower(substr(name, 2)), position('a' IN name), split_part(name, ' ', 2), reverse(name), md5(name), name || coalesce(tier, '') FROM customer ORDER BY id;
SELECT 'a' COLLATE "en_US" < 'b';

# Casts between types
SELECT 1::int2, 1::int8, 1::float4, 1::float8, 1::numeric, 1::text, 1::bool, 1::oid, 1::varchar(1), 1::char(2);
SELECT 1.5::int2, 1.5::int8, 1.5::float4, 1.5::float8, 1.5::text, 1.5::varchar, 1.5::numeric(2,1);
SELECT 1.5::bool;
SELECT 1.5::float8::int2, 1.5::float8::int4, 1.5::float8::numeric, 1.5::float8::text, 1.5::float8::float4, 1.5::float8::varchar;
SELECT 1.5::float8::bool;
SELECT true::int, true::text, true::varchar, 't'::bool;
SELECT true::bigint;
SELECT true::numeric;
SELECT 5::bigint::bool;
SELECT date '2024-05-07'::int;
SELECT 5::date;
SELECT interval '1 day'::int;
SELECT 5::jsonb;
SELECT 'x'::text::bytea, 'x'::bytea::text, 'abc'::varchar::bytea;
SELECT 5::bytea;
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::text::uuid::text;
SELECT 5::uuid;
SELECT 'abc'::uuid;
SELECT '12'::text::int, '12.5'::text::numeric, '1e3'::text::float8, 't'::text::bool, '2024-05-07'::text::date, '10:00'::text::time, '1 day'::text::interval, '{1,2}'::text::int[];
SELECT 'abc'::text::int;
SELECT 'abc'::text::date;
SELECT '2024-02-31'::text::date;
SELECT 'x'::text::bool;
SELECT name::int FROM product;
SELECT CAST(5 AS text), CAST('5' AS integer), CAST(NULL AS date), CAST(1.999 AS numeric(3,1)), CAST('2024-05-07' AS timestamp without time zone), CAST(1 AS double precision), CAST('a' AS character varying), CAST(1 AS decimal), CAST('x' AS character(2)), CAST(1.5 AS real);
SELECT cast(price AS int), cast(price AS text), cast(stock AS float8), cast(launched AS timestamp), cast(name AS varchar(3)), cast(id AS numeric(10,2)) FROM product ORDER BY id;
SELECT NULL::int, NULL::text, NULL::jsonb, NULL::int[], NULL::interval, NULL::bytea, NULL::uuid, NULL::numeric(5,2);
SELECT '5'::int::text::int::float8::text, 1e3::text, 1e3::int::text, 100::numeric::text, 0.10::text, 1.0::float8::text, 1e100::float8::text;
SELECT ARRAY['a']::int[];
SELECT ARRAY[date '2024-05-07']::int[];

# Errors with positions
SELECT * FROM product WHERE nosuch = 1;
SELECT id, nosuch FROM product;
SELECT p.nosuch, p.id FROM product p;
SELECT nosuch.id FROM product;
SELECT product.id FROM product p;
SELECT * FROM nosuch;
SELECT * FROM product p JOIN nosuch n ON true;
SELECT lower(1, 2);
SELECT abs('a', 'b');
SELECT name + 1 FROM product;
SELECT id || id FROM product;
SELECT id = 'x' FROM product;
SELECT id FROM product WHERE name = 5;
SELECT id FROM product WHERE launched = 'nonsense';
SELECT id FROM product WHERE launched > 5;
SELECT id FROM product WHERE price LIKE '1%';
SELECT -name FROM product;
SELECT NOT id FROM product;
SELECT id AND true FROM product;
SELECT 1 FROM product WHERE name;
SELECT CASE WHEN 1 THEN 2 END;
SELECT CASE 1 WHEN 'a' THEN 2 END;
SELECT CASE WHEN true THEN 1 ELSE 'x' END;
SELECT coalesce(1, 'x');
SELECT coalesce(1, now());
SELECT greatest(1, 'b');
SELECT ARRAY[1, now()];
SELECT (SELECT 1, 2);
SELECT id IN (SELECT id, name FROM product) FROM product;
SELECT 1 = ANY(5);
SELECT id FROM product ORDER BY 3;
SELECT id FROM product ORDER BY nosuch;
SELECT id FROM product GROUP BY id ORDER BY name || 'x';
SELECT name, max(id) FROM product;
SELECT category, name FROM product GROUP BY category;
SELECT max(max(id)) FROM product;
SELECT id FROM product WHERE max(id) > 1;
SELECT id FROM product GROUP BY id HAVING name > 'a' AND nosuch;
SELECT max(id) OVER (ORDER BY nosuch) FROM product;
SELECT id FROM product JOIN subscription ON max(id) = 1;
SELECT id FROM customer, product;
SELECT * FROM product LIMIT 'x';
SELECT * FROM product LIMIT -5;
SELECT * FROM product OFFSET -1;
SELECT * FROM product LIMIT 1.5;
SELECT * FROM product FETCH FIRST 1 ROW WITH TIES;
SELECT 1 +;
SELECT (1;
SELECT 1);
SELECT 'abc;
SELECT "abc;
SELECT * FORM product;
SELECT id FROM product WHERE;
SELECT id, FROM product;
SELECT FROM WHERE;
SELECT 1 AS select;
SELECT 1 2;
SELECT /* unclosed 1;
SELECT $1 + ;
SELECT :x;
SELECT id FROM product ORDER;
SELECT count(*) FROM;
SELECT count(DISTINCT *) FROM product;
SELECT lower(DISTINCT name) FROM product;
SELECT lower(name) FILTER (WHERE true) FROM product;
SELECT upper(name) OVER () FROM product;
SELECT row_number() FROM product;
SELECT generate_series(1, 2) FROM product WHERE generate_series(1, 2) = 1;
SELECT id FROM product LIMIT generate_series(1, 2);
SELECT 1::varchar(0);
SELECT 1::numeric(0);
SELECT 1::int(5);
SELECT 'x'::nosuch;
SELECT 'x'::public.nosuch;
SELECT 'a' COLLATE nosuch;
SELECT 5 COLLATE "C";
SELECT DISTINCT id FROM product ORDER BY name;
SELECT * FROM (VALUES (1, 2), (3)) v;
SELECT * FROM (SELECT 1, 2) AS q(a, b, c);
SELECT a.* FROM product;
SELECT id AS x FROM product WHERE x = 1;
SELECT id AS x, count(*) FROM product GROUP BY x HAVING x > 1;
SELECT 1 UNION SELECT 2, 3;
SELECT 1 UNION SELECT 'x';
SELECT 1 INTERSECT SELECT true;
SELECT * FROM unnest(5);
SELECT * FROM lower('A');
SELECT 1; SELECT 1/0; SELECT 2;
SELECT 1/0 FROM product;
SELECT 10 / (id - 1) FROM product;
SELECT ('x' || id)::int FROM product;
SELECT substring(name FROM 1 FOR -1) FROM product;
SELECT lpad(name, 5, name), chr(stock::int) FROM product WHERE id = 3;

# What dbt, ORMs and BI tools wrap around it
SELECT "t"."id" AS "id", "t"."name" AS "name" FROM (SELECT * FROM "public"."product") "t" WHERE ("t"."category" = 'plan' OR "t"."category" IS NULL) ORDER BY "t"."id" ASC NULLS LAST LIMIT 5;
SELECT CAST(date_trunc('week', CAST("created" AS timestamp) + INTERVAL '1 day') - INTERVAL '1 day' AS timestamp) AS w, count(*) FROM customer GROUP BY 1 ORDER BY 1;
SELECT CAST(EXTRACT(YEAR FROM (since)::timestamp) AS integer) AS y, ((CAST(EXTRACT(MONTH FROM since) AS integer) - 1) / 3) + 1 AS q, SUM(quantity) FROM subscription GROUP BY 1, 2 ORDER BY 1, 2;
SELECT (FLOOR((("balance" - 0.0) / 500.0)) * 500.0) + 0.0 AS "bin", COUNT(*) FROM customer WHERE balance < 1e10 GROUP BY 1 ORDER BY 1;
SELECT COUNT(DISTINCT CASE WHEN active THEN id ELSE NULL END) AS a, COUNT(CASE WHEN NOT active THEN 1 END) AS b, SUM(CASE WHEN tier = 'gold' THEN balance ELSE 0 END) AS c FROM customer;
SELECT COALESCE(SUM(quantity), 0)::bigint AS "x!", MAX(since)::text FROM subscription WHERE left_key = 'none';
SELECT md5(cast(coalesce(cast(id as TEXT), '_dbt_utils_surrogate_key_null_') || '-' || coalesce(cast(name as TEXT), '_dbt_utils_surrogate_key_null_') as TEXT)) AS k FROM product ORDER BY id;
select * from (select *, row_number() over (partition by left_key order by since desc) as __rank from subscription) as q where __rank = 1 order by left_key;
SELECT count(*) AS "total", count(*) FILTER (WHERE "since" >= date '2024-03-01') AS "recent" FROM "subscription" AS "s" INNER JOIN "product" AS "p" ON ("p"."id" = "s"."right_key") WHERE ("p"."price" > 5.0 AND upper("p"."name"::text) LIKE upper('%o%'));
SELECT 1 AS one FROM product WHERE product.id = 1 AND (product.name IS NOT NULL) LIMIT 1 OFFSET 0;
SELECT max(since)::date - min(since)::date AS days, extract(day FROM max(since)::timestamp - min(since)::timestamp) FROM subscription;
SELECT since, sum(quantity) OVER (ORDER BY since ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) / 3.0, quantity::float / sum(quantity) OVER () FROM subscription ORDER BY since;
SELECT 100.0 * count(*) FILTER (WHERE active) / nullif(count(*), 0) AS pct, round(avg(age), 2), round((avg(balance))::numeric, 2) FROM customer WHERE balance < 1e10;
SELECT to_char(date_trunc('month', since), 'YYYY-MM') AS m, sum(quantity), lag(sum(quantity)) OVER (ORDER BY date_trunc('month', since)), sum(quantity) - lag(sum(quantity)) OVER (ORDER BY date_trunc('month', since)) FROM subscription GROUP BY date_trunc('month', since) ORDER BY 1;
SELECT s.left_key, s.since - lag(s.since) OVER (PARTITION BY s.left_key ORDER BY s.since) AS gap FROM subscription s ORDER BY 1, 2;
SELECT * FROM product WHERE (name, id) IN (('Basic', 1), ('Pro', 2)) ORDER BY id;
SELECT * FROM ONLY product ORDER BY id LIMIT 1;
SELECT id, name FROM product WHERE name ILIKE '%' || 'o' || '%' AND id::text LIKE '%' ORDER BY name COLLATE "C" ASC;
SELECT CONCAT(name, ' (', category, ')') AS label, NULLIF(TRIM(name), '') FROM product ORDER BY 1;
SELECT date_part('day', now() - '2024-01-01'::timestamptz) > 100, now() - interval '7 days' < now(), current_date - interval '1 month' < current_date;
SELECT (created AT TIME ZONE 'UTC')::date AS d, count(*) FROM customer GROUP BY d ORDER BY d;
SELECT timezone('America/New_York', created), created AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC' FROM customer ORDER BY id;
SELECT c.*, s.* FROM customer c FULL OUTER JOIN subscription s ON s.left_key = c.id WHERE c.id IS NULL OR s.left_key IS NULL ORDER BY c.id, s.left_key;
SELECT 1 AS "a b", 2 AS "A", 3 AS "ü", 4 AS "?column?", 5;
SELECT q.* FROM (SELECT 1, 2) q;
