# What DatabaseMetaData of pgjdbc 42.7 asks, method by method, and the types of a result.
SET application_name = 'meta';
# getSchemas
select current_catalog;
SELECT nspname AS "TABLE_SCHEM", current_database() AS "TABLE_CATALOG"
	FROM pg_catalog.pg_namespace WHERE nspname <> 'pg_toast' AND (nspname !~ '^pg_temp_' OR nspname = (pg_catalog.current_schemas(true))[1]) AND (nspname
		!~ '^pg_toast_temp_' OR nspname = replace((pg_catalog.current_schemas(true))[1], 'pg_temp_', 'pg_toast_temp_'))
	ORDER BY "TABLE_SCHEM";
# getCatalogs
# differs: pg_database lists the databases that are served. There are no template databases.
SELECT datname AS "TABLE_CAT" FROM pg_catalog.pg_database WHERE datallowconn = true ORDER BY datname;
# getTableTypes
# getTables
SELECT current_database() AS "TABLE_CAT", n.nspname AS "TABLE_SCHEM", c.relname AS "TABLE_NAME", CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema'
	WHEN true THEN CASE WHEN n.nspname = 'pg_catalog' OR n.nspname = 'information_schema' THEN CASE c.relkind WHEN 'r' THEN 'SYSTEM TABLE' WHEN 'v' THEN 'SYSTEM VIEW'
	WHEN 'i' THEN 'SYSTEM INDEX' ELSE NULL END WHEN n.nspname = 'pg_toast' THEN CASE c.relkind WHEN 'r' THEN 'SYSTEM TOAST TABLE' WHEN 'i' THEN 'SYSTEM TOAST INDEX'
	ELSE NULL END ELSE CASE c.relkind WHEN 'r' THEN 'TEMPORARY TABLE' WHEN 'p' THEN 'TEMPORARY TABLE' WHEN 'i' THEN 'TEMPORARY INDEX' WHEN 'S' THEN 'TEMPORARY SEQUENCE'
	WHEN 'v' THEN 'TEMPORARY VIEW' ELSE NULL END END WHEN false THEN CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'p' THEN 'PARTITIONED TABLE' WHEN 'i' THEN
	'INDEX' WHEN 'P' then 'PARTITIONED INDEX' WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'c' THEN 'TYPE' WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'm' THEN
	'MATERIALIZED VIEW' ELSE NULL END ELSE NULL END AS "TABLE_TYPE", d.description AS "REMARKS", '' as "TYPE_CAT", '' as "TYPE_SCHEM", '' as "TYPE_NAME",
	'' AS "SELF_REFERENCING_COL_NAME", '' AS "REF_GENERATION"
	FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c
	LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 and d.classoid = 'pg_class'::regclass)
	WHERE c.relnamespace = n.oid AND n.nspname LIKE 'public' AND c.relname LIKE '%' AND (false OR ( c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname
			<> 'information_schema' ) OR ( c.relkind = 'v' AND n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema' ) OR ( c.relkind = 'f' ) OR ( c.relkind
			= 'm' ) OR ( c.relkind = 'p' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ) )
	ORDER BY "TABLE_TYPE","TABLE_SCHEM","TABLE_NAME";
