-- store: a copy, and PostgreSQL's
\set QUIET off
\set SHOW_CONTEXT never
-- WITH that writes: each part is run to its end, and no part sees what another wrote.
WITH opened AS (INSERT INTO store VALUES ('w1', 'Ghent', true), ('w2', 'Turku', false) RETURNING *) SELECT code, city FROM opened ORDER BY code;
SELECT * FROM store WHERE code LIKE 'w%' ORDER BY code;
WITH shut AS (UPDATE store SET open = false WHERE code LIKE 'w%' RETURNING code, open) SELECT shut.code, shut.open AS new, store.open AS old FROM shut JOIN store USING (code) ORDER BY code;
SELECT code, open FROM store WHERE code LIKE 'w%' ORDER BY code;
WITH unread AS (INSERT INTO store VALUES ('w3', 'Faro', true)) SELECT count(*) FROM store WHERE code = 'w3';
SELECT * FROM store WHERE code = 'w3';
WITH x(place) AS (UPDATE store SET city = upper(city) WHERE code = 'w3' RETURNING city) SELECT place, (SELECT count(*) FROM x) FROM x AS y;

-- The command tag is that of the statement itself. Parts may read one another.
WITH moved AS (UPDATE store SET city = 'Lagos' WHERE code = 'w3' RETURNING *), copied AS (INSERT INTO store SELECT 'w4', city, open FROM moved RETURNING code)
INSERT INTO store SELECT 'w5', code, true FROM copied RETURNING code, city;
WITH n AS (SELECT count(*) AS n FROM store), added AS (INSERT INTO store SELECT 'w6', 'of ' || n, true FROM n RETURNING city)
UPDATE store SET city = added.city FROM added, n WHERE code = 'w5' AND n.n > 1;
SELECT * FROM store WHERE code IN ('w5', 'w6') ORDER BY code;
WITH RECURSIVE x AS (INSERT INTO product SELECT n, n * 1.5, 'title ' || n FROM a RETURNING sku), a AS (SELECT 9001 AS n UNION ALL SELECT n + 1 FROM a WHERE n < 9003) SELECT sum(sku), count(*) FROM x;
SELECT * FROM product WHERE sku > 9000 ORDER BY sku;
WITH x AS (INSERT INTO store VALUES ('w7', 'Porto', true) ON CONFLICT (code) DO UPDATE SET city = 'seen' RETURNING city) SELECT * FROM x;
WITH x AS (INSERT INTO store VALUES ('w7', 'Porto', true) ON CONFLICT (code) DO UPDATE SET city = 'seen' RETURNING city) SELECT * FROM x;
WITH x AS (INSERT INTO store VALUES ('w7', 'Porto', true), ('w8', 'Nice', true) ON CONFLICT DO NOTHING RETURNING code) SELECT * FROM x;

-- Several writes of one row: the first that is run counts, or is an error.
WITH a AS (UPDATE store SET city = 'a' WHERE code = 'w1'), b AS (UPDATE store SET city = 'b' WHERE code = 'w1') SELECT 1;
SELECT city FROM store WHERE code = 'w1';
WITH a AS (UPDATE store SET city = 'c' WHERE code = 'w1' RETURNING city) UPDATE store SET city = 'd' FROM a WHERE code = 'w1' RETURNING store.city;
SELECT city FROM store WHERE code = 'w1';
WITH a AS (INSERT INTO store VALUES ('w20', 'a', true)) INSERT INTO store VALUES ('w20', 'b', true);
WITH a AS (INSERT INTO store VALUES ('w20', 'a', true) RETURNING code) INSERT INTO store SELECT code, 'b', true FROM a ON CONFLICT (code) DO UPDATE SET city = 'c';
WITH a AS (INSERT INTO store VALUES ('w21', 'a', true) RETURNING code) INSERT INTO store SELECT code, 'b', true FROM a ON CONFLICT DO NOTHING;
SELECT code, city FROM store WHERE code IN ('w20', 'w21');

