-- store: a copy, and PostgreSQL's
-- Foreign keys among tables of the workspace, and among temporary tables.
CREATE SCHEMA fk;
SET search_path = fk;
CREATE TABLE p (id int PRIMARY KEY, a text, b int UNIQUE, UNIQUE (a, b));
CREATE TABLE np (a int);
CREATE VIEW v AS SELECT 1 AS a;
CREATE TEMP TABLE tp (id int PRIMARY KEY);
CREATE TABLE bad (x text REFERENCES p);
CREATE TABLE bad (x int, FOREIGN KEY (x) REFERENCES p (zz));
CREATE TABLE bad (x int, FOREIGN KEY (x) REFERENCES p (a));
CREATE TABLE bad (x int, FOREIGN KEY (x, x) REFERENCES p (a, b));
CREATE TABLE bad (x int, FOREIGN KEY (y) REFERENCES p (a));
CREATE TABLE bad (x int REFERENCES np);
CREATE TABLE bad (x int REFERENCES np (a));
CREATE TABLE bad (x int REFERENCES nosuch);
CREATE TABLE bad (x int REFERENCES v (a));
CREATE TABLE bad (x int REFERENCES tp);
CREATE TEMP TABLE bad (x int REFERENCES p);
CREATE TABLE bad (x int REFERENCES p (id, b));
CREATE TABLE bad (x int, y int, FOREIGN KEY (y) REFERENCES p (b) ON DELETE SET NULL (x));

-- NO ACTION.
CREATE TABLE c (x int REFERENCES p, n text);
INSERT INTO p VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', NULL);
INSERT INTO c VALUES (1, 'a'), (NULL, 'b');
INSERT INTO c VALUES (5, 'no');
INSERT INTO c SELECT g, 'n' FROM generate_series(1, 4) g;
UPDATE c SET x = 9 WHERE n = 'a';
UPDATE c SET x = 2 WHERE n = 'a';
DELETE FROM p WHERE id = 2;
UPDATE p SET id = 20 WHERE id = 2;
UPDATE p SET a = 'TWO' WHERE id = 2;
UPDATE p SET id = id WHERE id = 2;
DELETE FROM p WHERE id = 3;
WITH gone AS (DELETE FROM c WHERE x = 2) DELETE FROM p WHERE id = 2;
SELECT * FROM p ORDER BY id;
WITH new AS (INSERT INTO c VALUES (7, 'seven')) INSERT INTO p VALUES (7, 'seven', 70);
WITH new AS (INSERT INTO c VALUES (8, 'eight')) INSERT INTO p VALUES (9, 'nine', 90);
SELECT * FROM c ORDER BY n;
\d p
\d c
SELECT conname, contype, condeferrable, condeferred, convalidated, confupdtype, confdeltype, confmatchtype, conkey, confkey, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'c'::regclass;
SELECT constraint_name, unique_constraint_schema, unique_constraint_name, match_option, update_rule, delete_rule FROM information_schema.referential_constraints WHERE constraint_schema = 'fk' ORDER BY 1;
SELECT constraint_name, table_name, column_name, ordinal_position, position_in_unique_constraint FROM information_schema.key_column_usage WHERE constraint_schema = 'fk' ORDER BY 1, 4;

-- DDL of both ends.
TRUNCATE p;
BEGIN;
TRUNCATE p CASCADE;
SELECT count(*) FROM c;
ROLLBACK;
ALTER TABLE p DROP CONSTRAINT p_pkey;
ALTER TABLE p DROP COLUMN id;
DROP TABLE p;
ALTER TABLE p ALTER id TYPE text;
ALTER TABLE p ALTER id TYPE bigint;
ALTER TABLE p RENAME TO parent;
ALTER TABLE parent RENAME id TO key;
ALTER TABLE c RENAME x TO link;
ALTER TABLE parent RENAME CONSTRAINT p_pkey TO parent_pkey;
INSERT INTO c VALUES (99, 'no');
DELETE FROM parent WHERE key = 7;
ALTER TABLE c RENAME CONSTRAINT c_x_fkey TO c_link;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'c_link';
ALTER TABLE c DROP CONSTRAINT c_link;
INSERT INTO c VALUES (99, 'yes');
ALTER TABLE c ADD FOREIGN KEY (link) REFERENCES parent;
ALTER TABLE c ADD CONSTRAINT later FOREIGN KEY (link) REFERENCES parent NOT VALID;
INSERT INTO c VALUES (98, 'no');
ALTER TABLE c VALIDATE CONSTRAINT later;
DELETE FROM c WHERE link = 99;
ALTER TABLE c VALIDATE CONSTRAINT later;
ALTER TABLE c ADD CONSTRAINT later FOREIGN KEY (link) REFERENCES parent;
DROP TABLE parent CASCADE;
INSERT INTO c VALUES (98, 'yes');
DROP TABLE c;

