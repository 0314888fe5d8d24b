package query_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// times is a text n times, each with its number for #, and what stands between.
func times(n int, text, between string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(text, "#", strconv.Itoa(i))
	}
	return strings.Join(parts, between)
}

// TestWide binds statements with many parts. No bracket of the printed SQL has more conditions
// than the engine plans at once, and lists stay lists.
func TestWide(t *testing.T) {
	const n = 5_000
	for _, c := range []struct{ sql, has string }{
		{"SELECT 1 FROM generate_series(1, 2) a WHERE " + times(n, "a = #", " OR "), " IN (0, 1, 2, "},
		{"SELECT 1 FROM generate_series(1, 2) a WHERE " + times(n, "a <> #", " AND "), " NOT IN (0, 1, 2, "},
		{"SELECT 1 FROM generate_series(1, 2) a WHERE " + times(n, "a + 1 = #", " OR "), " OR "},
		{"SELECT 1 FROM generate_series(1, 2) a WHERE " + times(n, "a + 1 <> #", " AND "), " AND "},
		{"SELECT 1 FROM generate_series(1, 2) a WHERE " + times(n, "(a > # AND a < 5)", " OR "), " OR "},
		{"SELECT 1 FROM generate_series(1, 2) a WHERE (a, a) IN (" + times(n, "(#, 1)", ", ") + ")", " OR "},
		{"SELECT 1 FROM customer a, customer b WHERE " + times(n, "a.name > '#'", " AND ") + " AND a.id = b.id", ` WHERE (("a"."id" = "b"."id") AND `},
		{"SELECT CASE " + times(n, "WHEN a = # THEN 1", " ") + " END FROM generate_series(1, 2) a", "WHEN"},
		{"SELECT coalesce(" + times(n, "NULL::int", ", ") + ", 1)", "coalesce"},
	} {
		_, bound, err := rewritetest.Bind(c.sql, nil)
		if err != nil {
			t.Errorf("%.80s...: %v", c.sql, err)
			continue
		}
		if !strings.Contains(bound, c.has) || mostJoined(bound) > 2*expression.MaxFlatConditions {
			t.Errorf("%.80s...: %.300s...\njoins %d conditions in one place, want %d at most, and %q", c.sql, bound, mostJoined(bound), 2*expression.MaxFlatConditions, c.has)
		}
	}
}

// mostJoined is the largest number of AND and OR in one bracket.
func mostJoined(sql string) int {
	most, counts := 0, []int{0}
	for _, word := range strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(sql)) {
		top := len(counts) - 1
		switch {
		case word == "(":
			counts = append(counts, 0)
		case word == ")" && top > 0:
			counts = counts[:top]
		case word == "AND" || word == "OR":
			counts[top]++
			most = max(most, counts[top])
		}
	}
	return most
}

// TestTargets holds the outputs of a query against PostgreSQL's bound.
func TestTargets(t *testing.T) {
	for _, c := range []struct {
		sql string
		ok  bool
	}{
		{"SELECT " + times(expression.MaxTargets, "#", ", "), true},
		{"SELECT " + times(expression.MaxTargets+1, "#", ", "), false},
		{"SELECT 1 FROM (SELECT " + times(expression.MaxTargets+1, "#", ", ") + ") x", false},
		{"SELECT x.*, x.* FROM (SELECT " + times(expression.MaxTargets, "#", ", ") + ") x", false},
		{"SELECT count(*) FROM generate_series(1, 2) a GROUP BY " + times(expression.MaxTargets+1, "a + #", ", "), false},
		{"SELECT a FROM generate_series(1, 2) a ORDER BY " + times(expression.MaxTargets+1, "a + #", ", "), false},
	} {
		_, _, err := rewritetest.Bind(c.sql, nil)
		e := (*pgerr.Error)(nil)
		if c.ok != (err == nil) || !c.ok && (!errors.As(err, &e) || e.Code != pgerr.TooManyColumns || e.Message != "target lists can have at most 1664 entries") {
			t.Errorf("%.60s...: %v, want it bound: %v", c.sql, err, c.ok)
		}
	}
}

// TestArms: the arms of a CASE are siblings, and their depth is that of one. A column named end
// does not end a CASE.
func TestArms(t *testing.T) {
	for _, c := range []struct {
		sql string
		ok  bool
	}{
		{"SELECT CASE 1 " + times(20_000, "WHEN # THEN 1", " ") + " ELSE 2 END", true},
		{"SELECT " + strings.Repeat("CASE WHEN true THEN 1 ELSE ", 2_000) + "1" + strings.Repeat(" END", 2_000), false},
		{"SELECT " + strings.Repeat("CASE WHEN x.end THEN ", 2_000), false},
		{"SELECT " + strings.Repeat("CASE WHEN (true END) THEN ", 2_000), false},
		{"SELECT CASE WHEN " + strings.Repeat("- ", 2_000) + "1 > 0 THEN 1 END", false},
	} {
		_, err := syntax.Analyze(c.sql)
		e := (*pgerr.Error)(nil)
		if c.ok != (err == nil) || !c.ok && (!errors.As(err, &e) || e.Code != pgerr.StatementTooComplex) {
			t.Errorf("%.60s...: %v, want it taken: %v, or %s", c.sql, err, c.ok, pgerr.StatementTooComplex)
		}
	}
}
