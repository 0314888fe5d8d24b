package dml_test

import (
	"fmt"
	"testing"

	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
)

// TestParamRows: an INSERT whose rows are parameters needs no engine; one in which
// anything is computed, cut or read does.
func TestParamRows(t *testing.T) {
	const text, varchar, int4 = 25, 1043, 23
	for _, c := range []struct {
		sql  string
		oids []uint32
		want string
	}{
		{sql: "INSERT INTO customer (id, name, balance, age) VALUES ($1, $2, $3, $4)", want: "[[1 2 0 3 4 0]]"},
		{sql: "INSERT INTO customer (age, id) VALUES ($1, $2), ($3, $2)", want: "[[2 0 0 0 1 0] [2 0 0 0 3 0]]"},
		{sql: "INSERT INTO customer DEFAULT VALUES", want: "[[0 0 0 0 0 0]]"},
		{sql: "INSERT INTO customer (id) VALUES ($1::text)", want: "[[1 0 0 0 0 0]]"},
		{sql: "INSERT INTO customer (id) VALUES ($1)", oids: []uint32{text}, want: "[[1 0 0 0 0 0]]"},
		{sql: "INSERT INTO customer (id) VALUES ($1)", oids: []uint32{varchar}, want: "[]"},
		{sql: "INSERT INTO customer (id, age) VALUES ($1, $2)", oids: []uint32{0, int4}, want: "[]"},
		{sql: "INSERT INTO customer (id, age) VALUES ($1, $2 + 1)", want: "[]"},
		{sql: "INSERT INTO customer (id, name) VALUES ($1, 'x')", want: "[]"},
		{sql: "INSERT INTO customer (id, name) VALUES ($1, upper($2))", want: "[]"},
		{sql: "INSERT INTO customer (id, attrs) VALUES ($1, $2)", want: "[]"}, // JSON's null is NULL
		{sql: "INSERT INTO customer (id) SELECT $1", want: "[]"},
		{sql: "INSERT INTO customer (id) VALUES ($1) LIMIT 1", want: "[]"},
		{sql: "WITH x AS (SELECT 1) INSERT INTO customer (id) VALUES ($1)", want: "[]"},
		{sql: "INSERT INTO customer (id) VALUES ($1) RETURNING id", want: "[]"},
		{sql: "INSERT INTO customer (id) VALUES ($1) ON CONFLICT DO NOTHING", want: "[]"},
		{sql: "INSERT INTO account (id, owner, code) VALUES ($1, $2, $3)", want: "[]"}, // code has a length
		{sql: "INSERT INTO account (id) VALUES ($1)", want: "[]"},                      // the others have defaults
		{sql: "UPDATE customer SET name = $1", want: "[]"},
	} {
		sc, _, err := rewritetest.Write(c.sql, dml.ConflictError, c.oids)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got := fmt.Sprint(sc.ParamRows()); got != c.want {
			t.Errorf("%s %v: the rows are %s, want %s", c.sql, c.oids, got, c.want)
		}
	}
}
