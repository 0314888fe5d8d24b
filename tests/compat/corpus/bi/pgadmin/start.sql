# pgAdmin 4 over psycopg: the session, the server, what the user may do.
SET DateStyle=ISO; SET client_min_messages=notice;
	SELECT set_config('bytea_output','hex',false)
	FROM pg_show_all_settings() WHERE name = 'bytea_output'; SET client_encoding='utf-8';
SELECT version();
SELECT db.oid as did, db.datname, db.datallowconn, pg_encoding_to_char(db.encoding) AS serverencoding, has_database_privilege(db.oid, 'CREATE') as cancreate,
	datistemplate FROM pg_catalog.pg_database db
	WHERE db.datname = current_database();
SELECT gss_authenticated, encrypted FROM pg_catalog.pg_stat_gssapi WHERE pid = pg_backend_pid();
SELECT roles.oid as id, roles.rolname as name, roles.rolsuper as is_superuser, CASE WHEN roles.rolsuper THEN true ELSE roles.rolcreaterole END as can_create_role,
	CASE WHEN roles.rolsuper THEN true ELSE roles.rolcreatedb END as can_create_db, CASE WHEN 'pg_signal_backend'=ANY(ARRAY(WITH RECURSIVE cte AS ( SELECT
				pg_roles.oid,pg_roles.rolname FROM pg_catalog.pg_roles
				WHERE pg_roles.oid = roles.oid UNION ALL SELECT m.roleid,pgr.rolname
				FROM cte cte_1 JOIN pg_catalog.pg_auth_members m ON m.member = cte_1.oid
				JOIN pg_catalog.pg_roles pgr ON pgr.oid = m.roleid)
			SELECT rolname FROM cte)) THEN True ELSE False END as can_signal_backend
	FROM pg_catalog.pg_roles as roles WHERE rolname = current_user;
SELECT CASE WHEN (SELECT count(extname) FROM pg_catalog.pg_extension
		WHERE extname='bdr') > 0 THEN 'pgd' WHEN (SELECT COUNT(*)
		FROM pg_replication_slots) > 0 THEN 'log' ELSE NULL END as type;
SELECT usename, usesuper FROM pg_catalog.pg_user WHERE usename = current_user;
SELECT rolname from pg_catalog.pg_roles WHERE rolname = 'tester';
SET ROLE TO 'tester';
RESET ROLE;
SELECT pg_catalog.pg_is_in_recovery() AS inrecovery, CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_is_wal_replay_paused() ELSE FALSE END
	AS isreplaypaused;
SELECT 1;
