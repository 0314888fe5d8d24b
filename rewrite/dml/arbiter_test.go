package dml_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// arbiters are the unique indexes that ON CONFLICT infers, or the SQLSTATE of the error.
func arbiters(t *testing.T, uniques []scope.UniqueKey, conflict string) string {
	t.Helper()
	st, err := syntax.Analyze("INSERT INTO customer (id) VALUES ('1') ON CONFLICT " + conflict + " DO NOTHING")
	if err != nil {
		t.Fatal(err)
	}
	shape, _ := rewritetest.ShapeOf(*st.Target)
	shape.Kind, shape.Uniques, shape.Stored = scope.StoredTable, uniques, []string{scope.RowID}
	sc, err := dml.Scope(st, shape, nil, dml.ConflictError, nil, rewritetest.Env{})
	if err != nil {
		return rewritetest.ShowError(err)[:5]
	}
	return strings.Join(sc.Arbiters, " ")
}

// TestArbiters checks which unique indexes ON CONFLICT infers.
func TestArbiters(t *testing.T) {
	uniques := []scope.UniqueKey{
		{Name: "pkey", Columns: []string{"id"}},
		{Name: "lower", Expressions: []string{"lower(name)"}, Index: true},
		{Name: "both", Columns: []string{"tier"}, Expressions: []string{"lower(name)", "age + 1"}, Index: true},
		{Name: "old", Columns: []string{"id"}, Where: "age > 65", Index: true},
		{Name: "older", Columns: []string{"id"}, Where: "age > 80", Index: true},
	}
	for conflict, want := range map[string]string{
		"":                                   "pkey lower both old older",
		"(id)":                               "pkey",
		"(lower(name))":                      "lower",
		"(LOWER(customer.name))":             "lower",
		"(((lower(name))))":                  "lower",
		"(lower(name)) WHERE age > 5":        "lower",
		"(upper(name))":                      "42P10",
		"(name)":                             "42P10",
		"(lower(name), id)":                  "42P10",
		"(lower(name), tier)":                "42P10",
		"((age + 1), lower(name), tier)":     "both",
		"((1 + age), lower(name), tier)":     "42P10",
		`(lower(name) COLLATE "C")`:          "42P10",
		"(lower(name) DESC)":                 "42P10",
		"(id) WHERE age > 70":                "pkey old",
		"(id) WHERE age > 90":                "pkey old older",
		"(id) WHERE age > 60":                "pkey",
		"ON CONSTRAINT pkey":                 "pkey",
		"ON CONSTRAINT lower":                "42704",
		"(lower(excluded.name))":             "42P01",
		"(id) WHERE age > 70 OR name = 'x'":  "pkey",
		"(id) WHERE age > 70 AND name = 'x'": "pkey old",
	} {
		got := ""
		if on, ok := strings.CutPrefix(conflict, "ON CONSTRAINT"); ok {
			got = arbiters(t, uniques, "ON CONSTRAINT"+on)
		} else {
			got = arbiters(t, uniques, conflict)
		}
		if got != want {
			t.Errorf("ON CONFLICT %s: got %s, want %s", conflict, got, want)
		}
	}
}

// TestImpliedConditions checks from which conditions of ON CONFLICT that of an index follows. It
// was compared with PostgreSQL 15.
func TestImpliedConditions(t *testing.T) {
	for _, c := range []struct {
		index string
		yes   []string
		no    []string
	}{
		{
			"age > 5",
			[]string{"age > 5", "5 < age", "age > 6", "age >= 6", "age = 7", "NOT age <= 5", "NOT (age <= 6 OR tier = 'x')", "NOT NOT age > 5", "age IN (6, 7)", "age BETWEEN 6 AND 9", "age > 5 AND tier = 'x'", "age > 9 OR age = 6", "(age = 6 OR tier = 'x') AND age > 8"},
			[]string{"age >= 5", "age = 5", "age <> 5", "age < 5", "age IN (5, 6)", "age > 6 OR tier = 'x'", "age > 5.5", "NOT age <= 4", "balance > 6", "age IS NOT NULL"},
		},
		{"age <= 5", []string{"age < 5", "age <= 5", "age = 5", "age <= 4"}, []string{"age < 6", "age > 5"}},
		{"age <> 5", []string{"age <> 5", "age > 5", "age < 5", "age = 6", "age <= 4", "age >= 6", "age IN (1, 2)", "age NOT IN (4, 5)"}, []string{"age <> 6", "age >= 5", "age <= 5"}},
		{"age >= 5", []string{"age > 5", "age >= 6", "age = 5"}, []string{"age >= 4", "age > 4"}},
		{"name IS NOT NULL", []string{"name IS NOT NULL", "name = 'x'", "name > 'x'", "'x' <> name", "name = tier", "name IN ('x', 'y')", "NOT name IS NULL"}, []string{"name IS NULL", "tier = 'x'", "name = 'x' OR tier = 'x'"}},
		{"name IS NULL", []string{"name IS NULL", "tier = 'x' AND name IS NULL"}, []string{"name IS NOT NULL", "name = 'x'"}},
		{"tier = 'gold'", []string{"tier = 'gold'", "'gold' = tier", "tier IN ('gold')", "customer.tier = 'gold'"}, []string{"tier = 'silver'", "tier IN ('gold', 'silver')", "tier <> 'silver'", "tier >= 'gold'"}},
		{"tier <> 'gold'", []string{"tier <> 'gold'", "tier = 'silver'", "tier IN ('silver', 'bronze')"}, []string{"tier = 'gold'", "tier <> 'silver'"}},
		{"tier = 'gold' OR age > 5", []string{"tier = 'gold'", "age > 5", "age > 7 OR tier = 'gold'", "age = 6 AND name = 'x'"}, []string{"age > 4", "tier = 'x'", "tier = 'gold' OR age > 4"}},
		{"tier = 'gold' AND age > 5", []string{"age > 5 AND tier = 'gold'", "tier = 'gold' AND age = 6 AND name = 'x'", "(tier = 'gold' AND age > 5) OR (age > 6 AND tier = 'gold')"}, []string{"tier = 'gold'", "age > 5"}},
		{"lower(name) = 'x'", []string{"lower(name) = 'x'"}, []string{"name = 'x'"}},
		{"NOT age > 5", []string{"NOT age > 5", "age <= 5", "age < 5"}, []string{"age > 5", "age <= 6"}},
		{"NOT (tier IN ('a', 'b'))", []string{"tier NOT IN ('a', 'b')", "tier = 'c'", "tier <> 'b' AND tier <> 'a'"}, []string{"tier <> 'a'", "tier = 'a'"}},
		{"balance > 1.5", []string{"balance > 1.5", "balance > 2.5", "balance = 1.75"}, []string{"balance > 1.25"}},
	} {
		uniques := []scope.UniqueKey{{Name: "index", Columns: []string{"id"}, Where: c.index, Index: true}}
		check := func(conditions []string, want string) {
			for _, given := range conditions {
				if got := arbiters(t, uniques, "(id) WHERE "+given); got != want {
					t.Errorf("an index WHERE %s, ON CONFLICT WHERE %s: got %s, want %s", c.index, given, got, want)
				}
			}
		}
		check(c.yes, "index")
		check(c.no, "42P10")
	}
}
