// Command bench measures ontosql next to others that answer the same questions from the same
// rows: PostgreSQL 15, DuckDB in this process, the encoder of the wire alone, a Committer
// alone. The results are ratios within one run, because other load on the machine affects both
// sides. docs/performance.md describes each measure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

// measures are run in this order; -run selects them by name.
var measures = []struct {
	name string
	run  func(context.Context, *lab, *result) error
}{
	{"P1 point look-up", pointLookups},
	{"P2 latest aggregate", aggregatesOfLatest},
	{"join of three types", joinOfTypes},
	{"P3 large result", largeResults},
	{"P4 large writes", writes},
	{"P5 commit behind 10 ms", farCommits},
	{"P6 length of the history", lengthOfHistory},
	{"P7 past points", pastPoints},
	{"P8 memory", memory},
	{"P9 process start", processStart},
	{"P10 schema changes", schemaChanges},
	{"P11 SQLite", inSQLite},
	{"P12 catalog", catalogQueries},
	{"P13 small statements", smallStatements},
	{"P14 workspace", workspaceTables},
	{"P15 dbt", dbtProject},
	{"P16 TPC-H", tpcH},
	{"P17 TPC-DS", tpcDS},
	{"P18 own files", ownFiles},
	{"P19 feed of files", feedOfFiles},
	{"P20 bulk upsert", upserts},
	{"P21 garbage", garbagePlans},
	{"P22 compaction", compactions},
	{"P23 time machine", timeMachine},
	{"P24 by key", byKeys},
	{"P25 event bus", eventBus},
	{"P26 branches", branches},
}

type options struct {
	size, only, data, json string
	laps                   int
	processor              bool
}

func main() {
	var o options
	flag.StringVar(&o.size, "size", "M", "how much data: `S`, M or L")
	flag.StringVar(&o.only, "run", "", "`regexp` of words in the names of the measures to run; empty for all")
	flag.IntVar(&o.laps, "n", 7, "how often each contender has its turn")
	flag.BoolVar(&o.processor, "processor", false, "compare processor time where a measure can (P16 to P18), which other load disturbs less")
	flag.StringVar(&o.data, "data", "", "`directory` to keep the stores in for the next run, default a temporary one")
	flag.StringVar(&o.json, "json", "", "`file` for the figures of the run")
	published := flag.String("report", "", "put the figures in this `file` into docs/performance.md, and measure nothing")
	file := flag.String("sqlite", "", "serve this SQLite `file` as bare as can be, for P11, and measure nothing")
	flag.Parse()
	if *file != "" {
		if err := bareServer(*file); err != nil {
			fmt.Fprintln(os.Stderr, "SQLite's server:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, *published); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, published string) error {
	if published != "" {
		r, err := readReport(published)
		if err != nil {
			return err
		}
		return r.publish("docs/performance.md")
	}
	r, err := measured(ctx, o, os.Stdout)
	if r != nil && o.json != "" {
		err = errors.Join(err, r.write(o.json))
	}
	return err
}

// measured runs the measures and prints each when it is done. One that fails
// does not keep the others from running: what they found comes with the error.
func measured(ctx context.Context, o options, out io.Writer) (*report, error) {
	wanted, err := regexp.Compile(`\b(?:` + o.only + `)\b`) // P1 is not P10
	if err != nil {
		return nil, err
	}
	s, err := sizeNamed(o.size)
	if err != nil {
		return nil, err
	}
	all := &report{Machine: here(), Size: s, Laps: o.laps}
	l, err := openLab(ctx, s, o.laps, o.data)
	if err != nil {
		return nil, err
	}
	defer l.close()
	l.processor = o.processor
	var failed error
	fmt.Fprintf(out, "%s\n%d laps\n\n", s, o.laps)
	for _, m := range measures {
		if !wanted.MatchString(m.name) {
			continue
		}
		began := time.Now()
		one := result{Name: m.name}
		if err := m.run(ctx, l, &one); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", m.name, err))
			l.tell("%s failed: %v", m.name, err)
		}
		one.Took = time.Since(began).Seconds()
		if err := one.table(out); err != nil {
			return nil, err
		}
		all.Measures = append(all.Measures, one)
	}
	all.Machine.LoadAfter = load()
	return all, failed
}
