package pgcatalog

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

var rewriteShape = flag.Bool("rewrite-shape", false, "write shape.tsv and rows.tsv from the PostgreSQL 15 of this machine")

// TestShapeIsPostgreSQLs compares the embedded files with a new cluster of
// PostgreSQL 15. With -rewrite-shape it is their generator:
//
//	go test ./catalog/pgcatalog -run TestShapeIsPostgreSQLs -rewrite-shape
func TestShapeIsPostgreSQLs(t *testing.T) {
	conn := postgres(t)
	files := map[string][]byte{
		"shape.tsv": copyOut(t, conn, shapeQuery),
		"rows.tsv":  rowFile(t, conn),
	}
	for name, want := range files {
		if *rewriteShape {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
			t.Errorf("%s differs from PostgreSQL (-server +file):\n%s", name, diff)
		}
	}
}

// shapeQuery gives one line for each relation: schema, name, OID, kind, and its
// columns as "name type", with a "~" after a type whose values are in collation C where
// the type's are not, and a "!" after one that is NOT NULL.
const shapeQuery = `
SELECT n.nspname, c.relname, c.oid, c.relkind,
       string_agg(a.attname || ' ' || t.typname || CASE WHEN a.attcollation = 950 AND t.typcollation <> 950 THEN '~' ELSE '' END || CASE WHEN a.attnotnull THEN '!' ELSE '' END, ',' ORDER BY a.attnum)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 2`

// builtinTypes are the types of an empty database.
const builtinTypes = "SELECT oid FROM pg_type WHERE oid < 16384"

