-- Relations that follow from others, as in PostgreSQL: a line "-- schema.relation", then
-- its query. A column that a query leaves out is NULL. {database} is the name that
-- clients connected to.

-- information_schema.routines
SELECT {database} AS specific_catalog, n.nspname AS specific_schema, p.proname || '_' || p.oid AS specific_name,
  {database} AS routine_catalog, n.nspname AS routine_schema, p.proname AS routine_name,
  CASE p.prokind WHEN 'f' THEN 'FUNCTION' WHEN 'p' THEN 'PROCEDURE' END AS routine_type,
  CASE WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY' WHEN nt.nspname = 'pg_catalog' THEN pg_catalog.format_type(t.oid, NULL)
       ELSE 'USER-DEFINED' END AS data_type,
  {database} AS type_udt_catalog, nt.nspname AS type_udt_schema, t.typname AS type_udt_name, '0' AS dtd_identifier,
  CASE l.lanname WHEN 'sql' THEN 'SQL' ELSE 'EXTERNAL' END AS routine_body, p.prosrc AS routine_definition,
  CASE l.lanname WHEN 'c' THEN p.prosrc END AS external_name, upper(l.lanname) AS external_language, 'GENERAL' AS parameter_style,
  CASE p.provolatile WHEN 'i' THEN 'YES' ELSE 'NO' END AS is_deterministic, 'MODIFIES' AS sql_data_access,
  CASE WHEN p.proisstrict THEN 'YES' ELSE 'NO' END AS is_null_call, 'YES' AS schema_level_routine, 0::INTEGER AS max_dynamic_result_sets,
  CASE WHEN p.prosecdef THEN 'DEFINER' ELSE 'INVOKER' END AS security_type, 'NO' AS as_locator, 'NO' AS is_udt_dependent
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language l ON l.oid = p.prolang
LEFT JOIN pg_catalog.pg_type t ON t.oid = p.prorettype
LEFT JOIN pg_catalog.pg_namespace nt ON nt.oid = t.typnamespace

-- information_schema.parameters
SELECT {database} AS specific_catalog, n.nspname AS specific_schema, p.proname || '_' || p.oid AS specific_name, p.num::INTEGER AS ordinal_position,
  CASE p.proargmodes[p.num] WHEN 'o' THEN 'OUT' WHEN 't' THEN 'OUT' WHEN 'b' THEN 'INOUT' ELSE 'IN' END AS parameter_mode,
  'NO' AS is_result, 'NO' AS as_locator, nullif(p.proargnames[p.num], '') AS parameter_name,
  CASE WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY' WHEN nt.nspname = 'pg_catalog' THEN pg_catalog.format_type(t.oid, NULL)
       ELSE 'USER-DEFINED' END AS data_type,
  {database} AS udt_catalog, nt.nspname AS udt_schema, t.typname AS udt_name, p.num::VARCHAR AS dtd_identifier
FROM (SELECT *, coalesce(proallargtypes, proargtypes) AS types, unnest(range(1, len(coalesce(proallargtypes, proargtypes)) + 1)) AS num
      FROM pg_catalog.pg_proc) p
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_type t ON t.oid = p.types[p.num]
JOIN pg_catalog.pg_namespace nt ON nt.oid = t.typnamespace

-- information_schema.routine_privileges
SELECT 'ontosql' AS grantor, g.grantee, {database} AS specific_catalog, n.nspname AS specific_schema, p.proname || '_' || p.oid AS specific_name,
  {database} AS routine_catalog, n.nspname AS routine_schema, p.proname AS routine_name, 'EXECUTE' AS privilege_type,
  CASE g.grantee WHEN 'PUBLIC' THEN 'NO' ELSE 'YES' END AS is_grantable
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace, (VALUES ('ontosql'), ('PUBLIC')) g(grantee)

-- information_schema.role_routine_grants
SELECT * FROM information_schema.routine_privileges WHERE grantee <> 'PUBLIC'

-- information_schema.role_table_grants
SELECT * FROM information_schema.table_privileges WHERE grantee <> 'PUBLIC'

