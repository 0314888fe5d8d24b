# One expression each: what once differed.

# Aggregates and windows
SELECT (timestamp '2024-05-07', interval '1 day') OVERLAPS (timestamp '2024-05-07 12:00', timestamp '2024-05-09');
SELECT sum(x) FROM (VALUES (interval '1 day'), (interval '2 hours 30 minutes'), (NULL)) v(x);
SELECT string_agg(name, NULL ORDER BY id) FROM product;
SELECT bit_xor(stock) FROM product;
SELECT regr_avgx(id, stock) FROM product;
SELECT regr_avgy(id, stock) FROM product;
SELECT regr_sxx(id, stock) FROM product;
SELECT regr_syy(id, stock) FROM product;
SELECT regr_sxy(id, stock) FROM product;
SELECT sum(stock) OVER (ORDER BY id ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM product;
SELECT string_agg(name, id::text ORDER BY id) FROM product;
SELECT string_agg(DISTINCT name, ',' ORDER BY id) FROM product;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM (VALUES (interval '1 day'), (interval '2 days')) v(x);
SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY stock) FROM product;
SELECT rank(50) WITHIN GROUP (ORDER BY stock), dense_rank(50) WITHIN GROUP (ORDER BY stock), percent_rank(50) WITHIN GROUP (ORDER BY stock), cume_dist(50) WITHIN GROUP (ORDER BY stock) FROM product;
SELECT sum(row_number() OVER ()) FROM product;
SELECT sum(*) FROM product;
SELECT count() FROM product;
SELECT sum(DISTINCT id ORDER BY name) FROM product;

# Arrays and NULL
SELECT width_bucket(now(), ARRAY['yesterday', 'today', 'tomorrow']::timestamptz[]);
SELECT width_bucket(5, ARRAY[1, 3, 5, 7]);
SELECT width_bucket(5.5, ARRAY[1.0, 6.0]);
SELECT ARRAY[1,2] || '{3,4}';
SELECT array_position(ARRAY['a','b','c','b'], 'b', 3);
SELECT array_positions(ARRAY['a','b','a'], 'a');
SELECT array_to_string(ARRAY[true], ',');
SELECT 'a' = ANY(ARRAY['b', NULL]);
SELECT ARRAY[NULL::int] @> ARRAY[NULL::int];
SELECT concat(VARIADIC ARRAY['a', 'b']);
SELECT 'a' || ARRAY['b'];
SELECT ARRAY['a']::varchar(1)[];
SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY stock) FROM product;
SELECT percentile_disc(ARRAY[0, 0.5, 1]) WITHIN GROUP (ORDER BY name) FROM product;
SELECT format('%s is %s', VARIADIC ARRAY['a', 'b']);
SELECT ARRAY[1] || 'a';

# Arrays of several dimensions
SELECT array_dims(ARRAY[1,2,3]);
SELECT array_fill(7, ARRAY[3]);

# Strings of bytes
SELECT md5('abc'::bytea);
SELECT sha224('abc');
SELECT sha384('abc');
SELECT sha512('abc');
SELECT encode('\x00ff41'::bytea, 'escape');
SELECT encode(repeat('a', 60)::bytea, 'base64');
SELECT md5('\x0102'::bytea);

# Dates and times
SELECT date_trunc('century', timestamp '2024-05-17');
SELECT date_trunc('millennium', timestamp '2024-05-17');
SELECT justify_interval(interval '1 mon -1 hour');
SELECT justify_interval(interval '35 days 30 hours');
SELECT make_interval();
SELECT make_interval(1, 2, 3, 4, 5, 6, 7.5);
SELECT make_timestamptz(2024, 5, 7, 8, 15, 23.5);
SELECT make_timestamptz(2024, 5, 7, 8, 15, 23.5, 'Europe/Berlin');
SELECT timestamptz '2024-05-07 10:00+00' AT TIME ZONE '+03';
SELECT timestamptz '2024-05-07 10:00+00' AT TIME ZONE interval '-2 hours';
SELECT isfinite(interval '1 day');
SELECT interval '26 hours'::time;
SELECT time '10:00'::interval;
SELECT date_trunc('day', '2024-05-17');
SELECT extract(hour FROM date '2024-05-17');
SELECT extract(day FROM time '10:00');
SELECT make_date(2024, 2, 30);
SELECT interval '1 day' / 0;
SELECT date '2024-05-07'::time;
SELECT timestamp '2024-05-07'::interval;

