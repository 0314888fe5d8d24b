# The backslash commands of pgspecial.
SELECT d.datname as name, pg_catalog.pg_get_userbyid(d.datdba) as owner, pg_catalog.pg_encoding_to_char(d.encoding) as encoding, d.datcollate as collate,
	d.datctype as ctype, pg_catalog.array_to_string(d.datacl, E'\n') AS access_privileges
	FROM pg_catalog.pg_database d WHERE d.datname ~ '^(onto)$'
	ORDER BY 1;
SELECT r.rolname, r.rolsuper, r.rolinherit, r.rolcreaterole, r.rolcreatedb, r.rolcanlogin, r.rolconnlimit, r.rolvaliduntil, ARRAY(SELECT b.rolname
		FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles b ON (m.roleid = b.oid)
		WHERE m.member = r.oid) as memberof, r.rolreplication
	FROM pg_catalog.pg_roles r WHERE r.rolname ~ '^(tester)$'
	ORDER BY 1;
SELECT n.nspname as schema, c.relname as name, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN
	'sequence' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' END as type, pg_catalog.array_to_string(ARRAY( SELECT attname || E':\n  ' ||
			pg_catalog.array_to_string(attacl, E'\n  ')
			FROM pg_catalog.pg_attribute a WHERE attrelid = c.oid AND NOT attisdropped AND attacl IS NOT NULL ), E'\n') AS column_privileges, pg_catalog.array_to_string(ARRAY(
			SELECT polname || CASE WHEN NOT polpermissive THEN E' (RESTRICTIVE)' ELSE '' END || CASE WHEN polcmd != '*' THEN E' (' || polcmd::pg_catalog.text ||
			E'):' ELSE E':' END || CASE WHEN polqual IS NOT NULL THEN E'\n  (u): ' || pg_catalog.pg_get_expr(polqual, polrelid) ELSE E'' END || CASE WHEN polroles
			<> '{0}' THEN E'\n  to: ' || pg_catalog.array_to_string( ARRAY( SELECT rolname
				FROM pg_catalog.pg_roles WHERE oid = ANY (polroles)
				ORDER BY 1 ), E', ') ELSE E'' END FROM pg_catalog.pg_policy pol
			WHERE polrelid = c.oid), E'\n') AS policies
	FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r','v','m','S','f','p') AND pg_catalog.pg_table_is_visible(c.oid) AND n.nspname !~ '^pg_'
	ORDER BY 1, 2;
SELECT pg_catalog.pg_get_userbyid(d.defaclrole) AS owner, n.nspname AS schema, CASE d.defaclobjtype WHEN 'r' THEN 'table' WHEN 'S' THEN 'sequence' WHEN
	'f' THEN 'function' WHEN 'T' THEN 'type' WHEN 'n' THEN 'schema' END as type, pg_catalog.array_to_string(d.defaclacl, E'\n') AS access_privileges
	FROM pg_catalog.pg_default_acl d LEFT JOIN pg_catalog.pg_namespace n ON n.oid = d.defaclnamespace
	ORDER BY 1, 2, 3;
SELECT n.spcname AS name, pg_catalog.pg_get_userbyid(n.spcowner) AS owner, pg_catalog.pg_tablespace_location(n.oid) AS location
	FROM pg_catalog.pg_tablespace n ORDER BY 1;
SELECT n.nspname AS name, pg_catalog.pg_get_userbyid(n.nspowner) AS owner
	FROM pg_catalog.pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
	ORDER BY 1;
SELECT e.extname AS name, e.extversion AS version, n.nspname AS schema, c.description AS description
	FROM pg_catalog.pg_extension e LEFT JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
	LEFT JOIN pg_catalog.pg_description c ON c.objoid = e.oid AND c.classoid = 'pg_catalog.pg_extension'::pg_catalog.regclass
	ORDER BY 1, 2;
SELECT n.nspname as schema, c.relname as name, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'p' THEN 'partitioned table' WHEN 'm' THEN
	'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 's' THEN 'special' WHEN 'f' THEN 'foreign table' END as type, pg_catalog.pg_get_userbyid(c.relowner)
	as owner FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind = ANY(ARRAY['r','p','']) AND n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_toast' AND pg_catalog.pg_table_is_visible(c.oid)
	ORDER BY 1, 2;
SELECT n.nspname as schema, p.proname as name, pg_catalog.pg_get_function_result(p.oid) as result_data_type, pg_catalog.pg_get_function_arguments(p.oid)
	as argument_data_types, CASE WHEN p.prokind = 'a' THEN 'agg' WHEN p.prokind = 'w' THEN 'window' WHEN p.prorettype = 'pg_catalog.trigger'::pg_catalog.regtype
	THEN 'trigger' ELSE 'normal' END as type
	FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
	WHERE p.proname ~ '^(abs)$' AND pg_catalog.pg_function_is_visible(p.oid)
	ORDER BY 1, 2, 4;