// usedFunctions are the functions that a row of another embedded relation
// names, and those a client may look up because ontosql answers them.
const usedFunctions = `
SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typsubscript]::oid[])
FROM pg_type WHERE oid IN (` + builtinTypes + `)
UNION SELECT amhandler FROM pg_am
UNION SELECT unnest(ARRAY[lanplcallfoid, laninline, lanvalidator]) FROM pg_language
UNION SELECT unnest(ARRAY[rngcanonical, rngsubdiff]::oid[]) FROM pg_range
UNION SELECT castfunc FROM pg_cast
UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn]::oid[])
FROM pg_aggregate
UNION SELECT amproc FROM pg_amproc
UNION SELECT unnest(ARRAY[prsstart, prstoken, prsend, prsheadline, prslextype]::oid[]) FROM pg_ts_parser
UNION SELECT unnest(ARRAY[tmplinit, tmpllexize]::oid[]) FROM pg_ts_template
UNION SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN (
	'abs', 'aclcontains', 'acldefault', 'aclexplode', 'acos', 'age', 'array_agg', 'array_append', 'array_cat',
	'array_dims', 'array_fill', 'array_length', 'array_lower', 'array_ndims', 'array_position', 'array_positions',
	'array_prepend', 'array_remove', 'array_replace', 'array_to_json', 'array_to_string', 'array_upper', 'ascii',
	'asin', 'atan', 'atan2', 'avg', 'bit_and', 'bit_length', 'bit_or', 'bit_xor', 'bool_and', 'bool_or', 'btrim',
	'cardinality', 'cbrt', 'ceil', 'ceiling', 'char_length', 'character_length', 'chr', 'clock_timestamp',
	'col_description', 'concat', 'concat_ws', 'convert_from', 'convert_to', 'corr', 'cos', 'cot', 'count', 'covar_pop',
	'covar_samp', 'cume_dist', 'current_database', 'current_query', 'current_schema', 'current_schemas',
	'current_setting', 'current_user', 'date_bin', 'date_part', 'date_trunc', 'decode', 'degrees', 'dense_rank', 'div',
	'encode', 'every', 'exp', 'extract', 'first_value', 'floor', 'format', 'format_type', 'gcd', 'gen_random_uuid',
	'generate_series', 'generate_subscripts', 'getdatabaseencoding', 'has_any_column_privilege', 'has_column_privilege',
	'has_database_privilege', 'has_function_privilege', 'has_language_privilege', 'has_schema_privilege',
	'has_sequence_privilege', 'has_table_privilege', 'has_tablespace_privilege', 'has_type_privilege',
	'inet_client_addr', 'inet_client_port', 'inet_server_addr', 'inet_server_port', 'initcap', 'isfinite', 'json_agg',
	'json_array_elements', 'json_array_elements_text', 'json_array_length', 'json_build_array', 'json_build_object',
	'json_each', 'json_each_text', 'json_extract_path', 'json_extract_path_text', 'json_object', 'json_object_agg',
	'json_object_keys', 'json_strip_nulls', 'json_typeof', 'jsonb_agg', 'jsonb_array_elements',
	'jsonb_array_elements_text', 'jsonb_array_length', 'jsonb_build_array', 'jsonb_build_object', 'jsonb_concat',
	'jsonb_contained', 'jsonb_contains', 'jsonb_delete', 'jsonb_delete_path', 'jsonb_each', 'jsonb_each_text',
	'jsonb_exists', 'jsonb_extract_path', 'jsonb_extract_path_text', 'jsonb_insert', 'jsonb_object', 'jsonb_object_agg',
	'jsonb_object_keys', 'jsonb_path_exists', 'jsonb_path_match', 'jsonb_path_query', 'jsonb_path_query_array',
	'jsonb_path_query_first', 'jsonb_pretty', 'jsonb_set', 'jsonb_set_lax', 'jsonb_strip_nulls', 'jsonb_typeof',
	'justify_days', 'justify_hours', 'justify_interval', 'lag', 'last_value', 'lcm', 'lead', 'left', 'length', 'ln',
	'log', 'log10', 'lower', 'lpad', 'ltrim', 'make_date', 'make_interval', 'make_time', 'make_timestamp',
	'make_timestamptz', 'makeaclitem', 'max', 'md5', 'min', 'mod', 'mode', 'nameconcatoid', 'now', 'nth_value', 'ntile',
	'obj_description', 'octet_length', 'oidvectortypes', 'overlaps', 'overlay', 'parse_ident', 'percent_rank', 'percentile_cont', 'percentile_disc',
	'pg_advisory_lock', 'pg_advisory_lock_shared', 'pg_advisory_unlock', 'pg_advisory_unlock_all',
	'pg_advisory_unlock_shared', 'pg_advisory_xact_lock', 'pg_advisory_xact_lock_shared',
	'pg_available_extension_versions', 'pg_available_extensions', 'pg_backend_pid', 'pg_blocking_pids',
	'pg_cancel_backend', 'pg_char_to_encoding', 'pg_client_encoding', 'pg_collation_is_visible',
	'pg_column_is_updatable', 'pg_conf_load_time', 'pg_config', 'pg_conversion_is_visible', 'pg_cursor',
	'pg_database_size', 'pg_describe_object', 'pg_encoding_max_length', 'pg_encoding_to_char', 'pg_filenode_relation',
	'pg_function_is_visible', 'pg_get_constraintdef', 'pg_get_expr', 'pg_get_function_arg_default',
	'pg_get_function_arguments', 'pg_get_function_identity_arguments', 'pg_get_function_result',
	'pg_get_function_sqlbody', 'pg_get_functiondef', 'pg_get_indexdef', 'pg_get_keywords',
	'pg_get_partition_constraintdef', 'pg_get_partkeydef', 'pg_get_replica_identity_index', 'pg_get_replication_slots',
	'pg_get_ruledef', 'pg_get_serial_sequence', 'pg_get_statisticsobjdef', 'pg_get_statisticsobjdef_columns',
	'pg_get_triggerdef', 'pg_get_userbyid', 'pg_get_viewdef', 'pg_has_role', 'pg_hba_file_rules', 'pg_identify_object',
	'pg_identify_object_as_address', 'pg_index_column_has_property', 'pg_index_has_property', 'pg_indexam_has_property',
	'pg_indexes_size', 'pg_is_in_recovery', 'pg_is_other_temp_schema', 'pg_is_wal_replay_paused', 'pg_isolation_test_session_is_blocked',
	'pg_jit_available', 'pg_last_wal_receive_lsn', 'pg_last_wal_replay_lsn', 'pg_last_xact_replay_timestamp', 'pg_listening_channels',
	'pg_lock_status', 'pg_my_temp_schema', 'pg_notification_queue_usage', 'pg_notify', 'pg_opclass_is_visible',
	'pg_operator_is_visible', 'pg_opfamily_is_visible', 'pg_options_to_table', 'pg_partition_ancestors',
	'pg_partition_root', 'pg_partition_tree', 'pg_postmaster_start_time', 'pg_prepared_statement', 'pg_prepared_xact',
	'pg_relation_filenode', 'pg_relation_filepath', 'pg_relation_is_publishable', 'pg_relation_is_updatable',
	'pg_relation_size', 'pg_reload_conf', 'pg_safe_snapshot_blocking_pids', 'pg_show_all_file_settings',
	'pg_show_all_settings', 'pg_size_bytes', 'pg_size_pretty', 'pg_stat_clear_snapshot', 'pg_stat_get_analyze_count',
	'pg_stat_get_autoanalyze_count', 'pg_stat_get_autovacuum_count', 'pg_stat_get_blocks_fetched',
	'pg_stat_get_blocks_hit', 'pg_stat_get_db_blocks_fetched', 'pg_stat_get_db_blocks_hit', 'pg_stat_get_db_deadlocks',
	'pg_stat_get_db_stat_reset_time', 'pg_stat_get_db_temp_bytes', 'pg_stat_get_db_temp_files',
	'pg_stat_get_db_tuples_deleted', 'pg_stat_get_db_tuples_fetched', 'pg_stat_get_db_tuples_inserted',
	'pg_stat_get_db_tuples_returned', 'pg_stat_get_db_tuples_updated', 'pg_stat_get_db_xact_commit',
	'pg_stat_get_db_xact_rollback', 'pg_stat_get_dead_tuples', 'pg_stat_get_ins_since_vacuum',
	'pg_stat_get_last_analyze_time', 'pg_stat_get_last_autoanalyze_time', 'pg_stat_get_last_autovacuum_time',
	'pg_stat_get_last_vacuum_time', 'pg_stat_get_live_tuples', 'pg_stat_get_mod_since_analyze', 'pg_stat_get_numscans',
	'pg_stat_get_snapshot_timestamp', 'pg_stat_get_tuples_deleted', 'pg_stat_get_tuples_fetched',
	'pg_stat_get_tuples_hot_updated', 'pg_stat_get_tuples_inserted', 'pg_stat_get_tuples_returned',
	'pg_stat_get_tuples_updated', 'pg_stat_get_vacuum_count', 'pg_statistics_obj_is_visible', 'pg_table_is_visible',
	'pg_table_size', 'pg_tablespace_location', 'pg_tablespace_size', 'pg_terminate_backend', 'pg_timezone_abbrevs',
	'pg_timezone_names', 'pg_total_relation_size', 'pg_trigger_depth', 'pg_try_advisory_lock',
	'pg_try_advisory_lock_shared', 'pg_try_advisory_xact_lock', 'pg_try_advisory_xact_lock_shared',
	'pg_ts_config_is_visible', 'pg_ts_dict_is_visible', 'pg_ts_parser_is_visible', 'pg_ts_template_is_visible',
	'pg_type_is_visible', 'pg_typeof', 'pi', 'plpgsql_call_handler', 'position', 'pow', 'power', 'quote_ident',
	'quote_literal', 'quote_nullable', 'radians', 'random', 'rank', 'regexp_count', 'regexp_instr', 'regexp_like',
	'regexp_match', 'regexp_matches', 'regexp_replace', 'regexp_split_to_array', 'regexp_split_to_table',
	'regexp_substr', 'regr_avgx', 'regr_avgy', 'regr_count', 'regr_intercept', 'regr_r2', 'regr_slope', 'regr_sxx',
	'regr_sxy', 'regr_syy', 'repeat', 'replace', 'reverse', 'right', 'round', 'row_number', 'row_security_active',
	'row_to_json', 'rpad', 'rtrim', 'session_user', 'set_config', 'sha224', 'sha256', 'sha384', 'sha512',
	'shobj_description', 'sign', 'sin', 'split_part', 'sqrt', 'starts_with', 'statement_timestamp', 'stddev',
	'stddev_pop', 'stddev_samp', 'string_agg', 'string_to_array', 'string_to_table', 'strpos', 'substr', 'substring',
	'sum', 'tan', 'timezone', 'to_char', 'to_date', 'to_hex', 'to_json', 'to_jsonb', 'to_number', 'to_regclass',
	'to_regcollation', 'to_regnamespace', 'to_regoper', 'to_regoperator', 'to_regproc', 'to_regprocedure', 'to_regrole',
	'to_regtype', 'to_timestamp', 'transaction_timestamp', 'translate', 'trim_array', 'trunc', 'ts_token_type',
	'txid_current', 'txid_current_if_assigned', 'unnest', 'upper', 'var_pop', 'var_samp', 'variance', 'version', 'width_bucket',
	'acosh', 'asinh', 'atanh', 'bit_count', 'convert', 'cosh', 'factorial', 'get_bit', 'get_byte', 'is_normalized', 'min_scale',
	'like', 'like_escape', 'normalize', 'notlike', 'num_nonnulls', 'num_nulls', 'pg_collation_for', 'pg_sleep', 'pg_sleep_for', 'pg_sleep_until', 'scale', 'set_bit', 'set_byte', 'similar_escape',
	'similar_to_escape', 'sinh', 'tanh', 'unistr')`

