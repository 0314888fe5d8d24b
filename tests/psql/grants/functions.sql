\set VERBOSITY verbose
CREATE ROLE gr_a;
CREATE ROLE gr_b;
CREATE ROLE gr_c IN ROLE gr_b;
CREATE TABLE gr_t (id int PRIMARY KEY, a text, b int);
CREATE SCHEMA gr_s;
CREATE TABLE gr_s.t (id int);
CREATE VIEW gr_s.v AS SELECT 1 AS one;
CREATE SEQUENCE gr_s.q;
GRANT SELECT, INSERT ON gr_t TO gr_a WITH GRANT OPTION;
GRANT UPDATE (b) ON gr_t TO gr_b;
GRANT USAGE ON SCHEMA gr_s TO gr_a;
GRANT SELECT ON gr_s.t TO gr_b;
GRANT USAGE ON SEQUENCE gr_s.q TO gr_b;
SELECT r, has_table_privilege(r, 'gr_t', 'SELECT') AS s, has_table_privilege(r, 'gr_t', 'SELECT WITH GRANT OPTION') AS so, has_table_privilege(r, 'gr_t', 'INSERT, UPDATE') AS iu,
  has_table_privilege(r, 'gr_t', 'DELETE') AS d, has_table_privilege(r, 'gr_t', 'UPDATE') AS u, has_any_column_privilege(r, 'gr_t', 'UPDATE') AS uc, has_column_privilege(r, 'gr_t', 'b', 'UPDATE') AS ub,
  has_column_privilege(r, 'gr_t', 'a', 'UPDATE') AS ua, has_column_privilege(r, 'gr_t', 3::int2, 'UPDATE') AS u3
  FROM unnest(ARRAY['gr_a', 'gr_b', 'gr_c', 'rd_boss']) AS r ORDER BY r;
SELECT r, has_schema_privilege(r, 'gr_s', 'USAGE') AS u, has_schema_privilege(r, 'gr_s', 'CREATE') AS c, has_schema_privilege(r, 'public', 'USAGE') AS pu, has_schema_privilege(r, 'public', 'CREATE') AS pc,
  has_table_privilege(r, 'gr_s.t', 'SELECT') AS t, has_table_privilege(r, 'gr_s.v', 'SELECT') AS v, has_sequence_privilege(r, 'gr_s.q', 'USAGE') AS q, has_database_privilege(r, 'rd_db', 'CONNECT') AS dc,
  has_database_privilege(r, 'rd_db', 'CREATE') AS dm, has_table_privilege(r, 'pg_class', 'SELECT') AS cl
  FROM unnest(ARRAY['gr_a', 'gr_b', 'gr_c', 'rd_boss']) AS r ORDER BY r;
SELECT has_table_privilege('gr_t', 'SELECT');
SET ROLE gr_b;
SELECT has_table_privilege('gr_t', 'SELECT');
SELECT relname, has_table_privilege(oid, 'SELECT') AS s FROM pg_class WHERE relname LIKE 'gr\_t' AND relnamespace = 'public'::regnamespace ORDER BY 1;
RESET ROLE;
SELECT has_table_privilege('gr_t', 'SELECT');
SELECT has_table_privilege('gr_none', 'SELECT');
SELECT has_table_privilege('gr_nobody', 'gr_t', 'SELECT');
SELECT has_table_privilege(0, 'SELECT') IS NULL;
SELECT has_table_privilege('gr_t', 'NONSENSE');
DROP VIEW gr_s.v;
DROP TABLE gr_s.t;
DROP SEQUENCE gr_s.q;
DROP SCHEMA gr_s;
DROP TABLE gr_t;
DROP ROLE gr_a, gr_c, gr_b;