# getTables all
# differs: There are no TOAST tables.
SELECT current_database() AS "TABLE_CAT", n.nspname AS "TABLE_SCHEM", c.relname AS "TABLE_NAME", CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema'
	WHEN true THEN CASE WHEN n.nspname = 'pg_catalog' OR n.nspname = 'information_schema' THEN CASE c.relkind WHEN 'r' THEN 'SYSTEM TABLE' WHEN 'v' THEN 'SYSTEM VIEW'
	WHEN 'i' THEN 'SYSTEM INDEX' ELSE NULL END WHEN n.nspname = 'pg_toast' THEN CASE c.relkind WHEN 'r' THEN 'SYSTEM TOAST TABLE' WHEN 'i' THEN 'SYSTEM TOAST INDEX'
	ELSE NULL END ELSE CASE c.relkind WHEN 'r' THEN 'TEMPORARY TABLE' WHEN 'p' THEN 'TEMPORARY TABLE' WHEN 'i' THEN 'TEMPORARY INDEX' WHEN 'S' THEN 'TEMPORARY SEQUENCE'
	WHEN 'v' THEN 'TEMPORARY VIEW' ELSE NULL END END WHEN false THEN CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'p' THEN 'PARTITIONED TABLE' WHEN 'i' THEN
	'INDEX' WHEN 'P' then 'PARTITIONED INDEX' WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'c' THEN 'TYPE' WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'm' THEN
	'MATERIALIZED VIEW' ELSE NULL END ELSE NULL END AS "TABLE_TYPE", d.description AS "REMARKS", '' as "TYPE_CAT", '' as "TYPE_SCHEM", '' as "TYPE_NAME",
	'' AS "SELF_REFERENCING_COL_NAME", '' AS "REF_GENERATION"
	FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c
	LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 and d.classoid = 'pg_class'::regclass)
	WHERE c.relnamespace = n.oid AND c.relname LIKE '%'
	ORDER BY "TABLE_TYPE","TABLE_SCHEM","TABLE_NAME";
# getColumns
SELECT * FROM (SELECT current_database() AS current_database, n.nspname,c.relname,a.attname,a.atttypid,a.attnotnull OR (t.typtype = 'd' AND t.typnotnull)
		AS attnotnull,a.atttypmod,a.attlen,t.typtypmod,row_number() OVER (PARTITION BY a.attrelid
			ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') as attidentity,nullif(a.attgenerated, '') as attgenerated,pg_catalog.pg_get_expr(def.adbin,
			def.adrelid) AS adsrc,dsc.description,t.typbasetype,t.typtype
		FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid)
		JOIN pg_catalog.pg_attribute a ON (a.attrelid=c.oid)
		JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)
		LEFT JOIN pg_catalog.pg_attrdef def ON (a.attrelid=def.adrelid AND a.attnum = def.adnum)
		LEFT JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid)
		LEFT JOIN pg_catalog.pg_class dc ON (dc.oid=dsc.classoid AND dc.relname='pg_class')
		LEFT JOIN pg_catalog.pg_namespace dn ON (dc.relnamespace=dn.oid AND dn.nspname='pg_catalog')
		WHERE c.relkind in ('r','p','v','f','m') and a.attnum > 0 AND NOT a.attisdropped AND n.nspname LIKE 'public' AND c.relname LIKE 'item') c
	WHERE true AND attname LIKE '%' ORDER BY nspname,c.relname,attnum;
SELECT typinput='pg_catalog.array_in'::regproc as is_array, typtype, typname, pg_type.oid
	FROM pg_catalog.pg_type LEFT JOIN (select ns.oid as nspoid, ns.nspname, r.r
		from pg_namespace as ns join ( select s.r, (current_schemas(false))[s.r] as nspname
			from generate_series(1, array_upper(current_schemas(false), 1)) as s(r) ) as r using ( nspname ) ) as sp ON sp.nspoid = typnamespace
	WHERE pg_type.oid = '3802' ORDER BY sp.r, pg_type.oid DESC;
SELECT n.nspname = ANY(current_schemas(true)), n.nspname, t.typname
	FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid
	WHERE t.oid = '3802';