SELECT n.nspname as schema, pg_catalog.format_type(t.oid, NULL) AS name, pg_catalog.obj_description(t.oid, 'pg_type') as description
	FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
	WHERE (t.typrelid = 0 OR (SELECT c.relkind = 'c'
			FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid)) AND NOT EXISTS(SELECT 1
		FROM pg_catalog.pg_type el WHERE el.oid = t.typelem AND el.typarray = t.oid) AND pg_catalog.pg_type_is_visible(t.oid)
	ORDER BY 1, 2;
SELECT n.nspname AS schema, t.typname AS name, pg_catalog.format_type(t.typbasetype, t.typtypmod) AS type, pg_catalog.ltrim((COALESCE((SELECT (' collate '
				|| c.collname) FROM pg_catalog.pg_collation AS c, pg_catalog.pg_type AS bt
				WHERE c.oid = t.typcollation AND bt.oid = t.typbasetype AND t.typcollation <> bt.typcollation), '') || CASE WHEN t.typnotnull THEN ' not null' ELSE
			'' END) || CASE WHEN t.typdefault IS NOT NULL THEN (' default ' || t.typdefault) ELSE '' END) AS modifier, pg_catalog.array_to_string(ARRAY( SELECT
			pg_catalog.pg_get_constraintdef(r.oid, TRUE)
			FROM pg_catalog.pg_constraint AS r WHERE t.oid = r.contypid), ' ') AS check
	FROM pg_catalog.pg_type AS t LEFT JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
	WHERE t.typtype = 'd' AND n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema' AND pg_catalog.pg_type_is_visible(t.oid)
	ORDER BY 1, 2;
SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c
	LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relname ~ '^(stands)$' AND pg_catalog.pg_table_is_visible(c.oid)
	ORDER BY 2,3;
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, false as relhasoids, pg_catalog.array_to_string(c.reloptions || array(select
			'toast.' || x from pg_catalog.unnest(tc.reloptions) x), ', '), c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text
	END, c.relpersistence, c.relispartition
	FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
	WHERE c.oid = '{stands}';
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT substring(pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) for 128)
		FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull, (SELECT c.collname
		FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
		WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation, a.attidentity, a.attgenerated, NULL AS indexdef,
	NULL AS attfdwoptions, a.attstorage, CASE WHEN a.attstattarget=-1 THEN NULL ELSE a.attstattarget END AS attstattarget, pg_catalog.col_description(a.attrelid,
		a.attnum) FROM pg_catalog.pg_attribute a
	WHERE a.attrelid = '{stands}' AND a.attnum > 0 AND NOT a.attisdropped
	ORDER BY a.attnum;
SELECT c2.relname, i.indisprimary, i.indisunique, i.indisclustered, i.indisvalid, pg_catalog.pg_get_indexdef(i.indexrelid, 0, true), pg_catalog.pg_get_constraintdef(con.oid,
		true), contype, condeferrable, condeferred, c2.reltablespace
	FROM pg_catalog.pg_class c, pg_catalog.pg_class c2, pg_catalog.pg_index i
	LEFT JOIN pg_catalog.pg_constraint con ON (conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p','u','x'))
	WHERE c.oid = '{stands}' AND c.oid = i.indrelid AND i.indexrelid = c2.oid
	ORDER BY i.indisprimary DESC, i.indisunique DESC, c2.relname;
SELECT conname, pg_catalog.pg_get_constraintdef(r.oid, true) as condef
	FROM pg_catalog.pg_constraint r WHERE r.conrelid = '{stands}' AND r.contype = 'f'
	ORDER BY 1;
SELECT conname, conrelid::pg_catalog.regclass, pg_catalog.pg_get_constraintdef(c.oid, true) as condef
	FROM pg_catalog.pg_constraint c WHERE c.confrelid = '{item}' AND c.contype = 'f'
	ORDER BY 1;
SELECT c.oid::pg_catalog.regclass FROM pg_catalog.pg_class c, pg_catalog.pg_inherits i
	WHERE c.oid=i.inhparent AND i.inhrelid = '{stands}'
	ORDER BY inhseqno;
SELECT pg_catalog.pg_get_viewdef('pg_catalog.pg_tables'::regclass, true) IS NOT NULL;
SELECT pg_catalog.pg_get_functiondef(1397);
SELECT (SELECT count(*) FROM item), current_setting('is_superuser');
