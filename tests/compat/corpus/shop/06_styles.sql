# How settings make texts of dates, times, intervals, bytes and floats.
INSERT INTO item (sku, title, price, weight, day, added, raw) VALUES
	(1, 'Anvil', 12.5, 40.123456789012345, '2024-02-29', '2024-02-29 10:00:00.123456+00', '\xdead5c00beef41'), (2, 'Bolt', 0.25, 1e20, '0044-03-15', '2023-12-31 23:59:59+00', '\x'),
	(3, 'Nut', NULL, NULL, '2024-03-01', '1970-01-01 00:00+00', NULL), (4, 'Rod', NULL, NULL, NULL, NULL, NULL);
SET DateStyle = 'SQL';
SELECT day::text, added::text, added::timestamp::text FROM item ORDER BY sku;
SELECT day || '', 'on ' || added, concat(day, '/', added), concat_ws('-', day, 'x'), format('%s %L %I', day, added, day) FROM item WHERE day IS NOT NULL ORDER BY sku;
SELECT array_to_string(ARRAY[day, day + 1], ';'), ARRAY[day]::text, ARRAY[added]::text[], string_agg(day::text, ',' ORDER BY day), array_agg(day::varchar) FROM item WHERE sku = 1 GROUP BY 1, 2, 3;
SELECT day::varchar(5), day::char(3), left(day::text, 4), length(added::text), upper(added::varchar) FROM item ORDER BY sku;
SELECT to_json(day), to_jsonb(added), json_build_object(day, added::timestamp), json_build_array(day), json_agg(added), row_to_json(r) FROM (SELECT day, added FROM item WHERE sku = 1) r GROUP BY day, added, r;
SELECT jsonb_build_object(added::timestamp, 1, added, 2, day, 3), json_object_agg(added, day), jsonb_object_agg(day, sku) FROM item WHERE sku < 3 GROUP BY day, added ORDER BY 1;
SELECT CASE WHEN sold THEN 'x' ELSE day::text END, coalesce(day::text, 'never'), nullif(day::text, '02/29/2024'), greatest(day::text, 'a') FROM item ORDER BY sku;
SELECT day::text AS d, count(*) FROM item GROUP BY day::text ORDER BY 1;
SELECT sku FROM item WHERE day::text = '02/29/2024';
SELECT date '2024-05-17'::text, timestamp '2024-05-17 10:30:00.25'::text, timestamptz '2024-05-17 10:30+02'::text, time '10:30'::text, date '12345-01-01'::text;
SELECT v::text, v::timestamp::text, v::timestamptz::text, to_json(v), to_json(v::timestamp), to_json(v::timestamptz), json_build_object(v::timestamptz, v) FROM (VALUES (date '0044-03-15 BC'), ('infinity'), ('-infinity'), ('9999-12-31'), ('12345-12-31'), (NULL)) AS d(v) WHERE v IS NOT NULL ORDER BY v;
SELECT max(day::text), min(added::text) FROM item;
INSERT INTO shelf (name, height, note) SELECT 's' || sku, sku, day::text FROM item RETURNING name, note;
UPDATE shelf SET note = current_date::text WHERE note = 'x' RETURNING *;
SELECT * FROM shelf ORDER BY name;
SELECT quote_literal(day), quote_ident(day::text) FROM item WHERE sku = 1;
SET DateStyle = 'SQL, DMY';
SELECT day::text, added::text FROM item ORDER BY sku;
SET DateStyle = 'Postgres, MDY';
SELECT day::text, added::text, added::timestamp::text, ARRAY[added::timestamp]::text FROM item ORDER BY sku;
SET DateStyle = 'Postgres, DMY';
SELECT day::text, added::text, added::timestamp::text FROM item ORDER BY sku;
SET TimeZone = 'America/New_York';
SELECT day::text, added::text, added::timestamp::text FROM item WHERE sku IN (1, 3) ORDER BY sku;
SET DateStyle = 'German';
SELECT day::text, added::text, added::timestamp::text, to_json(added), concat(added) FROM item WHERE sku IN (1, 3) ORDER BY sku;
SET TimeZone = '<+03>-03';
SELECT added::text FROM item WHERE sku = 1;
SET DateStyle = 'ISO, MDY';
SELECT day::text, added::text, added::timestamp::text, to_json(added) FROM item WHERE sku IN (1, 3) ORDER BY sku;
SET TimeZone = 'Asia/Kolkata';
SELECT added::text, to_json(added), json_build_object(added, added::timestamp) FROM item WHERE sku = 1;
SET TimeZone = 'UTC';

