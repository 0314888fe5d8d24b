-- store: a copy
\set QUIET off
-- What a write leaves behind: versions, and a commit for each transaction.
UPDATE store SET city = 'Bergen' WHERE code = 's1';
UPDATE store SET city = 'Bergen', open = open WHERE code = 's1';
INSERT INTO store VALUES ('s1', 'Bergen', true), ('s5', 'Ghent', true) ON CONFLICT (code) DO UPDATE SET city = excluded.city;
MERGE INTO store USING (VALUES ('s1', 'Bergen'), ('s5', 'Leuven')) AS n (c, t) ON n.c = code WHEN MATCHED THEN UPDATE SET city = n.t;
SELECT commit_id, code, change, changed_fields, before ->> 'city' AS was, city FROM changes.store WHERE commit_id > 54 ORDER BY 1, 2;
SELECT commit_id, types, row_count FROM ontosql.commits WHERE commit_id > 54 ORDER BY 1;
-- Nothing changes, or it is changed and changed back: no commit.
UPDATE store SET city = 'Bergen' WHERE code = 's1' RETURNING *;
BEGIN;
UPDATE store SET open = NOT open;
UPDATE store SET open = NOT open;
COMMIT;
SELECT max(commit_id) FROM ontosql.commits;
-- A transaction makes one version of a row, however often it writes it.
BEGIN;
UPDATE product SET price = 1 WHERE sku = 101;
UPDATE product SET price = price + 1 WHERE sku = 101;
INSERT INTO product VALUES (200, 5, 'Nail');
UPDATE product SET title = 'Screw' WHERE sku = 200;
SELECT sku, price, title, commit_id, is_current FROM history.product WHERE sku IN (101, 200) AND is_current ORDER BY sku;
SELECT sku, change, changed_fields FROM changes.product WHERE commit_id IS NULL ORDER BY sku;
SELECT price FROM as_of.product('HEAD') WHERE sku = 101;
COMMIT;
SELECT sku, price, title, commit_id FROM history.product WHERE commit_id > 54 ORDER BY sku;
-- MERGE has RETURNING here, as in PostgreSQL 17.
MERGE INTO store USING (VALUES ('s1'), ('s6')) AS n (c) ON n.c = code
WHEN MATCHED THEN UPDATE SET city = 'Voss' WHEN NOT MATCHED THEN INSERT VALUES (c, 'Gent', true) RETURNING c, code, city \g | sort
-- What becomes of rows that exist, for statements and programs that do not say it.
INSERT INTO store VALUES ('s1', 'Narvik', true);
SET ontosql.on_conflict = 'nothing';
INSERT INTO store VALUES ('s1', 'Narvik', true), ('s7', 'Hamar', true);
COPY store FROM STDIN;
s1	Narvik	t
s8	Larvik	t
\.
SET ontosql.on_conflict = 'update';
INSERT INTO store VALUES ('s1', 'Narvik', true), ('s9', 'Moss', true);
INSERT INTO store VALUES ('s1', 'Alta', true) ON CONFLICT DO NOTHING;
COPY store FROM STDIN;
s8	Skien	t
t1	Tromso	t
\.
BEGIN;
INSERT INTO store VALUES ('t2', 'Bodo', true);
COPY store FROM STDIN (FORMAT csv);
t2,Rana,f
t3,Rana,f
\.
COMMIT;
SELECT * FROM store WHERE code IN ('s1', 's7', 's8', 's9', 't1', 't2', 't3') ORDER BY code;
SET ontosql.on_conflict = 'replace';
RESET ontosql.on_conflict;
SHOW ontosql.on_conflict;
-- A file that begins with a byte order mark.
\! printf '\357\273\277code,city,open\nb1,x,t\n' > bom.csv
\copy store FROM 'bom.csv' (FORMAT csv, HEADER MATCH)
-- What cannot be done, and what to do instead.
\set VERBOSITY verbose
DELETE FROM store WHERE code = 's1';
TRUNCATE store;
MERGE INTO store USING (SELECT 's1' AS c) AS n ON c = code WHEN MATCHED THEN DELETE;
MERGE INTO store USING (SELECT 's1' AS c) AS n ON c = code WHEN NOT MATCHED BY SOURCE THEN UPDATE SET city = 'gone';
WITH gone AS (DELETE FROM store RETURNING *) SELECT * FROM gone;
WITH moved AS (UPDATE store SET city = 'x' WHERE code = 's1' RETURNING *) INSERT INTO store SELECT * FROM moved;
UPDATE store SET code = 'x' WHERE code = 's1';
UPDATE purchase SET order_no = 'x';
INSERT INTO subscription VALUES ('c5', 107, NULL, 1) ON CONFLICT (left_key, right_key) DO UPDATE SET right_key = 100;
MERGE INTO store USING (SELECT 's1' AS c) AS n ON c = code WHEN MATCHED THEN UPDATE SET code = 'x';
UPDATE store SET commit_id = 1;
UPDATE history.store SET city = 'x';
INSERT INTO changes.store (code) VALUES ('x') ON CONFLICT DO NOTHING;
MERGE INTO history.store h USING store s ON s.code = h.code WHEN MATCHED THEN UPDATE SET city = 'x';
COPY changes.store FROM STDIN;
UPDATE ontosql.commits SET message = 'x';
UPDATE pg_class SET relname = 'x';
SET ontosql.as_of = 'HEAD~2';
UPDATE store SET city = 'x';
MERGE INTO store USING (SELECT 1) AS n ON true WHEN MATCHED THEN UPDATE SET city = 'x';
COPY store FROM STDIN;
RESET ontosql.as_of;
\set VERBOSITY default
\! psql -X -d onto@54 -c "UPDATE store SET city = 'x'"
\! psql -X -d onto@2025-06-30 -c "COPY store FROM STDIN"
-- SERIALIZABLE hangs on the types that were read; here another psql writes one.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM customer WHERE tier = 'Gold' AND balance > 490;
INSERT INTO product VALUES (300, 1, 'Raffle ticket');
\! psql -X -q -c "UPDATE customer SET tier = 'Gold', balance = 1000 WHERE id = 'c1'"
COMMIT;
\echo :SQLSTATE
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM customer WHERE tier = 'Gold' AND balance > 490;
INSERT INTO product VALUES (300, 1, 'Raffle ticket');
\! psql -X -q -c "UPDATE store SET open = false WHERE code = 's3'"
COMMIT;
-- At any other level it commits.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM customer WHERE tier = 'Gold' AND balance > 490;
INSERT INTO product VALUES (301, 1, 'Raffle ticket');
\! psql -X -q -c "UPDATE customer SET balance = 0 WHERE id = 'c1'"
COMMIT;
-- The first committer wins; a statement alone is run again.
BEGIN;
UPDATE customer SET balance = balance + 1 WHERE id = 'c2';
\! psql -X -q -c "UPDATE customer SET balance = 10 WHERE id = 'c2'"
COMMIT;
UPDATE customer SET balance = balance + 1 WHERE id = 'c2' RETURNING balance;
