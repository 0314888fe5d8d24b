\set VERBOSITY verbose
CREATE ROLE ow_a;
CREATE ROLE ow_b;
CREATE ROLE ow_c NOINHERIT;
CREATE ROLE ow_d;
GRANT ow_b TO ow_a;
GRANT ow_a TO ow_c;
CREATE TABLE ow_t (id int PRIMARY KEY, a text, b int);
CREATE TABLE ow_u (id int PRIMARY KEY, a text);
GRANT SELECT ON ow_t TO ow_d WITH GRANT OPTION;
GRANT INSERT ON ow_t TO ow_a;
GRANT UPDATE (a) ON ow_t TO ow_b;
-- tables of public
SET ROLE ow_a;
ALTER TABLE ow_t OWNER TO ow_a;
ALTER TABLE ow_t OWNER TO ow_nobody;
RESET ROLE;
ALTER TABLE ow_t OWNER TO ow_nobody;
ALTER TABLE ow_t OWNER TO PUBLIC;
ALTER TABLE ow_none OWNER TO ow_a;
ALTER TABLE IF EXISTS ow_none OWNER TO ow_a;
ALTER TABLE ow_t OWNER TO ow_a;
\dp ow_t
SELECT tablename, tableowner FROM pg_tables WHERE tablename LIKE 'ow\_%' AND tableowner LIKE 'ow\_%' ORDER BY 1;
SET ROLE ow_d;
GRANT SELECT ON ow_t TO ow_c;
SET ROLE ow_a;
INSERT INTO ow_t VALUES (1, 'one', 1);
ALTER TABLE ow_t ADD COLUMN c int;
ALTER TABLE ow_t OWNER TO ow_a;
ALTER TABLE ow_t OWNER TO CURRENT_ROLE;
ALTER TABLE ow_t OWNER TO ow_d;
ALTER TABLE ow_t OWNER TO ow_b;
ALTER TABLE ow_t OWNER TO ow_nobody;
RESET ROLE;
SET ROLE ow_c;
ALTER TABLE ow_t ADD COLUMN d int;
RESET ROLE;
ALTER TABLE ow_t OWNER TO ow_d, OWNER TO ow_b;
\dp ow_t
ALTER VIEW ow_t OWNER TO ow_a;
ALTER SEQUENCE ow_t OWNER TO ow_a;
BEGIN;
ALTER TABLE ow_t OWNER TO ow_d;
SELECT tableowner FROM pg_tables WHERE tablename = 'ow_t';
ROLLBACK;
SELECT tableowner FROM pg_tables WHERE tablename = 'ow_t';
-- schemas
CREATE SCHEMA ow_s;
ALTER SCHEMA ow_s OWNER TO ow_nobody;
ALTER SCHEMA ow_none OWNER TO ow_a;
GRANT USAGE ON SCHEMA ow_s TO ow_d;
ALTER SCHEMA ow_s OWNER TO ow_a;
SELECT nspname, nspowner::regrole, nspacl FROM pg_namespace WHERE nspname = 'ow_s';
SET ROLE ow_b;
ALTER SCHEMA ow_s OWNER TO ow_b;
SET ROLE ow_a;
ALTER SCHEMA ow_s OWNER TO ow_d;
ALTER SCHEMA ow_s OWNER TO ow_b;
ALTER SCHEMA ow_s OWNER TO ow_a;
ALTER SCHEMA ow_s OWNER TO CURRENT_USER;
-- what is in them
CREATE TABLE ow_s.t (id serial PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY, a text);
CREATE VIEW ow_s.v AS SELECT id, a FROM ow_s.t;
CREATE MATERIALIZED VIEW ow_s.m AS SELECT 1 AS one;
CREATE SEQUENCE ow_s.q;
CREATE INDEX ow_i ON ow_s.t (a);
GRANT SELECT ON ow_s.t, ow_s.v, ow_s.m, ow_s.q TO ow_d;
ALTER TABLE ow_s.t OWNER TO ow_b;
ALTER TABLE ow_s.t OWNER TO ow_d;
ALTER VIEW ow_s.v OWNER TO ow_b;
ALTER MATERIALIZED VIEW ow_s.m OWNER TO ow_b;
ALTER SEQUENCE ow_s.q OWNER TO ow_b;
GRANT CREATE, USAGE ON SCHEMA ow_s TO ow_b;
SET ROLE ow_d;
ALTER TABLE ow_s.t OWNER TO ow_d;
ALTER VIEW ow_s.v OWNER TO ow_d;
ALTER MATERIALIZED VIEW ow_s.m OWNER TO ow_d;
ALTER SEQUENCE ow_s.q OWNER TO ow_d;
SET ROLE ow_a;
ALTER TABLE ow_s.t OWNER TO ow_b;
ALTER VIEW ow_s.v OWNER TO ow_b;
ALTER MATERIALIZED VIEW ow_s.m OWNER TO ow_b;
ALTER SEQUENCE ow_s.q OWNER TO ow_b;
ALTER SEQUENCE ow_s.t_id_seq OWNER TO ow_b;
ALTER SEQUENCE ow_s.t_id_seq OWNER TO ow_a;
ALTER SEQUENCE ow_s.t_n_seq OWNER TO ow_a;
\dp ow_s.*
\dt ow_s.*
\dv ow_s.*
\dm ow_s.*
\ds ow_s.*
\dn+ ow_s
SELECT viewname, viewowner FROM pg_views WHERE schemaname = 'ow_s';
SELECT matviewname, matviewowner FROM pg_matviews WHERE schemaname = 'ow_s';
SELECT sequencename, sequenceowner FROM pg_sequences WHERE schemaname = 'ow_s' ORDER BY 1;
SELECT relname, relowner::regrole FROM pg_class WHERE relnamespace = 'ow_s'::regnamespace AND relkind = 'i' ORDER BY 1;
RESET ROLE;
ALTER TABLE ow_s.t ADD COLUMN k serial;
CREATE SEQUENCE ow_s.other;
ALTER SEQUENCE ow_s.other OWNED BY ow_s.t.a;
ALTER SEQUENCE ow_s.other OWNER TO ow_b;
ALTER SEQUENCE ow_s.other OWNED BY ow_s.t.a;
\ds ow_s.*
ALTER VIEW ow_s.t OWNER TO ow_a;
ALTER MATERIALIZED VIEW ow_s.v OWNER TO ow_a;
ALTER SEQUENCE ow_s.v OWNER TO ow_a;
ALTER TABLE ow_s.v OWNER TO ow_a;
ALTER TABLE ow_s.m OWNER TO ow_a;
ALTER TABLE ow_s.q OWNER TO ow_a;
ALTER TABLE ow_s.none OWNER TO ow_a;
ALTER VIEW ow_s.none OWNER TO ow_a;
ALTER SEQUENCE ow_s.none OWNER TO ow_a;
-- temporary ones
CREATE TEMP TABLE ow_temp (id serial);
ALTER TABLE ow_temp OWNER TO ow_a;
DROP TABLE ow_temp;
-- reassigned
SET ROLE ow_a;
REASSIGN OWNED BY ow_d TO ow_a;
REASSIGN OWNED BY ow_a TO ow_d;
REASSIGN OWNED BY ow_nobody TO ow_a;
REASSIGN OWNED BY ow_a TO ow_nobody;
DROP OWNED BY ow_d;
DROP OWNED BY ow_nobody;
DROP OWNED BY ow_a, PUBLIC;
RESET ROLE;
REASSIGN OWNED BY pg_monitor TO ow_a;
DROP OWNED BY pg_monitor;
REASSIGN OWNED BY ow_b TO PUBLIC;
-- tables of public
CREATE ROLE ow_e;
CREATE ROLE ow_f;
CREATE ROLE ow_g;
ALTER TABLE ow_t OWNER TO CURRENT_USER;
REVOKE ALL ON ow_t FROM ow_a, ow_b, ow_c, ow_d;
REVOKE ALL (a) ON ow_t FROM ow_b;
ALTER TABLE ow_u OWNER TO ow_e;
GRANT SELECT ON ow_t TO ow_e WITH GRANT OPTION;
GRANT UPDATE (a), SELECT (b) ON ow_t TO ow_e;
SET ROLE ow_e;
GRANT SELECT ON ow_t TO ow_f;
GRANT SELECT ON ow_u TO ow_f;
DROP OWNED BY ow_f;
REASSIGN OWNED BY ow_e TO ow_f;
RESET ROLE;
DROP ROLE ow_e;
BEGIN;
REASSIGN OWNED BY ow_e TO ow_f;
\dp ow_*
ROLLBACK;
REASSIGN OWNED BY ow_e, ow_g TO ow_f;
REASSIGN OWNED BY ow_e TO ow_f;
\dp ow_*
SELECT tablename, tableowner FROM pg_tables WHERE tablename LIKE 'ow\_%' AND tableowner LIKE 'ow\_%';
DROP OWNED BY ow_e;
\dp ow_*
DROP ROLE ow_e;
DROP ROLE ow_f;
SET ontosql.purge_history = on;
DROP OWNED BY ow_f, ow_g RESTRICT;
\dp ow_*
DROP ROLE ow_f, ow_g;
DROP TABLE ow_t;
-- what is in schemas
\dp ow_s.*
\set VERBOSITY terse
DROP ROLE ow_d;
DROP ROLE ow_b;
\set VERBOSITY verbose
REASSIGN OWNED BY ow_b TO ow_d;
\dp ow_s.*
\dn+ ow_s
\ds ow_s.*
DROP OWNED BY ow_b;
DROP ROLE ow_b;
CREATE ROLE ow_h;
CREATE TABLE ow_s.mine (id int PRIMARY KEY REFERENCES ow_s.t, a int DEFAULT nextval('ow_s.q'));
CREATE VIEW ow_s.w AS SELECT a FROM ow_s.v;
ALTER TABLE ow_s.mine OWNER TO ow_h;
ALTER VIEW ow_s.w OWNER TO ow_h;
GRANT SELECT ON ow_s.mine TO ow_d WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES FOR ROLE ow_d IN SCHEMA ow_s GRANT SELECT ON TABLES TO ow_h;
ALTER DEFAULT PRIVILEGES FOR ROLE ow_h GRANT SELECT ON TABLES TO ow_d;
SET ROLE ow_d;
GRANT SELECT ON ow_s.mine TO ow_c;
RESET ROLE;
DROP OWNED BY ow_d;
DROP OWNED BY ow_d RESTRICT;
\dp ow_s.*
BEGIN;
\set VERBOSITY terse
DROP OWNED BY ow_d CASCADE;
\set VERBOSITY verbose
\dp ow_s.*
\ddp
SELECT * FROM ow_s.mine;
ROLLBACK;
\dt ow_s.*
\set VERBOSITY terse
DROP OWNED BY ow_d CASCADE;
\set VERBOSITY verbose
\dt ow_s.*
DROP ROLE ow_d;
DROP OWNED BY ow_a;
\set VERBOSITY terse
DROP OWNED BY ow_a CASCADE;
\set VERBOSITY verbose
\dn ow_s
\ddp
DROP ROLE ow_h;
DROP OWNED BY ow_h;
DROP ROLE ow_a, ow_c, ow_h;