-- It is one statement: an error of any part leaves nothing.
WITH a AS (INSERT INTO store VALUES ('w30', 'a', true) RETURNING code) SELECT 1 / (length(code) - 3) FROM a;
WITH a AS (INSERT INTO store VALUES ('w30', 'a', true)) INSERT INTO product VALUES (9001, 1, 'there is one');
SELECT count(*) FROM store WHERE code = 'w30';
BEGIN;
INSERT INTO store VALUES ('w31', 'before', true);
WITH a AS (INSERT INTO store VALUES ('w32', 'a', true) RETURNING code) SELECT (SELECT count(*) FROM store WHERE code LIKE 'w3_') AS before, code FROM a;
SAVEPOINT s;
WITH a AS (UPDATE store SET city = 'x' WHERE code = 'w31' RETURNING code) SELECT 1 / (length(code) - 3) FROM a;
ROLLBACK TO s;
WITH a AS (UPDATE store SET city = city || '!' WHERE code = 'w31' RETURNING code, city) SELECT a.city AS new, store.city AS old FROM a JOIN store USING (code);
SELECT code, city FROM store WHERE code LIKE 'w3_' ORDER BY code;
ROLLBACK;
SELECT count(*) FROM store WHERE code IN ('w31', 'w32');

-- Types and temporary tables in one statement.
CREATE TEMP TABLE log (id int PRIMARY KEY, what text);
WITH a AS (INSERT INTO log VALUES (1, 'one'), (2, 'two') RETURNING *), b AS (INSERT INTO store SELECT 'w4' || id, what, true FROM a RETURNING code, city) SELECT code, city, (SELECT count(*) FROM log) FROM b ORDER BY code;
WITH gone AS (DELETE FROM log WHERE id = 1 RETURNING what) INSERT INTO store SELECT 'w43', what, false FROM gone RETURNING city;
WITH gone AS (DELETE FROM log WHERE id = 2 RETURNING *) INSERT INTO log SELECT id, what || ' again' FROM gone;
WITH gone AS (DELETE FROM log) INSERT INTO log VALUES (2, 'refused');
WITH a AS (INSERT INTO log VALUES (3, 'three') RETURNING id) SELECT id / 0 FROM a;
TABLE log;
WITH a AS (UPDATE log SET what = 'a'), b AS (DELETE FROM log) SELECT count(*) FROM log;
TABLE log;

WITH gone AS (DELETE FROM log RETURNING id) INSERT INTO log SELECT id, 'new' FROM gone ON CONFLICT DO NOTHING RETURNING *;
WITH a AS (UPDATE log SET what = 'first' RETURNING id) INSERT INTO log SELECT id, 'second' FROM a ON CONFLICT (id) DO UPDATE SET what = excluded.what;
WITH a AS (UPDATE log SET what = 'a' RETURNING id, what), unread AS (SELECT id FROM a) UPDATE log SET what = 'main';
TABLE log;

-- Types of values, and rows.
WITH d AS (INSERT INTO document VALUES ('w', '2026-01-02 03:04:05+00', '{"a": [1, 2]}', 'text', '2026-01-02', 1.5, '\x0102', '00000000-0000-0000-0000-000000000001') RETURNING *, price + 1 AS more, array[id] AS ids, NULL AS n, 'lit' AS lit)
SELECT id, at AT TIME ZONE 'UTC' AS at, attrs -> 'a' ->> 1 AS a, body, day + 1 AS day, price, encode(raw, 'hex') AS raw, ref, more, ids[1], n, lit FROM d;
WITH d AS (UPDATE store SET open = true WHERE code = 'w1' RETURNING store) SELECT store FROM d;
WITH d AS (UPDATE store SET open = false WHERE code = 'w1' RETURNING *) SELECT json_agg(d), count(d), max(d.code) FROM d;

