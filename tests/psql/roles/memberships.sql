\set VERBOSITY verbose
CREATE ROLE rd_g;
CREATE ROLE rd_h;
CREATE ROLE rd_joe LOGIN;
CREATE ROLE rd_eve LOGIN CREATEROLE;
CREATE ROLE rd_super SUPERUSER;
GRANT rd_g TO rd_joe;
GRANT rd_g TO rd_joe;
GRANT rd_g TO rd_joe WITH ADMIN OPTION;
GRANT rd_g TO rd_joe WITH ADMIN OPTION;
REVOKE ADMIN OPTION FOR rd_g FROM rd_joe;
REVOKE rd_h FROM rd_joe;
GRANT rd_g TO rd_g;
GRANT rd_joe TO rd_g;
GRANT rd_g TO PUBLIC;
GRANT nobody TO rd_g;
REVOKE rd_g FROM nobody;
GRANT rd_g TO rd_eve GRANTED BY nobody;
GRANT rd_h TO rd_eve GRANTED BY rd_super;
GRANT rd_h TO CURRENT_USER;
REVOKE rd_h FROM CURRENT_USER;
CREATE ROLE rd_a IN ROLE nobody;
CREATE ROLE rd_a ROLE rd_a;
CREATE ROLE rd_a IN GROUP rd_h ROLE rd_joe ADMIN rd_super;
CREATE GROUP rd_users USER rd_joe;
ALTER GROUP rd_users ADD USER rd_eve, rd_super;
ALTER GROUP rd_users DROP USER rd_joe;
SELECT r.rolname, m.rolname AS member, g.rolname AS grantor, admin_option
  FROM pg_auth_members JOIN pg_roles r ON r.oid = roleid JOIN pg_roles m ON m.oid = member JOIN pg_roles g ON g.oid = grantor
  WHERE m.rolname LIKE 'rd\_%' ORDER BY 1, 2;
SELECT groname, (SELECT array_agg(rolname ORDER BY rolname) FROM pg_roles WHERE oid = ANY (grolist)) FROM pg_group WHERE groname LIKE 'rd\_%' ORDER BY 1;
SELECT pg_has_role('rd_joe', 'rd_g', 'USAGE'), pg_has_role('rd_joe', 'rd_h', 'MEMBER'), pg_has_role('rd_h', 'MEMBER'), pg_has_role('rd_g', 'rd_joe', 'usage, member');
SELECT pg_has_role('rd_super', 'rd_a', 'USAGE WITH ADMIN OPTION'), pg_has_role('rd_joe', 'rd_a', 'MEMBER WITH GRANT OPTION');
SELECT pg_has_role('rd_joe', 'rd_g', 'foo');
SELECT pg_has_role('nobody', 'rd_g', 'USAGE');
SELECT pg_has_role('rd_g', 'nobody', 'USAGE');
SELECT rolname FROM pg_roles WHERE rolname LIKE 'rd\_%' AND pg_has_role('rd_joe', oid, 'MEMBER') ORDER BY 1;
ALTER ROLE rd_a NOINHERIT;
SELECT pg_has_role('rd_joe', 'rd_h', 'USAGE'), pg_has_role('rd_joe', 'rd_h', 'MEMBER');
SET SESSION AUTHORIZATION rd_joe;
GRANT rd_g TO rd_h;
REVOKE rd_g FROM rd_joe;
SELECT pg_has_role('rd_g', 'USAGE'), pg_has_role('rd_users', 'USAGE');
SET SESSION AUTHORIZATION rd_eve;
GRANT rd_super TO rd_joe;
GRANT rd_g TO rd_h GRANTED BY rd_super;
GRANT rd_g TO rd_h;
RESET SESSION AUTHORIZATION;
BEGIN;
CREATE ROLE rd_tx IN ROLE rd_g;
SAVEPOINT a;
GRANT rd_h TO rd_tx;
DROP ROLE rd_users;
\du rd_tx
ROLLBACK TO a;
\du rd_tx
\du rd_users
COMMIT;
\du rd_tx
BEGIN;
DROP ROLE rd_tx;
ROLLBACK;
\du rd_tx
BEGIN;
CREATE ROLE rd_tx2;
SELECT 1/0;
COMMIT;
\du rd_tx2
BEGIN READ ONLY;
CREATE ROLE rd_tx2;
ROLLBACK;
DROP ROLE rd_tx, rd_users, rd_a, rd_super, rd_eve, rd_joe, rd_h, rd_g;
