\set VERBOSITY verbose
CREATE ROLE rd_joe LOGIN;
ALTER ROLE rd_joe IN DATABASE nodb SET statement_timeout = 4;
ALTER ROLE rd_joe IN DATABASE rd_db SET statement_timeout = '4min';
ALTER ROLE rd_joe SET nonsense = 4;
ALTER ROLE rd_joe SET statement_timeout = 'x';
ALTER ROLE rd_joe SET server_version = 'x';
ALTER ROLE rd_joe SET search_path TO a, "B c";
ALTER ROLE rd_joe SET my.var = 'x y';
ALTER ROLE rd_joe SET statement_timeout = '7s';
ALTER ROLE rd_joe SET lock_timeout = 5;
ALTER ROLE rd_joe SET LOCK_timeout = 6;
ALTER ROLE rd_joe RESET lock_timeout;
ALTER ROLE rd_joe RESET idle_session_timeout;
SET TimeZone = 'Europe/Paris';
ALTER ROLE rd_joe SET TimeZone FROM CURRENT;
ALTER ROLE ALL IN DATABASE rd_db SET my.all = 'db';
\drds rd_joe
\drds '' rd_db
SELECT rolconfig FROM pg_roles WHERE rolname = 'rd_joe';
SELECT useconfig FROM pg_shadow WHERE usename = 'rd_joe';
\c - rd_joe
SHOW statement_timeout;
SHOW TimeZone;
SHOW search_path;
SHOW my.var;
SHOW my.all;
SET statement_timeout = 1000;
RESET statement_timeout;
SHOW statement_timeout;
ALTER ROLE rd_joe IN DATABASE rd_db RESET ALL;
ALTER ROLE ALL IN DATABASE rd_db SET my.all = 'mine';
\c - rd_boss
ALTER ROLE rd_joe SET role = 'rd_boss';
\drds rd_joe
\c - rd_joe
SHOW statement_timeout;
SHOW role;
\c - rd_boss
ALTER ROLE rd_joe RESET ALL;
ALTER ROLE ALL IN DATABASE rd_db RESET ALL;
\drds rd_joe
DROP ROLE rd_joe;
