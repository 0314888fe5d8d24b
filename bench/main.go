// Command bench measures ontosql against PostgreSQL 15 on this machine, with the
// same rows, interleaved in one run, and prints ratios. What counts is the
// ratio: the machine's mood is in both sides of it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"text/tabwriter"
	"time"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "customers")
	repeats := flag.Int("n", 7, "repetitions of each measure")
	fixtures := flag.String("fixtures", "internal/fixtures/s3-v1/stage3-final/objects", "store for the cold start")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rows, *repeats, *fixtures); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measure is one line of the table: the same question to both servers.
type measure struct {
	name   string
	sql    string
	binary bool
	args   []string
	rows   int     // the answer must have so many
	goal   float64 // PostgreSQL's time by ours; 0 is none yet
}

func run(ctx context.Context, rows, repeats int, fixtures string) error {
	b, err := setUp(ctx, rows)
	if err != nil {
		return err
	}
	defer b.close()
	const columns = "id, name, tier, balance, visits"
	key := fmt.Sprintf("c%07d", rows/2)
	measures := []measure{
		{name: "full scan, text", sql: "SELECT " + columns + " FROM customer", rows: rows, goal: 1.5},
		{name: "full scan, binary", sql: "SELECT " + columns + " FROM customer", binary: true, rows: rows},
		{name: "latest aggregate", sql: "SELECT tier, count(*), avg(balance) FROM customer GROUP BY tier", rows: 3},
		{name: "point look-up", sql: "SELECT " + columns + " FROM customer WHERE id = $1", binary: true, args: []string{key}, rows: 1},
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(os.Stdout, "%d customers of 5 columns, %d repetitions interleaved, medians\n\n", rows, repeats)
	fmt.Fprintln(table, "measure\tPostgreSQL\tontosql\tratio\tgoal\tverdict")
	for _, m := range measures {
		var theirs, ours []time.Duration
		for i := range repeats + 1 {
			t, err := b.postgres.ask(m)
			if err != nil {
				return fmt.Errorf("%s, PostgreSQL: %w", m.name, err)
			}
			o, err := b.ontosql.ask(m)
			if err != nil {
				return fmt.Errorf("%s, ontosql: %w", m.name, err)
			}
			if i > 0 { // the first fills caches on both sides
				theirs, ours = append(theirs, t), append(ours, o)
			}
		}
		ratio := float64(median(theirs)) / float64(median(ours))
		fmt.Fprintf(table, "%s\t%s\t%s\t%.2fx\t%s\n", m.name, round(median(theirs)), round(median(ours)), ratio, verdict(m.goal, ratio))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	idle, peak := b.memory()
	fmt.Printf("\nmemory of the gateway: %d MiB before the first statement, %d MiB at its peak\n", idle>>20, peak>>20)
	cold, err := coldStart(ctx, b.binary, fixtures, repeats)
	if err != nil {
		return fmt.Errorf("cold start: %w", err)
	}
	fmt.Printf("cold start on the fixtures, process start to first answer, no cache: %s (goal <= 1s)\n", round(median(cold)))
	return nil
}

func verdict(goal, ratio float64) string {
	switch {
	case goal == 0:
		return "\t"
	case ratio >= goal:
		return fmt.Sprintf(">= %.1fx\tmet", goal)
	}
	return fmt.Sprintf(">= %.1fx\tMISSED", goal)
}

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}

func round(d time.Duration) time.Duration {
	if d < 10*time.Millisecond {
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
