package backends

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// client is a session that says what it was answered, in text.
type client struct {
	*pgconn.PgConn
	notices []string
}

func connect(t *testing.T, dsn string) *client {
	t.Helper()
	c := &client{}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		c.notices = append(c.notices, n.Severity+": "+n.Message)
	}
	ctx := context.WithoutCancel(t.Context())
	if c.PgConn, err = pgconn.ConnectConfig(ctx, config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(ctx) })
	return c
}

// say runs a string of statements and tells all that came back: rows, those of RETURNING
// sorted, command tags, notices, and the error that ended it.
func (c *client) say(ctx context.Context, sql string) string {
	var b strings.Builder
	results := c.Exec(ctx, sql)
	for results.NextResult() {
		c.tell(&b)
		r := results.ResultReader()
		n := len(r.FieldDescriptions())
		var rows []string
		for r.NextRow() {
			var row strings.Builder
			writeRow(&row, r.Values())
			rows = append(rows, row.String())
		}
		tag, err := r.Close()
		if !tag.Select() { // RETURNING promises no order
			slices.Sort(rows)
		}
		b.WriteString(strings.Join(rows, ""))
		c.tell(&b)
		if err == nil && (n == 0 || tag.String() == "SELECT 0") {
			fmt.Fprintln(&b, tag)
		}
	}
	err := results.Close()
	c.tell(&b)
	writeError(&b, err)
	return b.String()
}

// sayWith runs a statement that gives no rows, with its parameters.
func (c *client) sayWith(ctx context.Context, sql string, args [][]byte) string {
	var b strings.Builder
	r := c.ExecParams(ctx, sql, args, nil, nil, nil).Read()
	c.tell(&b)
	if r.Err == nil {
		fmt.Fprintln(&b, r.CommandTag)
	}
	writeError(&b, r.Err)
	return b.String()
}

// load copies lines into a table: the first word of the input's lines is data.
func (c *client) load(ctx context.Context, sql string, lines io.Reader) string {
	var b strings.Builder
	tag, err := c.CopyFrom(ctx, lines, sql)
	c.tell(&b)
	if err == nil {
		fmt.Fprintln(&b, tag)
	}
	writeError(&b, err)
	return b.String()
}

// tell takes the notices that have come.
func (c *client) tell(b *strings.Builder) {
	for _, n := range c.notices {
		fmt.Fprintln(b, n)
	}
	c.notices = nil
}

func writeRow(b *strings.Builder, values [][]byte) {
	for i, v := range values {
		if i > 0 {
			b.WriteByte('|')
		}
		if v == nil {
			b.WriteString("NULL")
			continue
		}
		b.Write(v)
	}
	b.WriteByte('\n')
}

// writeError says an error as a client has it. An answer of a server that names no
// SQLSTATE is a broken connection.
func writeError(b *strings.Builder, err error) {
	var e *pgconn.PgError
	switch {
	case err == nil:
	case errors.As(err, &e):
		fmt.Fprintf(b, "%s %s: %s\n", e.Severity, e.Code, e.Message)
		if e.Detail != "" {
			fmt.Fprintln(b, "DETAIL:", e.Detail)
		}
		if e.Hint != "" {
			fmt.Fprintln(b, "HINT:", e.Hint)
		}
	default:
		fmt.Fprintln(b, "BROKEN:", err)
	}
}
