-- store: a copy, and PostgreSQL's
-- Materialized views: their rows are those of the last REFRESH.
CREATE SCHEMA mv;
CREATE TABLE mv.t (a int, b text, c numeric(6,2));
INSERT INTO mv.t VALUES (1, 'x', 1.50), (2, NULL, 2);
CREATE MATERIALIZED VIEW mv.m AS SELECT a, b, c, c * 2 AS d FROM mv.t;
CREATE MATERIALIZED VIEW mv.m AS SELECT 1;
CREATE MATERIALIZED VIEW IF NOT EXISTS mv.m AS SELECT 1;
SELECT * FROM mv.m ORDER BY a;
INSERT INTO mv.t VALUES (3, 'z', 3.25);
SELECT count(*) FROM mv.m;
REFRESH MATERIALIZED VIEW mv.m;
SELECT * FROM mv.m ORDER BY a;
CREATE MATERIALIZED VIEW mv.named (k, v) AS SELECT a, b FROM mv.t WITH DATA;
SELECT k, v FROM mv.named ORDER BY k;
CREATE MATERIALIZED VIEW mv.gold AS
  SELECT c.id, c.name, count(s.*) AS subscriptions FROM customer c LEFT JOIN subscription s ON s.left_key = c.id
  WHERE c.tier = 'Gold' GROUP BY c.id, c.name;
SELECT id, subscriptions FROM mv.gold ORDER BY id LIMIT 3;

-- One without rows cannot be read.
CREATE MATERIALIZED VIEW mv.n AS SELECT a FROM mv.t WITH NO DATA;
SELECT * FROM mv.n;
PREPARE p AS SELECT * FROM mv.n;
EXECUTE p;
CREATE VIEW mv.over_n AS SELECT a + 1 AS b FROM mv.n;
SELECT * FROM mv.over_n;
CREATE TABLE mv.like_n AS SELECT * FROM mv.n WITH NO DATA;
CREATE TABLE mv.like_n2 AS SELECT * FROM mv.n;
SELECT relname, relispopulated FROM pg_class WHERE relname IN ('m', 'n') AND relnamespace = 'mv'::regnamespace ORDER BY 1;
REFRESH MATERIALIZED VIEW CONCURRENTLY mv.n;
REFRESH MATERIALIZED VIEW mv.n;
EXECUTE p;
SELECT * FROM mv.over_n ORDER BY b;
REFRESH MATERIALIZED VIEW mv.n WITH NO DATA;
EXECUTE p;

-- CONCURRENTLY needs a unique index.
REFRESH MATERIALIZED VIEW CONCURRENTLY mv.m;
CREATE UNIQUE INDEX ON mv.m (a);
REFRESH MATERIALIZED VIEW CONCURRENTLY mv.m WITH NO DATA;
INSERT INTO mv.t VALUES (4, 'four, "4"', 4);
REFRESH MATERIALIZED VIEW CONCURRENTLY mv.m;
SELECT * FROM mv.m ORDER BY a;
INSERT INTO mv.t VALUES (4, 'four, "4"', 4);
REFRESH MATERIALIZED VIEW CONCURRENTLY mv.m;
REFRESH MATERIALIZED VIEW mv.m;
DELETE FROM mv.t WHERE a = 4;
INSERT INTO mv.t VALUES (1, 'other', 0);
\set SHOW_CONTEXT never
REFRESH MATERIALIZED VIEW CONCURRENTLY mv.m;
DELETE FROM mv.t WHERE b = 'other';
SELECT count(*) FROM mv.m;

-- In transactions.
BEGIN;
REFRESH MATERIALIZED VIEW CONCURRENTLY mv.m;
SELECT count(*) FROM mv.m;
SAVEPOINT s;
INSERT INTO mv.t VALUES (8, 'eight', 8);
REFRESH MATERIALIZED VIEW mv.m;
SELECT count(*) FROM mv.m;
ROLLBACK TO s;
SELECT count(*) FROM mv.m;
ROLLBACK;
SELECT count(*) FROM mv.m;
BEGIN READ ONLY;
REFRESH MATERIALIZED VIEW mv.m;
ROLLBACK;
BEGIN READ ONLY;
CREATE MATERIALIZED VIEW mv.x AS SELECT 1 AS a;
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT a FROM mv.m ORDER BY a;
FETCH c;
REFRESH MATERIALIZED VIEW mv.m;
ROLLBACK;
BEGIN;
LOCK TABLE mv.m IN ACCESS SHARE MODE;
ROLLBACK;

-- Nobody writes to one.
INSERT INTO mv.m VALUES (1, 'a', 1, 1);
UPDATE mv.m SET a = 2;
DELETE FROM mv.m;
MERGE INTO mv.m USING mv.t ON false WHEN NOT MATCHED THEN DO NOTHING;
WITH x AS (INSERT INTO mv.m VALUES (1, 'a', 1, 1) RETURNING *) SELECT * FROM x;
TRUNCATE mv.m;
COPY mv.m TO STDOUT;
COPY (SELECT a, b FROM mv.m ORDER BY a LIMIT 1) TO STDOUT;