# getPrimaryKeys
SELECT result.TABLE_CAT AS "TABLE_CAT", result.TABLE_SCHEM AS "TABLE_SCHEM", result.TABLE_NAME AS "TABLE_NAME", result.COLUMN_NAME AS "COLUMN_NAME", result.KEY_SEQ
	AS "KEY_SEQ", result.PK_NAME AS "PK_NAME"FROM (SELECT current_database() AS TABLE_CAT, n.nspname AS TABLE_SCHEM, ct.relname AS TABLE_NAME, a.attname AS
		COLUMN_NAME, (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, ci.relname AS PK_NAME, information_schema._pg_expandarray(i.indkey) AS KEYS,
		a.attnum AS A_ATTNUM, i.indnkeyatts as KEY_COUNT
		FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)
		JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)
		JOIN pg_catalog.pg_index i ON ( a.attrelid = i.indrelid)
		JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
		WHERE true AND n.nspname = 'public' AND ct.relname = 'stands' AND i.indisprimary ) result
	where result.A_ATTNUM = (result.KEYS).x AND result.KEY_SEQ <= KEY_COUNT
	ORDER BY result.table_name, result.pk_name, result.key_seq;
# getImportedKeys
SELECT setting FROM pg_catalog.pg_settings WHERE name='max_index_keys';
SELECT current_database() AS "PKTABLE_CAT", pkn.nspname AS "PKTABLE_SCHEM", pkc.relname AS "PKTABLE_NAME", pka.attname AS "PKCOLUMN_NAME", current_database()
	AS "FKTABLE_CAT", fkn.nspname AS "FKTABLE_SCHEM", fkc.relname AS "FKTABLE_NAME", fka.attname AS "FKCOLUMN_NAME", pos.n AS "KEY_SEQ", CASE con.confupdtype
	WHEN 'c' THEN 0 WHEN 'n' THEN 2 WHEN 'd' THEN 4 WHEN 'r' THEN 1 WHEN 'p' THEN 1 WHEN 'a' THEN 3 ELSE NULL END AS "UPDATE_RULE", CASE con.confdeltype WHEN
	'c' THEN 0 WHEN 'n' THEN 2 WHEN 'd' THEN 4 WHEN 'r' THEN 1 WHEN 'p' THEN 1 WHEN 'a' THEN 3 ELSE NULL END AS "DELETE_RULE", con.conname AS "FK_NAME", pkic.relname
	AS "PK_NAME", CASE WHEN con.condeferrable AND con.condeferred THEN 5 WHEN con.condeferrable THEN 6 ELSE 7 END AS "DEFERRABILITY"
	FROM pg_catalog.pg_namespace pkn, pg_catalog.pg_class pkc, pg_catalog.pg_attribute pka, pg_catalog.pg_namespace fkn, pg_catalog.pg_class fkc, pg_catalog.pg_attribute
	fka, pg_catalog.pg_constraint con, pg_catalog.generate_series(1, 32) pos(n), pg_catalog.pg_class pkic
	WHERE pkn.oid = pkc.relnamespace AND pkc.oid = pka.attrelid AND pka.attnum = con.confkey[pos.n] AND con.confrelid = pkc.oid AND fkn.oid = fkc.relnamespace
	AND fkc.oid = fka.attrelid AND fka.attnum = con.conkey[pos.n] AND con.conrelid = fkc.oid AND con.contype = 'f' AND (pkic.relkind = 'i' OR pkic.relkind
		= 'I') AND pkic.oid = con.conindid AND fkn.nspname = 'public' AND fkc.relname = 'stands'
	ORDER BY pkn.nspname,pkc.relname, con.conname,pos.n;
