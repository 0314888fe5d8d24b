# What is written is read, and gone after ROLLBACK.
BEGIN;
INSERT INTO shelf VALUES ('a', 1), ('b', 2);
SELECT * FROM shelf ORDER BY name;
UPDATE shelf SET height = 10 WHERE name = 'a';
SELECT s.name, o.height FROM shelf s JOIN shelf o ON o.height = s.height * 5;
ROLLBACK;
SELECT count(*) FROM shelf;
BEGIN;
INSERT INTO shelf VALUES ('a', 1);
INSERT INTO shelf VALUES ('a', 2);
SELECT 1;
INSERT INTO shelf VALUES ('c', 2);
COMMIT;
SELECT count(*) FROM shelf;

# Savepoints.
BEGIN;
INSERT INTO shelf VALUES ('a', 1);
SAVEPOINT one;
UPDATE shelf SET height = 2;
SAVEPOINT two;
UPDATE shelf SET height = 3, note = 'n';
INSERT INTO shelf VALUES ('a', 1);
ROLLBACK TO two;
SELECT * FROM shelf;
RELEASE one;
ROLLBACK TO two;
ROLLBACK TO SAVEPOINT one;
COMMIT;
BEGIN;
INSERT INTO shelf VALUES ('a', 1);
SAVEPOINT s;
INSERT INTO shelf VALUES ('b', 1);
SAVEPOINT s;
INSERT INTO shelf VALUES ('c', 1);
ROLLBACK TO s;
RELEASE s;
INSERT INTO shelf VALUES ('d', 1);
ROLLBACK TO s;
SELECT name FROM shelf ORDER BY name;
COMMIT;
SELECT name FROM shelf ORDER BY name;
SAVEPOINT outside;
RELEASE outside;
ROLLBACK TO outside;

# AND CHAIN keeps the modes.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SHOW transaction_isolation;
INSERT INTO shelf VALUES ('chain', 1);
COMMIT AND CHAIN;
SHOW transaction_isolation;
INSERT INTO shelf VALUES ('chain2', 1);
ROLLBACK AND CHAIN;
SHOW transaction_isolation;
COMMIT;
SHOW transaction_isolation;
SELECT name FROM shelf ORDER BY name;

# READ ONLY.
BEGIN READ ONLY;
SHOW transaction_read_only;
SELECT count(*) FROM shelf;
INSERT INTO shelf VALUES ('ro', 1);
ROLLBACK;
BEGIN READ ONLY;
UPDATE shelf SET height = 1;
ROLLBACK;
START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
MERGE INTO shelf USING item ON title = name WHEN MATCHED THEN UPDATE SET height = 1;
ROLLBACK;
BEGIN READ ONLY;
UPDATE shelf SET nope = 1;
ROLLBACK;
BEGIN;
SELECT count(*) FROM shelf;
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
ROLLBACK;
SET TRANSACTION READ ONLY;
SELECT count(*) FROM shelf; BEGIN ISOLATION LEVEL SERIALIZABLE;
COMMIT;

# The ends that say something.
BEGIN;
BEGIN;
COMMIT;
COMMIT;
ROLLBACK;
COMMIT AND CHAIN;
ROLLBACK AND CHAIN;
BEGIN;
SELECT 1 / 0;
BEGIN;
COMMIT AND CHAIN;
SHOW transaction_read_only;
COMMIT;

# One string is one transaction.
INSERT INTO shelf VALUES ('m1', 1); INSERT INTO shelf VALUES ('m2', 2); SELECT count(*) FROM shelf WHERE name LIKE 'm%';
INSERT INTO shelf VALUES ('m3', 1); INSERT INTO shelf VALUES ('m1', 2); SELECT 1;
SELECT name FROM shelf WHERE name LIKE 'm%' ORDER BY name;
INSERT INTO shelf VALUES ('m4', 1); COMMIT; INSERT INTO shelf VALUES ('m1', 2);
SELECT name FROM shelf WHERE name LIKE 'm%' ORDER BY name;
INSERT INTO shelf VALUES ('m5', 1); BEGIN; INSERT INTO shelf VALUES ('m6', 1);
ROLLBACK;
SELECT name FROM shelf WHERE name LIKE 'm%' ORDER BY name;
BEGIN; INSERT INTO shelf VALUES ('m7', 1); SAVEPOINT a; INSERT INTO shelf VALUES ('m7', 1);
ROLLBACK TO a; COMMIT;
SELECT name FROM shelf WHERE name LIKE 'm%' ORDER BY name;
INSERT INTO shelf VALUES ('m8', 1); SAVEPOINT a;
SELECT name FROM shelf WHERE name LIKE 'm%' ORDER BY name;