-- Actions.
CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE cascaded (n int PRIMARY KEY, x int REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE deep (n int, y int REFERENCES cascaded ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE nulled (n int, x int REFERENCES p ON DELETE SET NULL ON UPDATE SET NULL);
CREATE TABLE defaulted (n int, x int DEFAULT 1 REFERENCES p ON DELETE SET DEFAULT ON UPDATE SET DEFAULT);
INSERT INTO p SELECT generate_series(1, 5);
INSERT INTO cascaded SELECT g * 10, g FROM generate_series(1, 5) g;
INSERT INTO deep SELECT g * 100, g * 10 FROM generate_series(1, 5) g;
INSERT INTO nulled SELECT g, g FROM generate_series(1, 5) g;
INSERT INTO defaulted SELECT g, g FROM generate_series(1, 5) g;
DELETE FROM p WHERE id = 2;
SELECT * FROM cascaded ORDER BY n;
SELECT * FROM deep ORDER BY n;
SELECT * FROM nulled ORDER BY n;
SELECT * FROM defaulted ORDER BY n;
UPDATE p SET id = id + 10 WHERE id > 2;
SELECT * FROM cascaded ORDER BY n;
SELECT * FROM nulled ORDER BY n;
SELECT * FROM defaulted ORDER BY n;
BEGIN;
DELETE FROM p WHERE id = 13;
SELECT count(*) FROM deep;
ROLLBACK;
SELECT count(*) FROM deep;
\set SHOW_CONTEXT never
UPDATE cascaded SET n = 301 WHERE n = 30;
SELECT * FROM deep ORDER BY n;
ALTER TABLE nulled ALTER x SET NOT NULL;
DELETE FROM nulled WHERE x IS NULL;
INSERT INTO nulled VALUES (9, 14);
ALTER TABLE nulled ALTER x SET NOT NULL;
DELETE FROM p WHERE id = 14;
CREATE TABLE restricted (x int REFERENCES p ON DELETE RESTRICT ON UPDATE RESTRICT);
INSERT INTO restricted VALUES (15);
DELETE FROM p WHERE id = 15;
UPDATE p SET id = 16 WHERE id = 15;
\d p
\d defaulted
DROP TABLE p, cascaded, deep, nulled, defaulted, restricted;

-- Several columns, MATCH FULL, and a table that references itself.
CREATE TABLE p (a int, b text, PRIMARY KEY (a, b));
CREATE TABLE simple (x int, y text, FOREIGN KEY (x, y) REFERENCES p);
CREATE TABLE whole (x int, y text, FOREIGN KEY (y, x) REFERENCES p (b, a) MATCH FULL ON DELETE SET NULL (x));
INSERT INTO p VALUES (1, 'a'), (2, 'b');
INSERT INTO simple VALUES (1, NULL), (NULL, 'z'), (1, 'a');
INSERT INTO simple VALUES (1, 'b');
INSERT INTO whole VALUES (1, NULL);
INSERT INTO whole VALUES (NULL, NULL), (2, 'b');
INSERT INTO whole VALUES (2, 'a');
DELETE FROM p WHERE a = 1;
DELETE FROM p WHERE a = 2;
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' AND connamespace = 'fk'::regnamespace ORDER BY 1;
CREATE TABLE tree (id int PRIMARY KEY, up int REFERENCES tree ON DELETE CASCADE);
INSERT INTO tree VALUES (2, 1), (1, NULL), (3, 2), (4, 3);
INSERT INTO tree VALUES (5, 6);
DELETE FROM tree WHERE id = 2;
SELECT * FROM tree ORDER BY id;
UPDATE tree SET id = 10 WHERE id = 1;
\d tree
DROP TABLE tree;
DROP TABLE p;
DROP TABLE p CASCADE;
DROP TABLE simple, whole;

-- Deferred.
CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE d (x int REFERENCES p DEFERRABLE INITIALLY DEFERRED, y int CONSTRAINT soon REFERENCES p DEFERRABLE);
BEGIN;
INSERT INTO d VALUES (1, NULL);
INSERT INTO p VALUES (1);
COMMIT;
BEGIN;
INSERT INTO d VALUES (2, NULL);
COMMIT;
SELECT * FROM d;
INSERT INTO d VALUES (2, NULL);
BEGIN;
INSERT INTO d VALUES (3, NULL);
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;
BEGIN;
INSERT INTO d VALUES (NULL, 3);
ROLLBACK;
BEGIN;
SET CONSTRAINTS soon DEFERRED;
INSERT INTO d VALUES (NULL, 3);
INSERT INTO p VALUES (3);
SET CONSTRAINTS soon IMMEDIATE;
INSERT INTO d VALUES (NULL, 4);
ROLLBACK;
BEGIN;
DELETE FROM p WHERE id = 1;
INSERT INTO p VALUES (1);
COMMIT;
BEGIN;
DELETE FROM p WHERE id = 1;
COMMIT;
BEGIN;
INSERT INTO d VALUES (5, NULL);
ALTER TABLE d ADD z int;
ROLLBACK;
BEGIN;
INSERT INTO d VALUES (5, NULL);
SAVEPOINT s;
INSERT INTO d VALUES (6, NULL);
ROLLBACK TO s;
INSERT INTO p VALUES (5);
COMMIT;
SELECT * FROM d ORDER BY x;
BEGIN;
SET CONSTRAINTS nosuch DEFERRED;
ROLLBACK;
BEGIN;
SET CONSTRAINTS p_pkey DEFERRED;
ROLLBACK;
SET CONSTRAINTS ALL DEFERRED;
\d d
SELECT constraint_name, is_deferrable, initially_deferred FROM information_schema.table_constraints WHERE table_name = 'd' ORDER BY 1;

-- Temporary tables.
CREATE TEMP TABLE tc (x int REFERENCES tp ON DELETE CASCADE);
INSERT INTO tc VALUES (1);
INSERT INTO tp VALUES (1), (2);
INSERT INTO tc VALUES (1), (2);
DELETE FROM tp WHERE id = 1;
SELECT * FROM tc;
TRUNCATE tp;
TRUNCATE tp, tc;
DROP TABLE tp CASCADE;
RESET search_path;
CREATE SCHEMA fk2;
CREATE TABLE fk2.child (x int REFERENCES fk.p);
DROP VIEW fk.v;
DROP TABLE fk.d, fk.np;
DROP SCHEMA fk CASCADE;
\d fk2.child
DROP SCHEMA fk2 CASCADE;
