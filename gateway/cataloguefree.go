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
	{name: "client_connection_check_interval", boot: "0", unit: "ms", check: duration("client_connection_check_interval"), about: "Sets the time interval between checks for disconnection while running queries."},
	{name: "compute_query_id", boot: "auto", check: oneOf("compute_query_id", "auto", "regress", "on", "off"), about: "Enables in-core computation of query identifiers."},
	{name: "constraint_exclusion", boot: "partition", check: oneOf("constraint_exclusion", "partition", "on", "off"), about: "Enables the planner to use constraints to optimize queries."},
	{name: "cpu_index_tuple_cost", boot: "0.005", check: cost("cpu_index_tuple_cost"), about: "Sets the planner's estimate of the cost of processing each index entry."},
	{name: "cpu_operator_cost", boot: "0.0025", check: cost("cpu_operator_cost"), about: "Sets the planner's estimate of the cost of processing each operator or function call."},
	{name: "cpu_tuple_cost", boot: "0.01", check: cost("cpu_tuple_cost"), about: "Sets the planner's estimate of the cost of processing each tuple."},
	{name: "cursor_tuple_fraction", boot: "0.1", check: cost("cursor_tuple_fraction"), about: "Sets the planner's estimate of the fraction of a cursor's rows that will be retrieved."},
	{name: "deadlock_timeout", boot: "1s", unit: "ms", check: duration("deadlock_timeout"), about: "Sets the time to wait on a lock before checking for deadlock."},
	{name: "debug_pretty_print", boot: "on", check: boolean("debug_pretty_print"), about: "Indents parse and plan tree displays."},
	{name: "debug_print_parse", boot: "off", check: boolean("debug_print_parse"), about: "Logs each query's parse tree."},
	{name: "debug_print_plan", boot: "off", check: boolean("debug_print_plan"), about: "Logs each query's execution plan."},
	{name: "debug_print_rewritten", boot: "off", check: boolean("debug_print_rewritten"), about: "Logs each query's rewritten parse tree."},
	{name: "default_statistics_target", boot: "100", check: integer("default_statistics_target", 1, 10000), about: "Sets the default statistics target."},
	{name: "default_tablespace", about: "Sets the default tablespace to create tables and indexes in."},
	{name: "default_text_search_config", boot: "pg_catalog.simple", about: "Sets default text search configuration."},
	{name: "default_toast_compression", boot: "pglz", check: oneOf("default_toast_compression", "pglz", "lz4"), about: "Sets the default compression method for compressible values."},
	{name: "effective_cache_size", boot: "4GB", check: pages("effective_cache_size", 1), about: "Sets the planner's assumption about the total size of the data caches."},
	{name: "effective_io_concurrency", boot: "1", check: integer("effective_io_concurrency", 0, 1000), about: "Number of simultaneous requests that can be handled efficiently by the disk subsystem."},
	{name: "enable_async_append", boot: "on", check: boolean("enable_async_append"), about: "Enables the planner's use of async append plans."},
	{name: "enable_bitmapscan", boot: "on", check: boolean("enable_bitmapscan"), about: "Enables the planner's use of bitmap-scan plans."},
	{name: "enable_gathermerge", boot: "on", check: boolean("enable_gathermerge"), about: "Enables the planner's use of gather merge plans."},
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
	{name: "enable_partitionwise_aggregate", boot: "off", check: boolean("enable_partitionwise_aggregate"), about: "Enables partitionwise aggregation and grouping."},
	{name: "enable_partitionwise_join", boot: "off", check: boolean("enable_partitionwise_join"), about: "Enables partitionwise join."},
	{name: "enable_seqscan", boot: "on", check: boolean("enable_seqscan"), about: "Enables the planner's use of sequential-scan plans."},
	{name: "enable_sort", boot: "on", check: boolean("enable_sort"), about: "Enables the planner's use of explicit sort steps."},
	{name: "enable_tidscan", boot: "on", check: boolean("enable_tidscan"), about: "Enables the planner's use of TID scan plans."},
	{name: "escape_string_warning", boot: "on", check: boolean("escape_string_warning"), about: "Warn about backslash escapes in ordinary string literals."},
	{name: "force_parallel_mode", boot: "off", check: oneOf("force_parallel_mode", "off", "on", "regress"), about: "Forces use of parallel query facilities."},
	{name: "from_collapse_limit", boot: "8", check: integer("from_collapse_limit", 1, math.MaxInt32), about: "Sets the FROM-list size beyond which subqueries are not collapsed."},
	{name: "geqo", boot: "on", check: boolean("geqo"), about: "Enables genetic query optimization."},
	{name: "geqo_effort", boot: "5", check: integer("geqo_effort", 1, 10), about: "GEQO: effort is used to set the default for other GEQO parameters."},
	{name: "geqo_generations", boot: "0", check: integer("geqo_generations", 0, math.MaxInt32), about: "GEQO: number of iterations of the algorithm."},
	{name: "geqo_pool_size", boot: "0", check: integer("geqo_pool_size", 0, math.MaxInt32), about: "GEQO: number of individuals in the population."},
	{name: "geqo_seed", boot: "0", check: number("geqo_seed", 0, 1), about: "GEQO: seed for random path selection."},
	{name: "geqo_selection_bias", boot: "2", check: number("geqo_selection_bias", 1.5, 2), about: "GEQO: selective pressure within the population."},
	{name: "geqo_threshold", boot: "12", check: integer("geqo_threshold", 2, math.MaxInt32), about: "Sets the threshold of FROM items beyond which GEQO is used."},
	{name: "gin_fuzzy_search_limit", boot: "0", check: integer("gin_fuzzy_search_limit", 0, math.MaxInt32), about: "Sets the maximum allowed result for exact search by GIN."},
	{name: "gin_pending_list_limit", boot: "4MB", check: kilobytes("gin_pending_list_limit", 64), about: "Sets the maximum size of the pending list for GIN index."},
	{name: "hash_mem_multiplier", boot: "2", check: number("hash_mem_multiplier", 1, 1000), about: "Multiple of work_mem to use for hash tables."},
	{name: "jit_above_cost", boot: "100000", check: number("jit_above_cost", -1, math.MaxFloat64), about: "Perform JIT compilation if query is more expensive."},
	{name: "jit_expressions", boot: "on", check: boolean("jit_expressions"), about: "Allow JIT compilation of expressions."},
	{name: "jit_inline_above_cost", boot: "500000", check: number("jit_inline_above_cost", -1, math.MaxFloat64), about: "Perform JIT inlining if query is more expensive."},
	{name: "jit_optimize_above_cost", boot: "500000", check: number("jit_optimize_above_cost", -1, math.MaxFloat64), about: "Optimize JIT-compiled functions if query is more expensive."},
	{name: "jit_tuple_deforming", boot: "on", check: boolean("jit_tuple_deforming"), about: "Allow JIT compilation of tuple deforming."},
	{name: "join_collapse_limit", boot: "8", check: integer("join_collapse_limit", 1, math.MaxInt32), about: "Sets the FROM-list size beyond which JOIN constructs are not flattened."},
	{name: "log_duration", boot: "off", check: boolean("log_duration"), about: "Logs the duration of each completed SQL statement."},
	{name: "log_error_verbosity", boot: "default", check: oneOf("log_error_verbosity", "terse", "default", "verbose"), about: "Sets the verbosity of logged messages."},
	{name: "log_lock_waits", boot: "off", check: boolean("log_lock_waits"), about: "Logs long lock waits."},
	{name: "log_min_duration_sample", boot: "-1", check: integer("log_min_duration_sample", -1, math.MaxInt32), about: "Sets the minimum execution time above which a sample of statements will be logged. Sampling is determined by log_statement_sample_rate."},
	{name: "log_min_duration_statement", boot: "-1", check: integer("log_min_duration_statement", -1, math.MaxInt32), about: "Sets the minimum execution time above which all statements will be logged."},
	{name: "log_min_error_statement", boot: "error", check: oneOf("log_min_error_statement", "debug5", "debug4", "debug3", "debug2", "debug1", "info", "notice", "warning", "error", "log", "fatal", "panic"), about: "Causes all statements generating error at or above this level to be logged."},
	{name: "log_min_messages", boot: "warning", check: oneOf("log_min_messages", "debug5", "debug4", "debug3", "debug2", "debug1", "info", "notice", "warning", "error", "log", "fatal", "panic"), about: "Sets the message levels that are logged."},
	{name: "log_statement", boot: "none", check: oneOf("log_statement", "none", "ddl", "mod", "all"), about: "Sets the type of statements logged."},
	{name: "logical_decoding_work_mem", boot: "64MB", check: kilobytes("logical_decoding_work_mem", 64), about: "Sets the maximum memory to be used for logical decoding."},
	{name: "maintenance_io_concurrency", boot: "10", check: integer("maintenance_io_concurrency", 0, 1000), about: "A variant of effective_io_concurrency that is used for maintenance work."},
	{name: "maintenance_work_mem", boot: "64MB", check: kilobytes("maintenance_work_mem", 1024), about: "Sets the maximum memory to be used for maintenance operations."},
	{name: "max_parallel_maintenance_workers", boot: "2", check: integer("max_parallel_maintenance_workers", 0, 1024), about: "Sets the maximum number of parallel processes per maintenance operation."},
	{name: "max_parallel_workers", boot: "8", check: integer("max_parallel_workers", 0, 1024), about: "Sets the maximum number of parallel workers that can be active at one time."},
	{name: "max_parallel_workers_per_gather", boot: "2", check: integer("max_parallel_workers_per_gather", 0, 1024), about: "Sets the maximum number of parallel processes per executor node."},
	{name: "min_parallel_index_scan_size", boot: "512kB", check: pages("min_parallel_index_scan_size", 0), about: "Sets the minimum amount of index data for a parallel scan."},
	{name: "min_parallel_table_scan_size", boot: "8MB", check: pages("min_parallel_table_scan_size", 0), about: "Sets the minimum amount of table data for a parallel scan."},
	{name: "parallel_leader_participation", boot: "on", check: boolean("parallel_leader_participation"), about: "Controls whether Gather and Gather Merge also run subplans."},
	{name: "parallel_setup_cost", boot: "1000", check: cost("parallel_setup_cost"), about: "Sets the planner's estimate of the cost of starting up worker processes for parallel query."},
	{name: "parallel_tuple_cost", boot: "0.1", check: cost("parallel_tuple_cost"), about: "Sets the planner's estimate of the cost of passing each tuple from worker to leader backend."},
	{name: "plan_cache_mode", boot: "auto", check: oneOf("plan_cache_mode", "auto", "force_generic_plan", "force_custom_plan"), about: "Controls the planner's selection of custom or generic plan."},
	{name: "quote_all_identifiers", boot: "off", check: boolean("quote_all_identifiers"), about: "When generating SQL fragments, quote all identifiers."},
	{name: "random_page_cost", boot: "4", check: cost("random_page_cost"), about: "Sets the planner's estimate of the cost of a nonsequentially fetched disk page."},
	{name: "recursive_worktable_factor", boot: "10", check: number("recursive_worktable_factor", 0.001, 1e+06), about: "Sets the planner's estimate of the average size of a recursive query's working table."},
	{name: "seq_page_cost", boot: "1", check: cost("seq_page_cost"), about: "Sets the planner's estimate of the cost of a sequentially fetched disk page."},
	{name: "session_replication_role", boot: "origin", check: oneOf("session_replication_role", "origin"), about: "Sets the session's behavior for triggers and rewrite rules."},
	{name: "stats_fetch_consistency", boot: "cache", check: oneOf("stats_fetch_consistency", "none", "cache", "snapshot"), about: "Sets the consistency of accesses to statistics data."},
	{name: "synchronize_seqscans", boot: "on", check: boolean("synchronize_seqscans"), about: "Enable synchronized sequential scans."},
	// What is in force is wire's keepAlive, whatever a session sets.
	{name: "tcp_keepalives_count", boot: "3", check: integer("tcp_keepalives_count", 0, math.MaxInt32), about: "Maximum number of TCP keepalive retransmits."},
	{name: "tcp_keepalives_idle", boot: "30", check: integer("tcp_keepalives_idle", 0, math.MaxInt32), about: "Time between issuing TCP keepalives."},
	{name: "tcp_keepalives_interval", boot: "10", check: integer("tcp_keepalives_interval", 0, math.MaxInt32), about: "Time between TCP keepalive retransmits."},
	{name: "tcp_user_timeout", boot: "0", unit: "ms", check: duration("tcp_user_timeout"), about: "TCP user timeout."},
	{name: "temp_buffers", boot: "8MB", check: pages("temp_buffers", 1), about: "Sets the maximum number of temporary buffers used by each session."},
	{name: "temp_tablespaces", list: true, names: true, check: nameList("temp_tablespaces"), about: "Sets the tablespace(s) to use for temporary tables and sort files."},
	{name: "track_activities", boot: "on", check: boolean("track_activities"), about: "Collects information about executing commands."},
	{name: "track_counts", boot: "on", check: boolean("track_counts"), about: "Collects statistics on database activity."},
	{name: "track_functions", boot: "none", check: oneOf("track_functions", "none", "pl", "all"), about: "Collects function-level statistics on database activity."},
	{name: "track_io_timing", boot: "off", check: boolean("track_io_timing"), about: "Collects timing statistics for database I/O activity."},
	{name: "track_wal_io_timing", boot: "off", check: boolean("track_wal_io_timing"), about: "Collects timing statistics for WAL I/O activity."},
	{name: "transform_null_equals", boot: "off", check: oneOf("transform_null_equals", "off"), about: "Treats \"expr=NULL\" as \"expr IS NULL\"."},
	{name: "vacuum_cost_delay", boot: "0", unit: "ms", check: duration("vacuum_cost_delay"), about: "Vacuum cost delay in milliseconds."},
	{name: "vacuum_cost_limit", boot: "200", check: integer("vacuum_cost_limit", 1, 10000), about: "Vacuum cost amount available before napping."},
	{name: "vacuum_cost_page_dirty", boot: "20", check: integer("vacuum_cost_page_dirty", 0, 10000), about: "Vacuum cost for a page dirtied by vacuum."},
	{name: "vacuum_cost_page_hit", boot: "1", check: integer("vacuum_cost_page_hit", 0, 10000), about: "Vacuum cost for a page found in the buffer cache."},
	{name: "vacuum_cost_page_miss", boot: "2", check: integer("vacuum_cost_page_miss", 0, 10000), about: "Vacuum cost for a page not found in the buffer cache."},
	{name: "vacuum_freeze_min_age", boot: "50000000", check: integer("vacuum_freeze_min_age", 0, 1000000000), about: "Minimum age at which VACUUM should freeze a table row."},
	{name: "vacuum_freeze_table_age", boot: "150000000", check: integer("vacuum_freeze_table_age", 0, 2000000000), about: "Age at which VACUUM should scan whole table to freeze tuples."},
	{name: "wal_skip_threshold", boot: "2MB", check: kilobytes("wal_skip_threshold", 0), about: "Minimum size of new file to fsync instead of writing WAL."},
	{name: "work_mem", boot: "4MB", check: kilobytes("work_mem", 64), about: "Sets the maximum memory to be used for query workspaces."},
	{name: "xmlbinary", boot: "base64", check: oneOf("xmlbinary", "base64", "hex"), about: "Sets how binary values are to be encoded in XML."},
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
func cost(name string) func(string) (string, error) { return number(name, 0, math.MaxFloat64) }

func number(name string, low, high float64) func(string) (string, error) {
	return func(v string) (string, error) {
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil || math.IsNaN(n) {
			return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, v)
		}
		if n < low || n > high {
			return "", pgerr.New(pgerr.InvalidParameterValue, "%g is outside the valid range for parameter %q (%g .. %.6g)", n, name, low, high)
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
func pages(name string, least int64) func(string) (string, error) { return memory(name, 8<<10, least) }

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
			in := strings.TrimPrefix(strconv.FormatInt(unit>>10, 10), "1") + "kB"
			return "", pgerr.New(pgerr.InvalidParameterValue, "%.0f %s is outside the valid range for parameter %q (%d .. %d)", n, in, name, least, math.MaxInt32)
		}
		bytes := int64(n) * unit
		if bytes == 0 {
			return "0", nil
		}
		for _, u := range memoryUnits {
			if bytes%u.bytes == 0 {
				return strconv.FormatInt(bytes/u.bytes, 10) + u.name, nil
			}
		}
		return strconv.FormatInt(bytes, 10), nil
	}
}