# getExportedKeys
SELECT current_database() AS "PKTABLE_CAT", pkn.nspname AS "PKTABLE_SCHEM", pkc.relname AS "PKTABLE_NAME", pka.attname AS "PKCOLUMN_NAME", current_database()
	AS "FKTABLE_CAT", fkn.nspname AS "FKTABLE_SCHEM", fkc.relname AS "FKTABLE_NAME", fka.attname AS "FKCOLUMN_NAME", pos.n AS "KEY_SEQ", CASE con.confupdtype
	WHEN 'c' THEN 0 WHEN 'n' THEN 2 WHEN 'd' THEN 4 WHEN 'r' THEN 1 WHEN 'p' THEN 1 WHEN 'a' THEN 3 ELSE NULL END AS "UPDATE_RULE", CASE con.confdeltype WHEN
	'c' THEN 0 WHEN 'n' THEN 2 WHEN 'd' THEN 4 WHEN 'r' THEN 1 WHEN 'p' THEN 1 WHEN 'a' THEN 3 ELSE NULL END AS "DELETE_RULE", con.conname AS "FK_NAME", pkic.relname
	AS "PK_NAME", CASE WHEN con.condeferrable AND con.condeferred THEN 5 WHEN con.condeferrable THEN 6 ELSE 7 END AS "DEFERRABILITY"
	FROM pg_catalog.pg_namespace pkn, pg_catalog.pg_class pkc, pg_catalog.pg_attribute pka, pg_catalog.pg_namespace fkn, pg_catalog.pg_class fkc, pg_catalog.pg_attribute
	fka, pg_catalog.pg_constraint con, pg_catalog.generate_series(1, 32) pos(n), pg_catalog.pg_class pkic
	WHERE pkn.oid = pkc.relnamespace AND pkc.oid = pka.attrelid AND pka.attnum = con.confkey[pos.n] AND con.confrelid = pkc.oid AND fkn.oid = fkc.relnamespace
	AND fkc.oid = fka.attrelid AND fka.attnum = con.conkey[pos.n] AND con.conrelid = fkc.oid AND con.contype = 'f' AND (pkic.relkind = 'i' OR pkic.relkind
		= 'I') AND pkic.oid = con.conindid AND pkn.nspname = 'public' AND pkc.relname = 'item'
	ORDER BY fkn.nspname,fkc.relname,con.conname,pos.n;
# getCrossReference
SELECT current_database() AS "PKTABLE_CAT", pkn.nspname AS "PKTABLE_SCHEM", pkc.relname AS "PKTABLE_NAME", pka.attname AS "PKCOLUMN_NAME", current_database()
	AS "FKTABLE_CAT", fkn.nspname AS "FKTABLE_SCHEM", fkc.relname AS "FKTABLE_NAME", fka.attname AS "FKCOLUMN_NAME", pos.n AS "KEY_SEQ", CASE con.confupdtype
	WHEN 'c' THEN 0 WHEN 'n' THEN 2 WHEN 'd' THEN 4 WHEN 'r' THEN 1 WHEN 'p' THEN 1 WHEN 'a' THEN 3 ELSE NULL END AS "UPDATE_RULE", CASE con.confdeltype WHEN
	'c' THEN 0 WHEN 'n' THEN 2 WHEN 'd' THEN 4 WHEN 'r' THEN 1 WHEN 'p' THEN 1 WHEN 'a' THEN 3 ELSE NULL END AS "DELETE_RULE", con.conname AS "FK_NAME", pkic.relname
	AS "PK_NAME", CASE WHEN con.condeferrable AND con.condeferred THEN 5 WHEN con.condeferrable THEN 6 ELSE 7 END AS "DEFERRABILITY"
	FROM pg_catalog.pg_namespace pkn, pg_catalog.pg_class pkc, pg_catalog.pg_attribute pka, pg_catalog.pg_namespace fkn, pg_catalog.pg_class fkc, pg_catalog.pg_attribute
	fka, pg_catalog.pg_constraint con, pg_catalog.generate_series(1, 32) pos(n), pg_catalog.pg_class pkic
	WHERE pkn.oid = pkc.relnamespace AND pkc.oid = pka.attrelid AND pka.attnum = con.confkey[pos.n] AND con.confrelid = pkc.oid AND fkn.oid = fkc.relnamespace
	AND fkc.oid = fka.attrelid AND fka.attnum = con.conkey[pos.n] AND con.conrelid = fkc.oid AND con.contype = 'f' AND (pkic.relkind = 'i' OR pkic.relkind
		= 'I') AND pkic.oid = con.conindid AND pkn.nspname = 'public' AND fkn.nspname = 'public' AND pkc.relname = 'item' AND fkc.relname = 'owns'
	ORDER BY fkn.nspname,fkc.relname,con.conname,pos.n;
