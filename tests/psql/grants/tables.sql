\set VERBOSITY verbose
CREATE ROLE gr_a;
CREATE ROLE gr_b;
CREATE ROLE gr_c IN ROLE gr_b;
CREATE TABLE gr_t (id int PRIMARY KEY, a text, b int);
CREATE TABLE gr_u (id int PRIMARY KEY, a text);
INSERT INTO gr_t VALUES (1, 'one', 1);
INSERT INTO gr_u VALUES (1, 'uno');
\dp gr_*
-- who is no owner
SET ROLE gr_a;
DROP TABLE gr_t;
ALTER TABLE gr_t ADD COLUMN c int;
ALTER TABLE gr_t RENAME TO gr_x;
COMMENT ON TABLE gr_t IS 'mine';
CREATE TABLE gr_v (id int PRIMARY KEY);
GRANT SELECT ON gr_t TO gr_b;
REVOKE SELECT ON gr_t FROM gr_b;
-- what was granted
RESET ROLE;
GRANT SELECT, INSERT ON gr_t TO gr_a WITH GRANT OPTION;
GRANT UPDATE (b) ON gr_t TO gr_b;
GRANT SELECT ON gr_u TO gr_a, gr_b;
\dp gr_*
SET ROLE gr_a;
GRANT SELECT ON gr_t TO gr_c;
GRANT UPDATE ON gr_t TO gr_c;
GRANT SELECT, UPDATE ON gr_t TO gr_c;
GRANT SELECT ON gr_u TO gr_c;
\dp gr_*
SET ROLE gr_c;
SELECT a FROM gr_t;
SELECT a FROM gr_u;
UPDATE gr_t SET b = 2;
RESET ROLE;
GRANT gr_b TO gr_a;
SET ROLE gr_a;
UPDATE gr_t SET b = 3 WHERE id = 1;
-- who is in use
DROP ROLE gr_b;
SET ROLE gr_a;
RESET ROLE;
-- all tables
RESET ROLE;
REVOKE ALL ON gr_t, gr_u FROM gr_a, gr_b, gr_c CASCADE;
REVOKE UPDATE (b) ON gr_t FROM gr_b;
\dp gr_*
SET ROLE gr_c;
SELECT a FROM gr_t;
RESET ROLE;
-- errors
GRANT SELECT ON gr_none TO gr_a;
GRANT SELECT ON gr_t TO gr_nobody;
GRANT SELECT (none) ON gr_t TO gr_a;
GRANT DELETE (a) ON gr_t TO gr_a;
GRANT USAGE ON gr_t TO gr_a;
GRANT NONSENSE ON gr_t TO gr_a;
GRANT SELECT ON gr_t TO PUBLIC WITH GRANT OPTION;
-- the owner has what he has not taken from himself
SET ontosql.purge_history = on;
DROP TABLE gr_u;
DROP TABLE gr_t;
DROP ROLE gr_a, gr_c, gr_b;
