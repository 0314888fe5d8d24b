-- store: a copy, and PostgreSQL's
\set QUIET off
-- What a transaction has written, its later statements change: rows of every kind of statement, savepoints between them.
\set SHOW_CONTEXT never
BEGIN;
INSERT INTO store VALUES ('x1', 'a', true);
UPDATE store SET city = 'b' WHERE code = 'x1' RETURNING *;
INSERT INTO store VALUES ('x1', 'c', false) ON CONFLICT (code) DO UPDATE SET city = store.city || excluded.city RETURNING *;
SAVEPOINT a;
MERGE INTO store USING (VALUES ('x1'), ('x2')) v(k) ON k = code WHEN MATCHED THEN UPDATE SET city = city || '!' WHEN NOT MATCHED THEN INSERT VALUES (k, 'new', true);
SELECT * FROM store WHERE code LIKE 'x%' ORDER BY 1;
SAVEPOINT a;
COPY store FROM STDIN;
x3	copied	t
\.
UPDATE store SET open = false WHERE code LIKE 'x%';
COPY store FROM STDIN;
x4	copied	t
x2	copied	t
\.
ROLLBACK TO a;
SELECT * FROM store WHERE code LIKE 'x%' ORDER BY 1;
RELEASE a;
ROLLBACK TO a;
SELECT * FROM store WHERE code LIKE 'x%' ORDER BY 1;
INSERT INTO store VALUES ('x2', 'again', true), ('x3', 'again', true);
INSERT INTO store VALUES ('x3', 'again', true) ON CONFLICT DO NOTHING;
COMMIT;
SELECT * FROM store WHERE code LIKE 'x%' ORDER BY 1;
-- Relations.
BEGIN;
UPDATE subscription SET seats = seats + 1 WHERE left_key = 'c5';
UPDATE subscription s SET seats = (SELECT sum(seats) FROM subscription t WHERE t.left_key = s.left_key) WHERE left_key = 'c5' AND right_key = 100 RETURNING seats;
INSERT INTO subscription VALUES ('c5', 999, NULL, 1), ('c5', 100, NULL, 1) ON CONFLICT (left_key, right_key) DO UPDATE SET note = 'both' WHERE subscription.seats > 20;
SELECT * FROM subscription WHERE left_key = 'c5' ORDER BY right_key;
SELECT c.name, sum(s.seats) FROM customer c JOIN subscription s ON s.left_key = c.id WHERE c.id = 'c5' GROUP BY c.id;
ROLLBACK;
SELECT * FROM subscription WHERE left_key = 'c5' ORDER BY right_key;
-- Strings of statements with blocks in them.
INSERT INTO store VALUES ('y1', 'a', true)\; SAVEPOINT s\; INSERT INTO store VALUES ('y2', 'a', true);
BEGIN\; INSERT INTO store VALUES ('y3', 'a', true)\; SAVEPOINT s\; INSERT INTO store VALUES ('y4', 'a', true)\; ROLLBACK TO s\; COMMIT;
INSERT INTO store VALUES ('y5', 'a', true)\; BEGIN\; INSERT INTO store VALUES ('y6', 'a', true)\; COMMIT\; INSERT INTO store VALUES ('y7', 'a', true)\; SELECT 1/0;
SELECT code FROM store WHERE code LIKE 'y%' ORDER BY 1;
BEGIN; INSERT INTO store VALUES ('y8', 'a', true); COMMIT AND CHAIN; INSERT INTO store VALUES ('y9', 'a', true); ROLLBACK AND NO CHAIN;
SELECT code FROM store WHERE code LIKE 'y%' ORDER BY 1;
-- More rows than are known by name.
BEGIN; INSERT INTO product SELECT g, g, 'bulk ' || g FROM generate_series(1000, 81000) g; SELECT count(*), sum(price) FROM product WHERE sku >= 1000; UPDATE product SET price = 0 WHERE sku BETWEEN 1000 AND 1009; SAVEPOINT s; UPDATE product SET price = 1 WHERE sku >= 1000; SELECT sum(price) FROM product WHERE sku >= 1000; ROLLBACK TO s; INSERT INTO product VALUES (5000, 1, 'dup'); ROLLBACK TO s; INSERT INTO product VALUES (5000, 7, 'dup') ON CONFLICT (sku) DO UPDATE SET price = excluded.price; COMMIT;
SELECT count(*), sum(price) FROM product WHERE sku >= 1000;
-- Keys.
INSERT INTO store (code, city, open) VALUES (NULL, 'x', true);
INSERT INTO store (code, city, open) VALUES ('', 'empty', true);
SELECT * FROM store WHERE code = '';
UPDATE store SET city = 'still' WHERE code = '';
INSERT INTO purchase VALUES ('c1', 100, 'o1', 1, 's1'), ('c1', 100, 'o2', 1, 's1'), ('c1', 100, 'o1', 2, 's1');
INSERT INTO purchase VALUES ('c1', 100, 'o1', 1, 's1'), ('c1', 100, 'o2', 1, 's1') RETURNING *;
UPDATE purchase SET qty = qty + 1 WHERE left_key = 'c1' AND order_no IN ('o1', 'o2') RETURNING order_no, qty \g | sort
UPDATE purchase p SET qty = 0 FROM subscription s WHERE s.left_key = p.left_key AND s.right_key = p.right_key AND p.left_key = 'c5';
SELECT count(*) FROM purchase WHERE qty = 0;
-- Many rows, values of other rows.
UPDATE customer SET email = lower(name) || '@x.org' WHERE email IS NULL AND tier <> 'Gold';
SELECT count(*) FROM customer WHERE email LIKE '%@x.org';
UPDATE customer SET balance = balance + 0.1 WHERE id = 'c1' RETURNING balance;
UPDATE customer SET balance = round(balance::numeric, 1) WHERE id = 'c1' RETURNING balance;
UPDATE customer c SET balance = x.m FROM (SELECT tier, max(balance) AS m FROM customer GROUP BY tier) x WHERE x.tier = c.tier AND c.id IN ('c2', 'c3') RETURNING c.id, balance \g | sort
-- Variables of psql, and statements that it makes.
\set n 5
UPDATE store SET city = :'n' WHERE code = 's1' RETURNING city;
\echo :ROW_COUNT :ERROR :SQLSTATE
UPDATE store SET city = :nosuch;
\echo :ROW_COUNT :ERROR :SQLSTATE
SELECT format('UPDATE store SET city = %L WHERE code = %L', city || '''s', code) FROM store WHERE code < 's5' AND code > 's' ORDER BY code \gexec
SELECT * FROM store WHERE code < 's5' AND code > 's' ORDER BY code;
