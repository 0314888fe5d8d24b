package duckdb

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
)

// shownValue returns the value of an expression as text.
func shownValue(t *testing.T, c *Conn, sql string) (text string, err error) {
	text = "NULL"
	err = c.Each(t.Context(), "SELECT CAST("+sql+" AS VARCHAR)", nil, func(b *column.Batch, i int) {
		if !b.Cols[0].IsNull(i) {
			text = string(b.Cols[0].Str[i])
		}
	})
	return text, err
}

// TestArithmetic computes with numbers of each type, with NULLs, in columns and constants.
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
		got, err := shownValue(t, c, q.sql)
		if err != nil {
			_, got, _ = strings.Cut(err.Error(), ": ")
			_, got, _ = strings.Cut(got, ": ")
		}
		if got != q.want {
			t.Errorf("%s is %s, want %s", q.sql, got, q.want)
		}
	}
}

// TestRegressions checks that statistics of double precision are exact within rounding over
// many rows and threads, in groups and windows, and with infinities.
func TestRegressions(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 2}))
	for _, q := range []struct{ sql, want string }{
		{"(SELECT round(ontosql_var_pop(CAST(i AS DOUBLE)), 3) FROM range(1000000) t(i))", "83333333333.25"},
		{"(SELECT round(ontosql_regr_slope(CAST(3 * i + 1 AS DOUBLE), CAST(i AS DOUBLE)), 9) FROM range(1000000) t(i))", "3.0"},
		{"(SELECT ontosql_stddev_samp(CAST('inf' AS DOUBLE)))", "NULL"},
		{"(SELECT ontosql_stddev_pop(CAST('inf' AS DOUBLE)))", "nan"},
		{"(SELECT ontosql_corr(1, CAST(i AS DOUBLE)) FROM range(3) t(i))", "NULL"},
		{"(SELECT ontosql_var_pop(x) FROM (VALUES (1e200), (-1e200)) v(x))", "duckdb: Invalid Input: [22003] value out of range: overflow"},
		{"(SELECT list(v ORDER BY i) FROM (SELECT i, ontosql_covar_samp(i, nullif(i, 2)) OVER (ORDER BY i ROWS 1 PRECEDING) AS v FROM range(4) t(i)) AS q)", "[NULL, 0.5, NULL, NULL]"},
		{"(SELECT list(v ORDER BY g) FROM (SELECT i % 2 AS g, ontosql_regr_avgy(i, 1) AS v FROM range(5) t(i) GROUP BY g) AS q)", "[2.0, 2.0]"},
	} {
		got, err := shownValue(t, c, q.sql)
		if err != nil {
			got = err.Error()
		}
		if got != q.want {
			t.Errorf("%s: got %s, want %s", q.sql, got, q.want)
		}
	}
}

// TestMoments checks that sums are exact over many rows and groups, with columns of all
// widths, DISTINCT, NULLs and windows.
func TestMoments(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 2}))
	spread := func(of, from string) string {
		return "(SELECT ontosql_numeric_spread(ontosql_moments(" + of + "), 'var_pop', 0) FROM " + from + ")"
	}
	for _, q := range []struct{ sql, want string }{
		{spread("i", "range(1, 4) t(i)"), "0.66666666666666666667"},
		{spread("CAST(i AS SMALLINT)", "range(1, 4) t(i)"), "0.66666666666666666667"},
		{spread("CASE WHEN i > 1 THEN CAST(i AS INTEGER) END", "range(1, 4) t(i)"), "0.25000000000000000000"},
		{spread("DISTINCT i % 2", "range(1, 4) t(i)"), "0.25000000000000000000"},
		{spread("i + 9223372036854775804", "range(1, 4) t(i)"), "0.66666666666666666667"},
		{spread("-i - CAST('12345678901234567890123456.123456789012' AS DECIMAL(38,12))", "range(1, 4) t(i)"), "0.66666666666666666667"},
		{spread("i * CAST(1.25 AS DECIMAL(9,2))", "range(1, 4) t(i)"), "1.04166666666666666667"},
		{spread("i", "range(100000) t(i)"), "833333333.25000000"},
		{"(SELECT count(DISTINCT v) FROM (SELECT ontosql_numeric_spread(ontosql_moments(i), 'stddev', 0) AS v FROM range(10000) t(i) GROUP BY i // 10) AS q)", "1"},
		{"(SELECT string_agg(v, ' ' ORDER BY i) FROM (SELECT i, ontosql_numeric_spread(ontosql_moments(i) OVER (ORDER BY i ROWS 1 PRECEDING), 'var_samp', 0) AS v FROM range(4) t(i)) AS q)", "0.50000000000000000000 0.50000000000000000000 0.50000000000000000000"},
		{spread("i", "range(0) t(i)"), "NULL"},
	} {
		got, err := shownValue(t, c, q.sql)
		if err != nil {
			got = err.Error()
		}
		if got != q.want {
			t.Errorf("%s is %s, want %s", q.sql, got, q.want)
		}
	}
}
