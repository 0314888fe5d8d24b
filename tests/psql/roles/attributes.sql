\set VERBOSITY verbose
CREATE ROLE rd_super SUPERUSER LOGIN;
CREATE USER rd_creator CREATEROLE;
CREATE USER rd_joe;
CREATE GROUP rd_group;
CREATE ROLE rd_joe;
CREATE ROLE none;
CREATE ROLE "public";
CREATE ROLE pg_foo;
CREATE ROLE rd_x LOGIN NOLOGIN;
CREATE ROLE rd_x PASSWORD 'a' PASSWORD 'b';
CREATE ROLE rd_x UNENCRYPTED PASSWORD 'x';
CREATE ROLE rd_x CONNECTION LIMIT -5;
CREATE ROLE rd_x VALID UNTIL 'garbage';
CREATE ROLE rd_limited VALID UNTIL '2030-01-01' CONNECTION LIMIT 3 CREATEDB NOINHERIT LOGIN PASSWORD '';
CREATE ROLE rd_sys SYSID 12;
ALTER ROLE rd_joe VALID UNTIL 'infinity' CONNECTION LIMIT 1;
ALTER ROLE rd_limited WITH ENCRYPTED PASSWORD 'x' CONNECTION LIMIT 0 VALID UNTIL '-infinity';
ALTER ROLE rd_limited PASSWORD NULL;
ALTER ROLE rd_group BYPASSRLS REPLICATION;
ALTER ROLE nobody LOGIN;
ALTER ROLE public LOGIN;
ALTER ROLE pg_monitor LOGIN;
\du rd_*
\dg+ rd_*
SELECT rolname, rolconnlimit, rolvaliduntil, rolpassword FROM pg_roles WHERE rolname LIKE 'rd\_%' ORDER BY 1;
SELECT usename, usecreatedb, usesuper, userepl, usebypassrls, passwd, valuntil, useconfig FROM pg_user WHERE usename LIKE 'rd\_%' ORDER BY 1;
SELECT groname, grolist FROM pg_group WHERE groname LIKE 'rd\_%' ORDER BY 1;
ALTER ROLE rd_joe RENAME TO rd_group;
ALTER ROLE rd_joe RENAME TO pg_x;
ALTER ROLE rd_joe RENAME TO "none";
ALTER ROLE pg_monitor RENAME TO rd_x;
ALTER ROLE rd_joe RENAME TO "RD: Joé";
\du "RD"*
ALTER ROLE "RD: Joé" RENAME TO rd_joe;
DROP ROLE pg_monitor;
DROP ROLE CURRENT_USER;
DROP ROLE public;
DROP ROLE rd_boss;
DROP ROLE nobody;
DROP ROLE IF EXISTS nobody, rd_sys, rd_x;
DROP USER rd_group, nobody;
\du rd_group
-- what CREATEROLE may do, and what not
SET SESSION AUTHORIZATION rd_creator;
CREATE ROLE rd_y SUPERUSER;
CREATE ROLE rd_y REPLICATION;
CREATE ROLE rd_y BYPASSRLS;
CREATE ROLE rd_y CREATEDB;
ALTER ROLE rd_super LOGIN;
ALTER ROLE rd_creator SUPERUSER;
ALTER ROLE rd_joe BYPASSRLS;
ALTER ROLE rd_joe REPLICATION;
ALTER ROLE rd_joe CREATEDB PASSWORD 'y';
ALTER ROLE rd_super RENAME TO rd_super2;
ALTER ROLE rd_super SET statement_timeout = 5;
ALTER ROLE ALL SET statement_timeout = 4;
DROP ROLE rd_super;
DROP ROLE rd_creator;
ALTER ROLE rd_creator RENAME TO rd_c;
DROP ROLE rd_y;
-- what anybody may do
SET SESSION AUTHORIZATION rd_joe;
CREATE ROLE rd_z;
ALTER ROLE rd_joe PASSWORD 'x';
ALTER ROLE rd_joe NOLOGIN;
ALTER ROLE rd_group LOGIN;
DROP ROLE rd_group;
ALTER ROLE rd_joe RENAME TO rd_joe2;
ALTER ROLE rd_group RENAME TO rd_g;
ALTER ROLE rd_joe SET statement_timeout = '3s';
ALTER ROLE rd_group SET statement_timeout = 3;
RESET SESSION AUTHORIZATION;
DROP ROLE rd_super, rd_creator, rd_joe, rd_group, rd_limited;
\du rd_*
