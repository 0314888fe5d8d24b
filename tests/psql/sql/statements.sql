-- What statements cost, who does what, and the state of the mirror.
\d+ ontosql.statements
\d+ ontosql.mirror
SET application_name = 'accounting';
SELECT count(*) FROM customer WHERE tier = 'gold';
SELECT 1/0;
SELEKT;
BEGIN;
SELECT state, wait_event, xact_start IS NOT NULL AS inside, query FROM pg_stat_activity WHERE pid = pg_backend_pid();
COMMIT;
SELECT query, row_count, source <> 'none' AS types, sqlstate, bytes_sent > 0 AS sent, duration_ms > 0 AS took FROM ontosql.statements WHERE application_name = 'accounting' AND pid = pg_backend_pid() ORDER BY statement_id;
SELECT count(*) = (SELECT count(*) FROM ontosql.types) AS all_types FROM ontosql.mirror;
EXPLAIN (WAL) SELECT 1;
EXPLAIN (ANALYZE perhaps) SELECT 1;
EXPLAIN (nosuch) SELECT 1;
EXPLAIN (VERBOSE, COSTS off, FORMAT text) SELECT 1;
EXPLAIN (ANALYZE, SUMMARY off) SELECT 1;
