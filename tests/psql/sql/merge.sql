-- store: a copy, and PostgreSQL's
\set QUIET off
\set SHOW_CONTEXT never
-- Both branches, conditions, DO NOTHING.
MERGE INTO store s USING (VALUES ('s1', 'Oslo'), ('s2', 'Porto'), ('s6', 'Turku'), ('s7', NULL)) AS n (code, city) ON n.code = s.code
WHEN MATCHED AND s.city = n.city THEN DO NOTHING
WHEN MATCHED THEN UPDATE SET city = n.city, open = true
WHEN NOT MATCHED AND n.city IS NULL THEN DO NOTHING
WHEN NOT MATCHED THEN INSERT (code, city, open) VALUES (n.code, n.city, false);
SELECT * FROM store ORDER BY code;
-- A query, a table, a CTE as the source.
MERGE INTO product USING (SELECT right_key, sum(seats)::float8 AS seats FROM subscription WHERE right_key < 103 GROUP BY 1) AS s ON s.right_key = sku
WHEN MATCHED THEN UPDATE SET price = s.seats;
MERGE INTO customer c USING store ON store.code = c.id
WHEN NOT MATCHED THEN INSERT (id, name, tier, balance) VALUES (code, city, 'Standard', 0);
WITH mine AS (SELECT * FROM subscription WHERE left_key = 'c5')
MERGE INTO subscription s USING mine m ON m.left_key = s.left_key AND m.right_key = s.right_key
WHEN MATCHED THEN UPDATE SET seats = m.seats + 1, note = 'merged';
SELECT * FROM subscription WHERE left_key = 'c5' ORDER BY right_key;
SELECT id, balance, email, tier FROM customer WHERE id LIKE 's%' ORDER BY id;
MERGE INTO store USING (SELECT 's1' AS c) AS n ON c = code WHEN MATCHED THEN UPDATE SET city = store.city;
MERGE INTO store USING (SELECT 's1' AS c WHERE false) AS n ON c = code WHEN MATCHED THEN UPDATE SET city = 'x';
-- Refused.
MERGE INTO store USING (VALUES ('s1'), ('s1')) AS n (c) ON c = code WHEN MATCHED THEN UPDATE SET city = 'twice';
\echo :SQLSTATE
MERGE INTO store USING (VALUES ('s1')) AS n (c) ON false WHEN NOT MATCHED THEN INSERT VALUES (c, 'again', true);
\echo :SQLSTATE
MERGE INTO store USING (VALUES ('t1'), ('t1')) AS n (c) ON c = code WHEN NOT MATCHED THEN INSERT VALUES (c, 'twice', true);
\echo :SQLSTATE
MERGE INTO store USING (VALUES ('t1')) AS n (c) ON c = code WHEN NOT MATCHED THEN INSERT (code) VALUES (c);
\echo :SQLSTATE
MERGE INTO store USING (VALUES ('t1')) AS n (c) ON c = code WHEN MATCHED THEN UPDATE SET nosuch = 1;
MERGE INTO nosuch USING (VALUES ('t1')) AS n (c) ON c = code WHEN MATCHED THEN DO NOTHING;
SELECT * FROM store ORDER BY code;