-- information_schema.column_privileges
SELECT p.grantor, p.grantee, p.table_catalog, p.table_schema, p.table_name, c.column_name, p.privilege_type, p.is_grantable
FROM information_schema.table_privileges p
JOIN information_schema.columns c ON c.table_schema = p.table_schema AND c.table_name = p.table_name
WHERE p.table_schema NOT IN ('pg_catalog', 'information_schema')

-- information_schema.role_column_grants
SELECT * FROM information_schema.column_privileges WHERE grantee <> 'PUBLIC'

-- information_schema.check_constraints
SELECT {database} AS constraint_catalog, n.nspname AS constraint_schema, n.oid || '_' || c.oid || '_' || a.attnum || '_not_null' AS constraint_name,
  a.attname || ' IS NOT NULL' AS check_clause
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attnotnull
WHERE c.relkind = 'r'
UNION ALL
SELECT {database}, n.nspname, c.conname, substring(pg_catalog.pg_get_constraintdef(c.oid), 7)
FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace
WHERE c.contype = 'c'

-- information_schema.domain_constraints
SELECT {database} AS constraint_catalog, n.nspname AS constraint_schema, c.conname AS constraint_name, {database} AS domain_catalog,
  tn.nspname AS domain_schema, t.typname AS domain_name, 'NO' AS is_deferrable, 'NO' AS initially_deferred
FROM pg_catalog.pg_constraint c
JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace
JOIN pg_catalog.pg_type t ON t.oid = c.contypid
JOIN pg_catalog.pg_namespace tn ON tn.oid = t.typnamespace

-- information_schema.column_udt_usage
SELECT {database} AS udt_catalog, udt_schema, udt_name, {database} AS table_catalog, table_schema, table_name, column_name
FROM information_schema.columns

-- information_schema.column_domain_usage
SELECT domain_catalog, domain_schema, domain_name, table_catalog, table_schema, table_name, column_name
FROM information_schema.columns WHERE domain_name IS NOT NULL

-- information_schema.domains
SELECT {database} AS domain_catalog, n.nspname AS domain_schema, t.typname AS domain_name, pg_catalog.format_type(b.oid, NULL) AS data_type,
  CASE WHEN b.typname IN ('varchar', 'bpchar') AND t.typtypmod > 4 THEN t.typtypmod - 4 END AS character_maximum_length,
  CASE WHEN b.typname IN ('text', 'varchar', 'bpchar') THEN CASE WHEN t.typtypmod > 4 THEN 4 * (t.typtypmod - 4) ELSE 1073741824 END END AS character_octet_length,
  CASE WHEN c.oid IS NOT NULL THEN {database} END AS collation_catalog, CASE WHEN c.oid IS NOT NULL THEN 'pg_catalog' END AS collation_schema,
  c.collname AS collation_name,
  CASE b.typname WHEN 'int2' THEN 16 WHEN 'int4' THEN 32 WHEN 'int8' THEN 64 END AS numeric_precision,
  CASE WHEN b.typname IN ('int2', 'int4', 'int8') THEN 2 END AS numeric_precision_radix, CASE WHEN b.typname IN ('int2', 'int4', 'int8') THEN 0 END AS numeric_scale,
  CASE WHEN b.typname IN ('timestamp', 'timestamptz') THEN CASE WHEN t.typtypmod < 0 THEN 6 ELSE t.typtypmod END END AS datetime_precision,
  t.typdefault AS domain_default, {database} AS udt_catalog, bn.nspname AS udt_schema, b.typname AS udt_name, '1' AS dtd_identifier
FROM pg_catalog.pg_type t
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype
JOIN pg_catalog.pg_namespace bn ON bn.oid = b.typnamespace
LEFT JOIN pg_catalog.pg_collation c ON c.oid = t.typcollation AND c.collname <> 'default'
WHERE t.typtype = 'd'

-- information_schema.domain_udt_usage
SELECT udt_catalog, udt_schema, udt_name, domain_catalog, domain_schema, domain_name FROM information_schema.domains