-- What is none, and what cannot be one.
REFRESH MATERIALIZED VIEW mv.t;
REFRESH MATERIALIZED VIEW mv.over_n;
REFRESH MATERIALIZED VIEW mv.nosuch;
REFRESH MATERIALIZED VIEW nosuch.m;
CREATE MATERIALIZED VIEW nosuch.m AS SELECT 1 AS a;
CREATE TEMP MATERIALIZED VIEW x AS SELECT 1 AS a;
CREATE UNLOGGED MATERIALIZED VIEW mv.x AS SELECT 1 AS a;
CREATE MATERIALIZED VIEW mv.x (a, b, c) AS SELECT a, b FROM mv.t;
CREATE MATERIALIZED VIEW mv.x AS SELECT 1 AS a, 2 AS a;
CREATE MATERIALIZED VIEW mv.x AS SELECT row(1, 2) AS a;
CREATE MATERIALIZED VIEW mv.x AS WITH w AS (INSERT INTO mv.t VALUES (3, 'z', 1) RETURNING *) SELECT * FROM w;
CREATE TEMP TABLE mine (a int);
CREATE MATERIALIZED VIEW mv.x AS SELECT * FROM mine;
DROP TABLE mv.m;
DROP VIEW mv.m;
DROP MATERIALIZED VIEW mv.t;
DROP MATERIALIZED VIEW mv.over_n;
DROP MATERIALIZED VIEW mv.nosuch;
DROP MATERIALIZED VIEW IF EXISTS mv.nosuch;
CREATE OR REPLACE VIEW mv.m AS SELECT 1 AS a;
CREATE TABLE mv.m (a int);

-- Dependencies.
CREATE VIEW mv.v AS SELECT a, d FROM mv.m;
CREATE MATERIALIZED VIEW mv.mm AS SELECT sum(d) AS total FROM mv.v;
DROP MATERIALIZED VIEW mv.m;
ALTER TABLE mv.t DROP COLUMN c;
ALTER TABLE mv.t ALTER COLUMN a TYPE bigint;
SELECT c.relname, c.relkind, d.refobjid::regclass, d.refobjsubid FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class c ON c.oid = r.ev_class
  WHERE d.classid = 'pg_rewrite'::regclass AND d.deptype = 'n' AND c.relname IN ('mm', 'named', 'v') AND d.refobjid <> c.oid ORDER BY 1, 3, 4;

-- ALTER.
ALTER MATERIALIZED VIEW mv.m RENAME COLUMN b TO bb;
ALTER MATERIALIZED VIEW mv.m RENAME COLUMN nosuch TO x;
ALTER MATERIALIZED VIEW mv.m RENAME COLUMN a TO bb;
ALTER TABLE mv.t RENAME COLUMN b TO text;
ALTER TABLE mv.t RENAME TO t2;
ALTER MATERIALIZED VIEW mv.m RENAME TO m2;
ALTER MATERIALIZED VIEW mv.m2 RENAME TO t2;
REFRESH MATERIALIZED VIEW mv.m2;
SELECT a, bb FROM mv.m2 ORDER BY a;
SELECT count(*) FROM mv.v;
CREATE SCHEMA mv2;
ALTER MATERIALIZED VIEW mv.m2 SET SCHEMA mv2;
REFRESH MATERIALIZED VIEW mv2.m2;
REFRESH MATERIALIZED VIEW mv.mm;
SELECT * FROM mv.mm;
ALTER MATERIALIZED VIEW mv.t2 RENAME TO x;
ALTER MATERIALIZED VIEW mv.v RENAME TO x;
ALTER MATERIALIZED VIEW mv.nosuch RENAME TO x;
ALTER MATERIALIZED VIEW IF EXISTS mv.nosuch RENAME TO x;
ALTER MATERIALIZED VIEW IF EXISTS mv.nosuch SET SCHEMA mv2;
ALTER VIEW mv.mm RENAME TO x;
ALTER TABLE mv.mm ADD COLUMN x int;
ALTER MATERIALIZED VIEW mv.mm DROP COLUMN total;
ALTER MATERIALIZED VIEW mv.mm ALTER COLUMN total SET DEFAULT 1;
ALTER MATERIALIZED VIEW mv.mm ADD CONSTRAINT k UNIQUE (total);
COMMENT ON MATERIALIZED VIEW mv.mm IS 'what they are worth';
COMMENT ON COLUMN mv.mm.total IS 'of all';
COMMENT ON TABLE mv.mm IS 'x';
COMMENT ON VIEW mv.mm IS 'x';
COMMENT ON MATERIALIZED VIEW mv.v IS 'x';
COMMENT ON MATERIALIZED VIEW mv.nosuch IS 'x';

-- What the catalogs say.
SELECT schemaname, matviewname, hasindexes, ispopulated FROM pg_matviews ORDER BY 1, 2;
SELECT relname, relkind, relispopulated, relhasrules, relreplident, relam, relhasindex, relchecks, relnatts FROM pg_class WHERE relnamespace = 'mv'::regnamespace ORDER BY 1;
SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'mv' ORDER BY 1;
SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = 'mv' ORDER BY 1;
SELECT view_name, table_name FROM information_schema.view_table_usage WHERE view_schema = 'mv' ORDER BY 1, 2;
SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'mv2';
SELECT obj_description('mv.mm'::regclass), col_description('mv.mm'::regclass, 1);
SELECT type, schema, name, identity FROM pg_identify_object('pg_class'::regclass, 'mv.mm'::regclass, 0);
\d mv2.m2
\d mv.named
DROP TABLE mv.like_n;
DROP MATERIALIZED VIEW mv.named, mv.gold;
DROP SCHEMA mv2;
DROP MATERIALIZED VIEW mv2.m2 CASCADE;
DROP SCHEMA mv CASCADE;
