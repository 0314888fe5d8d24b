package duckdb

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
)

// TestArithmetic divides numbers of each type, NULLs among them, in columns and constants.
func TestArithmetic(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 2}))
	for _, q := range []struct{ sql, want string }{
		{"ontosql_div(CAST(-7 AS SMALLINT), CAST(2 AS SMALLINT))", "-3"},
		{"ontosql_mod(-7, 2)", "-1"},
		{"ontosql_mod(CAST(-9223372036854775808 AS BIGINT), CAST(-1 AS BIGINT))", "0"},
		{"ontosql_div(CAST(-2147483648 AS INTEGER), CAST(-1 AS INTEGER))", "[22003] integer out of range"},
		{"ontosql_div(CAST(NULL AS INTEGER), 0)", "NULL"},
		{"ontosql_mod(1, CAST(NULL AS INTEGER))", "NULL"},
		{"ontosql_mod(1, 0)", "[22012] division by zero"},
		{"ontosql_div(CAST(1 AS FLOAT), CAST(3 AS FLOAT))", "0.33333334"},
		{"ontosql_div(CAST('nan' AS DOUBLE), CAST(0 AS DOUBLE))", "nan"},
		{"ontosql_div(CAST(1 AS DOUBLE), CAST(0 AS DOUBLE))", "[22012] division by zero"},
		{"ontosql_div(CAST(1e300 AS DOUBLE), CAST(1e-300 AS DOUBLE))", "[22003] value out of range: overflow"},
		{"ontosql_div(CAST(1e-300 AS DOUBLE), CAST(1e300 AS DOUBLE))", "[22003] value out of range: underflow"},
		{"(SELECT sum(ontosql_div(i, 3)) FROM range(10000) t(i))", "16661667"},
		{"(SELECT count(ontosql_mod(i, CASE WHEN i % 3 = 0 THEN 2 END)) FROM range(10000) t(i))", "3334"},
		{"(SELECT sum(ontosql_mod(CASE WHEN i % 3 > 0 THEN i END, CASE WHEN i % 5 > 0 THEN 2 END)) FROM range(10000) t(i))", "2666"},
	} {
		got := "NULL"
		err := c.Each(t.Context(), "SELECT CAST("+q.sql+" AS VARCHAR)", nil, func(b *column.Batch, i int) {
			if !b.Cols[0].IsNull(i) {
				got = string(b.Cols[0].Str[i])
			}
		})
		if err != nil {
			_, got, _ = strings.Cut(err.Error(), ": ")
			_, got, _ = strings.Cut(got, ": ")
		}
		if got != q.want {
			t.Errorf("%s is %s, want %s", q.sql, got, q.want)
		}
	}
}
