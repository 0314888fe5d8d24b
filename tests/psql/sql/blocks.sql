-- store: a copy, and PostgreSQL's
\set QUIET off
\set SHOW_CONTEXT never
-- Savepoints.
BEGIN;
INSERT INTO store VALUES ('a', 'Arles', true);
SAVEPOINT one;
UPDATE store SET city = 'Aix' WHERE code = 'a';
INSERT INTO store VALUES ('b', 'Basel', true);
SAVEPOINT two;
INSERT INTO store VALUES ('b', 'again', true);
SELECT 1;
SAVEPOINT three;
ROLLBACK TO two;
INSERT INTO store VALUES ('c', 'Cork', true);
SELECT code, city FROM store WHERE code IN ('a', 'b', 'c') ORDER BY 1;
ROLLBACK TO SAVEPOINT one;
SELECT code, city FROM store WHERE code IN ('a', 'b', 'c') ORDER BY 1;
ROLLBACK TO two;
ROLLBACK TO one;
RELEASE one;
ROLLBACK TO one;
ROLLBACK;
SELECT count(*) FROM store WHERE code IN ('a', 'b', 'c');
BEGIN;
SAVEPOINT s;
UPDATE product SET price = 0 WHERE sku = 101;
RELEASE SAVEPOINT s;
COMMIT;
SELECT price FROM product WHERE sku = 101;
-- What is set is undone, too.
BEGIN;
SET application_name = 'before';
SAVEPOINT s;
SET application_name = 'since';
ROLLBACK TO s;
SHOW application_name;
COMMIT;
RESET application_name;
-- Outside of a block.
SAVEPOINT s;
RELEASE s;
ROLLBACK TO s;
COMMIT AND CHAIN;
ROLLBACK AND CHAIN;
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SET LOCAL application_name = 'nowhere';
-- AND CHAIN.
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE product SET price = 2 WHERE sku = 101;
COMMIT AND CHAIN;
SHOW transaction_isolation;
UPDATE product SET price = 3 WHERE sku = 101;
ROLLBACK AND CHAIN;
SELECT price FROM product WHERE sku = 101;
COMMIT;
-- A failed transaction.
BEGIN;
INSERT INTO store VALUES ('a', 'Arles', true);
INSERT INTO store VALUES ('a', 'Arles', true);
INSERT INTO store VALUES ('b', 'Basel', true);
\echo :SQLSTATE
COMMIT;
SELECT count(*) FROM store WHERE code IN ('a', 'b');
-- Other spellings.
START TRANSACTION;
ABORT;
BEGIN WORK;
SAVEPOINT "A b";
ROLLBACK WORK TO "A b";
ROLLBACK TO "a B";
END;
BEGIN READ ONLY;
SAVEPOINT s;
INSERT INTO store VALUES ('a', 'Arles', true);
ROLLBACK TO s;
SELECT 1;
END WORK;
BEGIN;
SAVEPOINT s;
SET TRANSACTION READ ONLY;
ROLLBACK TO s;
SHOW transaction_read_only;
COMMIT;
-- BEGIN within one, COMMIT and ROLLBACK without one.
BEGIN;
BEGIN;
COMMIT;
COMMIT;
ROLLBACK;
-- Levels.
SHOW transaction_isolation;
BEGIN ISOLATION LEVEL READ UNCOMMITTED;
SHOW transaction_isolation;
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SHOW transaction_isolation;
SELECT count(*) FROM store WHERE code = 's1';
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
ROLLBACK;
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SHOW default_transaction_isolation;
BEGIN;
SHOW transaction_isolation;
UPDATE store SET open = NOT open WHERE code = 's1' RETURNING open;
COMMIT;
RESET default_transaction_isolation;
-- READ ONLY.
BEGIN READ ONLY;
SELECT count(*) FROM store WHERE code = 's1';
INSERT INTO store VALUES ('a', 'Arles', true);
\echo :SQLSTATE
ROLLBACK;
BEGIN;
SET TRANSACTION READ ONLY;
UPDATE store SET city = 'x';
ROLLBACK;
SET default_transaction_read_only = on;
UPDATE store SET city = 'x';
MERGE INTO store USING (SELECT 1) AS n ON true WHEN MATCHED THEN UPDATE SET city = 'x';
COPY store FROM STDIN;
BEGIN READ WRITE;
UPDATE store SET city = 'y' WHERE code = 's1';
ROLLBACK;
RESET default_transaction_read_only;
-- Several statements in one string are one transaction.
INSERT INTO store VALUES ('m1', 'Metz', true)\; UPDATE store SET city = 'Mons' WHERE code = 'm1'\; SELECT city FROM store WHERE code = 'm1';
INSERT INTO store VALUES ('m2', 'Metz', true)\; INSERT INTO store VALUES ('m1', 'Metz', true);
INSERT INTO store VALUES ('m3', 'Metz', true)\; COMMIT\; INSERT INTO store VALUES ('m1', 'Metz', true);
INSERT INTO store VALUES ('m4', 'Metz', true)\; ROLLBACK\; INSERT INTO store VALUES ('m5', 'Metz', true);
SELECT code FROM store WHERE code LIKE 'm%' ORDER BY 1;
-- psql's own savepoints.
\set ON_ERROR_ROLLBACK on
BEGIN;
INSERT INTO store VALUES ('o1', 'Orb', true);
INSERT INTO store VALUES ('o1', 'Orb', true);
INSERT INTO store VALUES ('o2', 'Orb', true);
SELECT nosuch;
COMMIT;
\set ON_ERROR_ROLLBACK off
SELECT code FROM store WHERE code LIKE 'o%' ORDER BY 1;
-- psql begins by itself.
\set AUTOCOMMIT off
INSERT INTO store VALUES ('p1', 'Pau', true);
ROLLBACK;
INSERT INTO store VALUES ('p2', 'Pau', true);
UPDATE store SET open = false WHERE code = 'p2';
COMMIT;
SELECT * FROM store WHERE code LIKE 'p%' ORDER BY 1;
COMMIT;
\set AUTOCOMMIT on
-- A transaction reads one state.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM product;
\! psql -X -q -c "INSERT INTO product VALUES (900, 1, 'new')"
SELECT count(*) FROM product;
COMMIT;
SELECT count(*) FROM product;