# getIndexInfo
SELECT tmp.TABLE_CAT AS "TABLE_CAT", tmp.TABLE_SCHEM AS "TABLE_SCHEM", tmp.TABLE_NAME AS "TABLE_NAME", tmp.NON_UNIQUE AS "NON_UNIQUE", tmp.INDEX_QUALIFIER
	AS "INDEX_QUALIFIER", tmp.INDEX_NAME AS "INDEX_NAME", tmp.TYPE AS "TYPE", tmp.ORDINAL_POSITION AS "ORDINAL_POSITION", trim(both '"'
		from pg_catalog.pg_get_indexdef(tmp.CI_OID, tmp.ORDINAL_POSITION, false)) AS "COLUMN_NAME", CASE tmp.AM_NAME WHEN 'btree' THEN CASE tmp.I_INDOPTION[tmp.ORDINAL_POSITION
	- 1] & 1::smallint WHEN 1 THEN 'D' ELSE 'A' END ELSE NULL END AS "ASC_OR_DESC", tmp.CARDINALITY AS "CARDINALITY", tmp.PAGES AS "PAGES", tmp.FILTER_CONDITION
	AS "FILTER_CONDITION", tmp.REMARKS AS "REMARKS"FROM (SELECT current_database() AS TABLE_CAT, n.nspname AS TABLE_SCHEM, ct.relname AS TABLE_NAME, NOT i.indisunique
		AS NON_UNIQUE, NULL AS INDEX_QUALIFIER, ci.relname AS INDEX_NAME, CASE i.indisclustered WHEN true THEN 1 ELSE CASE am.amname WHEN 'hash' THEN 2 ELSE
		3 END END AS TYPE, (information_schema._pg_expandarray(i.indkey)).n AS ORDINAL_POSITION, ci.reltuples AS CARDINALITY, ci.relpages AS PAGES, pg_catalog.pg_get_expr(i.indpred,
			i.indrelid) AS FILTER_CONDITION, ci.oid AS CI_OID, i.indoption AS I_INDOPTION, am.amname AS AM_NAME, d.description AS REMARKS
		FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)
		JOIN pg_catalog.pg_index i ON (ct.oid = i.indrelid)
		JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
		JOIN pg_catalog.pg_am am ON (ci.relam = am.oid)
		LEFT JOIN pg_catalog.pg_description d ON (ci.oid = d.objoid)
		WHERE true AND n.nspname = 'public' AND ct.relname = 'stands') AS tmp
	ORDER BY "NON_UNIQUE", "TYPE", "INDEX_NAME", "ORDINAL_POSITION";
# getBestRowIdentifier
SELECT a.attname, a.atttypid, atttypmod FROM pg_catalog.pg_class ct
	JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)
	JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)
	JOIN (SELECT i.indexrelid, i.indrelid, i.indisprimary, information_schema._pg_expandarray(i.indkey) AS keys
		FROM pg_catalog.pg_index i) i ON (a.attnum = (i.keys).x AND a.attrelid = i.indrelid)
	WHERE true AND n.nspname = 'public' AND ct.relname = 'item' AND i.indisprimary
	ORDER BY a.attnum;
# getVersionColumns
SELECT pg_type.oid, typname FROM pg_catalog.pg_type
	LEFT JOIN (select ns.oid as nspoid, ns.nspname, r.r
		from pg_namespace as ns join ( select s.r, (current_schemas(false))[s.r] as nspname
			from generate_series(1, array_upper(current_schemas(false), 1)) as s(r) ) as r using ( nspname ) ) as sp ON sp.nspoid = typnamespace
	WHERE typname = 'tid' ORDER BY sp.r, pg_type.oid DESC
	LIMIT 1;
