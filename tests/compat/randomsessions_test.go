package compat

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sessions are random programs of one client each, which both servers run in a new session.
type sessions struct {
	test         string // the name of the test
	count, steps int    // programs that always run, and statements of each
	only         uint64 // the seed of the one program that is to run, 0 for all
	env          string // the variable with the time that further programs run
	theirs, ours string // DSNs
	begin        []step // of every program
	// program returns what makes the steps of a seed, one after the other, by the status of the
	// transaction.
	program func(seed uint64) func(status byte) step
	// same compares the answers to a step, "" for no difference.
	same  func(s step, theirs, ours []string) string
	done  func(s step, theirs []string) // sees each step with the same answer; may be nil
	start func()                        // is called when a program begins, also one that is reduced; may be nil
}

// run runs the programs of the seeds. A program with a different answer is reduced to the
// steps that show it.
func (a *sessions) run(t *testing.T) {
	t.Helper()
	first, last, until := uint64(1), uint64(a.count), time.Time{}
	if text := os.Getenv(a.env); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", a.env, err)
		}
		until = time.Now().Add(d)
	}
	if a.only != 0 {
		first, last = a.only, a.only
	}
	for seed := first; seed <= last; seed++ {
		a.runSeed(t, seed)
	}
	for seed := uint64(time.Now().UnixNano()); time.Now().Before(until); seed++ {
		a.runSeed(t, seed)
	}
}

func (a *sessions) runSeed(t *testing.T, seed uint64) {
	t.Helper()
	next := a.program(seed)
	var steps []step
	diff := a.differ(t, func(i int, status byte) (step, bool) {
		if i == len(steps) {
			steps = append(steps, next(status))
		}
		return steps[i], i < a.steps
	})
	if diff == "" {
		return
	}
	shrink(steps, shrinkTries, func(steps []step) bool {
		again := a.differ(t, func(i int, _ byte) (s step, ok bool) {
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
	t.Errorf("to repeat: go test ./tests/compat -run '%s$' -%s.seed %d\n%s", a.test, strings.ToLower(strings.TrimPrefix(a.test, "Test")), seed, diff)
}

// differ runs a program in new sessions and tells where the answers first differ, "" for
// nowhere.
func (a *sessions) differ(t *testing.T, next func(i int, status byte) (step, bool)) string {
	t.Helper()
	ctx := t.Context()
	theirs, ours := connectClient(t, a.theirs), connectClient(t, a.ours)
	defer func() {
		_ = theirs.Close(context.WithoutCancel(ctx))
		_ = ours.Close(context.WithoutCancel(ctx))
	}()
	if a.start != nil {
		a.start()
	}
	var said []string
	ask := func(s step) string {
		said = append(said, s.String())
		want, got := theirs.sendAndExplain(ctx, s.forServer(true)), ours.sendAndExplain(ctx, s.forServer(false))
		if diff := a.same(s, want, got); diff != "" {
			return fmt.Sprintf("%s\n(-PostgreSQL +ontosql):\n%s", strings.Join(said, "\n"), diff)
		}
		if a.done != nil {
			a.done(s, want)
		}
		return ""
	}
	for _, s := range a.begin {
		if diff := ask(s); diff != "" {
			return diff
		}
	}
	for i := 0; ; i++ {
		s, ok := next(i, theirs.TxStatus())
		if !ok {
			return ""
		}
		if diff := ask(s); diff != "" {
			return diff
		}
	}
}

// sendAndExplain is send, with DETAIL and HINT of errors too.
func (c *client) sendAndExplain(ctx context.Context, s step) []string {
	if s.pipeline || s.data != "" {
		return c.send(ctx, s)
	}
	return c.said(ctx, s.text())
}

// temporarySchema is the name of the schema of a session's temporary tables in PostgreSQL.
var temporarySchema = regexp.MustCompile(`\bpg_temp_[0-9]+\b`)

// sameLines compares the answers line by line.
func sameLines(_ step, theirs, ours []string) string {
	theirs = slices.Clone(theirs)
	for i, l := range theirs {
		theirs[i] = temporarySchema.ReplaceAllString(l, "pg_temp")
	}
	return cmp.Diff(theirs, ours)
}

// connectionLost reports whether an answer says that the session has ended.
func connectionLost(lines []string) bool {
	for _, l := range lines {
		if strings.HasPrefix(l, "connection: ") {
			return true
		}
	}
	return false
}

// internalError reports whether an answer is an internal error or the end of the session.
func internalError(lines []string) bool {
	for _, l := range lines {
		if strings.HasPrefix(l, "XX000 ") {
			return true
		}
	}
	return connectionLost(lines)
}
