package functions

// Refused are functions of PostgreSQL that clients write with and the engine
// cannot do exactly: they are refused by name, for they do exist.
var Refused = []string{
	"jsonb_populate_record", "jsonb_populate_recordset", "json_populate_record", "json_populate_recordset", "jsonb_to_record", "jsonb_to_recordset",
	"json_to_record", "json_to_recordset",
}

// EngineOnly are functions of DuckDB, and of PostgreSQL's superusers, that reach files,
// the network or the configuration. Naming one is answered with 42501 and not with 42883, so that
// an audit can tell a probe from a typo.
var EngineOnly = map[string]bool{
	"read_csv": true, "read_csv_auto": true, "read_parquet": true, "parquet_scan": true, "read_json": true, "read_json_auto": true,
	"read_json_objects": true, "read_json_objects_auto": true, "read_ndjson": true, "read_ndjson_auto": true, "read_ndjson_objects": true,
	"read_text": true, "read_blob": true, "read_duckdb": true, "sniff_csv": true, "glob": true, "parquet_metadata": true, "parquet_schema": true,
	"parquet_file_metadata": true, "parquet_kv_metadata": true, "parquet_bloom_probe": true, "query": true, "query_table": true,
	"getenv": true, "getvariable": true, "which_secret": true, "load_extension": true, "install_extension": true, "checkpoint": true,
	"force_checkpoint": true, "iceberg_scan": true, "delta_scan": true, "sqlite_scan": true, "postgres_scan": true, "mysql_scan": true,
	"arrow_scan": true, "arrow_scan_dumb": true, "seq_scan": true, "from_substrait": true, "write_log": true, "pg_read_file": true,
	"pg_read_binary_file": true, "pg_ls_dir": true, "pg_stat_file": true, "lo_import": true, "lo_export": true, "read_xlsx": true,
	"http_get": true, "pg_ls_tmpdir": true, "pg_ls_logdir": true, "pg_ls_waldir": true, "pg_ls_archive_statusdir": true,
}