# Errors and their places
SELECT $1::text;
SELECT date_trunc('fortnight', timestamp '2024-05-17');
SELECT extract(nosuch FROM timestamp '2024-05-17');
SELECT id FROM customer JOIN product USING (nosuch);
SELECT * FROM customer JOIN product USING (id);
SELECT * FROM customer NATURAL JOIN product;
SELECT * FROM product p, product p;

# Extract
SELECT extract(century FROM date '2024-01-01');
SELECT extract(decade FROM date '2024-01-01');
SELECT extract(millennium FROM timestamp '2001-01-01');
SELECT extract(isoyear FROM date '2024-12-30');
SELECT extract(week FROM date '2021-01-03');
SELECT extract(isodow FROM date '2024-05-19');
SELECT extract(dow FROM date '2024-05-19');
SELECT extract(julian FROM timestamp '2024-05-17 12:00');
SELECT extract(julian FROM date '2024-05-17');
SELECT extract(epoch FROM date '2024-05-17');
SELECT extract(microseconds FROM timestamp '2024-05-17 13:45:59.987654');
SELECT extract(milliseconds FROM time '13:45:59.9876');
SELECT extract(timezone FROM timestamptz '2024-05-17 12:00+02');
SELECT extract(timezone_hour FROM timestamptz '2024-05-17 12:00+02');
SELECT extract(hour FROM time '13:45:59');
SELECT extract(minute FROM interval '90 minutes');
SELECT extract(day FROM interval '40 days 1 hour');
SELECT extract(month FROM interval '14 months');
SELECT extract(quarter FROM interval '14 months');
SELECT extract(decade FROM interval '25 years');
SELECT extract(year FROM interval '14 months');
SELECT extract('year' FROM timestamp '2024-05-17');
SELECT extract("month" FROM timestamp '2024-05-17');
SELECT extract(day FROM max(since)::timestamp - min(since)::timestamp) FROM subscription;
SELECT extract(year FROM created) || '-' || extract(month FROM created) FROM customer ORDER BY id;
SELECT extract(year FROM age(timestamp '2024-05-17', timestamp '1990-06-01'));
SELECT DISTINCT ON (extract(year FROM created)) extract(year FROM created) AS y, id FROM customer ORDER BY extract(year FROM created), id DESC;

# Overflow
SELECT power(0::float8, -1);
SELECT power(-1::float8, 0.5);
SELECT exp(1000::float8);

# Format and quotes
SELECT format('%2$s %1$s', 'a', 'b');
SELECT format('|%10s|%-10s|', 'foo', 'bar');
SELECT format('%1$s %1$s', 'x');
SELECT format('|%*s|', 5, 'a');
SELECT format('%3$s %s', 'a', 'b', 'c');
SELECT quote_ident('select');
SELECT quote_ident('user');
SELECT quote_literal(1.5);
SELECT quote_nullable(5);
SELECT quote_literal(date '2024-05-07');
SELECT format('%s');
SELECT format('%x', 1);
SELECT format(name || ' %s', id) FROM product ORDER BY id;

