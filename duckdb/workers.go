package duckdb

/*
void *duckdb_create_task_state(void *database);
void duckdb_execute_tasks_state(void *state);
void duckdb_finish_execution(void *state);
void duckdb_destroy_task_state(void *state);
*/
import "C"

import (
	"sync"
	"time"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"
)

// workers is a pool of threads that help the threads which run statements (decision A47).
// DuckDB wakes its own worker threads for every task of every statement. For statements of
// few rows this costs more processor time than the statement itself. This pool starts
// threads only for statements that need them, and keeps them for idleTimeout.
type workers struct {
	db        raw.Database
	count     int
	idleTimer *time.Timer // stops the threads

	mu      sync.Mutex
	demand  int            // statements that need the threads
	state   unsafe.Pointer // DuckDB's task state of the running threads, nil while none run
	running sync.WaitGroup
}

const (
	// idleTimeout is how long the threads wait for another statement that needs them.
	idleTimeout = 20 * time.Millisecond
	// singleThreadLimit is how long a statement that was expected to be short runs on one thread.
	singleThreadLimit = 25 * time.Millisecond
)

func newWorkers(db raw.Database, count int) *workers {
	w := &workers{db: db, count: count}
	w.idleTimer = time.AfterFunc(idleTimeout, w.stopIfIdle)
	return w
}

// acquire starts the threads for a statement: at once, or after singleThreadLimit if short is
// set. The caller calls end when the statement has ended.
func (w *workers) acquire(short bool) (end func()) {
	if !short {
		w.addDemand(1)
		return func() { w.addDemand(-1) }
	}
	late := time.AfterFunc(singleThreadLimit, func() { w.addDemand(1) })
	return func() {
		if !late.Stop() {
			w.addDemand(-1)
		}
	}
}

// addDemand adds more, 1 or -1, to the number of statements that need the threads.
func (w *workers) addDemand(more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.demand += more
	switch {
	case w.demand > 0 && w.state == nil && w.count > 0:
		state := C.duckdb_create_task_state(w.db.Ptr)
		for range w.count {
			w.running.Go(func() { C.duckdb_execute_tasks_state(state) })
		}
		w.state = state
	case w.demand == 0 && w.state != nil:
		w.idleTimer.Reset(idleTimeout)
	}
}

// stopIfIdle stops the threads if no statement needs them.
func (w *workers) stopIfIdle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.demand == 0 {
		w.stop()
	}
}

// close stops the threads for good.
func (w *workers) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count = 0
	w.stop()
}

// stop waits until the threads have finished their tasks and ended. w.mu is held.
func (w *workers) stop() {
	if w.state == nil {
		return
	}
	C.duckdb_finish_execution(w.state)
	w.running.Wait()
	C.duckdb_destroy_task_state(w.state)
	w.state = nil
}
