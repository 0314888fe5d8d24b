package dml_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
)

// TestWriteColumn: the query of one assigned column computes no other.
func TestWriteColumn(t *testing.T) {
	for _, c := range []struct{ sql, want, never string }{
		{"UPDATE product SET name = upper($1), price = 1 / ($2 - id) WHERE id = $3", `"name"`, "rw_int_div"},
		{"INSERT INTO product (id, name) VALUES (1, upper($1)) ON CONFLICT (id) DO UPDATE SET name = lower(excluded.name), price = 1 / $2::int", `"name"`, "rw_int_div"},
		{"MERGE INTO product USING customer c ON c.age = product.id WHEN MATCHED THEN UPDATE SET name = c.name, price = 1 / c.age", `"name"`, "rw_int_div"},
	} {
		sc, _, err := rewritetest.Write(c.sql, dml.ConflictError, nil)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		sources := make([]string, len(sc.Rows.Needs))
		for i := range sources {
			sources[i] = "<source>"
		}
		sql, _, err := sc.BindColumn(1, sources)
		if err != nil || !strings.Contains(sql, " AS "+c.want+" FROM ") || strings.Contains(sql, c.never) {
			t.Errorf("%s: got %s (%v), want %s and no %s", c.sql, sql, err, c.want, c.never)
		}
		if sql, _, err := sc.BindColumn(4, sources); err == nil {
			t.Errorf("%s: column 4 of 4 is %s", c.sql, sql)
		}
	}
}

// TestBindColumn: the query of one column has that column's values alone, so
// that what fails in it is its own.
func TestBindColumn(t *testing.T) {
	sc, _, err := rewritetest.Write("INSERT INTO product (name, id) VALUES ($2, $1), ('x', 2)", dml.ConflictError, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		sql  string
		used []int
	}{
		{`SELECT "rows"."column2" AS "id" FROM (VALUES (CAST((CAST($1 AS VARCHAR) || '') AS BIGINT)), (CAST(2 AS BIGINT))) AS "rows"("column2")`, []int{1}},
		{`SELECT "rows"."column1" AS "name" FROM (VALUES ((CAST($1 AS VARCHAR) || '')), ('x')) AS "rows"("column1")`, []int{2}},
		{`SELECT CAST(NULL AS DECIMAL(38,12)) AS "price" FROM (SELECT NULL) AS "rows"`, nil},
	} {
		sql, used, err := sc.BindColumn(i, nil)
		if err != nil || sql != want.sql || fmt.Sprint(used) != fmt.Sprint(want.used) {
			t.Errorf("column %d: got %s with %v (%v), want %s with %v", i, sql, used, err, want.sql, want.used)
		}
	}
	for _, i := range []int{-1, 4} {
		if sql, _, err := sc.BindColumn(i, nil); err == nil {
			t.Errorf("column %d of 4: got %s, want an error", i, sql)
		}
	}
}
