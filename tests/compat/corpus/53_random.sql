-- What statements made at random have found (TestRandomStatements).

-- an output that is a whole number is grouped as a value
SELECT 7 AS g, count(*) FROM customer GROUP BY 1;
SELECT -1 AS g, count(*) FROM customer GROUP BY g;
SELECT 2 AS g, count(*) FROM customer GROUP BY 1;
SELECT 2 AS g, jsonb_object_agg(id, 2) FROM customer GROUP BY 1;
SELECT 2024 AS year, tier, count(*) FROM customer GROUP BY year, tier ORDER BY 2;
SELECT 7 AS g, count(*) FROM customer GROUP BY ROLLUP (1) ORDER BY 1;
-- a document of a quotient
SELECT to_jsonb(6::numeric / 4), to_json(1::numeric / 3), jsonb_agg(7::numeric / 2), jsonb_build_array(5::numeric / 8);
SELECT to_jsonb(sqrt(2::numeric)), to_jsonb(power(2::numeric, 3)), to_jsonb(avg(x)) FROM (VALUES (1::numeric), (2)) AS v(x);
-- an interval times and by a number: days from months, and seconds from days, to the microsecond
SELECT interval '1 year' / 0.7, interval '1 month 2 days 03:04:05.678' / 0.7, interval '-1 month -2 days -03:04:05.678' / 0.7;
SELECT interval '1 month' * 0.3333, interval '1 mon 1 day 00:00:01' * 1.5, interval '-8 years -1 mons -10 days' / 3, interval '1 day' * 1e-7;
SELECT interval '12 years 3 mons 28 days 02:29:59.000001' / 2, interval '100 years' * 0.123456, interval '1 year' * -0.1;
SELECT interval '178956970 years' * 100;
SELECT interval '1 day' / 0;
SELECT interval '1 day' * 'NaN'::float8;
SELECT interval '2147483647 days' * 2.5;
-- years before Christ
SELECT extract(year FROM date '0001-12-31 BC'), date_part('year', timestamp '0044-03-15 10:00:00 BC'), extract(year FROM date '0001-01-01');
SELECT extract(decade FROM date '0011-01-01 BC'), extract(century FROM date '0001-01-01 BC'), extract(millennium FROM date '1001-01-01 BC'), extract(isoyear FROM date '0002-06-01 BC');
SELECT to_char(date '0044-03-15 BC', 'YYYY BC'), extract(epoch FROM date '0001-01-01 BC'), extract(doy FROM date '0001-03-01 BC');
-- the letter that has no capital
SELECT upper('straße'), upper('ß'), upper('aßb ß'), upper(name || 'ß') FROM customer ORDER BY id;
-- constants that are bound within each other
SELECT id FROM product WHERE nullif(stock % width_bucket(100.001, 0, 10, 5), width_bucket(1.50, 0, 10, 5) + 0) IN (SELECT 1) ORDER BY id;
-- an argument that is too wide is no argument of the function
SELECT make_interval(days => 1::bigint);
SELECT make_interval(1, 2::smallint, secs => 3);
-- the fields of a row have no names
SELECT row_to_json(ROW(id, name)), to_jsonb(ROW(stock, name || '!')), row_to_json(p) FROM product AS p ORDER BY id;
SELECT json_agg(ROW(id, stock) ORDER BY id) FROM product;
-- nothing is among no elements
SELECT x = ANY (ARRAY[]::int[]), x = ANY ('{}'), NOT x = ANY ('{}'), x <> ALL ('{}') FROM (VALUES (NULL::int), (1)) AS v(x);
-- a date of numbers of which one may fail
SELECT make_date(2024, jsonb_array_length(attrs -> 'tags') + 1, 1) FROM customer WHERE id IN ('c1', 'c2', 'c5') ORDER BY id;
SELECT make_date(2024, jsonb_array_length('{"a": 1}'), 1);
SELECT make_date(2024, 2, 29), make_date(-44, 3, 15), make_date(NULL, 13, 1), make_date(2000, 2, NULL);
SELECT make_date(2023, 2, 29);
SELECT make_date(0, 1, 1);
SELECT make_date(2023, 13, 1);
SELECT make_date(2023, 4, 31);
SELECT make_date(6000000, 1, 1);
SELECT date_part();
SELECT extract();
-- the most frequent of one value
SELECT mode() WITHIN GROUP (ORDER BY 2), mode() WITHIN GROUP (ORDER BY abs(-3) DESC), mode() WITHIN GROUP (ORDER BY 'x'::text) FILTER (WHERE id > 'c2') FROM customer;
SELECT mode() WITHIN GROUP (ORDER BY 2) FROM customer WHERE false;
