package compat

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	writesPrograms = 40 // that run always
	programSteps   = 40
	writesVar      = "ONTOSQL_WRITES" // a duration: how long others run after them
	shrinkTries    = 150
)

var writesSeed = flag.Uint64("writes.seed", 0, "the one program that TestWrites is to run")

// TestWrites runs the same programs on the gateway and on PostgreSQL, and compares
// every answer: rows, command tags, notices, errors, and the state of the
// transaction afterwards. Whenever no transaction is open the tables are equal.
func TestWrites(t *testing.T) {
	dsn := postgresShop(t, "compat_writes")
	first, last, until := uint64(1), uint64(writesPrograms), time.Time{}
	if text := os.Getenv(writesVar); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", writesVar, err)
		}
		until = time.Now().Add(d)
	}
	if *writesSeed != 0 {
		first, last = *writesSeed, *writesSeed
	}
	for seed := first; seed <= last; seed++ {
		runProgram(t, dsn, seed)
	}
	for seed := uint64(time.Now().UnixNano()); time.Now().Before(until); seed++ {
		runProgram(t, dsn, seed)
	}
}

// runProgram runs the program of a seed. A program with a different answer is reduced to the
// statements that show it, so that it can be added to the corpus.
func runProgram(t *testing.T, dsn string, seed uint64) {
	t.Helper()
	g := newGenerator(seed)
	steps := []step{filling()}
	diff := run(t, dsn, g.onConflict, func(i int, status byte) (step, bool) {
		if i == len(steps) {
			steps = append(steps, g.step(status))
		}
		return steps[i], i < programSteps
	})
	if diff == "" {
		return
	}
	shrink(steps, shrinkTries, func(steps []step) bool {
		again := run(t, dsn, g.onConflict, func(i int, _ byte) (s step, ok bool) {
			if i < len(steps) {
				s, ok = steps[i], true
			}
			return s, ok
		})
		if again != "" {
			diff = again
		}
		return again != ""
	})
	t.Errorf("to repeat: go test ./tests/compat -run 'TestWrites$' -writes.seed %d\nontosql.on_conflict = %s\n%s", seed, g.onConflict, diff)
}

// run runs a program on an empty shop on both sides and tells where they first
// differ, "" for nowhere. next is the step of a number, and false at the end.
func run(t *testing.T, dsn, onConflict string, next func(i int, status byte) (step, bool)) (diff string) {
	sound := t.Run("program", func(t *testing.T) {
		ctx := t.Context()
		theirs, ours := connectClient(t, dsn), connectClient(t, serveShop(t))
		must(t, ctx, theirs.PgConn, "TRUNCATE item, shelf, stands, owns")
		must(t, ctx, ours.PgConn, "SET ontosql.on_conflict = '"+onConflict+"'")
		diff = differ(ctx, theirs, ours, next)
	})
	if diff == "" && !sound {
		return "the store that is left breaks a rule"
	}
	return diff
}

// differ runs the steps and stops at the first difference: in an answer, or in the
// tables when no transaction is open.
func differ(ctx context.Context, theirs, ours *client, next func(i int, status byte) (step, bool)) string {
	var said []string
	for i := 0; ; i++ {
		s, ok := next(i, theirs.TxStatus())
		if !ok {
			return ""
		}
		said = append(said, s.String())
		if diff := cmp.Diff(theirs.send(ctx, s.forServer(true)), ours.send(ctx, s.forServer(false))); diff != "" {
			return fmt.Sprintf("%s\n(-PostgreSQL +ontosql):\n%s", strings.Join(said, "\n"), diff)
		}
		if ours.TxStatus() != 'I' {
			continue
		}
		if diff := cmp.Diff(theirs.tables(ctx), ours.tables(ctx)); diff != "" {
			return fmt.Sprintf("%s\nthe tables (-PostgreSQL +ontosql):\n%s", strings.Join(said, "\n"), diff)
		}
	}
}

// tables is what the shop holds.
func (c *client) tables(ctx context.Context) []string {
	return c.send(ctx, simple(
		"SELECT * FROM item ORDER BY sku", "SELECT * FROM shelf ORDER BY name",
		"SELECT * FROM stands ORDER BY left_key, right_key, slot", "SELECT * FROM owns ORDER BY left_key, right_key",
	))
}

// postgresShop makes a database with the tables of the shop.
func postgresShop(t *testing.T, name string) (dsn string) {
	t.Helper()
	dsn = postgresDatabase(t, name)
	c := connect(t, dsn)
	for _, sql := range shopInPostgres {
		must(t, t.Context(), c, sql)
	}
	return dsn
}
