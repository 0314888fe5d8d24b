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

// workers are the threads that work beside those which run statements. DuckDB's own are
// woken for every step of every statement, and where there are few rows the step is over
// before they have looked round: that took more of the processors than the statement
// (decision A47). Ours come when they are called, and stay for a while for the next
// statement.
type workers struct {
	db    raw.Database
	count int
	rest  *time.Timer // ends their stay

	mu     sync.Mutex
	wanted int            // statements that want them
	state  unsafe.Pointer // what those who are there work for, nil while nobody is
	there  sync.WaitGroup
}

const (
	// stay is how long workers wait for another statement that wants them.
	stay = 20 * time.Millisecond
	// longAlone is how long a statement is run by one thread that was thought to be short.
	longAlone = 25 * time.Millisecond
)

func newWorkers(db raw.Database, count int) *workers {
	w := &workers{db: db, count: count}
	w.rest = time.AfterFunc(stay, w.leave)
	return w
}

// assist calls the workers for a statement that begins: at once, or, where it is run
// alone, when it turns out to be long. The caller ends it.
func (w *workers) assist(alone bool) (end func()) {
	if !alone {
		w.want(1)
		return func() { w.want(-1) }
	}
	late := time.AfterFunc(longAlone, func() { w.want(1) })
	return func() {
		if !late.Stop() {
			w.want(-1)
		}
	}
}

// want is told of a statement more that wants the workers, or one less.
func (w *workers) want(more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wanted += more
	switch {
	case w.wanted > 0 && w.state == nil && w.count > 0:
		state := C.duckdb_create_task_state(w.db.Ptr)
		for range w.count {
			w.there.Go(func() { C.duckdb_execute_tasks_state(state) })
		}
		w.state = state
	case w.wanted == 0 && w.state != nil:
		w.rest.Reset(stay)
	}
}

// leave lets the workers go, unless somebody wants them.
func (w *workers) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wanted == 0 {
		w.disperse()
	}
}

// close lets the workers go for good.
func (w *workers) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count = 0
	w.disperse()
}

// disperse waits until the workers have done what they are at, and are gone; w.mu is
// held.
func (w *workers) disperse() {
	if w.state == nil {
		return
	}
	C.duckdb_finish_execution(w.state)
	w.there.Wait()
	C.duckdb_destroy_task_state(w.state)
	w.state = nil
}
