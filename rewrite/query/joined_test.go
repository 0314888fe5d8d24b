package query_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/scope"
)

func TestRelationsOfOneJoinAreBounded(t *testing.T) {
	n := func(n int, item, sep string) string { return strings.TrimSuffix(strings.Repeat(item+sep, n), sep) }
	for name, test := range map[string]struct {
		sql string
		ok  bool
	}{
		"as many as may be":     {"SELECT 1 FROM " + aliased(scope.MaxJoined), true},
		"one more":              {"SELECT 1 FROM " + aliased(scope.MaxJoined+1), false},
		"one more in subquery":  {"SELECT 1 FROM (SELECT 1 FROM " + aliased(scope.MaxJoined) + ") x, (SELECT 1) y", false},
		"functions":             {"SELECT 1 FROM " + strings.ReplaceAll(aliased(scope.MaxJoined+1), "customer ", "generate_series(1, 2) "), false},
		"a WITH query of two":   {"WITH t AS (SELECT 1 FROM " + aliased(2) + ") SELECT 1 FROM " + strings.ReplaceAll(aliased(scope.MaxJoined/2+1), "customer ", "t "), false},
		"one that is not used":  {"WITH t AS (SELECT 1 FROM " + aliased(scope.MaxJoined) + ") SELECT 1 FROM customer", true},
		"sides of a UNION":      {n(scope.MaxJoined+1, "SELECT id FROM customer", " UNION ALL "), true},
		"a joined UNION":        {"SELECT 1 FROM (SELECT 1 FROM " + aliased(scope.MaxJoined) + " UNION ALL SELECT 2) u, customer", false},
		"subqueries as values":  {"SELECT " + n(scope.MaxJoined+1, "(SELECT count(*) FROM customer)", ", "), true},
		"a recursive one twice": {"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT 1 FROM t a, t b", true},
	} {
		_, _, err := rewritetest.Bind(test.sql, nil)
		var e *pgerr.Error
		switch {
		case test.ok && err != nil:
			t.Errorf("%s: refused: %v", name, err)
		case !test.ok && (!errors.As(err, &e) || e.Code != pgerr.StatementTooComplex || e.Hint == ""):
			t.Errorf("%s: got %v, want 54001 with a hint", name, err)
		}
	}
}

// aliased is customer c0, customer c1, ...
func aliased(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = "customer c" + strconv.Itoa(i)
	}
	return strings.Join(items, ", ")
}
