# Fields of infinite times
SELECT extract(year FROM 'infinity'::timestamptz), extract(epoch FROM '-infinity'::date);
SELECT extract(day FROM date 'infinity'), extract(epoch FROM x), extract(julian FROM x), extract(century from x), extract(isoyear from x), extract(decade from x), extract(millennium from x), extract(year from x), extract(hour from x::timestamp) FROM (VALUES (date '2024-05-05'), ('infinity'), ('-infinity')) v(x);
SELECT '2202020-10-05'::date > '2020-10-05'::timestamp;
SELECT date_part('epoch', x), date_part('year', x::timestamp), date_part('century', x::timestamptz), extract(epoch FROM x::timestamptz)::text, extract(epoch FROM x::timestamp), date_part('day', x) FROM (VALUES (date '2024-05-05'), ('infinity'), ('-infinity')) v(x);
SELECT extract(year FROM 'infinity'::timestamptz) > 2000;

# Dates beyond the last timestamp are compared
SELECT '2202020-10-05'::date > '2020-10-05'::timestamp, '2202020-10-05'::date = '2020-10-05'::timestamp, '2202020-10-05'::date < '2020-10-05'::timestamptz, '2020-10-05'::timestamptz <> '2202020-10-05'::date;
SELECT d, ts, d > ts, d >= ts, d < ts, d <= ts, d = ts, d <> ts, ts > d, d IS DISTINCT FROM ts, d > ts::timestamptz, ts::timestamptz > d FROM unnest(ARRAY['2202020-10-05','infinity','-infinity','2020-10-05','4714-11-24 BC', '5874897-12-31',NULL]::date[]) d, unnest(ARRAY['2020-10-05','infinity','-infinity','4714-11-24 00:00 BC','2024-01-01 10:00']::timestamp[]) ts ORDER BY 1,2;
SELECT d FROM unnest(ARRAY['2202020-10-05','infinity','-infinity','2020-10-05']::date[]) d WHERE d BETWEEN '2020-10-05'::timestamp AND 'infinity'::timestamp ORDER BY 1;
SELECT d FROM unnest(ARRAY['2202020-10-05','infinity','-infinity','2020-10-05']::date[]) d WHERE d IN ('2020-10-05'::timestamp, 'infinity'::timestamp) ORDER BY 1;
SELECT d FROM unnest(ARRAY['2202020-10-05','2020-10-05']::date[]) d WHERE d = ANY (ARRAY['2020-10-05'::timestamp]) ORDER BY 1;
SELECT d FROM unnest(ARRAY['2202020-10-05','2020-10-05']::date[]) d WHERE d > ALL (SELECT timestamp '2010-01-01') ORDER BY 1;
SELECT nullif('2202020-10-05'::date, '2020-10-05'::timestamp);
SELECT '2202020-10-05'::date::timestamp;
SELECT greatest('2202020-10-05'::date, '2020-10-05'::timestamp);
SELECT ROW('2202020-10-05'::date) > ROW('2020-10-05'::timestamp);
SELECT CASE '2202020-10-05'::date WHEN '2020-10-05'::timestamp THEN 1 ELSE 2 END;
SELECT count(*) FROM unnest(ARRAY['2202020-10-05','2020-10-05']::date[]) d JOIN unnest(ARRAY['2020-10-05'::timestamp]) t ON d = t;

