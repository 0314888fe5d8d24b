# The dashboard asks every few seconds.
/*pga4dash*/
SELECT pid, datname, usename, application_name, client_addr, state, wait_event_type || ': ' || wait_event AS wait_event, array_to_string(pg_catalog.pg_blocking_pids(pid),
		', ') AS blocking_pids, CASE WHEN state = 'active' THEN ROUND((extract(epoch
				from now() - query_start) / 60)::numeric, 2) ELSE 0 END AS active_since
	FROM pg_catalog.pg_stat_activity WHERE pid = -1
	ORDER BY pid;
/*pga4dash*/
SELECT count(*), min(usename), min(application_name), min(state), bool_and(pg_catalog.to_char(backend_start, 'YYYY-MM-DD HH24:MI:SS TZ') ~ '^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$'),
	min(backend_type), min(query) ~ 'pga4dash'
	FROM pg_catalog.pg_stat_activity WHERE pid = pg_backend_pid();
/*pga4dash*/
SELECT name, category, unit, setting IS NULL
	FROM pg_catalog.pg_show_all_settings() WHERE name IN ('TimeZone', 'bytea_output', 'search_path', 'statement_timeout', 'work_mem')
	ORDER BY category, name;
/*pga4dash*/
SELECT 'session_stats' AS chart_name, (pg_catalog.row_to_json(t)->>'Active')::int > 0 AS chart_data
	FROM (SELECT (SELECT count(*) FROM pg_catalog.pg_stat_activity) AS "Total", (SELECT count(*)
			FROM pg_catalog.pg_stat_activity WHERE state = 'active') AS "Active", (SELECT count(*)
			FROM pg_catalog.pg_stat_activity WHERE state = 'idle') AS "Idle") t
	UNION ALL SELECT 'tps_stats' AS chart_name, pg_catalog.row_to_json(t) IS NOT NULL AS chart_data
	FROM (SELECT (SELECT sum(xact_commit) + sum(xact_rollback)
			FROM pg_catalog.pg_stat_database) AS "Transactions", (SELECT sum(xact_commit)
			FROM pg_catalog.pg_stat_database) AS "Commits", (SELECT sum(xact_rollback)
			FROM pg_catalog.pg_stat_database) AS "Rollbacks") t
	UNION ALL SELECT 'ti_stats' AS chart_name, pg_catalog.row_to_json(t) IS NOT NULL
	FROM (SELECT (SELECT sum(tup_inserted) FROM pg_catalog.pg_stat_database) AS "Inserts", (SELECT sum(tup_deleted)
			FROM pg_catalog.pg_stat_database) AS "Deletes") t
	UNION ALL SELECT 'bio_stats' AS chart_name, pg_catalog.row_to_json(t) IS NOT NULL
	FROM (SELECT (SELECT sum(blks_read) FROM pg_catalog.pg_stat_database) AS "Reads", (SELECT sum(blks_hit)
			FROM pg_catalog.pg_stat_database) AS "Hits") t;
SELECT pg_catalog.row_to_json(t) AS chart_data FROM (SELECT 1 AS "Total", 'x' AS "Name", NULL::int AS "Idle") t;
/*pga4dash*/
SELECT pid, locktype, datname, relation::regclass, page, tuple, virtualxid transactionid, classid::regclass, objid, objsubid, virtualtransaction, mode,
	granted, fastpath FROM pg_catalog.pg_locks l
	LEFT OUTER JOIN pg_catalog.pg_database d ON (l.database = d.oid)
	WHERE pid = -1 ORDER BY pid, locktype;
/*pga4dash*/
SELECT gid, database, owner, transaction, pg_catalog.to_char(prepared, 'YYYY-MM-DD HH24:MI:SS TZ') AS prepared
	FROM pg_catalog.pg_prepared_xacts ORDER BY gid, database, owner;
select * from pg_catalog.pg_replication_slots;
select * from pg_catalog.pg_stat_replication;
SELECT setting FROM pg_show_all_settings() WHERE name='log_destination';
SELECT count(*) FROM pg_catalog.pg_extension WHERE extname = 'system_stats';
