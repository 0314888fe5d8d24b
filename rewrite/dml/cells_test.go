package dml_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
)

// TestBindCells: of listed rows the values of one column in some of the rows can
// be asked for alone.
func TestBindCells(t *testing.T) {
	sc, _, err := rewritetest.Write("INSERT INTO product (name, id) VALUES ($2, $1), ('x', 2), (upper($3), 3)", dml.ConflictError, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := sc.ValueRows(); n != 3 {
		t.Errorf("ValueRows is %d, want 3", n)
	}
	for _, c := range []struct {
		column, from, to int
		sql              string
		used             []int
	}{
		{0, 0, 1, `SELECT "rows"."column2" AS "id" FROM (VALUES (CAST((CAST($1 AS VARCHAR) || '') AS BIGINT))) AS "rows"("column2")`, []int{1}},
		{0, 1, 3, `SELECT "rows"."column2" AS "id" FROM (VALUES (CAST(2 AS BIGINT)), (CAST(3 AS BIGINT))) AS "rows"("column2")`, nil},
		{1, 2, 3, `SELECT "rows"."column1" AS "name" FROM (VALUES (ontosql_catalog.rw_upper((CAST($1 AS VARCHAR) || '')))) AS "rows"("column1")`, []int{3}},
		{2, 0, 1, `SELECT CAST(NULL AS DECIMAL(38,12)) AS "price" FROM (SELECT NULL) AS "rows"`, nil},
	} {
		sql, used, err := sc.BindCells(c.column, c.from, c.to, nil)
		if err != nil || sql != c.sql || fmt.Sprint(used) != fmt.Sprint(c.used) {
			t.Errorf("column %d, rows %d to %d: got %s with %v (%v), want %s with %v", c.column, c.from, c.to, sql, used, err, c.sql, c.used)
		}
	}
	for _, c := range [][3]int{{-1, 0, 1}, {4, 0, 1}, {0, -1, 1}, {0, 1, 1}, {0, 2, 4}} {
		if sql, _, err := sc.BindCells(c[0], c[1], c[2], nil); err == nil {
			t.Errorf("column %d, rows %d to %d: got %s, want an error", c[0], c[1], c[2], sql)
		}
	}
}

// TestParamCell: the cell of a parameter is the first one that contains it.
func TestParamCell(t *testing.T) {
	sc, _, err := rewritetest.Write("INSERT INTO product (name, id) VALUES ($2, 1), (upper($3), $1), ($2, 3)", dml.ConflictError, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int][2]int{2: {0, 1}, 3: {1, 1}, 1: {1, 0}} {
		if row, column, ok := sc.ParamCell(n); !ok || [2]int{row, column} != want {
			t.Errorf("$%d: got row %d, column %d, %t, want %v", n, row, column, ok, want)
		}
	}
	if row, column, ok := sc.ParamCell(4); ok {
		t.Errorf("$4: got row %d, column %d of a parameter that is in no cell", row, column)
	}
}

// TestInsertPosition: a literal has a place, alone and below one cast; what is
// computed has none, as in PostgreSQL.
func TestInsertPosition(t *testing.T) {
	sc, _, err := rewritetest.Write(`INSERT INTO product (name, id) VALUES ('é', '1'), ('x'::text, CAST('2' AS bigint)), (upper('y'), 3), (DEFAULT, '4'::text::bigint), ($1, bigint '5')`, dml.ConflictError, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]int{{40, 45}, {52, 68}, {0, 0}, {0, 0}, {0, 144}} // name, id
	for row, w := range want {
		if got := [2]int{sc.Position(row, 1), sc.Position(row, 0)}; got != w {
			t.Errorf("row %d: got %v, want %v", row, got, w)
		}
	}
	for _, c := range [][2]int{{5, 0}, {-1, 0}, {0, 3}} {
		if got := sc.Position(c[0], c[1]); got != 0 {
			t.Errorf("row %d, column %d: got position %d of no value", c[0], c[1], got)
		}
	}
	for _, sql := range []string{"INSERT INTO product (id) SELECT '1'", "INSERT INTO product (id) VALUES (1) LIMIT 1"} {
		sc, _, err := rewritetest.Write(sql, dml.ConflictError, nil)
		if err != nil || sc.ValueRows() != 0 || sc.Position(0, 0) != 0 {
			t.Errorf("%s: %v, got %d listed rows", sql, err, sc.ValueRows())
		}
	}
}

// TestInsertNamesTheCell: a literal that is refused while names and types are
// resolved is refused with the cell it is in.
func TestInsertNamesTheCell(t *testing.T) {
	for _, c := range []struct{ sql, code, column, where string }{
		{"INSERT INTO product (name, id) VALUES ('x', 1), ('y', 'z')", pgerr.InvalidTextRepresentation, "id", `row 2, column "id" of the rows for "product"`},
		{"INSERT INTO product VALUES ('99999999999999999999')", pgerr.NumericValueOutOfRange, "id", `row 1, column "id" of the rows for "product"`},
		{"INSERT INTO product (id, name) VALUES (1, 2), (true, 'x')", pgerr.DatatypeMismatch, "", ""},
		{"INSERT INTO product (id) VALUES (1 + 'x')", pgerr.InvalidTextRepresentation, "", ""},
	} {
		_, _, err := rewritetest.Write(c.sql, dml.ConflictError, nil)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Column != c.column || e.Where != c.where {
			t.Errorf("%s: got %v (%+v), want %s in %q, %s", c.sql, err, e, c.code, c.column, c.where)
		}
	}
}