// rowSets are the relations whose built-in rows clients look at.
var rowSets = []struct{ relation, where string }{
	{"pg_aggregate", "aggfnoid IN (" + usedFunctions + ")"},
	{"pg_am", "true"},
	{"pg_amop", "true"},
	{"pg_amproc", "true"},
	{"pg_auth_members", "true"},
	{"pg_cast", "true"},
	{"pg_collation", "oid IN (100, 950, 951) OR collname = 'ucs_basic'"},
	{"pg_constraint", ownConstraints},
	{"pg_conversion", "true"},
	{"pg_depend", "refclassid = 'pg_extension'::regclass"},
	{"pg_description", "classoid IN ('pg_am'::regclass, 'pg_collation'::regclass, 'pg_conversion'::regclass, 'pg_extension'::regclass, " +
		"'pg_language'::regclass, 'pg_operator'::regclass, 'pg_ts_config'::regclass, 'pg_ts_dict'::regclass, 'pg_ts_parser'::regclass, " +
		"'pg_ts_template'::regclass, 'pg_type'::regclass) OR classoid = 'pg_namespace'::regclass AND objoid IN (11, 99) OR classoid = 'pg_proc'::regclass AND objoid IN (" + usedFunctions + ")"},
	{"pg_extension", "true"},
	{"pg_index", indexesOfTables},
	{"pg_language", "true"},
	{"pg_opclass", "true"},
	{"pg_operator", "true"},
	{"pg_opfamily", "true"},
	{"pg_proc", "oid IN (" + usedFunctions + ")"},
	{"pg_range", "true"},
	{"pg_authid", `rolname LIKE 'pg\_%'`},
	{"pg_roles", `rolname LIKE 'pg\_%'`},
	{"pg_tablespace", "true"},
	{"pg_ts_config", "true"},
	{"pg_ts_config_map", "true"},
	{"pg_ts_dict", "true"},
	{"pg_ts_parser", "true"},
	{"pg_ts_template", "true"},
	{"pg_type", "oid IN (" + builtinTypes + ")"},
	{"information_schema.sql_features", "true"},
	{"information_schema.sql_implementation_info", "true"},
	{"information_schema.sql_parts", "true"},
	{"information_schema.sql_sizing", "true"},
}

