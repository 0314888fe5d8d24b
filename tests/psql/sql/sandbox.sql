-- SQL reaches no file, no network and no other database.
\set VERBOSITY verbose
SELECT * FROM read_csv('/etc/passwd');
SELECT * FROM "x.parquet";
SELECT * FROM '/etc/passwd';
SELECT * FROM query('SELECT 1');
SELECT * FROM glob('/*');
SELECT getenv('HOME');
SELECT * FROM duckdb_secrets();
SELECT * FROM duckdb_settings();
SELECT * FROM pragma_version();
ATTACH 'x.db';
COPY customer TO '/tmp/x';
COPY customer TO PROGRAM 'cat';
INSTALL httpfs;
LOAD httpfs;
PRAGMA database_list;
SET memory_limit = '1GB';
SET enable_external_access = true;
SELECT * FROM ontosql_catalog.ontosql_commits;
SELECT * FROM other.public.customer;
