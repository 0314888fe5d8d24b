package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// lab is what the measures share. What takes long to start is started when a
// measure first asks for it, and kept for the next.
type lab struct {
	size      size
	laps      int
	processor bool   // processor time is compared where a measure can
	data      string // stores that are kept
	dir       string // everything else: below data, removed at the end
	binary    string // ontosql, built from this tree

	pg       *postgres
	raw      *raw
	server   *gateway // of the history, on a directory
	cacheDir string   // of that gateway
}

// openLab builds the program. data is where stores are kept, "" for nowhere.
func openLab(ctx context.Context, s size, laps int, data string) (*lab, error) {
	l := &lab{size: s, laps: laps, data: data}
	if data != "" {
		if err := os.MkdirAll(data, 0o755); err != nil {
			return nil, err
		}
	}
	var err error
	if l.dir, err = os.MkdirTemp(data, "ontosql-bench-"); err != nil {
		return nil, err
	}
	if l.dir, err = filepath.Abs(l.dir); err != nil {
		return nil, err
	}
	if l.data = filepath.Dir(l.dir); data == "" {
		l.data = l.dir
	}
	l.binary = filepath.Join(l.dir, "ontosql")
	build := exec.CommandContext(ctx, "go", "build", "-o", l.binary, "github.com/ontosql/ontosql/cmd/ontosql")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		l.close()
		return nil, fmt.Errorf("build: %w", err)
	}
	return l, nil
}

// rivals are PostgreSQL, ontosql and raw DuckDB with the history.
func (l *lab) rivals(ctx context.Context) (pg *postgres, ours *gateway, duck *raw, err error) {
	if pg, err = l.postgres(ctx); err != nil {
		return nil, nil, nil, err
	}
	if ours, err = l.ontosql(ctx); err != nil {
		return nil, nil, nil, err
	}
	duck, err = l.duckdb(ctx)
	return pg, ours, duck, err
}

// close ends what was started and removes what is not to be kept.
func (l *lab) close() {
	l.stopServer()
	if l.pg != nil {
		l.pg.Stop()
	}
	if l.raw != nil {
		l.raw.close()
	}
	os.RemoveAll(l.dir)
}

// newDir is an empty directory, removed with the lab.
func (l *lab) newDir(name string) (string, error) { return os.MkdirTemp(l.dir, name+"-") }

// tell says how a long preparation goes.
func (l *lab) tell(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}

// toldTime is a duration for people.
func toldTime(since time.Time) time.Duration { return time.Since(since).Round(10 * time.Millisecond) }
