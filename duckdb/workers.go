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

	mu     sync.Mutex
	demand int            // statements that need the threads
	crew   *crew          // the running threads, nil while none run
	ending sync.WaitGroup // crews that are being stopped
}

// crew are threads that are started and stopped together.
type crew struct {
	state   unsafe.Pointer // DuckDB's task state of the threads
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
	case w.demand > 0 && w.crew == nil && w.count > 0:
		w.crew = &crew{state: C.duckdb_create_task_state(w.db.Ptr)}
		for range w.count {
			state := w.crew.state
			w.crew.running.Go(func() { C.duckdb_execute_tasks_state(state) })
		}
	case w.demand == 0 && w.crew != nil:
		w.idleTimer.Reset(idleTimeout)
	}
}

// stopIfIdle stops the threads if no statement needs them.
func (w *workers) stopIfIdle() {
	w.stop(func() bool { return w.demand == 0 })
}

// close stops the threads for good.
func (w *workers) close() {
	w.stop(func() bool {
		w.count = 0
		return true
	})
	w.ending.Wait()
}

// stop waits until the threads have finished their tasks and ended, if they may. It does not
// hold the lock meanwhile: a task may call a function of Go that runs another statement, which
// starts or releases threads.
func (w *workers) stop(may func() bool) {
	w.mu.Lock()
	c := w.crew
	if !may() || c == nil {
		w.mu.Unlock()
		return
	}
	w.crew = nil
	w.ending.Add(1)
	w.mu.Unlock()
	defer w.ending.Done()
	c.end()
	C.duckdb_destroy_task_state(c.state)
}

// end waits until the threads have ended. DuckDB wakes as many threads as the crew has, but all
// crews wait at one semaphore, so that it may wake threads of another crew instead. Therefore it is
// asked again, ever more rarely, because a task may take long.
func (c *crew) end() {
	ended := make(chan struct{})
	go func() {
		c.running.Wait()
		close(ended)
	}()
	for pause := time.Millisecond; ; pause = min(2*pause, time.Second) {
		C.duckdb_finish_execution(c.state)
		select {
		case <-ended:
			return
		case <-time.After(pause):
		}
	}
}