# A series is computed as far as LIMIT asks for
SELECT generate_series('2024-01-01'::timestamp, 'infinity'::timestamp, '1 day') g LIMIT 3;
SELECT generate_series('2024-01-01'::timestamp, '-infinity'::timestamp, '-1 month') g LIMIT 3 OFFSET 2;
SELECT generate_series('2024-01-31'::timestamptz, 'infinity'::timestamptz, '1 month') g LIMIT 4;
SELECT generate_series(1, 9223372036854775807) LIMIT 3;
SELECT generate_series(5, -9223372036854775807, -3) LIMIT 3;
SELECT generate_series(1, 2), generate_series(1, 10000000000) LIMIT 3;
SELECT x, generate_series(x, 1000000000000) FROM (VALUES (1), (5)) v(x) LIMIT 2;
SELECT generate_series(1, 5) LIMIT 0;
SELECT generate_series(1, 5) LIMIT NULL;
SELECT generate_series(1, 5, 0) LIMIT 2;
SELECT generate_series('2024-01-01'::timestamp, '2024-01-10', '1 day') g LIMIT 2;
SELECT generate_series('2024-01-01'::timestamp, '2024-01-02', '1 day') g LIMIT 20;
SELECT generate_series('2024-01-01'::timestamp, '2034-01-02', '1 year') g LIMIT 3;
SELECT generate_series('2024-01-01'::timestamp, '2014-01-02', '1 year') g LIMIT 3;
SELECT generate_series('2034-01-01'::timestamp, '2014-01-02', '-1 year') g LIMIT 3;
SELECT generate_series(1, NULL::bigint) LIMIT 3;
SELECT * FROM (SELECT generate_series('2024-01-01'::timestamp, 'infinity'::timestamp, '1 day') LIMIT 2) x;
SELECT generate_series('2024-03-31'::timestamp, '-infinity', '-1 month') LIMIT 4;

# A "char" is a byte; those above 127 are written in octal
SELECT '\101'::"char", '\101'::text::"char", 'abc'::"char", ''::"char", '\'::"char", '\1'::"char", '\18'::"char", '\377'::"char", '\400'::"char", '\1011'::"char", 'é'::"char", 65::"char", '\101'::"char"::int, '\377'::"char"::int, '\377'::"char"::text, '\000'::"char"::int, ''::"char"::int, (-1)::"char", 'é'::text::"char", 'é'::text::"char"::int;
SELECT (-128)::"char";
SELECT '\101'::"char" = 'A', '\101'::"char" = 'A'::"char", ascii('\101'::"char"), length('\377'::"char"::text), '\101'::bpchar::"char", '\101'::varchar::"char",  '{"\\101",b}'::"char"[];
SELECT 128::"char";
SELECT '\011'::"char", '\012'::"char"::int, '\200'::"char", '\200'::"char" = '\200', '\200'::"char" <> 'a'::"char";

# A subquery in FROM has an alias
SELECT a FROM (SELECT 1);
SELECT a FROM (VALUES (1));
SELECT * FROM (SELECT 1) , (SELECT 2) b;
SELECT count(*) FROM (  /* c */ SELECT 1);
CREATE TABLE x AS SELECT * FROM (SELECT 1);
WITH a AS (SELECT * FROM (SELECT 2)) SELECT 1;
EXPLAIN SELECT * FROM (SELECT 1);
PREPARE p AS SELECT * FROM (VALUES (1));
SELECT (SELECT 1 FROM (SELECT 1));
SELECT * FROM (TABLE pg_class);
SELECT * FROM LATERAL (SELECT 1);
SELECT * FROM ((SELECT 1));
SELECT * FROM ((SELECT 1) JOIN (SELECT 2) b ON true);
SELECT * FROM ((SELECT 1) UNION (SELECT 2));
SELECT 1, (SELECT 2), (SELECT 3) FROM (SELECT DISTINCT ON (relname) relname FROM pg_class);
SELECT x.* FROM (SELECT 1) x, pg_class c CROSS JOIN (WITH q AS (SELECT 1) SELECT * FROM q);
SELECT 1 FROM (SELECT 1) x WHERE EXISTS (SELECT FROM (SELECT 1));
SELECT d FROM unnest(ARRAY['infinity','-infinity','2020-10-05',NULL]::date[]) d WHERE d::timestamp < 'infinity' ORDER BY 1;
SELECT d FROM unnest(ARRAY['infinity','-infinity','2020-10-05',NULL]::date[]) d WHERE d::timestamp = '-infinity'::timestamp;
SELECT d + time '10:00' FROM unnest(ARRAY['infinity','2020-10-05',NULL]::date[]) d ORDER BY 1;
SELECT '2202020-10-05'::date + time '10:00';
