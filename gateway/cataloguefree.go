package gateway

import (
	"math"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// withoutEffect are settings of PostgreSQL's planner, memory and maintenance that
// tools set and read back. Here they take what PostgreSQL takes, and change nothing.
var withoutEffect = []setting{
	{name: "array_nulls", boot: "on", check: boolean("array_nulls"), about: "Enable input of NULL elements in arrays."},
	{name: "constraint_exclusion", boot: "partition", check: oneOf("constraint_exclusion", "partition", "on", "off"), about: "Enables the planner to use constraints to optimize queries."},
	{name: "cpu_index_tuple_cost", boot: "0.005", check: cost("cpu_index_tuple_cost"), about: "Sets the planner's estimate of the cost of processing each index entry."},
	{name: "cpu_operator_cost", boot: "0.0025", check: cost("cpu_operator_cost"), about: "Sets the planner's estimate of the cost of processing each operator or function call."},
	{name: "cpu_tuple_cost", boot: "0.01", check: cost("cpu_tuple_cost"), about: "Sets the planner's estimate of the cost of processing each tuple."},
	{name: "cursor_tuple_fraction", boot: "0.1", check: cost("cursor_tuple_fraction"), about: "Sets the planner's estimate of the fraction of a cursor's rows that will be retrieved."},
	{name: "deadlock_timeout", boot: "1s", unit: "ms", check: duration("deadlock_timeout"), about: "Sets the time to wait on a lock before checking for deadlock."},
	{name: "default_statistics_target", boot: "100", check: integer("default_statistics_target", 1, 10000), about: "Sets the default statistics target."},
	{name: "default_tablespace", about: "Sets the default tablespace to create tables and indexes in."},
	{name: "default_text_search_config", boot: "pg_catalog.simple", about: "Sets default text search configuration."},
	{name: "effective_cache_size", boot: "4GB", check: pages("effective_cache_size"), about: "Sets the planner's assumption about the total size of the data caches."},
	{name: "effective_io_concurrency", boot: "1", check: integer("effective_io_concurrency", 0, 1000), about: "Number of simultaneous requests that can be handled efficiently by the disk subsystem."},
	{name: "enable_bitmapscan", boot: "on", check: boolean("enable_bitmapscan"), about: "Enables the planner's use of bitmap-scan plans."},
	{name: "enable_hashagg", boot: "on", check: boolean("enable_hashagg"), about: "Enables the planner's use of hashed aggregation plans."},
	{name: "enable_hashjoin", boot: "on", check: boolean("enable_hashjoin"), about: "Enables the planner's use of hash join plans."},
	{name: "enable_incremental_sort", boot: "on", check: boolean("enable_incremental_sort"), about: "Enables the planner's use of incremental sort steps."},
	{name: "enable_indexonlyscan", boot: "on", check: boolean("enable_indexonlyscan"), about: "Enables the planner's use of index-only-scan plans."},
	{name: "enable_indexscan", boot: "on", check: boolean("enable_indexscan"), about: "Enables the planner's use of index-scan plans."},
	{name: "enable_material", boot: "on", check: boolean("enable_material"), about: "Enables the planner's use of materialization."},
	{name: "enable_memoize", boot: "on", check: boolean("enable_memoize"), about: "Enables the planner's use of memoization."},
	{name: "enable_mergejoin", boot: "on", check: boolean("enable_mergejoin"), about: "Enables the planner's use of merge join plans."},
	{name: "enable_nestloop", boot: "on", check: boolean("enable_nestloop"), about: "Enables the planner's use of nested-loop join plans."},
	{name: "enable_parallel_append", boot: "on", check: boolean("enable_parallel_append"), about: "Enables the planner's use of parallel append plans."},
	{name: "enable_parallel_hash", boot: "on", check: boolean("enable_parallel_hash"), about: "Enables the planner's use of parallel hash plans."},
	{name: "enable_partition_pruning", boot: "on", check: boolean("enable_partition_pruning"), about: "Enables plan-time and execution-time partition pruning."},
	{name: "enable_seqscan", boot: "on", check: boolean("enable_seqscan"), about: "Enables the planner's use of sequential-scan plans."},
	{name: "enable_sort", boot: "on", check: boolean("enable_sort"), about: "Enables the planner's use of explicit sort steps."},
	{name: "enable_tidscan", boot: "on", check: boolean("enable_tidscan"), about: "Enables the planner's use of TID scan plans."},
	{name: "escape_string_warning", boot: "on", check: boolean("escape_string_warning"), about: "Warn about backslash escapes in ordinary string literals."},
	{name: "from_collapse_limit", boot: "8", check: integer("from_collapse_limit", 1, math.MaxInt32), about: "Sets the FROM-list size beyond which subqueries are not collapsed."},
	{name: "geqo", boot: "on", check: boolean("geqo"), about: "Enables genetic query optimization."},
	{name: "geqo_threshold", boot: "12", check: integer("geqo_threshold", 2, math.MaxInt32), about: "Sets the threshold of FROM items beyond which GEQO is used."},
	{name: "join_collapse_limit", boot: "8", check: integer("join_collapse_limit", 1, math.MaxInt32), about: "Sets the FROM-list size beyond which JOIN constructs are not flattened."},
	{name: "log_min_duration_sample", boot: "-1", check: integer("log_min_duration_sample", -1, math.MaxInt32), about: "Sets the minimum execution time above which a sample of statements will be logged. Sampling is determined by log_statement_sample_rate."},
	{name: "log_min_duration_statement", boot: "-1", check: integer("log_min_duration_statement", -1, math.MaxInt32), about: "Sets the minimum execution time above which all statements will be logged."},
	{name: "log_statement", boot: "none", check: oneOf("log_statement", "none", "ddl", "mod", "all"), about: "Sets the type of statements logged."},
	{name: "maintenance_work_mem", boot: "64MB", check: kilobytes("maintenance_work_mem", 1024), about: "Sets the maximum memory to be used for maintenance operations."},
	{name: "max_parallel_workers", boot: "8", check: integer("max_parallel_workers", 0, 1024), about: "Sets the maximum number of parallel workers that can be active at one time."},
	{name: "max_parallel_workers_per_gather", boot: "2", check: integer("max_parallel_workers_per_gather", 0, 1024), about: "Sets the maximum number of parallel processes per executor node."},
	{name: "parallel_setup_cost", boot: "1000", check: cost("parallel_setup_cost"), about: "Sets the planner's estimate of the cost of starting up worker processes for parallel query."},
	{name: "parallel_tuple_cost", boot: "0.1", check: cost("parallel_tuple_cost"), about: "Sets the planner's estimate of the cost of passing each tuple from worker to leader backend."},
	{name: "plan_cache_mode", boot: "auto", check: oneOf("plan_cache_mode", "auto", "force_generic_plan", "force_custom_plan"), about: "Controls the planner's selection of custom or generic plan."},
	{name: "quote_all_identifiers", boot: "off", check: boolean("quote_all_identifiers"), about: "When generating SQL fragments, quote all identifiers."},
	{name: "random_page_cost", boot: "4", check: cost("random_page_cost"), about: "Sets the planner's estimate of the cost of a nonsequentially fetched disk page."},
	{name: "seq_page_cost", boot: "1", check: cost("seq_page_cost"), about: "Sets the planner's estimate of the cost of a sequentially fetched disk page."},
	{name: "session_replication_role", boot: "origin", check: oneOf("session_replication_role", "origin"), about: "Sets the session's behavior for triggers and rewrite rules."},
	{name: "synchronize_seqscans", boot: "on", check: boolean("synchronize_seqscans"), about: "Enable synchronized sequential scans."},
	// What is in force is wire's keepAlive, whatever a session sets.
	{name: "tcp_keepalives_count", boot: "3", check: integer("tcp_keepalives_count", 0, math.MaxInt32), about: "Maximum number of TCP keepalive retransmits."},
	{name: "tcp_keepalives_idle", boot: "30", check: integer("tcp_keepalives_idle", 0, math.MaxInt32), about: "Time between issuing TCP keepalives."},
	{name: "tcp_keepalives_interval", boot: "10", check: integer("tcp_keepalives_interval", 0, math.MaxInt32), about: "Time between TCP keepalive retransmits."},
	{name: "temp_buffers", boot: "8MB", check: pages("temp_buffers"), about: "Sets the maximum number of temporary buffers used by each session."},
	{name: "temp_tablespaces", about: "Sets the tablespace(s) to use for temporary tables and sort files."},
	{name: "work_mem", boot: "4MB", check: kilobytes("work_mem", 64), about: "Sets the maximum memory to be used for query workspaces."},
}

// fixedFacts are settings of a PostgreSQL server that programs ask for and cannot set.
var fixedFacts = []setting{
	{name: "autovacuum", boot: "off", fixed: true, about: "Starts the autovacuum subprocess."},
	{name: "autovacuum_max_workers", boot: "0", fixed: true, about: "Sets the maximum number of simultaneously running autovacuum worker processes."},
	{name: "block_size", boot: "8192", fixed: true, about: "Shows the size of a disk block."},
	{name: "data_checksums", boot: "on", fixed: true, about: "Shows whether data checksums are turned on for this cluster."},
	{name: "fsync", boot: "on", fixed: true, about: "Forces synchronization of updates to disk."},
	{name: "full_page_writes", boot: "on", fixed: true, about: "Writes full pages to WAL when first modified after a checkpoint."},
	{name: "log_destination", boot: "stderr", fixed: true, about: "Sets the destination for server log output."},
	{name: "max_function_args", boot: "100", fixed: true, about: "Shows the maximum number of function arguments."},
	{name: "max_logical_replication_workers", boot: "0", fixed: true, about: "Maximum number of logical replication worker processes."},
	{name: "max_prepared_transactions", boot: "0", fixed: true, about: "Sets the maximum number of simultaneously prepared transactions."},
	{name: "max_replication_slots", boot: "0", fixed: true, about: "Sets the maximum number of simultaneously defined replication slots."},
	{name: "max_wal_senders", boot: "0", fixed: true, about: "Sets the maximum number of simultaneously running WAL sender processes."},
	{name: "max_worker_processes", boot: "0", fixed: true, about: "Maximum number of concurrent worker processes."},
	{name: "password_encryption", boot: "scram-sha-256", fixed: true, about: "Chooses the algorithm for encrypting passwords."},
	{name: "segment_size", boot: "1GB", fixed: true, about: "Shows the number of pages per disk file."},
	{name: "shared_buffers", boot: "128MB", fixed: true, about: "Sets the number of shared memory buffers used by the server."},
	{name: "shared_preload_libraries", fixed: true, about: "Lists shared libraries to preload into server."},
	{name: "superuser_reserved_connections", boot: "0", fixed: true, about: "Sets the number of connection slots reserved for superusers."},
	{name: "wal_level", boot: "replica", fixed: true, about: "Sets the level of information written to the WAL."},
}

// cost accepts a number that is not negative.
func cost(name string) func(string) (string, error) {
	return func(v string) (string, error) {
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil || math.IsNaN(n) {
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
		}
		if n < 0 {
			return "", pgerr.New(pgerr.InvalidParameterValue, "%g is outside the valid range for parameter %q (0 .. 1.79769e+308)", n, name)
		}
		return strconv.FormatFloat(n, 'g', -1, 64), nil
	}
}

var memoryUnits = []struct {
	name  string
	bytes int64
}{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}, {"B", 1}}

