package compat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestCopy runs testdata/copy.txt on the gateway and on PostgreSQL: what they say
// to the same COPY and the same data, errors with message, DETAIL, HINT and
// CONTEXT, and what the tables hold afterwards.
//
// A case is a statement, for COPY FROM with its data in the lines that follow,
// each a Go string without its quotes. Cases end in a blank line.
func TestCopy(t *testing.T) {
	ctx := t.Context()
	theirs := connect(t, postgresShop(t, "compat_copy"))
	ours := connect(t, serveShop(t))
	text, err := os.ReadFile("testdata/copy.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*pgconn.PgConn{theirs, ours} {
		must(t, ctx, c, "SET TimeZone = 'Europe/Berlin'")
	}
	for chunk := range strings.SplitSeq(string(text), "\n\n") {
		sql, data := copyCase(t, chunk)
		if sql == "" {
			continue
		}
		if diff := cmp.Diff(copied(ctx, theirs, sql, data), copied(ctx, ours, sql, data)); diff != "" {
			t.Errorf("%s\n%q (-PostgreSQL +ontosql):\n%s", sql, data, diff)
		}
	}
	for _, table := range []string{"item", "shelf", "stands"} {
		for _, form := range []string{"text", "csv", "binary"} {
			sql := fmt.Sprintf("COPY (SELECT * FROM %s ORDER BY 1, 2, 3) TO STDOUT (FORMAT %s)", table, form)
			if diff := cmp.Diff(copied(ctx, theirs, sql, ""), copied(ctx, ours, sql, "")); diff != "" {
				t.Errorf("%s (-PostgreSQL +ontosql):\n%s", sql, diff)
			}
		}
	}
}

// copyCase reads a case; comments begin with #.
func copyCase(t *testing.T, chunk string) (sql, data string) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(chunk), "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
		case sql == "":
			sql = line
		default:
			var text string
			if _, err := fmt.Sscanf(`"`+strings.ReplaceAll(line, `"`, `\"`)+`"`, "%q", &text); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			data += text
		}
	}
	return sql, data
}

// copied is all that a server says to a COPY, or to any other statement.
func copied(ctx context.Context, c *pgconn.PgConn, sql, data string) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	upper := strings.ToUpper(sql)
	var tag pgconn.CommandTag
	var err error
	switch {
	case strings.HasPrefix(upper, "COPY") && strings.Contains(upper, "FROM STDIN"):
		tag, err = c.CopyFrom(ctx, io.MultiReader(strings.NewReader(data)), sql)
	case strings.HasPrefix(upper, "COPY"):
		var out bytes.Buffer
		tag, err = c.CopyTo(ctx, &out, sql)
		add("%q", out.String())
	default:
		return answers(ctx, c, sql)
	}
	add("%s", tag)
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		hint := e.Hint
		if strings.Contains(hint, "byte order mark") {
			hint = "" // PostgreSQL leaves its users alone with it
		}
		add("%s %s at %d\nDETAIL %s\nHINT %s\nCONTEXT %s", e.Code, e.Message, e.Position, e.Detail, hint, e.Where)
	case err != nil:
		add("connection: %v", err)
	}
	add("%c", c.TxStatus())
	return lines
}
