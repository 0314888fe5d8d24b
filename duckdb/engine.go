// Package duckdb is the room of the engine: it opens an in-memory DuckDB,
// prepares and runs SQL on it and hands results out as column.Batch, read in
// place from DuckDB's vectors. It knows neither PostgreSQL nor ontologies: which
// SQL may be run is decided before it gets here, what an error means to a
// client after it has left. The SQL that reads Parquet files is its sub-room scan.
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

// Options is what an Engine is built from.
type Options struct {
	// TempDir is where queries spill that need more than MemoryLimit. It is of
	// this engine alone, and the caller's to make and remove. Empty forbids
	// spilling.
	TempDir string
	// ReadDirs are the only directories below which SQL may touch files, besides
	// TempDir (decision A22).
	ReadDirs []string
	// MemoryLimit bounds the engine's memory in bytes; 0 leaves DuckDB's own
	// default of 80 % of the machine. What is computed from the rows at hand comes to
	// it, within bounds that all engines share (heap).
	MemoryLimit int64
	// Threads bounds the engine's worker threads; 0 is one for each processor.
	Threads int
	Logger  *slog.Logger
}

// Engine is one DuckDB instance. Each served database has its own, so that no
// SQL can name another's data (decision A22). It may be used by many goroutines.
type Engine struct {
	db         raw.Database
	limit      int64
	logger     *slog.Logger
	registered *registry
	workers    *workers
	fatal      atomic.Pointer[Error]
	conns      sync.Map // by their numbers
}

// Open starts an instance and shuts it in: when it returns, SQL reaches no file
// outside Options.ReadDirs and Options.TempDir, no network and no extension but
// those that are compiled in.
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
		return raw.Database{}, errors.New("open engine: no configuration")
	}
	defer raw.DestroyConfig(&c)
	for name, value := range config {
		if raw.SetConfig(c, name, value) == raw.StateError {
			return raw.Database{}, fmt.Errorf("open engine: setting %s = %q is refused", name, value)
		}
	}
	var db raw.Database
	var message string
	if raw.OpenExt(":memory:", &db, c, &message) == raw.StateError {
		return raw.Database{}, fmt.Errorf("open engine: %w", parseError(message))
	}
	return db, nil
}

// configure makes the settings that every connection inherits. The last one shuts
// the door, and cannot be taken back while the instance lives.
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
	if err := c.defineRegisteredFunction(e.registered); err != nil {
		return err
	}
	dirs := make([]string, len(readDirs))
	for i, dir := range readDirs {
		dirs[i] = Literal(strings.TrimSuffix(dir, "/") + "/")
	}
	for _, sql := range []string{
		"SET GLOBAL errors_as_json = true",
		"SET GLOBAL TimeZone = 'UTC'",
		// What PostgreSQL means by ORDER BY and by 1/2 (decision A9).
		"SET GLOBAL default_order = 'ASC'",
		"SET GLOBAL default_null_order = 'postgres'",
		"SET GLOBAL integer_division = true",
		"SET GLOBAL preserve_insertion_order = true",
		"SET GLOBAL parquet_metadata_cache = true",
		// What was freed is the system's again, though nobody calls.
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

// Close ends the instance. Connections that are still open keep its memory
// until they are closed too.
func (e *Engine) Close() {
	e.workers.close()
	raw.Close(&e.db)
	engines.count(-1, e.limit)
	e.registered.handle.Delete()
}

// Err is nil while the engine can be used. After a fatal error of DuckDB's own
// every statement fails, and the only cure is to open another Engine.
func (e *Engine) Err() error {
	if fatal := e.fatal.Load(); fatal != nil {
		return fatal
	}
	return nil
}

// doneOf is closed when what a connection runs is to end; nil where nothing says so.
func (e *Engine) doneOf(conn int64) <-chan struct{} {
	c, ok := e.conns.Load(conn)
	if !ok {
		return nil
	}
	ended, _ := c.(*Conn).done.Load().(<-chan struct{})
	return ended
}

// newError turns the text of a DuckDB error into an *Error, and remembers one
// after which the instance is dead.
func (e *Engine) newError(text string) error {
	err := parseError(text)
	if err.Type == Fatal && e.fatal.CompareAndSwap(nil, err) {
		e.logger.Error("engine died", "error", err.Message)
	}
	return err
}