# The text of documents
SELECT jsonb_object_agg(name, price) FROM product;
SELECT to_jsonb(1.50);
SELECT to_jsonb(timestamp '2024-05-07 10:00');
SELECT to_jsonb(timestamptz '2024-05-07 10:00+00');
SELECT to_json(1.10);
SELECT to_json('NaN'::float8);
SELECT to_jsonb(1e20::float8);
SELECT jsonb_build_object('a', date '2024-05-07', 'b', 1.50);
SELECT json_build_array(1, 'a', NULL, true, 1.5);
SELECT coalesce(json_agg(json_build_object('who', s.left_key)) FILTER (WHERE s.left_key IS NOT NULL), '[]') AS subs FROM product p LEFT JOIN subscription s ON s.right_key = p.id AND s.left_key = 'c3' GROUP BY p.id ORDER BY p.id;
SELECT json_build_object('n', count(*), 'avg', avg(age)) FROM customer GROUP BY tier ORDER BY tier;
SELECT json_agg(p ORDER BY id) FROM (SELECT id, name FROM product WHERE id < 3) p;
SELECT jsonb_agg(jsonb_build_object('n', name, 'p', price) ORDER BY id) FROM product;
SELECT to_jsonb(p) FROM product p ORDER BY id;
SELECT row_to_json(p) FROM product p ORDER BY id;
SELECT to_jsonb(c) FROM customer c WHERE id IN ('c1', 'c4') ORDER BY id;

# Comparing documents
SELECT jsonb_agg(price ORDER BY id) FILTER (WHERE price > 1) FROM product;
SELECT '"b"'::jsonb ? 'b';
SELECT '[1]'::jsonb ? '1';
SELECT '{"a":1}'::jsonb = '{"a":1.0}'::jsonb;
SELECT 'null'::jsonb < '1'::jsonb;
SELECT jsonb_build_object('a');
SELECT pg_typeof('{}'::jsonb -> 'a');
SELECT attrs FROM customer ORDER BY attrs;
SELECT x FROM (VALUES ('1'::jsonb), ('"a"'), ('[1]'), ('{"a":1}'), ('null'), ('true'), ('[]'), ('10'), ('2')) v(x) ORDER BY x;
SELECT jsonb_build_object(NULL, 1);
SELECT avg(jsonb_array_length(attrs->'tags')) FROM customer WHERE jsonb_typeof(attrs->'tags') = 'array';

# Jsonpath
SELECT jsonb_path_query_array('{"a":[1,2,3]}', '$.a[*]');
SELECT jsonb_path_query_first('{"a":[1,2,3]}', '$.a[1]');
SELECT jsonb_path_exists('{"a":1}', '$.b');
SELECT jsonb_path_match('{"a":5}', '$.a > 3');
SELECT '{"a":[1,2]}'::jsonb @? '$.a[*] ? (@ == 2)';
SELECT '{"a":5}'::jsonb @@ '$.a == 5';
SELECT jsonb_path_query('{"a":[1,2,3]}', '$.a.size()');
SELECT jsonb_path_query('[1,"x",null]', '$[*].type()');
SELECT jsonb_path_query('{"a":"x"}', 'lax $.b.c');
SELECT jsonb_path_query('{"a":{"b":{"c":1}}}', '$.**.c');
SELECT jsonb_path_query('[1,2,3]', '$[last]');
SELECT jsonb_path_query('{"a":"hello"}', '$.a ? (@ like_regex "^h")');
SELECT jsonb_path_query('{"a":"hello"}', '$.a ? (@ starts with "he")');
SELECT jsonb_path_query_array(attrs, '$.tags[*]') FROM customer ORDER BY id;
SELECT jsonb_path_query('{"a":[1,2,3]}', '$.a[*] ? (@ > 1)');
SELECT jsonb_path_exists('{"a":[1,2,3,4]}', '$.a[*] ? (@ >= $min && @ <= $max)', '{"min":2,"max":3}');
SELECT jsonb_path_query_array('{"items":[{"p":5,"n":"a"},{"p":15,"n":"b"}]}', '$.items[*] ? (@.p > 10).n');

# Functions of documents
SELECT jsonb_strip_nulls('{"a":null,"b":{"c":null,"d":1},"e":[null]}');
SELECT json_strip_nulls('{"a":null, "b":1}');
SELECT jsonb_object('{a,1,b,2}');
SELECT jsonb_object('{a,b}', '{1,NULL}');
SELECT json_object('{a,1}');
SELECT jsonb_contains('{"a":1}', '{}');
SELECT * FROM jsonb_to_recordset('[{"a":1,"b":"x"},{"a":2}]') AS r(a int, b text);
SELECT * FROM json_to_recordset('[{"a":1,"b":"x"},{"a":"2"}]') AS r(a int, b text);