-- What the clause refuses.
WITH x AS (INSERT INTO store VALUES ('w9', 'x', true)) SELECT * FROM x;
WITH x(a, b) AS (INSERT INTO store VALUES ('w9', 'x', true) RETURNING code) SELECT * FROM x;
WITH x AS (INSERT INTO store VALUES ('w9', 'x', true) RETURNING code) SELECT x.nope FROM x;
WITH x AS (INSERT INTO store VALUES ('w9', 'x', true) RETURNING code) SELECT * FROM x FOR UPDATE OF x;
WITH x AS (INSERT INTO nowhere VALUES (1)) SELECT 1;
WITH x AS (INSERT INTO store SELECT * FROM y), y AS (SELECT 1) SELECT 1;
WITH x AS (INSERT INTO store VALUES ('w9', 'x', true)), x AS (SELECT 1) SELECT 1;
WITH RECURSIVE x AS (INSERT INTO store SELECT code || '9', city, open FROM x RETURNING *) SELECT 1;
SELECT * FROM (WITH x AS (INSERT INTO store VALUES ('w9', 'x', true) RETURNING code) SELECT code FROM x) AS q;
WITH y AS (WITH x AS (INSERT INTO store VALUES ('w9', 'x', true) RETURNING code) SELECT code FROM x) SELECT * FROM y;
INSERT INTO store WITH x AS (INSERT INTO store VALUES ('w9', 'x', true) RETURNING code) SELECT code || 'x', '', true FROM x;
BEGIN;
DECLARE c CURSOR FOR WITH x AS (INSERT INTO store VALUES ('w9', 'x', true) RETURNING code) SELECT code FROM x;
ROLLBACK;
BEGIN READ ONLY;
WITH x AS (INSERT INTO store VALUES ('w9', 'x', true) RETURNING code) SELECT code FROM x;
ROLLBACK;
BEGIN READ ONLY;
WITH x AS (INSERT INTO log VALUES (10, 'temporary') RETURNING id) SELECT id FROM x;
ROLLBACK;
SELECT count(*) FROM store WHERE code = 'w9';

-- Prepared statements and COPY.
PREPARE put(text, text) AS WITH x AS (INSERT INTO store VALUES ($1, $2, true) RETURNING code) SELECT code, $2 || '!' AS city FROM x;
EXECUTE put('w50', 'Riga');
EXECUTE put('w51', 'Oslo');
PREPARE untyped AS WITH x AS (INSERT INTO store VALUES ($1, $2, true) RETURNING code), y AS (UPDATE product SET price = $3 WHERE sku = $4) SELECT code, $4 AS sku FROM x;
EXECUTE untyped('w52', 'Bonn', 2.5, 9001);
SELECT price FROM product WHERE sku = 9001;
COPY (WITH x AS (INSERT INTO store VALUES ('w53', 'Linz', true) RETURNING *) SELECT code, city FROM x) TO STDOUT;
COPY (WITH x AS (INSERT INTO store VALUES ('w54', 'Linz', true) RETURNING *) INSERT INTO store SELECT 'w55', city, open FROM x RETURNING code) TO STDOUT;
COPY (WITH x AS (INSERT INTO store VALUES ('w56', 'Linz', true) RETURNING *) INSERT INTO store SELECT 'w57', city, open FROM x) TO STDOUT;
SELECT count(*) FROM store WHERE code IN ('w53', 'w54', 'w55', 'w56', 'w57');

-- CREATE TABLE AS.
CREATE TEMP TABLE queue AS SELECT g AS id, 'q' || g AS what FROM generate_series(1, 6) g;
CREATE TEMP TABLE taken AS WITH gone AS (DELETE FROM queue WHERE id < 3 RETURNING *) SELECT * FROM gone;
SELECT * FROM taken ORDER BY id;
CREATE TEMP TABLE counted(a, b) AS WITH gone AS (DELETE FROM queue WHERE id < 5 RETURNING *), unread AS (UPDATE queue SET what = 'u' WHERE id = 5) SELECT id, (SELECT count(*) FROM queue) FROM gone;
SELECT * FROM counted ORDER BY a;
SELECT * FROM queue ORDER BY id;
CREATE TEMP TABLE nothing AS WITH gone AS (DELETE FROM queue RETURNING *) SELECT * FROM gone WITH NO DATA;
CREATE TEMP TABLE bad AS WITH gone AS (DELETE FROM queue RETURNING *) SELECT 1 / (id - 6) FROM gone;
WITH added AS (INSERT INTO store VALUES ('w60', 'Bari', true) RETURNING *) SELECT code INTO TEMP added FROM added;
SELECT (SELECT count(*) FROM queue) AS queue, (SELECT count(*) FROM nothing) AS nothing, (SELECT code FROM added), (SELECT city FROM store WHERE code = 'w60');