# A statement that is prepared follows.
PREPARE days AS SELECT day::text, now()::date::text = current_date::text AS today FROM item WHERE sku = $1;
EXECUTE days (1);
SET DateStyle = 'German';
EXECUTE days (1);
PREPARE constants AS SELECT date '2024-05-17'::text, interval '1 day'::text;
EXECUTE constants;
SET DateStyle = 'ISO';
EXECUTE constants;
EXECUTE days (1);
BEGIN;
SET LOCAL DateStyle = 'SQL, DMY';
SELECT day::text FROM item WHERE sku = 1;
EXECUTE constants;
ROLLBACK;
SELECT day::text FROM item WHERE sku = 1;
EXECUTE constants;

# Intervals.
SET IntervalStyle = 'iso_8601';
SELECT interval '1 year 2 mons -3 days 04:05:06.5'::text, interval '-1 mon' || '', concat(interval '0'), to_json(interval '1 day 2 hours'), json_build_object(interval '1 day', interval '2 days');
SELECT v::text FROM (VALUES (1, interval '100:00:00'), (2, '-1 days +00:00:01'), (3, NULL), (4, '-04:05:06')) AS i(n, v) ORDER BY n;
SELECT (added - timestamptz '2024-01-01 00:00+00')::text, age(added, added - interval '40 days')::text FROM item WHERE sku < 3 ORDER BY sku;
EXECUTE constants;
SET IntervalStyle = 'postgres_verbose';
SELECT interval '1 year 2 mons -3 days 04:05:06.5'::text, ARRAY[interval '1 mon', '0']::text, interval '-1 day'::text;
SET IntervalStyle = 'sql_standard';
SELECT interval '1 year 2 mons -3 days 04:05:06.5'::text, interval '1-2'::text, interval '3 4:05:06'::text, to_jsonb(interval '3 days');
RESET IntervalStyle;
SELECT interval '1 year 2 mons -3 days 04:05:06.5'::text;

# Bytes.
SET bytea_output = 'escape';
SELECT raw::text, raw || '\x01'::bytea, ARRAY[raw]::text, to_json(raw), concat(raw, '!'), length(raw::text), encode(raw, 'hex') FROM item ORDER BY sku;
RESET bytea_output;
SELECT raw::text, to_json(raw) FROM item ORDER BY sku;

# Floats.
SET extra_float_digits = 0;
SELECT weight::text, weight::float4::text, concat(weight), to_json(weight), to_jsonb(weight / 3), ARRAY[weight / 3]::text, (weight / 3)::varchar FROM item WHERE sku < 3 ORDER BY sku;
SELECT 0.1::float8::text, (1::float8 / 3)::text, (1::float4 / 3)::text, 'NaN'::float8::text, weight::text FROM item WHERE sku = 1;
SET extra_float_digits = -5;
SELECT weight::text, weight::float4::text, 'Infinity'::float8::text, weight || '' FROM item WHERE sku < 3 ORDER BY sku;
SET extra_float_digits = 3;
SELECT weight::text, weight::float4::text FROM item WHERE sku < 3 ORDER BY sku;
RESET ALL;
SELECT weight::text, day::text, added::text, raw::text, (interval '1 day')::text FROM item WHERE sku < 3 ORDER BY sku;

# RETURNING, and keys that are texts of days.
SET DateStyle = 'German';
INSERT INTO shelf (name, height) VALUES (date '2024-05-17', 1) RETURNING name;
INSERT INTO shelf (name, height) SELECT day || '', 2 FROM item WHERE sku = 1 RETURNING name, height;
SELECT name FROM shelf WHERE name = date '2024-02-29'::text;
INSERT INTO stands (left_key, right_key, slot, places, since) VALUES (1, '29.02.2024', '1', 1, '01.02.2024') RETURNING since, since::text;
