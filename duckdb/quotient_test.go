package duckdb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestQuotients divides random numbers of all lengths, types and scales, and compares with the
// quotients that are computed as texts.
func TestQuotients(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 2}))
	const seed = 42
	random := rand.New(rand.NewPCG(seed, 0))
	operand := func() (sql string, shown int) {
		digits := 1 + random.IntN(38)
		text := ""
		for range digits {
			text += string("0123456789"[random.IntN(10)*random.IntN(2)])
		}
		if random.IntN(2) == 0 {
			text = "-" + text
		}
		if types := []string{"SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}; random.IntN(4) == 0 {
			i := random.IntN(4)
			return "CAST(CAST('" + text[:min(len(text), []int{4, 9, 18, 38}[i])] + "' AS HUGEINT) AS " + types[i] + ")", 0
		}
		scale := random.IntN(digits + 1)
		at := len(text) - scale
		return fmt.Sprintf("CAST('%s.%s' AS DECIMAL(%d,%d))", text[:at], text[at:], digits, scale), random.IntN(scale+2) - 1
	}
	refused := 0
	for i := range 5000 {
		x, xShown := operand()
		y, yShown := operand()
		asText := fmt.Sprintf("ontosql_numeric_div(CAST(%s AS VARCHAR), %d, CAST(%s AS VARCHAR), %d)", x, xShown, y, yShown)
		args := fmt.Sprintf("(%s, %d, %s, %d)", x, xShown, y, yShown)
		for got, want := range map[string]string{
			"ontosql_quotient" + args:       "CAST(" + asText + " AS DECIMAL(38,20))",
			"ontosql_quotient_text" + args:  asText,
			"ontosql_quotient_scale" + args: "len(split_part(" + asText + ", '.', 2))",
		} {
			value, err := shownValue(t, c, got)
			expected, wantErr := shownValue(t, c, want)
			switch {
			case wantErr != nil && strings.Contains(wantErr.Error(), "[22012]"):
				if err == nil || !strings.Contains(err.Error(), "[22012] division by zero") {
					t.Fatalf("seed %d, quotient %d: %s is %s (%v), want 22012", seed, i, got, value, err)
				}
			case wantErr != nil:
				refused++
				if err == nil || !strings.Contains(err.Error(), "[22003] numeric out of range") {
					t.Fatalf("seed %d, quotient %d: %s is %s (%v), want 22003 as for %v", seed, i, got, value, err, wantErr)
				}
			case err != nil || value != expected:
				t.Fatalf("seed %d, quotient %d: %s is %s (%v), want %s", seed, i, got, value, err, expected)
			}
		}
	}
	if refused == 0 || refused > 4000 {
		t.Errorf("%d quotients are out of range, want some", refused)
	}
}

// TestQuotientsOfColumns divides columns with NULLs, and constants.
func TestQuotientsOfColumns(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 2}))
	for _, q := range []struct{ sql, want string }{
		{"(SELECT sum(ontosql_quotient(CAST(i AS DECIMAL(9,2)), 2, 4, 0)) FROM range(10000) t(i))", "12498750.00000000000000000000"},
		{"(SELECT count(ontosql_quotient(CASE WHEN i % 3 > 0 THEN i END, 0, CASE WHEN i % 2 > 0 THEN i END, 0)) FROM range(10000) t(i))", "3333"},
		{"(SELECT sum(ontosql_quotient(i, 0, 1, CASE WHEN i < 3 THEN 0 END)) FROM range(10000) t(i))", "3.00000000000000000000"},
		{"ontosql_quotient(CAST(NULL AS DECIMAL(9,2)), 2, 0, 0)", "NULL"},
		{"ontosql_quotient(NULL, 0, 1, 0)", "NULL"},
		{"ontosql_quotient(CAST(2 AS DECIMAL(5,1)), 1, CAST(3 AS SMALLINT), 0)", "0.66666666666666666667"},
		{"ontosql_quotient_scale(CAST(2 AS DECIMAL(5,1)), 1, CAST(3 AS SMALLINT), 0)", "20"},
	} {
		if got, err := shownValue(t, c, q.sql); err != nil || got != q.want {
			t.Errorf("%s is %s (%v), want %s", q.sql, got, err, q.want)
		}
	}
}