// ownConstraints are those of the tables of pg_catalog and of the domains.
const ownConstraints = "connamespace = 'pg_catalog'::regnamespace AND conrelid <> 0 OR contypid <> 0"

// indexesOfTables are those of the tables of pg_catalog.
const indexesOfTables = "indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r')"

// namedFunctions are the functions behind operators and casts, which clients see by name but do
// not call.
const namedFunctions = `
SELECT unnest(ARRAY[oprcode, oprrest, oprjoin]::oid[]) FROM pg_operator
UNION SELECT conproc FROM pg_conversion
EXCEPT SELECT oid FROM pg_proc WHERE oid IN (` + usedFunctions + `)`

// settings are those of PostgreSQL that ontosql has.
const settings = `
	'DateStyle', 'IntervalStyle', 'TimeZone', 'allow_system_table_mods', 'application_name', 'array_nulls',
	'autovacuum', 'autovacuum_max_workers', 'backslash_quote', 'block_size', 'bytea_output', 'check_function_bodies',
	'client_connection_check_interval', 'client_encoding', 'client_min_messages', 'compute_query_id',
	'constraint_exclusion', 'cpu_index_tuple_cost', 'cpu_operator_cost', 'cpu_tuple_cost', 'cursor_tuple_fraction',
	'data_checksums', 'deadlock_timeout', 'debug_pretty_print', 'debug_print_parse', 'debug_print_plan',
	'debug_print_rewritten', 'default_statistics_target', 'default_table_access_method', 'default_tablespace',
	'default_text_search_config', 'default_toast_compression', 'default_transaction_deferrable',
	'default_transaction_isolation', 'default_transaction_read_only', 'effective_cache_size',
	'effective_io_concurrency', 'enable_async_append', 'enable_bitmapscan', 'enable_gathermerge', 'enable_hashagg',
	'enable_hashjoin', 'enable_incremental_sort', 'enable_indexonlyscan', 'enable_indexscan', 'enable_material',
	'enable_memoize', 'enable_mergejoin', 'enable_nestloop', 'enable_parallel_append', 'enable_parallel_hash',
	'enable_partition_pruning', 'enable_partitionwise_aggregate', 'enable_partitionwise_join', 'enable_seqscan',
	'enable_sort', 'enable_tidscan', 'escape_string_warning', 'extra_float_digits', 'force_parallel_mode',
	'from_collapse_limit', 'fsync', 'full_page_writes', 'geqo', 'geqo_effort', 'geqo_generations', 'geqo_pool_size',
	'geqo_seed', 'geqo_selection_bias', 'geqo_threshold', 'gin_fuzzy_search_limit', 'gin_pending_list_limit',
	'hash_mem_multiplier', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'in_hot_standby',
	'integer_datetimes', 'is_superuser', 'jit', 'jit_above_cost', 'jit_expressions', 'jit_inline_above_cost',
	'jit_optimize_above_cost', 'jit_tuple_deforming', 'join_collapse_limit', 'lc_collate', 'lc_ctype', 'lc_messages',
	'lc_monetary', 'lc_numeric', 'lc_time', 'lock_timeout', 'log_destination', 'log_duration', 'log_error_verbosity',
	'log_lock_waits', 'log_min_duration_sample', 'log_min_duration_statement', 'log_min_error_statement',
	'log_min_messages', 'log_statement', 'logical_decoding_work_mem', 'maintenance_io_concurrency',
	'maintenance_work_mem', 'max_connections', 'max_function_args', 'max_identifier_length', 'max_index_keys',
	'max_logical_replication_workers', 'max_parallel_maintenance_workers', 'max_parallel_workers',
	'max_parallel_workers_per_gather', 'max_prepared_transactions', 'max_replication_slots', 'max_wal_senders',
	'max_worker_processes', 'min_parallel_index_scan_size', 'min_parallel_table_scan_size',
	'parallel_leader_participation', 'parallel_setup_cost', 'parallel_tuple_cost', 'password_encryption',
	'plan_cache_mode', 'quote_all_identifiers', 'random_page_cost', 'recursive_worktable_factor', 'role',
	'row_security', 'search_path', 'segment_size', 'seq_page_cost', 'server_encoding', 'server_version',
	'server_version_num', 'session_authorization', 'session_replication_role', 'shared_buffers',
	'shared_preload_libraries', 'standard_conforming_strings', 'statement_timeout', 'stats_fetch_consistency',
	'superuser_reserved_connections', 'synchronize_seqscans', 'synchronous_commit', 'tcp_keepalives_count',
	'tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_user_timeout', 'temp_buffers', 'temp_tablespaces',
	'track_activities', 'track_counts', 'track_functions', 'track_io_timing', 'track_wal_io_timing',
	'transaction_deferrable', 'transaction_isolation', 'transaction_read_only', 'transform_null_equals',
	'vacuum_cost_delay', 'vacuum_cost_limit', 'vacuum_cost_page_dirty', 'vacuum_cost_page_hit', 'vacuum_cost_page_miss',
	'vacuum_freeze_min_age', 'vacuum_freeze_table_age', 'wal_level', 'wal_skip_threshold', 'work_mem', 'xmlbinary',
	'xmloption'`

