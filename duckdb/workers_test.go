package duckdb

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// at reports how many workers are there, and holds the workers to it for a moment.
func (w *workers) at() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.crew != nil
}

// TestWorkersComeAndGo runs statements that want the workers and such that are run alone,
// and looks who is there.
func TestWorkersComeAndGo(t *testing.T) {
	e := openEngine(t, Options{Threads: 3})
	c := connect(t, e)
	const long = "SELECT count(*) FROM range(3000) a, range(3000) b, range(10) c WHERE a.range + b.range > c.range"
	gone := func() {
		t.Helper()
		for begun := time.Now(); e.workers.at(); time.Sleep(time.Millisecond) {
			if time.Since(begun) > testenv.Patience {
				t.Fatal("the workers stay, and nobody wants them")
			}
		}
	}
	called := func(sql string, alone bool) bool {
		t.Helper()
		gone()
		s, err := c.Prepare(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if alone {
			s.ExpectShort()
		}
		rows, err := s.Query(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		return e.workers.at()
	}
	const short = "SELECT 1"
	if !called(short, false) {
		t.Error("a statement that wants the workers is run without them")
	}
	for again := 0; called(short, true); again++ { // also a short one calls them where it has to wait for a processor
		if again == 100 {
			t.Fatal("a short statement that is to be run alone calls the workers each time")
		}
	}
	if !called(long, true) {
		t.Error("a long statement that was taken for a short one is run without the workers")
	}
	gone()
}

// TestATaskThatRunsAStatement: while the workers are being stopped, the task of one of them may
// run another statement, as nextval does, which starts and releases workers.
func TestATaskThatRunsAStatement(t *testing.T) {
	e := openEngine(t, Options{Threads: 2})
	w := e.workers
	w.addDemand(1)
	first := w.crew
	first.running.Add(1) // the task
	w.addDemand(-1)
	for begun := time.Now(); w.at(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > testenv.Patience {
			t.Fatal("the workers stay, and nobody wants them")
		}
	}
	c := connect(t, e)
	ended := make(chan error, 1)
	go func() { ended <- c.ExecBackground(t.Context(), "SELECT 1") }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(testenv.Patience):
		t.Fatal("the task waits for the end of the workers, which wait for the task")
	}
	first.running.Done()
}

// TestWorkersOfManyStatements lets connections run statements side by side, with pauses in
// which the workers leave, and closes the engine while they are there.
func TestWorkersOfManyStatements(t *testing.T) {
	e, err := Open(t.Context(), Options{Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			c, err := e.Conn(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for i := range 30 {
				s, err := c.Prepare(t.Context(), fmt.Sprintf("SELECT sum(range) FROM range(%d)", 100_000*(i%3)+1))
				if err != nil {
					t.Error(err)
					return
				}
				if i%2 == 0 {
					s.ExpectShort()
				}
				rows, err := s.Query(t.Context(), nil)
				if err != nil {
					t.Error(err)
					return
				}
				rows.Close()
				s.Close()
				if i%10 == n {
					time.Sleep(2 * idleTimeout)
				}
			}
		})
	}
	all.Wait()
	e.Close()
	if e.workers.at() {
		t.Error("the engine is closed and has workers")
	}
}

// TestWorkersEndBesideOthers: workers that are being stopped end, also if others that are started
// meanwhile wait for tasks at the same semaphore.
func TestWorkersEndBesideOthers(t *testing.T) {
	w := openEngine(t, Options{Threads: 4}).workers
	w.addDemand(1)
	for round := range 300 {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.stop(func() bool { return true })
		}()
		for w.at() {
			runtime.Gosched()
		}
		w.addDemand(1) // starts others
		select {
		case <-ended:
		case <-time.After(testenv.Patience):
			t.Fatalf("the workers of round %d do not end", round)
		}
	}
	w.addDemand(-301)
}
