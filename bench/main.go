// Command bench measures ontosql on this machine: reads against PostgreSQL 15
// with the same rows, interleaved in one run, because what counts there is the
// ratio and the machine's mood is in both sides of it; and commits to an S3
// server that is made as far away as a real one, against the goals in absolute
// figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

// bench is what its parts share.
type bench struct {
	rows     int
	repeats  int
	fixtures string
	dir      string // temporary, removed at the end
	binary   string // ontosql, built from this tree
}

// parts are run in this order; -run selects them by name.
var parts = []struct {
	name string
	run  func(context.Context, *bench) error
}{
	{"reads", reads},
	{"cold start", coldStarts},
	{"commits", commits},
}

func main() {
	var b bench
	flag.IntVar(&b.rows, "rows", 1_000_000, "customers of the reads")
	flag.IntVar(&b.repeats, "n", 7, "repetitions of each measure; at most 3 of the commits")
	flag.StringVar(&b.fixtures, "fixtures", "internal/fixtures/s3-v1/stage3-final/objects", "store for the cold start")
	only := flag.String("run", "", "regexp of the `parts` to run: reads, cold start, commits; empty for all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, &b, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, b *bench, only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "ontosql-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	b.binary = filepath.Join(b.dir, "ontosql")
	build := exec.CommandContext(ctx, "go", "build", "-o", b.binary, "./cmd/ontosql")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	for _, part := range parts {
		if wanted.MatchString(part.name) {
			if err := part.run(ctx, b); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
			fmt.Println()
		}
	}
	return nil
}

// met is the last column of a line that has a goal.
func met(ok bool) string {
	if ok {
		return "met"
	}
	return "MISSED"
}

func median[T float64 | time.Duration](all []T) T { return quantile(all, 0.5) }

// quantile is the least value that a share q of all does not exceed.
func quantile[T float64 | time.Duration](all []T, q float64) T {
	s := slices.Sorted(slices.Values(all))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

func round(d time.Duration) time.Duration {
	if d < 10*time.Millisecond {
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
