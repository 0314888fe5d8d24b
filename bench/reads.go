package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"
)

// measure is one line of the table of reads: the same question to both servers.
type measure struct {
	name   string
	sql    string
	binary bool
	args   []string
	rows   int     // the answer must have so many
	goal   float64 // PostgreSQL's time by ours; 0 is none yet
}

// reads asks PostgreSQL and a warm gateway the same questions in turn.
func reads(ctx context.Context, b *bench) error {
	s, err := setUp(ctx, b)
	if err != nil {
		return err
	}
	defer s.close()
	const columns = "id, name, tier, balance, visits"
	key := fmt.Sprintf("c%07d", b.rows/2)
	measures := []measure{
		{name: "full scan, text", sql: "SELECT " + columns + " FROM customer", rows: b.rows, goal: 1.5},
		{name: "full scan, binary", sql: "SELECT " + columns + " FROM customer", binary: true, rows: b.rows},
		{name: "latest aggregate", sql: "SELECT tier, count(*), avg(balance) FROM customer GROUP BY tier", rows: 3},
		{name: "point look-up", sql: "SELECT " + columns + " FROM customer WHERE id = $1", binary: true, args: []string{key}, rows: 1},
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(os.Stdout, "%d customers of 5 columns, %d repetitions interleaved, medians\n\n", b.rows, b.repeats)
	fmt.Fprintln(table, "measure\tPostgreSQL\tontosql\tratio\tgoal\tverdict")
	for _, m := range measures {
		var theirs, ours []time.Duration
		for i := range b.repeats + 1 {
			t, err := s.postgres.ask(m)
			if err != nil {
				return fmt.Errorf("%s, PostgreSQL: %w", m.name, err)
			}
			o, err := s.ontosql.ask(m)
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
	idle, peak := s.memory()
	fmt.Printf("\nmemory of the gateway: %d MiB before the first statement, %d MiB at its peak\n", idle>>20, peak>>20)
	return nil
}

func verdict(goal, ratio float64) string {
	if goal == 0 {
		return "\t"
	}
	return fmt.Sprintf(">= %.1fx\t%s", goal, met(ratio >= goal))
}