-- information_schema.data_type_privileges
SELECT table_catalog AS object_catalog, table_schema AS object_schema, table_name AS object_name, 'TABLE' AS object_type, dtd_identifier FROM information_schema.columns
UNION ALL SELECT domain_catalog, domain_schema, domain_name, 'DOMAIN', dtd_identifier FROM information_schema.domains
UNION ALL SELECT specific_catalog, specific_schema, specific_name, 'ROUTINE', dtd_identifier FROM information_schema.parameters
UNION ALL SELECT specific_catalog, specific_schema, specific_name, 'ROUTINE', dtd_identifier FROM information_schema.routines

-- information_schema.usage_privileges
SELECT 'ontosql' AS grantor, g.grantee, o.object_catalog, o.object_schema, o.object_name, o.object_type, 'USAGE' AS privilege_type,
  CASE g.grantee WHEN 'PUBLIC' THEN 'NO' ELSE 'YES' END AS is_grantable
FROM (SELECT domain_catalog AS object_catalog, domain_schema AS object_schema, domain_name AS object_name, 'DOMAIN' AS object_type FROM information_schema.domains) o,
  (VALUES ('ontosql'), ('PUBLIC')) g(grantee)
UNION ALL
SELECT 'ontosql', 'PUBLIC', {database}, 'pg_catalog', c.collname, 'COLLATION', 'USAGE', 'NO' FROM pg_catalog.pg_collation c

-- information_schema.role_usage_grants
SELECT * FROM information_schema.usage_privileges WHERE grantee <> 'PUBLIC'

-- information_schema.udt_privileges
SELECT 'ontosql' AS grantor, g.grantee, {database} AS udt_catalog, n.nspname AS udt_schema, t.typname AS udt_name, 'TYPE USAGE' AS privilege_type,
  CASE g.grantee WHEN 'PUBLIC' THEN 'NO' ELSE 'YES' END AS is_grantable
FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace, (VALUES ('ontosql'), ('PUBLIC')) g(grantee)
WHERE t.typtype = 'c'

-- information_schema.role_udt_grants
SELECT * FROM information_schema.udt_privileges WHERE grantee <> 'PUBLIC'

-- information_schema.collations
SELECT {database} AS collation_catalog, 'pg_catalog' AS collation_schema, collname AS collation_name, 'NO PAD' AS pad_attribute
FROM pg_catalog.pg_collation WHERE collencoding IN (-1, 6)

-- information_schema.collation_character_set_applicability
SELECT {database} AS collation_catalog, 'pg_catalog' AS collation_schema, collname AS collation_name, 'UTF8' AS character_set_name
FROM pg_catalog.pg_collation WHERE collencoding IN (-1, 6)

-- information_schema.view_column_usage
SELECT DISTINCT {database} AS view_catalog, nv.nspname AS view_schema, v.relname AS view_name, {database} AS table_catalog, nt.nspname AS table_schema,
  t.relname AS table_name, a.attname AS column_name
FROM pg_catalog.pg_rewrite r
JOIN pg_catalog.pg_class v ON v.oid = r.ev_class
JOIN pg_catalog.pg_namespace nv ON nv.oid = v.relnamespace
JOIN pg_catalog.pg_depend d ON d.classid = 2618 AND d.objid = r.oid AND d.refclassid = 1259 AND d.refobjid <> v.oid
JOIN pg_catalog.pg_class t ON t.oid = d.refobjid
JOIN pg_catalog.pg_namespace nt ON nt.oid = t.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid

-- pg_catalog.pg_stat_all_indexes
SELECT c.oid AS relid, i.oid AS indexrelid, n.nspname AS schemaname, c.relname, i.relname AS indexrelname, 0::BIGINT AS idx_scan,
  0::BIGINT AS idx_tup_read, 0::BIGINT AS idx_tup_fetch
FROM pg_catalog.pg_index x
JOIN pg_catalog.pg_class c ON c.oid = x.indrelid
JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace

-- pg_catalog.pg_stat_user_indexes
SELECT * FROM pg_catalog.pg_stat_all_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema')

-- pg_catalog.pg_stat_sys_indexes
SELECT * FROM pg_catalog.pg_stat_all_indexes WHERE schemaname IN ('pg_catalog', 'information_schema')

