package faults

import "testing"

// TestSandbox tries to leave it. Statements that PostgreSQL's grammar does not
// have are syntax errors; what it has and would reach the host is 42501.
func TestSandbox(t *testing.T) {
	t.Parallel()
	other := newStore(t, 3)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--db", "onto="+demoDir, "--db", "other="+other.dir)
	c := g.connect(t, "onto")
	for _, test := range []struct{ sql, code, says string }{
		{`SELECT * FROM read_csv('/etc/passwd')`, "42501", "read_csv"},
		{`SELECT * FROM read_text('/etc/passwd')`, "42501", "read_text"},
		{`SELECT * FROM read_blob('/etc/passwd')`, "42501", "read_blob"},
		{`SELECT * FROM read_parquet('` + demoDir + `/commits/*/*/*.parquet')`, "42501", "read_parquet"},
		{`SELECT * FROM parquet_metadata('x')`, "42501", "parquet_metadata"},
		{`SELECT * FROM READ_CSV('/etc/passwd')`, "42501", "read_csv"},
		{`SELECT * FROM "read_csv"('/etc/passwd')`, "42501", "read_csv"},
		{`SELECT * FROM pg_catalog.read_csv('/etc/passwd')`, "42", ""},
		{`SELECT read_text('/etc/passwd')`, "42501", "read_text"},
		{`SELECT (SELECT content FROM read_text('/etc/passwd'))`, "42501", "read_text"},
		{`WITH x AS (SELECT * FROM read_csv('/etc/passwd')) SELECT * FROM x`, "42501", "read_csv"},
		{`SELECT * FROM customer, LATERAL read_csv(name)`, "42501", "read_csv"},
		{`SELECT * FROM as_of.customer((SELECT content FROM read_text('/etc/passwd')))`, "", ""},
		{`SELECT * FROM "x.parquet"`, "42P01", "x.parquet"},
		{`SELECT * FROM "/etc/passwd"`, "42P01", "/etc/passwd"},
		{`SELECT * FROM "read_csv('/etc/passwd')"`, "42P01", ""},
		{`SELECT * FROM '/etc/passwd'`, "42601", ""},
		{`SELECT * FROM query('SELECT 1')`, "42501", "query"},
		{`SELECT * FROM query_table('customer')`, "42501", "query_table"},
		{`SELECT * FROM sniff_csv('/etc/passwd')`, "42501", "sniff_csv"},
		{`SELECT * FROM glob('/*')`, "42501", "glob"},
		{`SELECT getenv('HOME')`, "42501", "getenv"},
		{`SELECT current_setting('temp_directory')`, "42704", "temp_directory"},
		{`SELECT getvariable('x')`, "42", "getvariable"},
		{`SELECT * FROM duckdb_secrets()`, "42501", "duckdb_secrets"},
		{`SELECT * FROM duckdb_settings()`, "42501", "duckdb_settings"},
		{`SELECT * FROM duckdb_tables()`, "42501", "duckdb_tables"},
		{`SELECT * FROM duckdb_tables`, "42P01", "duckdb_tables"},
		{`SELECT * FROM sqlite_master`, "42P01", "sqlite_master"},
		{`SELECT * FROM which_secret('s3://x', 's3')`, "42501", "which_secret"},
		{`ATTACH 'x.db'`, "42601", ""},
		{`ATTACH DATABASE '/tmp/x' AS x`, "42601", ""},
		{`DETACH x`, "42601", ""},
		{`USE other`, "42601", ""},
		{`INSTALL httpfs`, "42601", ""},
		{`LOAD 'httpfs'`, "", ""},
		{`PRAGMA database_list`, "42601", ""},
		{`EXPORT DATABASE '/tmp/x'`, "42601", ""},
		{`IMPORT DATABASE '/tmp/x'`, "42601", ""},
		{`CALL pragma_version()`, "0A000", ""},
		{`DO $$ BEGIN END $$`, "0A000", ""},
		{`CREATE MACRO f() AS 1`, "42601", ""},
		{`CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'`, "0A000", ""},
		{`CREATE EXTENSION httpfs`, "0A000", ""},
		{`COPY customer TO '/x'`, "42501", "COPY"},
		{`COPY (SELECT 1) TO '/x'`, "42501", "COPY"},
		{`COPY customer FROM '/etc/passwd'`, "42501", "COPY"},
		{`COPY customer TO PROGRAM 'cat'`, "42501", "COPY"},
		{`SET memory_limit = '1GB'`, "42704", "memory_limit"},
		{`SET threads = 1`, "42704", "threads"},
		{`SET enable_external_access = true`, "42704", "enable_external_access"},
		{`SET GLOBAL memory_limit = '1GB'`, "42601", ""},
		{`SET s3_access_key_id = 'x'`, "42704", "s3_access_key_id"},
		{`SELECT set_config('memory_limit', '1GB', false)`, "42704", "memory_limit"},
		{`RESET memory_limit`, "42704", "memory_limit"},
		{`SHOW memory_limit`, "42704", "memory_limit"},
		{`ALTER SYSTEM SET work_mem = '1GB'`, "0A000", ""},
		{`SELECT * FROM ontosql_catalog.ontosql_commits`, "42P01", ""},
		{`SELECT * FROM ontosql_session.v1_1`, "42P01", ""},
		{`SELECT * FROM other.public.customer`, "0A000", "cross-database"},
		{`SELECT * FROM memory.main.customer`, "0A000", "cross-database"},
		{`SELECT * FROM temp.customer`, "42P01", ""},
		{`SELECT pg_read_file('/etc/passwd')`, "42", "pg_read_file"},
		{`SELECT pg_ls_dir('/')`, "42", "pg_ls_dir"},
		{`SELECT lo_import('/etc/passwd')`, "42", "lo_import"},
		{`SELECT * FROM dblink('x', 'y')`, "42", "dblink"},
	} {
		_, err := c.ask(t, test.sql)
		e := wantError(t, test.sql, err, stateOf(err, test.code), test.says)
		if e != nil && e.Code == "XX000" {
			t.Errorf("%s: %s, want a clear refusal", test.sql, describe(e))
		}
	}
	c.answers(t, `SELECT count(*) FROM customer`, "40")
	g.connect(t, "other").answers(t, `SELECT count(*) FROM customer`, "2")
}