# Numeric: division and scale
SELECT stddev(price) FROM product;
SELECT var_pop(stock) FROM product;
SELECT avg(price) OVER (ORDER BY id ROWS 2 PRECEDING) FROM product ORDER BY id;
SELECT id * 1.0 / 2 FROM product ORDER BY id;
SELECT 1.0 / 3;
SELECT 2.0 / 3;
SELECT 1 / 3.0;
SELECT 1.00 / 3.000;
SELECT 100.0 / 7;
SELECT 1e10 / 3;
SELECT 0.001 / 3;
SELECT 7.0 / 7;
SELECT power(2.0, 0.5);
SELECT 2 ^ 0.5;
SELECT round(5, 2);
SELECT '1.23456789012345678901234567890'::numeric;
SELECT 1e20::float8::numeric;
SELECT max(x) FROM (VALUES (1.50), (2.25), (3)) v(x);
SELECT price * 1.1 FROM product WHERE id = 2 GROUP BY price;
SELECT price / 3 FROM product WHERE id = 2 GROUP BY price;
SELECT price * 2 FROM product ORDER BY id;
SELECT price + 0.5 FROM product ORDER BY id;
SELECT price - price FROM product ORDER BY id;
SELECT price / 2 FROM product ORDER BY id;
SELECT credit * 1.00 FROM customer WHERE id <> 'c5' ORDER BY id;
SELECT credit / 3 FROM customer WHERE id <> 'c5' ORDER BY id;
SELECT trunc(credit, 1) FROM customer WHERE id <> 'c5' ORDER BY id;
SELECT greatest(1.0, 1.00);
SELECT coalesce(NULL, 1.50);
SELECT CASE WHEN true THEN 1 ELSE 2.50 END;
SELECT unnest(ARRAY[1.10, 2.2]);
SELECT numeric '1.50';
SELECT floor(extract(epoch FROM created) / 3600) * 3600 AS "time" FROM customer WHERE created BETWEEN '2024-01-01T00:00:00Z' AND '2024-12-31T23:59:59Z' AND balance < 1e10 GROUP BY 1 ORDER BY 1;
SELECT sum(quantity) OVER (ORDER BY since ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) / 3.0 FROM subscription ORDER BY since;
SELECT avg(x) FROM (VALUES (1), (2), (2)) v(x);
SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY price), percentile_cont(0.9) WITHIN GROUP (ORDER BY stock DESC) FROM product;
SELECT x FROM (VALUES (1), (2.50), (3.125)) v(x) ORDER BY x;

# Pg_typeof
SELECT pg_typeof(1);
SELECT pg_typeof(1.5);
SELECT pg_typeof('a');
SELECT pg_typeof(NULL);
SELECT pg_typeof('a'::varchar(3));
SELECT pg_typeof(now());
SELECT pg_typeof(ARRAY[1]);
SELECT pg_typeof(1::int8);
SELECT pg_typeof(true);
SELECT pg_typeof(id) FROM product LIMIT 1;
SELECT pg_typeof(price) FROM product LIMIT 1;
SELECT pg_typeof(launched) FROM product LIMIT 1;
SELECT pg_typeof(name) FROM product LIMIT 1;
SELECT pg_typeof(sum(stock)) FROM product;
SELECT pg_typeof(avg(stock)) FROM product;
SELECT pg_typeof(count(*)) FROM product;
SELECT pg_typeof(1 + 1.5);
SELECT pg_typeof(1 / 2);
SELECT pg_typeof(2 ^ 2);
SELECT pg_typeof(date '2024-01-01' + 1);
SELECT pg_typeof(date '2024-01-01' + interval '1 day');
SELECT pg_typeof(extract(year FROM now()));
SELECT pg_typeof(coalesce(NULL, 1));
SELECT pg_typeof(CASE WHEN true THEN 1 ELSE 2.5 END);
SELECT pg_typeof(greatest(1, 2::bigint));
SELECT pg_typeof(round(1.5));
SELECT pg_typeof(round(1.5::float8));
SELECT pg_typeof(row(1, 2));
SELECT pg_typeof(abs(-1::int2));

