package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// client is one connection, with the notices it was sent.
type client struct {
	*pgconn.PgConn
	notices []*pgconn.Notice
}

// dial connects to a database, with more connection parameters if given.
func (g *gateway) dial(t *testing.T, database string, more ...string) (*client, error) {
	t.Helper()
	host, port, _ := strings.Cut(g.address, ":")
	dsn := fmt.Sprintf("host=%s port=%s dbname='%s' user=tester sslmode=disable %s", host, port, database, strings.Join(more, " "))
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { c.notices = append(c.notices, n) }
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
	defer cancel()
	if c.PgConn, err = pgconn.ConnectConfig(ctx, config); err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = c.Close(ctx)
	})
	return c, nil
}

// connect is dial that must succeed.
func (g *gateway) connect(t *testing.T, database string, more ...string) *client {
	t.Helper()
	c, err := g.dial(t, database, more...)
	if err != nil {
		t.Fatalf("connect to %s: %v; the gateway's log:\n%s", database, err, g.log)
	}
	return c
}

// ask runs SQL by the simple protocol; values of a row are joined with "|".
func (c *client) ask(t *testing.T, sql string) ([]string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
	defer cancel()
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []string
	for _, r := range results {
		for _, row := range r.Rows {
			values := make([]string, len(row))
			for i, v := range row {
				values[i] = string(v)
			}
			rows = append(rows, strings.Join(values, "|"))
		}
	}
	return rows, nil
}

// answers runs SQL that must give these rows.
func (c *client) answers(t *testing.T, sql string, want ...string) {
	t.Helper()
	got, err := c.ask(t, sql)
	if err != nil {
		t.Errorf("%s: %v, want an answer", sql, describe(err))
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", sql, diff)
	}
}

// refuses runs SQL that must fail with this SQLSTATE and words. The connection
// must be of use afterwards.
func (c *client) refuses(t *testing.T, sql, code string, says ...string) *pgconn.PgError {
	t.Helper()
	rows, err := c.ask(t, sql)
	if err == nil {
		t.Errorf("%s answers %q, want SQLSTATE %s", sql, rows, code)
		return nil
	}
	e := wantError(t, sql, err, code, says...)
	if c.IsClosed() {
		t.Errorf("%s: the connection is closed after the error, want it to be of use", sql)
	}
	return e
}

// wantError holds an error against a SQLSTATE and words of its message, detail
// or hint.
func wantError(t *testing.T, what string, err error, code string, says ...string) *pgconn.PgError {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		t.Errorf("%s: %v, want SQLSTATE %s", what, err, code)
		return nil
	}
	ok := e.Code == code
	for _, text := range says {
		ok = ok && strings.Contains(e.Message+"\n"+e.Detail+"\n"+e.Hint, text)
	}
	if !ok {
		t.Errorf("%s: got %s, want SQLSTATE %s and words %q", what, describe(e), code, says)
	}
	checkNoLocalPath(t, what, e)
	return e
}

// stateOf is the SQLSTATE of err where it begins with class, else class: for
// refusals whose exact state is PostgreSQL's own affair.
func stateOf(err error, class string) string {
	var e *pgconn.PgError
	if errors.As(err, &e) && strings.HasPrefix(e.Code, class) {
		return e.Code
	}
	return class
}

// checkNoLocalPath fails on an error that shows where files lie on the
// gateway's machine: all of ours are below the temporary directory.
func checkNoLocalPath(t *testing.T, what string, e *pgconn.PgError) {
	t.Helper()
	if text := describe(e); strings.Contains(text, os.TempDir()) {
		t.Errorf("%s: the error shows a path of the gateway's machine: %s", what, text)
	}
}

func describe(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return fmt.Sprintf("%s: %s: %s; detail %q; hint %q; position %d", e.Severity, e.Code, e.Message, e.Detail, e.Hint, e.Position)
}

// warned takes the warnings with this SQLSTATE that have arrived so far and fails if none of
// them contains text.
func (c *client) warned(t *testing.T, code, text string) {
	t.Helper()
	var got []string
	found := false
	for _, n := range c.notices {
		got = append(got, fmt.Sprintf("%s %s: %s", n.Severity, n.Code, n.Message))
		found = found || n.Severity == "WARNING" && n.Code == code && strings.Contains(n.Message, text)
		checkNoLocalPath(t, "warning", (*pgconn.PgError)(n))
	}
	c.notices = nil
	if !found {
		t.Errorf("notices %q, want a WARNING of %s that says %q", got, code, text)
	}
}