-- pg_catalog.pg_statio_all_indexes
SELECT relid, indexrelid, schemaname, relname, indexrelname, 0::BIGINT AS idx_blks_read, 0::BIGINT AS idx_blks_hit FROM pg_catalog.pg_stat_all_indexes

-- pg_catalog.pg_statio_user_indexes
SELECT * FROM pg_catalog.pg_statio_all_indexes WHERE schemaname NOT IN ('pg_catalog', 'information_schema')

-- pg_catalog.pg_statio_sys_indexes
SELECT * FROM pg_catalog.pg_statio_all_indexes WHERE schemaname IN ('pg_catalog', 'information_schema')

-- pg_catalog.pg_statio_all_tables
SELECT relid, schemaname, relname, 0::BIGINT AS heap_blks_read, 0::BIGINT AS heap_blks_hit, 0::BIGINT AS idx_blks_read, 0::BIGINT AS idx_blks_hit
FROM pg_catalog.pg_stat_all_tables

-- pg_catalog.pg_statio_user_tables
SELECT * FROM pg_catalog.pg_statio_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')

-- pg_catalog.pg_statio_sys_tables
SELECT * FROM pg_catalog.pg_statio_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema')

-- pg_catalog.pg_stat_xact_all_tables
SELECT relid, schemaname, relname, seq_scan, seq_tup_read, idx_scan, idx_tup_fetch, n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd
FROM pg_catalog.pg_stat_all_tables

-- pg_catalog.pg_stat_xact_user_tables
SELECT * FROM pg_catalog.pg_stat_xact_all_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')

-- pg_catalog.pg_stat_xact_sys_tables
SELECT * FROM pg_catalog.pg_stat_xact_all_tables WHERE schemaname IN ('pg_catalog', 'information_schema')

-- pg_catalog.pg_stat_database_conflicts
SELECT oid AS datid, datname, 0::BIGINT AS confl_tablespace, 0::BIGINT AS confl_lock, 0::BIGINT AS confl_snapshot, 0::BIGINT AS confl_bufferpin,
  0::BIGINT AS confl_deadlock
FROM pg_catalog.pg_database

-- pg_catalog.pg_stat_archiver
SELECT 0::BIGINT AS archived_count, 0::BIGINT AS failed_count

-- pg_catalog.pg_stat_bgwriter
SELECT 0::BIGINT AS checkpoints_timed, 0::BIGINT AS checkpoints_req, 0::DOUBLE AS checkpoint_write_time, 0::DOUBLE AS checkpoint_sync_time,
  0::BIGINT AS buffers_checkpoint, 0::BIGINT AS buffers_clean, 0::BIGINT AS maxwritten_clean, 0::BIGINT AS buffers_backend,
  0::BIGINT AS buffers_backend_fsync, 0::BIGINT AS buffers_alloc

-- pg_catalog.pg_stat_wal
SELECT 0::BIGINT AS wal_records, 0::BIGINT AS wal_fpi, 0::DECIMAL(38, 0) AS wal_bytes, 0::BIGINT AS wal_buffers_full, 0::BIGINT AS wal_write,
  0::BIGINT AS wal_sync, 0::DOUBLE AS wal_write_time, 0::DOUBLE AS wal_sync_time

-- pg_catalog.pg_sequences
SELECT n.nspname AS schemaname, c.relname AS sequencename, ontosql_catalog.pg_get_userbyid(c.relowner) AS sequenceowner, s.seqtypid AS data_type, s.seqstart AS start_value,
  s.seqmin AS min_value, s.seqmax AS max_value, s.seqincrement AS increment_by, s.seqcycle AS cycle, s.seqcache AS cache_size,
  ontosql_sequence(getvariable('ontosql_catalog_session')::BIGINT, 'pg_sequence_last_value',
    '"' || replace(n.nspname, '"', '""') || '"."' || replace(c.relname, '"', '""') || '"', 0::BIGINT, 0::BIGINT, 0::BIGINT) AS last_value
FROM pg_catalog.pg_sequence s JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
