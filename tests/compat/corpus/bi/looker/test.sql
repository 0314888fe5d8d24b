# Looker tests a connection: it must be able to find and end its own queries.
SELECT 1;
SELECT 1 AS "one";
SET application_name = 'looker';
SHOW application_name;
SELECT CURRENT_TIMESTAMP IS NOT NULL;
SELECT pid = pg_backend_pid() AS own, usename, query LIKE '%looker_context%' AS seen, state
	FROM pg_stat_activity WHERE pid = pg_backend_pid() /* looker_context: kill test */;
SELECT pg_cancel_backend(0), pg_terminate_backend(0);
SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%no such query%' AND pid <> pg_backend_pid();
SET SESSION TIME ZONE 'UTC';
SELECT version() ~ '^PostgreSQL 15';
SELECT has_schema_privilege(current_user, 'public', 'CREATE');
SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user;
