package compat

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

var (
	writesSeed = flag.Uint64("writes.seed", 0, "seed of TestWrites, 0 for a new one")
	writesTime = flag.Duration("writes.time", 15*time.Second, "how long TestWrites goes on")
)

// TestWrites runs the same random programs on the gateway and on PostgreSQL and
// compares every answer: rows, command tags, SQLSTATEs with what they name, and
// the state of the transaction afterwards. At the end of each program the tables
// are equal.
func TestWrites(t *testing.T) {
	ctx := t.Context()
	dsn := testenv.Postgres(t)
	must(t, ctx, connect(t, dsn), "CREATE DATABASE compat_writes")
	theirs := connect(t, strings.Replace(dsn, "/postgres?", "/compat_writes?", 1))
	for _, sql := range append([]string{"SET TimeZone = 'UTC'"}, shopInPostgres...) {
		must(t, ctx, theirs, sql)
	}
	ours := connect(t, serveShop(t))
	must(t, ctx, ours, "SET TimeZone = 'UTC'")

	seed := *writesSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("to repeat: go test ./tests/compat -run TestWrites -writes.seed %d", seed)
	p := &program{Rand: rand.New(rand.NewPCG(seed, 4))}
	until := time.Now().Add(*writesTime)
	statements, programs := 0, 0
	for time.Now().Before(until) {
		programs++
		var said []string
		for range 20 {
			sql := p.statement()
			statements++
			ask := answers
			if !strings.Contains(sql, ";") && p.IntN(3) == 0 {
				ask = answersExtended
			}
			want, got := ask(ctx, theirs, sql), ask(ctx, ours, sql)
			said = append(said, sql)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, program %d:\n%s\n(-PostgreSQL +ontosql):\n%s", seed, programs, strings.Join(said, ";\n"), diff)
			}
		}
		for _, sql := range []string{"ROLLBACK", "SELECT * FROM item ORDER BY sku", "SELECT * FROM shelf ORDER BY name", "SELECT * FROM stands ORDER BY 1, 2, 3"} {
			if diff := cmp.Diff(answers(ctx, theirs, sql), answers(ctx, ours, sql)); diff != "" {
				t.Fatalf("seed %d, after program %d:\n%s\n%s (-PostgreSQL +ontosql):\n%s", seed, programs, strings.Join(said, ";\n"), sql, diff)
			}
		}
	}
	t.Logf("%d programs, %d statements", programs, statements)
}

// answers is all that a server says to one string of the simple protocol.
func answers(ctx context.Context, c *pgconn.PgConn, sql string) []string {
	results, err := c.Exec(ctx, sql).ReadAll()
	return story(c, results, err)
}

// answersExtended is all that a server says to one statement of the extended
// protocol.
func answersExtended(ctx context.Context, c *pgconn.PgConn, sql string) []string {
	result := c.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
	if result.Err != nil {
		return story(c, nil, result.Err)
	}
	return story(c, []*pgconn.Result{result}, nil)
}

// story is an answer as lines, with the state of the transaction at the end.
func story(c *pgconn.PgConn, results []*pgconn.Result, err error) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, r := range results {
		if r.CommandTag.String() == "" && len(r.FieldDescriptions) == 0 {
			continue
		}
		var columns []string
		for _, f := range r.FieldDescriptions {
			columns = append(columns, fmt.Sprintf("%s %d", f.Name, f.DataTypeOID))
		}
		add("%s: %s", r.CommandTag, strings.Join(columns, ", "))
		for _, row := range r.Rows {
			var values []string
			for i, v := range row {
				values = append(values, shown(v, r.FieldDescriptions[i].DataTypeOID))
			}
			add("  %s", strings.Join(values, " | "))
		}
	}
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		add("%s at %d", e.Code, e.Position)
		if e.Code == "23505" || e.Code == "23502" {
			add("%s | %s.%s.%s %s", e.Message, e.SchemaName, e.TableName, e.ColumnName, e.ConstraintName)
		}
		if e.Code == "23505" {
			add("%s", e.Detail)
		}
	case err != nil:
		add("connection: %v", err)
	}
	add("state %c", c.TxStatus())
	return lines
}

// shown is a value in the form that both sides agree on: a numeric has no zeros
// behind its digits, because ontosql keeps the value and not its spelling.
func shown(v []byte, oid uint32) string {
	if v == nil {
		return "NULL"
	}
	text := string(v)
	if oid == 1700 && strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