# Recursive queries
WITH RECURSIVE t(n, s) AS (SELECT 1, 'a'::varchar(5) UNION ALL SELECT n + 1, s || 'b' FROM t WHERE n < 4) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1.5 FROM t WHERE n < 4) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT n FROM t UNION ALL SELECT 1) SELECT * FROM t;

# Regular expressions
SELECT regexp_replace('abc', 'b', '[\&]');
SELECT regexp_replace('foobarbaz', 'b..', 'X', 1, 2);
SELECT regexp_replace('a.b.c', '.', '-', 1, 3, 'q');
SELECT regexp_match('foobarbequebaz', '(bar)(beque)');
SELECT regexp_match('abc', '(d)?b');
SELECT regexp_match('ABC', 'b', 'i');
SELECT regexp_matches('foo', 'x');
SELECT regexp_count('ABCABCAXYaxy', 'A.', 1, 'i');
SELECT regexp_instr('abcabc', 'c', 4);
SELECT regexp_substr('ABCDEF', 'c(.)(..)', 1, 1, 'i', 2);
SELECT 'word boundary' ~ '\mboundary\M';
SELECT 'word' ~ '\yword\y';
SELECT 'x' ~ '[[:<:]]x';
SELECT 'a.c' ~ '***=a.c';
SELECT substring('foobar' FROM '%#"o_b#"%' FOR '#');
SELECT substring('abc' SIMILAR 'a#"b#"c' ESCAPE '#');
SELECT regexp_matches('foobarbequebazilbarfbonk', '(b[^b]+)(b[^b]+)', 'g');
SELECT m[1] FROM regexp_matches('a1b22c333', '\d+', 'g') AS m;
SELECT 'line1
line2' ~ '^line2', 'a.c' ~ '***=a.c', substring('foobar' FROM '%#"o_b#"%' FOR '#'), substring('abc' SIMILAR 'a#"b#"c' ESCAPE '#');
SELECT 'x' ~ '[';
SELECT 'x' ~ 'a{2,1}';
SELECT regexp_replace('a', 'b', 'c', 'z');

# Rows
SELECT * FROM generate_series(1, 2) AS g(a, b);

# Strings
SELECT split_part('abc', '', 1);
SELECT to_hex(-1);
SELECT 'abc' LIKE 'a%' ESCAPE 'xx';
SELECT split_part('a,b', ',', 0);

# To_char of numbers
SELECT to_char(1234.567, '999.9');
SELECT to_char(1234567, 'FM9G999G999D99');
SELECT to_char(485, 'L999');
SELECT to_char(485, '999MI');
SELECT to_char(-485, '999MI');
SELECT to_char(-485, '999PR');
SELECT to_char(485, 'PL999');
SELECT to_char(485, 'SG999');
SELECT to_char(-485, 'S999');
SELECT to_char(485, 'RN');
SELECT to_char(485, 'FMRN');
SELECT to_char(482, '999th');
SELECT to_char(1, 'FM9th');
SELECT to_char(12.45, '99V9');
SELECT to_char(0.00012, '9.99EEEE');
SELECT to_char(12345.678, '9.999EEEE');
SELECT to_char(1e20::float8, '9.9EEEE');
SELECT to_char(148.5, 'FM999.990');
SELECT to_char(148.5, 'FM999.009');
SELECT to_char(-0.1, 'FM9.99');
SELECT to_char(12, '99 "units"');
SELECT to_char(5, '9 %');
SELECT to_char('NaN'::float8, '999.9');
SELECT to_char('infinity'::float8, '999.9');
SELECT to_char(price * stock, '9,999.99') FROM product ORDER BY id;
SELECT to_char(125.8::float8, '999D9');
SELECT to_char(125.8::real, '999D9');
SELECT to_char(0.45, 'FM99.99%');

