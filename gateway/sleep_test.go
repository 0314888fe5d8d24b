package gateway_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/pgerr"
)

// TestSleep asks for waits that end at once, and for what is no time.
func TestSleep(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for _, sql := range []string{
		"SELECT pg_sleep(0)", "SELECT pg_sleep(0.001)", "SELECT pg_sleep_for('1 microsecond')", "SELECT pg_sleep_for('-1 day')",
		"SELECT pg_sleep_until('2000-01-01 00:00:00+00')", "SELECT 'x' FROM pg_sleep(0)",
	} {
		if got := must(t, s, sql); len(got) != 1 {
			t.Errorf("%s: %q, want one row", sql, got)
		}
	}
	must(t, s, "SELECT pg_sleep($1)", "0.001")
	must(t, s, "SELECT pg_sleep(NULL), pg_sleep_for(NULL::interval)")
	refused(t, s, pgerr.InvalidTextRepresentation, "SELECT pg_sleep('soon')")
	refused(t, s, "22007", "SELECT pg_sleep_for('soon')")
	refused(t, s, pgerr.UndefinedFunction, "SELECT pg_sleep()")
}

// TestSleepEnds ends sleeps of days by statement_timeout and by another session's
// pg_cancel_backend. The session continues.
func TestSleepEnds(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	must(t, s, "SET statement_timeout = '50ms'")
	for _, sql := range []string{"SELECT pg_sleep(1000000)", "SELECT pg_sleep_for('10 days')", "SELECT pg_sleep_until('2200-01-01')", "SELECT pg_sleep('Infinity')"} {
		refused(t, s, pgerr.QueryCanceled, sql)
	}
	must(t, s, "RESET statement_timeout")
	must(t, s, "SELECT pg_sleep(0)")

	sleeper, other := h.client(t), h.client(t)
	pid := sleeper.PgConn().PID()
	ended := make(chan error, 1)
	go func() {
		_, err := sleeper.Exec(context.WithoutCancel(t.Context()), "SELECT pg_sleep(1000000)")
		ended <- err
	}()
	h.waitFor(t, "the sleeper to sleep", func() bool {
		var states []string
		rows, err := other.Query(t.Context(), "SELECT query FROM pg_stat_activity WHERE pid = $1 AND state = 'active'", int32(pid))
		for err == nil && rows.Next() {
			var query string
			err = rows.Scan(&query)
			states = append(states, query)
		}
		return err == nil && slices.Contains(states, "SELECT pg_sleep(1000000)")
	})
	if _, err := other.Exec(t.Context(), "SELECT pg_cancel_backend($1)", int32(pid)); err != nil {
		t.Fatal(err)
	}
	var e *pgconn.PgError
	if err := <-ended; !errors.As(err, &e) || e.Code != pgerr.QueryCanceled {
		t.Errorf("a sleep that another session cancels ends with %v", err)
	}
}
