-- store: a copy
\set VERBOSITY verbose
SELECT * FROM nosuch;
SELECT nosuch FROM customer;
SELECT c.nosuch FROM customer c;
SELECT * FROM nowhere.customer;
SELECT nosuch(1);
SELEC 1;
SELECT 'abc'::int;
SELECT 1/0;
SELECT * FROM as_of.customer('nonsense');
SELECT * FROM history.customer FOR SYSTEM_TIME AS OF 3;
SET ontosql.as_of = 'nonsense';
SET nosuch = 1;
SHOW nosuch;
DELETE FROM customer;
TRUNCATE customer;
INSERT INTO customer (id) VALUES ('x');
UPDATE customer SET nosuch = 'x';
CREATE VIEW t AS SELECT 1;
SAVEPOINT s;
