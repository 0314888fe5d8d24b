package compat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// precisions are those of the columns of a random table. The engine's decimals have 38 digits, in types
// 26 before the point and 12 behind it; others are wide.
var (
	typePrecisions  = [][2]int{{1, 0}, {1, 1}, {4, 4}, {5, 2}, {9, 0}, {9, 4}, {10, 2}, {12, 12}, {15, 2}, {18, 0}, {18, 6}, {18, 12}, {19, 2}, {20, 10}, {26, 0}, {38, 12}}
	widePrecisions  = [][2]int{{78, 0}, {65, 0}, {50, 10}, {39, 0}, {100, 50}, {40, 40}, {3, -2}, {20, -5}, {3, 5}, {38, 20}, {10, 2}, {18, 0}}
	tablePrecisions = append([][2]int{{38, 38}, {38, 0}, {37, 1}, {38, 20}, {30, 15}}, typePrecisions...)
)

// numericTable is a table of numerics with its rows.
type numericTable struct {
	precisions [][2]int
	rows       [][]string // the last half is written later
}

// randomNumerics is a table of some of the precisions: the extremes, small values and NULL.
func (g *generator) randomNumerics(precisions [][2]int) numericTable {
	t := numericTable{precisions: some(g, precisions, 6)}
	for range 30 {
		row := make([]string, len(t.precisions))
		for i, p := range t.precisions {
			row[i] = g.numeric(p[0], p[1])
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// numeric is a value that fits numeric(precision, scale) once it is rounded.
func (g *generator) numeric(precision, scale int) string {
	digits := precision
	switch g.IntN(6) {
	case 0:
		return "NULL"
	case 1: // the greatest
		return strings.Repeat("-", g.IntN(2)) + decimal(strings.Repeat("9", precision), scale)
	case 2, 3:
		digits = min(precision, max(scale, 0)+1+g.IntN(3))
	case 4:
		digits = 1 + g.IntN(precision)
	}
	text := make([]byte, digits)
	for i := range text {
		text[i] = byte('0' + g.IntN(10))
	}
	number := decimal(string(text), scale)
	if digits < precision && precision < 30 && scale >= 0 && scale < 30 && g.IntN(3) == 0 { // it is rounded, also from the middle
		if scale == 0 {
			number += "."
		}
		number += pick(g, []string{"5", "49", "50001"})
	}
	return strings.Repeat("-", g.IntN(2)) + number
}

// decimal puts a point before the last digits.
func decimal(digits string, scale int) string {
	if scale <= 0 {
		return digits + strings.Repeat("0", -scale)
	}
	digits = strings.Repeat("0", max(scale+1-len(digits), 0)) + digits
	return digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// create is the statement that creates the table.
func (t numericTable) create(name string) string {
	columns := []string{"id int PRIMARY KEY"}
	for i, p := range t.precisions {
		columns = append(columns, fmt.Sprintf("c%d numeric(%d,%d)", i, p[0], p[1]))
	}
	return "CREATE TABLE " + name + " (" + strings.Join(columns, ", ") + ")"
}

// insert are the statements that insert the rows from a to b.
func (t numericTable) insert(name string, a, b int) string {
	var inserts []string
	for i := a; i < b; i++ {
		inserts = append(inserts, fmt.Sprintf("INSERT INTO %s VALUES (%d, %s)", name, i, strings.Join(t.rows[i], ", ")))
	}
	return strings.Join(inserts, "; ")
}

// expression is a random expression of numerics.
func (g *generator) expression(t numericTable, depth int) string {
	if depth == 0 || g.IntN(5) == 0 {
		if g.IntN(4) == 0 {
			return pick(g, []string{"1", "0", "2.5", "-0.05", "10", "0.001", "3::bigint", "id"})
		}
		return fmt.Sprintf("c%d", g.IntN(len(t.precisions)))
	}
	x, y := func() string { return g.expression(t, depth-1) }, func() string { return g.expression(t, depth-1) }
	switch g.IntN(12) {
	case 0, 1, 2:
		return "(" + x() + " * " + y() + ")"
	case 3, 4:
		return "(" + x() + " + " + y() + ")"
	case 5, 6:
		return "(" + x() + " - " + y() + ")"
	case 7:
		return "abs(" + x() + ")"
	case 8:
		return "(-" + x() + ")"
	case 9:
		return "CASE WHEN " + x() + " < " + y() + " THEN " + x() + " ELSE " + y() + " END"
	case 10:
		return "coalesce(" + x() + ", " + y() + ")"
	}
	return "(" + x() + ")::numeric(20,4)"
}

// numericQuery is a random query of a table.
func (g *generator) numericQuery(t numericTable, name string) string {
	x, y := g.expression(t, 1+g.IntN(2)), g.expression(t, 1)
	switch g.IntN(8) {
	case 5:
		return "SELECT id, " + x + " / nullif(" + y + ", 0) FROM " + name + " ORDER BY id"
	case 6:
		return "SELECT id % 3, avg(" + x + "), sum(CASE WHEN id > 9 THEN " + y + " ELSE 0 END), sum(coalesce(" + y + ", 0.0)) FROM " + name + " GROUP BY 1 ORDER BY 1"
	case 0:
		return "SELECT id, " + x + " FROM " + name + " ORDER BY id"
	case 1:
		return "SELECT sum(" + x + "), count(" + y + ") FROM " + name
	case 2:
		return "SELECT min(" + x + "), max(" + y + ") FROM " + name
	case 3:
		return "SELECT id % 3, sum(" + x + "), max(" + y + ") FROM " + name + " GROUP BY 1 ORDER BY 1"
	case 4:
		return "SELECT id FROM " + name + " WHERE " + x + pick(g, []string{" < ", " = ", " >= "}) + y + " ORDER BY id"
	}
	return "SELECT (" + x + ")::numeric(20,4), count(*) FROM " + name + " GROUP BY 1 ORDER BY 1" // of equal numbers any may be shown
}

// TestRandomNumerics asks random queries of numerics of random precisions of PostgreSQL, of a type in
// files and in the mirror, and of an ordinary table. A number that needs more digits than the
// engine has is 22003; every other answer is PostgreSQL's, digit by digit.
func TestRandomNumerics(t *testing.T) {
	const seed, tables, queries = 20261128, 8, 60
	postgres := connectNumerics(t, testenv.Postgres(t))
	dsn := serveNumerics(t)
	types, ordinary := connectNumerics(t, dsn), connectNumerics(t, dsn)
	mustRun(t, ordinary, "CREATE SCHEMA w; SET search_path = w")
	mustRun(t, types, "SET ontosql.result_cache = off")
	g := newGenerator(seed)
	for i := range tables {
		name := fmt.Sprint("n", i)
		sides := []*pgconn.PgConn{types, ordinary}
		table := g.randomNumerics(typePrecisions)
		switch i % 4 {
		case 1, 3:
			table, sides = g.randomNumerics(tablePrecisions), sides[1:]
		case 2:
			table = g.randomNumerics(widePrecisions)
		}
		all := append([]*pgconn.PgConn{postgres}, sides...)
		for _, c := range all {
			mustRun(t, c, table.create(name))
		}
		for part := range 5 { // the mirror keeps types of four files and more
			for _, c := range all {
				mustRun(t, c, table.insert(name, part*6, part*6+6))
			}
		}
		for part := range 3 {
			for range queries / 3 {
				sql := g.numericQuery(table, name)
				want, wantErr := rowsOf(t.Context(), postgres, sql)
				for _, c := range sides {
					got, err := rowsOf(t.Context(), c, sql)
					var e *pgconn.PgError
					switch {
					case errors.As(err, &e) && e.Code == "22003" && errors.As(wantErr, &e) && e.Code == "22003":
					case got != want || (err == nil) != (wantErr == nil):
						t.Errorf("seed %d, table %d %s: %s: got %s %v\nPostgreSQL has %s %v", seed, i, table.create(name), sql, got, err, want, wantErr)
					}
				}
			}
			switch {
			case len(sides) == 2 && part == 0:
				waitForMirror(t, types, name)
			case part == 1: // the mirror is behind these
				for _, c := range all {
					mustRun(t, c, fmt.Sprintf("UPDATE %s SET c0 = -c0, c1 = -abs(c1) WHERE id < %d", name, 3+i))
				}
			}
		}
	}
}

func connectNumerics(t *testing.T, dsn string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	return c
}

// serveNumerics serves an empty store with a mirror.
func serveNumerics(t *testing.T) (dsn string) {
	t.Helper()
	bucket := mem.New("numerics")
	if _, err := writepath.Init(t.Context(), bucket, writepath.InitOptions{Engine: "v2"}); err != nil {
		t.Fatal(err)
	}
	g, err := gatewaytest.Open(context.WithoutCancel(t.Context()), gatewaytest.Options{Bucket: bucket, Mirror: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g.Listen(t)
}

func mustRun(t *testing.T, c *pgconn.PgConn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// rowsOf are the rows of a query as text.
func rowsOf(ctx context.Context, c *pgconn.PgConn, sql string) (string, error) {
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		return "", err
	}
	var lines []string
	for _, row := range results[0].Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			if cells[i] = string(v); v == nil {
				cells[i] = "NULL"
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, "\n"), nil
}

// waitForMirror returns when the mirror has a type.
func waitForMirror(t *testing.T, c *pgconn.PgConn, name string) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit); {
		mustRun(t, c, "SELECT count(*) FROM "+name)
		if state, err := rowsOf(t.Context(), c, "SELECT state FROM ontosql.mirror WHERE type_name = '"+name+"' AND through_commit_id = head_commit_id"); err == nil && state == "ready" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the mirror is not ready")
}
