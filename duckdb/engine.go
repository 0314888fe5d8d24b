// Package duckdb embeds DuckDB: it opens an in-memory instance, prepares and runs SQL on it,
// and returns results as column.Batch, read in place from DuckDB's vectors. It knows neither
// PostgreSQL nor ontologies: callers decide which SQL may run and how its errors are shown to
// clients. The sub-package scan writes the SQL that reads Parquet files.
package duckdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/cgo"
	"strings"
	"sync"
	"sync/atomic"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/pgfunc"
)

// Options configures an Engine.
type Options struct {
	// TempDir is the directory for data that exceeds MemoryLimit. It must not be shared; the
	// caller creates and removes it. If it is empty, queries do not spill.
	TempDir string
	// ReadDirs are the only directories, besides TempDir, whose files SQL can access (decision
	// A22).
	ReadDirs []string
	// MemoryLimit is DuckDB's memory_limit in bytes; 0 means DuckDB's default of 80 % of the
	// machine's memory. Memory that DuckDB does not count is limited separately, for all
	// engines together (see heap).
	MemoryLimit int64
	// Threads is the maximum number of threads; 0 means one per processor.
	Threads int
	Logger  *slog.Logger
}

// DefaultZone is the time zone of a new connection.
const DefaultZone = "UTC"

// Engine is one DuckDB instance. Each served database has its own, so that SQL cannot access
// the data of another (decision A22). It is safe for concurrent use.
type Engine struct {
	db         raw.Database
	limit      int64
	logger     *slog.Logger
	registered *registry
	workers    *workers
	fatal      atomic.Pointer[Error]
	conns      sync.Map // by connection id
}

// Open starts an instance and restricts it: afterwards SQL has no access to files outside
// Options.ReadDirs and Options.TempDir, to the network, or to extensions that are not compiled
// in.
func Open(ctx context.Context, o Options) (*Engine, error) {
	threads := o.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	config := map[string]string{
		"threads":                      fmt.Sprint(threads),
		"external_threads":             fmt.Sprint(threads), // workers
		"temp_directory":               o.TempDir,
		"autoinstall_known_extensions": "false",
		"autoload_known_extensions":    "false",
		"allow_community_extensions":   "false",
		"allow_unsigned_extensions":    "false",
	}
	if o.MemoryLimit > 0 {
		config["memory_limit"] = fmt.Sprintf("%dB", o.MemoryLimit)
	}
	engines.count(1, o.MemoryLimit)
	db, err := openInstance(config)
	if err != nil {
		engines.count(-1, o.MemoryLimit)
		return nil, err
	}
	e := &Engine{db: db, limit: o.MemoryLimit, logger: o.Logger, registered: &registry{open: map[int64]*RegisteredRows{}}, workers: newWorkers(db, threads-1)}
	e.registered.handle = cgo.NewHandle(e.registered)
	if e.logger == nil {
		e.logger = slog.New(slog.DiscardHandler)
	}
	if err := e.configure(ctx, o.ReadDirs); err != nil {
		e.Close()
		return nil, fmt.Errorf("open engine: %w", err)
	}
	return e, nil
}

func openInstance(config map[string]string) (raw.Database, error) {
	var c raw.Config
	if raw.CreateConfig(&c) == raw.StateError {
		return raw.Database{}, errors.New("open engine: cannot create a configuration")
	}
	defer raw.DestroyConfig(&c)
	for name, value := range config {
		if raw.SetConfig(c, name, value) == raw.StateError {
			return raw.Database{}, fmt.Errorf("open engine: set %s = %q: DuckDB returned an error", name, value)
		}
	}
	var db raw.Database
	var message string
	if raw.OpenExt(":memory:", &db, c, &message) == raw.StateError {
		return raw.Database{}, fmt.Errorf("open engine: %w", parseError(message))
	}
	return db, nil
}

// configure sets the settings that every connection inherits. enable_external_access is last:
// it cannot be enabled again while the instance lives.
func (e *Engine) configure(ctx context.Context, readDirs []string) error {
	c, err := e.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Define(pgfunc.All()); err != nil {
		return err
	}
	if err := c.defineArithmetic(); err != nil {
		return err
	}
	if err := c.defineRegressions(); err != nil {
		return err
	}
	if err := c.defineMoments(); err != nil {
		return err
	}
	if err := c.defineQuotients(); err != nil {
		return err
	}
	if err := c.defineRegisteredFunction(e.registered); err != nil {
		return err
	}
	dirs := make([]string, len(readDirs))
	for i, dir := range readDirs {
		dirs[i] = Literal(strings.TrimSuffix(dir, "/") + "/")
	}
	for _, sql := range []string{
		"SET GLOBAL errors_as_json = true",
		"SET GLOBAL TimeZone = " + Literal(DefaultZone),
		// PostgreSQL's semantics of ORDER BY and integer division (decision A9).
		"SET GLOBAL default_order = 'ASC'",
		"SET GLOBAL default_null_order = 'postgres'",
		"SET GLOBAL integer_division = true",
		"SET GLOBAL preserve_insertion_order = true",
		"SET GLOBAL parquet_metadata_cache = true",
		// Returns freed memory to the operating system in the background.
		"SET GLOBAL allocator_background_threads = true",
		"SET GLOBAL allowed_directories = [" + strings.Join(dirs, ", ") + "]",
		"SET GLOBAL enable_external_access = false",
	} {
		if err := c.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// Close closes the instance. Connections that are still open keep its memory until they are
// closed.
func (e *Engine) Close() {
	e.workers.close()
	raw.Close(&e.db)
	engines.count(-1, e.limit)
	e.registered.handle.Delete()
}

// Err returns nil while the engine is usable. After a fatal error of DuckDB every statement
// fails, and a new Engine must be opened.
func (e *Engine) Err() error {
	if fatal := e.fatal.Load(); fatal != nil {
		return fatal
	}
	return nil
}

// doneOf returns a channel that is closed when the running call of a connection is cancelled;
// nil if it cannot be cancelled.
func (e *Engine) doneOf(conn int64) <-chan struct{} {
	c, ok := e.conns.Load(conn)
	if !ok {
		return nil
	}
	ended, _ := c.(*Conn).done.Load().(<-chan struct{})
	return ended
}

// newError parses the text of a DuckDB error. It records a fatal error, after which the
// instance is unusable.
func (e *Engine) newError(text string) error {
	err := parseError(text)
	if err.Type == Fatal && e.fatal.CompareAndSwap(nil, err) {
		e.logger.Error("duckdb instance failed", "error", err.Message)
	}
	return err
}
