-- store: a copy, and PostgreSQL's
\pset null NULL
CREATE TABLE part (id text PRIMARY KEY, name text NOT NULL, size bigint, price text);
INSERT INTO part VALUES ('a', 'Axle', 3, '1.50'), ('b', 'Bolt', NULL, '0.05'), ('c', 'Cog', 7, '12');
-- Columns come, with and without a value for the rows that are there.
ALTER TABLE part ADD COLUMN maker text;
ALTER TABLE part ADD COLUMN stock bigint NOT NULL DEFAULT 10, ADD COLUMN since date DEFAULT '2026-01-01';
SELECT * FROM part ORDER BY id;
INSERT INTO part (id, name) VALUES ('d', 'Disc') RETURNING *;
ALTER TABLE part ADD COLUMN stock text;
ALTER TABLE part ADD COLUMN IF NOT EXISTS stock text;
-- They change their type.
ALTER TABLE part ALTER COLUMN size TYPE double precision;
ALTER TABLE part ALTER COLUMN price TYPE bigint;
ALTER TABLE part ALTER COLUMN price TYPE bigint USING price::numeric * 2;
SELECT id, size, price FROM part ORDER BY id;
ALTER TABLE part ALTER COLUMN name TYPE varchar(20), ALTER COLUMN stock TYPE text USING 'n' || stock, ALTER COLUMN stock DROP DEFAULT;
\d part
SELECT id, name, stock FROM part ORDER BY id;
-- Expressions see the columns as they were.
ALTER TABLE part ADD COLUMN label text DEFAULT 'new', ALTER COLUMN maker TYPE text USING upper(name);
SELECT id, maker, label FROM part ORDER BY id;
-- NULL or not.
UPDATE part SET size = 0 WHERE size IS NULL;
ALTER TABLE part ALTER COLUMN size SET NOT NULL;
ALTER TABLE part ALTER COLUMN size DROP NOT NULL;
INSERT INTO part (id, name, stock) VALUES ('e', 'Edge', 'n1') RETURNING size;
ALTER TABLE part ALTER COLUMN id DROP NOT NULL;
-- Defaults.
ALTER TABLE part ALTER COLUMN maker SET DEFAULT 'Acme ' || 'Inc';
INSERT INTO part (id, name, stock) VALUES ('f', 'Fork', 'n2') RETURNING maker;
ALTER TABLE part ALTER COLUMN maker DROP DEFAULT;
INSERT INTO part (id, name, stock) VALUES ('g', 'Gear', 'n3') RETURNING maker;
ALTER TABLE part ALTER COLUMN size SET DEFAULT 'x'::text;
-- Names.
ALTER TABLE part RENAME COLUMN maker TO made_by;
ALTER TABLE part RENAME label TO tag;
SELECT id, made_by, tag FROM part WHERE id IN ('a', 'f') ORDER BY id;
SELECT maker FROM part;
ALTER TABLE part RENAME COLUMN nothing TO something;
ALTER TABLE part RENAME COLUMN made_by TO tag;
ALTER TABLE part RENAME COLUMN id TO code;
SELECT code, name FROM part ORDER BY code LIMIT 2;
ALTER TABLE part RENAME COLUMN code TO id;
-- Columns go.
ALTER TABLE part DROP COLUMN tag, DROP COLUMN IF EXISTS nothing;
ALTER TABLE part DROP COLUMN nothing;
ALTER TABLE part DROP COLUMN made_by, ADD COLUMN made_by bigint;
SELECT * FROM part ORDER BY id LIMIT 2;
-- Several statements are one, or none.
BEGIN;
ALTER TABLE part ADD COLUMN extra text DEFAULT 'x';
INSERT INTO part (id, name, stock) VALUES ('h', 'Hook', 'n4');
SELECT id, extra FROM part WHERE id IN ('a', 'h') ORDER BY id;
SAVEPOINT before;
ALTER TABLE part DROP COLUMN extra;
UPDATE part SET name = 'Hinge' WHERE id = 'h';
SELECT extra FROM part;
ROLLBACK TO before;
SELECT id, name, extra FROM part WHERE id = 'h';
UPDATE part SET extra = 'y' WHERE id = 'h';
ALTER TABLE part ALTER COLUMN extra TYPE varchar(5) USING extra || '!';
CREATE TABLE other (id bigint PRIMARY KEY, t text);
INSERT INTO other VALUES (1, 'one');
SELECT p.extra, o.t FROM part p, other o WHERE p.id = 'h';
COMMIT;
SELECT p.extra, o.t FROM part p, other o WHERE p.id = 'h';
BEGIN;
ALTER TABLE part DROP COLUMN extra;
ALTER TABLE other ADD COLUMN u text DEFAULT 'u';
SELECT * FROM other;
ROLLBACK;
SELECT p.extra, o.t FROM part p, other o WHERE p.id = 'h';
-- What is not there.
ALTER TABLE nothing ADD COLUMN a text;
ALTER TABLE IF EXISTS nothing ADD COLUMN a text;
ALTER TABLE part ALTER COLUMN nothing SET NOT NULL;
ALTER TABLE part ADD COLUMN a nosuchtype;
-- An empty table needs no value.
CREATE TABLE empty (id text PRIMARY KEY);
ALTER TABLE empty ADD COLUMN a bigint NOT NULL;
ALTER TABLE empty ALTER COLUMN a TYPE uuid USING a::text::uuid;
\d empty
DROP TABLE empty;
SELECT * FROM empty;
DROP TABLE empty;
DROP TABLE IF EXISTS empty;