// rowFile has a section "@relation" with rows in COPY's text format for each of
// rowSets, columns of type regproc as OIDs, and at last the SQL key words.
func rowFile(t *testing.T, conn *pgconn.PgConn) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, set := range rowSets {
		columns := strings.TrimSpace(string(copyOut(t, conn, fmt.Sprintf(`
SELECT string_agg(CASE atttypid WHEN 'regproc'::regtype THEN attname || '::oid' WHEN 'pg_node_tree'::regtype THEN 'NULL'
                  ELSE quote_ident(attname) END, ', ' ORDER BY attnum)
FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0`, set.relation))))
		fmt.Fprintf(&out, "@%s\n", strings.TrimPrefix(set.relation, "information_schema."))
		order := "1, 2"
		if set.relation == "pg_opclass" { // \dAf lists types as they come
			order = "ctid"
		}
		out.Write(copyOut(t, conn, fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s", columns, set.relation, set.where, order)))
	}
	out.WriteString("@ontosql_indexes\n")
	out.Write(copyOut(t, conn, "SELECT indexrelid, indexrelid::regclass, pg_get_indexdef(indexrelid), pg_get_indexdef(indexrelid, 0, true) FROM pg_index WHERE "+
		indexesOfTables+" ORDER BY 1"))
	out.WriteString("@ontosql_constraints\n")
	out.Write(copyOut(t, conn, "SELECT oid, pg_get_constraintdef(oid), pg_get_constraintdef(oid, true) FROM pg_constraint WHERE "+ownConstraints+" ORDER BY 1"))
	out.WriteString("@ontosql_views\n")
	out.Write(copyOut(t, conn, `SELECT n.nspname, c.relname, pg_get_viewdef(c.oid), pg_get_viewdef(c.oid, true)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind = 'v' ORDER BY 1, 2`))
	out.WriteString("@ontosql_functions\n")
	out.Write(copyOut(t, conn, "SELECT oid, oid::regproc FROM ("+namedFunctions+") f(oid) WHERE oid <> 0 ORDER BY 1"))
	out.WriteString("@ontosql_settings\n")
	out.Write(copyOut(t, conn, "SELECT name, category, unit, extra_desc, context, vartype, min_val, max_val, enumvals FROM pg_settings WHERE name IN ("+
		settings+") ORDER BY 1"))
	out.WriteString("@ontosql_keywords\n")
	out.Write(copyOut(t, conn, "SELECT * FROM pg_get_keywords() ORDER BY 1"))
	return out.Bytes()
}

func copyOut(t *testing.T, conn *pgconn.PgConn, query string) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := conn.CopyTo(t.Context(), &out, "COPY ("+query+") TO STDOUT"); err != nil {
		t.Fatalf("ask PostgreSQL %s: %v", query, err)
	}
	return out.Bytes()
}