SELECT typinput='pg_catalog.array_in'::regproc as is_array, typtype, typname, pg_type.oid
	FROM pg_catalog.pg_type LEFT JOIN (select ns.oid as nspoid, ns.nspname, r.r
		from pg_namespace as ns join ( select s.r, (current_schemas(false))[s.r] as nspname
			from generate_series(1, array_upper(current_schemas(false), 1)) as s(r) ) as r using ( nspname ) ) as sp ON sp.nspoid = typnamespace
	WHERE pg_type.oid = '27' ORDER BY sp.r, pg_type.oid DESC;
# getTypeInfo
SELECT t.typname,t.oid FROM pg_catalog.pg_type t
	JOIN pg_catalog.pg_namespace n ON (t.typnamespace = n.oid)
	WHERE n.nspname != 'pg_toast' AND (t.typrelid = 0 OR (SELECT c.relkind = 'c'
			FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid));
# differs: OIDs of tables and types are derived from their names, not from the order of creation.
SELECT typinput='pg_catalog.array_in'::regproc as is_array, typtype, typname, pg_type.oid
	FROM pg_catalog.pg_type LEFT JOIN (select ns.oid as nspoid, ns.nspname, r.r
		from pg_namespace as ns join ( select s.r, (current_schemas(false))[s.r] as nspname
			from generate_series(1, array_upper(current_schemas(false), 1)) as s(r) ) as r using ( nspname ) ) as sp ON sp.nspoid = typnamespace
	ORDER BY sp.r, pg_type.oid DESC;
# getUDTs
select current_database() as "TYPE_CAT", n.nspname as "TYPE_SCHEM", t.typname as "TYPE_NAME", null as "CLASS_NAME", CASE WHEN t.typtype='c' then 2002 else
	2001 end as "DATA_TYPE", pg_catalog.obj_description(t.oid, 'pg_type') as "REMARKS", CASE WHEN t.typtype = 'd' then (select CASE when base_type.oid = 16
		then -7 when base_type.oid = 1043 then 12 when base_type.oid = 20 then -5 when base_type.oid = 25 then 12 when base_type.oid = 1184 then 93 when base_type.oid
		= 1700 then 2 else 1111 end from pg_type base_type
		where base_type.oid=t.typbasetype) else null end as "BASE_TYPE"
	from pg_catalog.pg_type t, pg_catalog.pg_namespace n
	where t.typnamespace = n.oid and n.nspname != 'pg_catalog' and n.nspname != 'pg_toast' and t.typtype IN ('c','d') and t.typname like '%' and n.nspname
	like 'public' order by "DATA_TYPE", "TYPE_SCHEM", "TYPE_NAME";
# getProcedures
SELECT current_database() AS "PROCEDURE_CAT", n.nspname AS "PROCEDURE_SCHEM", p.proname AS "PROCEDURE_NAME", NULL, NULL, NULL, d.description AS "REMARKS",
	2 AS "PROCEDURE_TYPE", p.proname || '_' || p.oid AS "SPECIFIC_NAME"
	FROM pg_catalog.pg_namespace n, pg_catalog.pg_proc p
	LEFT JOIN pg_catalog.pg_description d ON (p.oid=d.objoid)
	LEFT JOIN pg_catalog.pg_class c ON (d.classoid=c.oid AND c.relname='pg_proc')
	LEFT JOIN pg_catalog.pg_namespace pn ON (c.relnamespace=pn.oid AND pn.nspname='pg_catalog')
	WHERE p.pronamespace=n.oid AND p.prokind='p' AND n.nspname LIKE 'public' AND p.proname LIKE '%'
	ORDER BY "PROCEDURE_SCHEM", "PROCEDURE_NAME", p.oid::text;
