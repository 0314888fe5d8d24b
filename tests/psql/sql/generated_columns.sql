-- store: a copy, and PostgreSQL's
-- Columns GENERATED ALWAYS AS (expression) STORED, as psql shows and copies them.
CREATE SCHEMA gen;
SET search_path = gen;
CREATE TABLE line (
  id int PRIMARY KEY,
  net int NOT NULL,
  tax int NOT NULL DEFAULT 2,
  gross int GENERATED ALWAYS AS (net * (1 + tax)) STORED,
  name text,
  label text GENERATED ALWAYS AS (upper(name)) STORED UNIQUE
);
COMMENT ON COLUMN line.gross IS 'with tax';
\d line
\d+ line
INSERT INTO line VALUES (1, 10), (2, 20);
INSERT INTO line (id, net, name) VALUES (3, 30, 'three') RETURNING *;
INSERT INTO line VALUES (4, 30, 20, 36);
INSERT INTO line (id) VALUES (5);
UPDATE line SET gross = 1;
UPDATE line SET tax = 0, gross = DEFAULT WHERE id = 2 RETURNING *;
\copy line from stdin
6	40	5	six
\.
\copy line (id, net) from stdin csv
7,50
\.
\copy line (id, gross) from stdin
\copy line to stdout
\copy line (gross) to stdout
SELECT * FROM line ORDER BY id;
INSERT INTO line (id, net, tax, name) VALUES (9, 99, 1, 'Three') ON CONFLICT (label) DO UPDATE SET net = excluded.gross RETURNING *;
ALTER TABLE line RENAME net TO "Net";
ALTER TABLE line ADD COLUMN band int NOT NULL GENERATED ALWAYS AS (abs("Net")) STORED, ADD COLUMN later text GENERATED ALWAYS AS (now()) STORED;
ALTER TABLE line ADD COLUMN band int NOT NULL GENERATED ALWAYS AS (abs("Net")) STORED;
SELECT id, band FROM line ORDER BY id;
\d line
CREATE TABLE copy1 (LIKE line INCLUDING GENERATED);
\d copy1
CREATE TABLE copy2 (LIKE line);
\d copy2
ALTER TABLE line ALTER tax TYPE bigint;
ALTER TABLE line DROP COLUMN "Net";
ALTER TABLE line ALTER COLUMN band DROP EXPRESSION;
ALTER TABLE line ALTER COLUMN band DROP EXPRESSION;
ALTER TABLE line ALTER COLUMN band DROP EXPRESSION IF EXISTS;
ALTER TABLE line DROP COLUMN "Net" CASCADE;
\d line
SELECT * FROM line ORDER BY id;
-- as pg_dump asks
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attgenerated, CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid) END AS expression
FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = 'line'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;
CREATE TEMP TABLE t (a int, b int GENERATED ALWAYS AS (a + 1) STORED);
INSERT INTO t VALUES (1) RETURNING b;
DROP TABLE line, copy1, copy2;
DROP SCHEMA gen;