# To_char of times
SELECT to_char(timestamp '2024-05-07 13:05:09', 'Day DAY day Dy DY dy');
SELECT to_char(date '2024-05-07', 'DDth Mon YYYY');
SELECT to_char(date '2024-05-01', 'FMDDth');
SELECT to_char(date '2024-05-22', 'DDTH');
SELECT to_char(timestamp '2024-05-07', '"Year:" YYYY "Q"Q');
SELECT to_char(timestamp '0044-03-15 BC', 'YYYY BC');
SELECT to_char(timestamp '2024-05-07', 'CC AD');
SELECT to_char(timestamp '2024-05-07', 'RM rm');
SELECT to_char(interval '1 day 02:03:04', 'DD HH24:MI:SS');
SELECT to_char(interval '15h 2m 12s', 'HH24:MI:SS');
SELECT to_char(interval '14 months', 'YYYY MM');
SELECT to_char(created, 'YYYY-"Q"Q') FROM customer ORDER BY id;
SELECT to_char(timestamp '2024-05-07', NULL);
SELECT to_char(timestamp '2024-05-07', '');
SELECT to_char(timestamp '2024-05-07 10:00', 'YYYY/MM/DD \ x "a\"b"');
SELECT to_char(timestamp '2024-05-07 23:59:59.999', 'FF1 FF3 FF6');
SELECT to_char(timestamp '2024-05-07 13:05:09.012345', 'YY Y YYY MM Mon MON mon Month MONTH month');
SELECT to_char(timestamp '2024-05-07 13:05:09.012345', 'D ID DD DDD IDDD J Q W WW IW IYYY');
SELECT to_char(timestamp '2024-05-07 13:05:09.012345', 'HH HH12 HH24 MI SS MS US SSSS SSSSS AM pm A.M. p.m.');
SELECT to_char(timestamptz '2024-05-07 13:05:09+00', 'TZ tz OF TZH TZM');
SELECT to_char('2024-05-07'::date, name) FROM customer WHERE id = 'c1';
SELECT to_char(time '10:30', 'HH24:MI');

# To_date, to_timestamp and to_number
SELECT to_date('2024-19-2', 'IYYY-IW-ID');
SELECT to_date('May 7, 2024', 'Month DD, YYYY');
SELECT to_timestamp('13:05', 'HH24:MI');
SELECT to_timestamp('infinity'::float8);
SELECT to_number('12,454.8-', '99G999D9S');
SELECT to_number('1234', '9999');
SELECT to_number('-12.50', 'S99.99');
SELECT to_number('$1,234.56', 'L9,999.99');
SELECT to_date('2024-13-01', 'YYYY-MM-DD');
SELECT to_date('2024-02-30', 'YYYY-MM-DD');
SELECT to_date('nonsense', 'YYYY-MM-DD');
SELECT to_date('', 'YYYY-MM-DD');
SELECT to_timestamp('2024-05-07 13:05:09 +02', 'YYYY-MM-DD HH24:MI:SS TZH');
SELECT to_timestamp('2024-05-07 25:00', 'YYYY-MM-DD HH24:MI');
SELECT to_number('abc', '999');
SELECT to_date(name, 'YYYY') FROM product;

# Modifiers of types
SELECT interval '5' day;
SELECT interval '1 day 2 hours 3 minutes' day to hour;
SELECT interval '10' year;
SELECT interval '2.5' second;
SELECT interval '1.123456' second(2);
SELECT '2024-05-07 10:00:00.12345'::timestamp(3);
SELECT '10:00:00.98765'::time(2);
SELECT interval '1' hour;

# Width_bucket
SELECT width_bucket(5, 10, 0, 5);
SELECT width_bucket(5, 0, 10, 0);
SELECT width_bucket(5, 3, 3, 4);