// kilobytes accepts an amount of memory in kB, or with a unit, and prints it as SHOW
// does: in the largest unit that divides it.
func kilobytes(name string, least int64) func(string) (string, error) {
	return memory(name, 1<<10, least)
}

// pages is kilobytes with pages of 8 kB as its unit.
func pages(name string) func(string) (string, error) { return memory(name, 8<<10, 1) }

func memory(name string, unit, least int64) func(string) (string, error) {
	return func(v string) (string, error) {
		n, suffix, ok := quantity(v)
		factor := unit
		if suffix != "" {
			factor = 0
			for _, u := range memoryUnits {
				if u.name == suffix {
					factor = u.bytes
				}
			}
		}
		if !ok || factor == 0 {
			return "", badQuantity(name, v, ok, `"B", "kB", "MB", "GB", and "TB"`)
		}
		if n = math.Round(n * float64(factor) / float64(unit)); n < float64(least) || n > math.MaxInt32 {
			return "", pgerr.New(pgerr.InvalidParameterValue, "%.0f is outside the valid range for parameter %q (%d .. %d)", n, name, least, math.MaxInt32)
		}
		bytes := int64(n) * unit
		for _, u := range memoryUnits {
			if bytes%u.bytes == 0 {
				return strconv.FormatInt(bytes/u.bytes, 10) + u.name, nil
			}
		}
		return strconv.FormatInt(bytes, 10), nil
	}
}