# getFunctions
SELECT current_database() AS "FUNCTION_CAT", n.nspname AS "FUNCTION_SCHEM", p.proname AS "FUNCTION_NAME", d.description AS "REMARKS", CASE WHEN (format_type(p.prorettype,
			null) = 'unknown') THEN 0 WHEN (substring(pg_get_function_result(p.oid)
			from 0 for 6) = 'TABLE') OR (substring(pg_get_function_result(p.oid)
			from 0 for 6) = 'SETOF') THEN 2 ELSE 1 END AS "FUNCTION_TYPE", p.proname || '_' || p.oid AS "SPECIFIC_NAME"
	FROM pg_catalog.pg_proc p INNER JOIN pg_catalog.pg_namespace n ON p.pronamespace=n.oid
	LEFT JOIN pg_catalog.pg_description d ON p.oid=d.objoid
	WHERE true AND p.prokind='f' AND n.nspname LIKE 'pg_catalog' AND p.proname LIKE 'abs'
	ORDER BY "FUNCTION_SCHEM", "FUNCTION_NAME", p.oid::text;
# getFunctionColumns
SELECT current_database() AS current_database, n.nspname,p.proname,p.prorettype,p.proargtypes, t.typtype,t.typrelid, p.proargnames, p.proargmodes, p.proallargtypes,
	p.oid FROM pg_catalog.pg_proc p, pg_catalog.pg_namespace n, pg_catalog.pg_type t
	WHERE p.pronamespace=n.oid AND p.prorettype=t.oid AND n.nspname LIKE 'pg_catalog' AND p.proname LIKE 'round'
	ORDER BY n.nspname, p.proname, p.oid::text;
# getProcedureColumns
# getTablePrivileges
SELECT current_database() AS current_database, n.nspname,c.relname,r.rolname,c.relacl
	FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c, pg_catalog.pg_roles r
	WHERE c.relnamespace = n.oid AND c.relowner = r.oid AND c.relkind IN ('r','p','v','m','f') AND n.nspname LIKE 'public' AND c.relname LIKE 'item'
	ORDER BY nspname, relname;
# getColumnPrivileges
SELECT current_database() AS current_database, n.nspname,c.relname,r.rolname,c.relacl, a.attacl, a.attname
	FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c, pg_catalog.pg_roles r, pg_catalog.pg_attribute a
	WHERE c.relnamespace = n.oid AND c.relowner = r.oid AND c.oid = a.attrelid AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND n.nspname =
	'public' AND c.relname = 'item' AND a.attname LIKE '%'
	ORDER BY attname;
# getClientInfoProperties
SELECT t.typlen FROM pg_catalog.pg_type t, pg_catalog.pg_namespace n WHERE t.typnamespace=n.oid AND t.typname='name' AND n.nspname='pg_catalog';
# misc
select string_agg(word, ',') from pg_catalog.pg_get_keywords()
	where word <> ALL ('{a,abs,absolute,action,ada,add,admin,after,all,select,table,where,with,"null",year,zone}'::text[]);
SELECT setting FROM pg_catalog.pg_settings WHERE name='default_transaction_isolation';
SHOW TRANSACTION ISOLATION LEVEL;
select current_schema();
# resultset meta
SELECT c.oid, a.attnum, a.attname, c.relname, n.nspname, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull), a.attidentity != '' OR pg_catalog.pg_get_expr(d.adbin,
		d.adrelid) LIKE '%nextval(%' FROM pg_catalog.pg_class c
	JOIN pg_catalog.pg_namespace n ON (c.relnamespace = n.oid)
	JOIN pg_catalog.pg_attribute a ON (c.oid = a.attrelid)
	JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)
	LEFT JOIN pg_catalog.pg_attrdef d ON (d.adrelid = a.attrelid AND d.adnum = a.attnum)
	JOIN (SELECT {item} AS oid , 1 AS attnum
		UNION ALL SELECT {item}, 2 UNION ALL SELECT {item}, 3
		UNION ALL SELECT {item}, 4 UNION ALL SELECT {item}, 5
		UNION ALL SELECT {item}, 6 UNION ALL SELECT {item}, 7
		UNION ALL SELECT {item}, 8 UNION ALL SELECT {item}, 9
		UNION ALL SELECT {item}, 10 UNION ALL SELECT {item}, 11) vals ON (c.oid = vals.oid AND a.attnum = vals.attnum)
	where c.oid in ({item});
select i.*, 1 as one from item i;
