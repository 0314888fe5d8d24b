-- store: a copy, and PostgreSQL's
-- ALTER VIEW, options of views, and recursive ones.
CREATE SCHEMA av;
CREATE SCHEMA av2;
CREATE TABLE av.t (a int PRIMARY KEY, b text DEFAULT 'dd', c numeric(6,2));
INSERT INTO av.t VALUES (1, 'x', 1), (2, 'y', 2);
CREATE VIEW av.v AS SELECT a, b FROM av.t;
CREATE VIEW av.over AS SELECT a + 1 AS c FROM av.v;
ALTER VIEW av.nosuch RENAME TO x;
ALTER VIEW IF EXISTS av.nosuch RENAME TO x;
ALTER VIEW IF EXISTS av.nosuch RENAME COLUMN a TO x;
ALTER VIEW av.nosuch RENAME COLUMN a TO x;
ALTER VIEW IF EXISTS av.nosuch SET SCHEMA av2;
ALTER VIEW IF EXISTS av.nosuch ALTER COLUMN a SET DEFAULT 1;
ALTER VIEW av.nosuch ALTER COLUMN a SET DEFAULT 1;
ALTER VIEW IF EXISTS av.nosuch SET (security_barrier = true);
ALTER VIEW nosuch.v RENAME TO x;
ALTER VIEW av.t RENAME TO x;
ALTER VIEW av.t ALTER COLUMN a SET DEFAULT 1;
ALTER VIEW av.t SET SCHEMA av2;
ALTER VIEW customer RENAME TO x;
ALTER VIEW av.v SET SCHEMA nosuch;
ALTER VIEW av.v SET SCHEMA av;
ALTER VIEW av.v SET SCHEMA av2;
SELECT * FROM av2.v ORDER BY a;
SELECT * FROM av.over ORDER BY c;
ALTER TABLE av2.v SET SCHEMA av;
CREATE TABLE av2.v (a int);
ALTER VIEW av.v SET SCHEMA av2;
ALTER VIEW av.v SET SCHEMA pg_temp;
CREATE TEMP VIEW mine AS SELECT 1 AS a;
ALTER VIEW mine SET SCHEMA av;
ALTER VIEW mine ALTER COLUMN a SET DEFAULT 3;
DROP VIEW mine;
DROP TABLE av2.v;

-- Defaults.
ALTER VIEW av.v ALTER COLUMN a SET DEFAULT 7;
ALTER VIEW av.v ALTER COLUMN nosuch SET DEFAULT 1;
ALTER VIEW av.v ALTER COLUMN a SET DEFAULT 'x';
ALTER VIEW av.v ALTER COLUMN a SET DEFAULT nosuch;
ALTER TABLE av.v ALTER COLUMN b SET DEFAULT 'of the view';
\d av.v
ALTER VIEW av.v ALTER COLUMN b DROP DEFAULT;
SELECT column_name, column_default FROM information_schema.columns WHERE table_schema = 'av' AND table_name = 'v' ORDER BY 1;
CREATE OR REPLACE VIEW av.v AS SELECT a, b, c FROM av.t;
\d av.v

-- What views cannot have.
ALTER TABLE av.v ADD COLUMN z int;
ALTER TABLE av.v DROP COLUMN a;
ALTER TABLE av.v ALTER COLUMN a TYPE bigint;
ALTER VIEW av.v ALTER COLUMN a SET DEFAULT 1, ALTER COLUMN a SET DEFAULT 2;
ALTER TABLE av.v ALTER COLUMN a SET NOT NULL;
ALTER TABLE av.v ADD CONSTRAINT x CHECK (a > 1);
ALTER TABLE av.v DISABLE TRIGGER ALL;

-- Options.
ALTER VIEW av.v SET (security_barrier = true);
ALTER VIEW av.v SET (security_invoker = on, security_barrier = 0);
SELECT reloptions FROM pg_class WHERE oid = 'av.v'::regclass;
ALTER VIEW av.v RESET (security_barrier, check_option);
ALTER VIEW av.v SET (nosuch = true);
ALTER VIEW av.v SET (check_option = nosuch);
ALTER VIEW av.v SET (security_barrier = maybe);
SELECT reloptions FROM pg_class WHERE oid = 'av.v'::regclass;
CREATE VIEW av.w WITH (security_barrier) AS SELECT a FROM av.t WHERE a > 1;
CREATE VIEW av.w2 WITH (nosuch = 1) AS SELECT a FROM av.t WHERE a > 1;
CREATE VIEW av.w3 WITH (security_barrier = nosuch) AS SELECT a FROM av.t WHERE a > 1;
SELECT relname, reloptions FROM pg_class WHERE relnamespace = 'av'::regnamespace AND relkind = 'v' ORDER BY 1;

-- Recursive views.
CREATE RECURSIVE VIEW av.r (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 5;
SELECT * FROM av.r;
CREATE OR REPLACE RECURSIVE VIEW av.r (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 3;
SELECT * FROM av.r;

-- In a transaction that has written the workspace, what does not exist is said so.
BEGIN;
CREATE TABLE av.x (a int);
DROP TABLE IF EXISTS av.nosuch CASCADE;
DROP VIEW IF EXISTS av.nosuch;
DROP MATERIALIZED VIEW IF EXISTS av.nosuch;
DROP INDEX IF EXISTS av.nosuch;
DROP SCHEMA IF EXISTS nosuch;
ALTER TABLE IF EXISTS av.nosuch RENAME TO y;
SAVEPOINT s;
ALTER TABLE av.nosuch RENAME TO y;
ROLLBACK TO s;
DROP TABLE av.nosuch;
ROLLBACK TO s;
COMMENT ON TABLE av.nosuch IS 'x';
ROLLBACK;
DROP SCHEMA av2;
DROP SCHEMA av CASCADE;
