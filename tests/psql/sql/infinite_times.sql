-- store: a copy, and PostgreSQL's
-- Infinite timestamps, cut to a unit and compared.
CREATE TEMP TABLE moments (id int, ts timestamp, tz timestamptz, day date);
INSERT INTO moments VALUES (1, 'infinity', 'infinity', 'infinity'), (2, '-infinity', '-infinity', '-infinity'), (3, NULL, NULL, NULL),
  (4, '2020-01-05 03:00', '2020-01-05 03:00+00', '2020-01-05'), (5, '2020-01-06', '2020-01-06+00', '2020-01-06'), (6, '0044-03-15 12:00 BC', '0044-03-15 12:00+00 BC', '0044-03-15 BC');
SET timezone = 'UTC';
SELECT id, date_trunc('day', ts), date_trunc('month', tz), date_trunc('year', day) FROM moments ORDER BY id;
SELECT id, date_trunc('day', ts) = 'infinity' AS eq, date_trunc('day', ts) <> 'infinity' AS ne, date_trunc('day', ts) < 'infinity' AS lt, date_trunc('day', ts) <= 'infinity' AS le, date_trunc('day', ts) > 'infinity' AS gt, date_trunc('day', ts) >= 'infinity' AS ge FROM moments ORDER BY id;
SELECT id, date_trunc('day', ts) = '-infinity' AS eq, date_trunc('day', ts) <> '-infinity' AS ne, date_trunc('day', ts) < '-infinity' AS lt, date_trunc('day', ts) <= '-infinity' AS le, date_trunc('day', ts) > '-infinity' AS gt, date_trunc('day', ts) >= '-infinity' AS ge FROM moments ORDER BY id;
SELECT id, date_trunc('day', ts) = '2020-01-05' AS eq, date_trunc('day', ts) <> '2020-01-05' AS ne, date_trunc('day', ts) < '2020-01-05' AS lt, date_trunc('day', ts) <= '2020-01-05' AS le, date_trunc('day', ts) > '2020-01-05' AS gt, date_trunc('day', ts) >= '2020-01-05' AS ge FROM moments ORDER BY id;
SELECT id, date_trunc('day', tz) = 'infinity' AS eq, date_trunc('day', tz) <> 'infinity' AS ne, date_trunc('day', tz) < 'infinity' AS lt, date_trunc('day', tz) > '-infinity' AS gt FROM moments ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) = 'infinity' ORDER BY id;
SELECT id FROM moments WHERE date_trunc('month', ts) <> 'infinity' ORDER BY id;
SELECT id FROM moments WHERE date_trunc('hour', ts) >= 'infinity' ORDER BY id;
SELECT id FROM moments WHERE 'infinity' = date_trunc('day', ts) ORDER BY id;
SELECT id FROM moments WHERE 'infinity'::timestamp > date_trunc('day', ts) ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) IN ('infinity', '2020-01-06') ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) IN ('-infinity') ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) NOT IN ('infinity') ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) = ANY (ARRAY['infinity', '2020-01-05']::timestamp[]) ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) BETWEEN '2020-01-01' AND 'infinity' ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) BETWEEN '-infinity' AND '2020-01-05' ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) IS DISTINCT FROM 'infinity' ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) IS NOT DISTINCT FROM NULL ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) = date_trunc('day', 'infinity'::timestamp) ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) = day ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) = 'infinity'::date ORDER BY id;
SELECT id FROM moments WHERE date_trunc('day', ts) = 'infinity'::timestamptz ORDER BY id;
SELECT id FROM moments WHERE (date_trunc('day', ts), id) = ('infinity', 1) ORDER BY id;
SELECT id FROM (SELECT id, date_trunc('day', ts) AS d FROM moments) m WHERE d = 'infinity' OR d = '2020-01-06' ORDER BY id;
SELECT id, CASE date_trunc('day', ts) WHEN 'infinity' THEN 'never ends' WHEN '-infinity' THEN 'never began' END, nullif(date_trunc('day', ts), 'infinity') FROM moments ORDER BY id;
SELECT a.id, b.id FROM moments a JOIN moments b ON date_trunc('day', a.ts) = date_trunc('day', b.ts) ORDER BY 1, 2;
SELECT date_trunc('day', ts), count(*) FROM moments GROUP BY 1 HAVING date_trunc('day', ts) > '2020-01-01' ORDER BY 1;
SELECT date_trunc('decade', ts) = 'infinity', date_trunc('century', ts) = 'infinity' FROM moments WHERE id < 3 ORDER BY id;
PREPARE at(timestamp) AS SELECT id FROM moments WHERE date_trunc('day', ts) = $1 ORDER BY id;
EXECUTE at('infinity');
EXECUTE at('-infinity');
EXECUTE at('2020-01-05');
EXECUTE at(NULL);
