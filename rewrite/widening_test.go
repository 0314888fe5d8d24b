package rewrite_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// wideEnv is an Env that computes numerics as wide ones, or notes where it would (scope.WideNumerics).
type wideEnv struct {
	rewritetest.Env
	wide  bool
	noted *bool
}

func (e wideEnv) Wide() bool  { return e.wide }
func (e wideEnv) NoteWidens() { *e.noted = true }

// TestWidening: what may need more than 38 digits is noted, and computed with wide numerics where the
// Env says so. What 38 digits hold is neither.
func TestWidening(t *testing.T) {
	for _, c := range []struct {
		sql    string
		widens bool
	}{
		{"SELECT 1.5 * 2.5, 3 + 1.5, abs(-1.5)", false},
		{"SELECT 1 + 2, 'a' || 'b', 1.5::float8 * 3", false},
		{"SELECT x * y FROM (VALUES (1.5, 2.5)) v(x, y)", false},
		{"SELECT sum(x) FROM (VALUES (1.5), (2.5)) v(x)", false},
		{"SELECT x * x FROM (VALUES (12345678901234567890.5)) v(x)", true},
		{"SELECT sum(x) FROM (VALUES (12345678901234567890.5)) v(x)", true},
		{"SELECT 1.5 / x FROM (VALUES (2.5)) v(x)", true},
		{"SELECT t::numeric FROM (VALUES ('1')) v(t)", true},
		{"SELECT f::numeric FROM (VALUES (1.5::float8)) v(f)", true},
		{"SELECT factorial(n) FROM (VALUES (5)) v(n)", true},
		{"SELECT x = y FROM (VALUES (99999999999999999999999999999999999999, 0.00000000000000000001)) v(x, y)", true},
	} {
		st, err := syntax.Analyze(c.sql)
		if err != nil {
			t.Fatal(err)
		}
		noted := false
		sc, err := query.Scope(st, nil, nil, wideEnv{noted: &noted})
		if err != nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		if sc.Widens != c.widens || noted != c.widens || strings.Contains(sc.Text, "ontosql_wide_") {
			t.Errorf("%s: Widens is %t and noted %t, want %t: %s", c.sql, sc.Widens, noted, c.widens, sc.Text)
		}
		sc, err = query.Scope(st, nil, nil, wideEnv{wide: true, noted: &noted})
		if err != nil {
			t.Fatalf("%s with wide numerics: %v", c.sql, err)
		}
		if c.widens && !strings.Contains(sc.Text, "ontosql_wide_") || sc.Widens {
			t.Errorf("%s with wide numerics: %s", c.sql, sc.Text)
		}
	}
}
