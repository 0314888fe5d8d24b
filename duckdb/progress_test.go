package duckdb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestProgress reads the progress of a statement that would run for minutes.
func TestProgress(t *testing.T) {
	conn := connect(t, openEngine(t, Options{}))
	exec(t, conn, "CREATE TABLE numbers AS SELECT range AS i FROM range(1000000)")
	if err := conn.WatchProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := conn.Progress(); p != 0 {
		t.Errorf("while nothing runs the progress is %v, want 0", p)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	ended := make(chan error, 1)
	go func() { ended <- conn.Exec(ctx, "SELECT sum(hash(a.i + b.i)) FROM numbers AS a, numbers AS b") }()
	limit := time.Now().Add(testenv.Patience)
	for conn.Progress() == 0 {
		if time.Now().After(limit) {
			t.Error("DuckDB reports no progress")
			break
		}
		time.Sleep(time.Millisecond)
	}
	if p := conn.Progress(); p >= 1 {
		t.Errorf("while it runs the progress is %v", p)
	}
	cancel(enough)
	if err := <-ended; !errors.Is(err, enough) {
		t.Errorf("the statement ended with %v", err)
	}
}
