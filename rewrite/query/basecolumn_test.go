package query_test

import (
	"testing"

	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// TestKeysBelowSubqueries tells which references may leave out the rows of other keys because
// of a condition on a subquery that reads them.
func TestKeysBelowSubqueries(t *testing.T) {
	for _, test := range []struct {
		sql    string
		passed bool // the first reference is told the key
	}{
		{"SELECT * FROM (SELECT id, name FROM customer) AS c WHERE id = 'x'", true},
		{"SELECT * FROM (SELECT upper(name) AS n, id AS k FROM customer WHERE tier = 'Gold' ORDER BY name) AS c (n, key) WHERE c.key = $1", true},
		{"SELECT * FROM (SELECT * FROM (SELECT * FROM customer) AS a) AS b WHERE id IN ('x', 'y') AND tier = 'Gold'", true},
		{"SELECT * FROM (SELECT c.id, p.price FROM customer c LEFT JOIN product p ON p.id = c.age) AS j WHERE id = 'x'", true},
		{"SELECT * FROM (SELECT c.id, p.price FROM customer c RIGHT JOIN product p ON p.id = c.age) AS j WHERE id = 'x'", true},
		{"SELECT count(*) FROM (SELECT id FROM customer) AS c WHERE id = 'x'", true},

		{"SELECT * FROM (SELECT DISTINCT ON (tier) id, name FROM customer ORDER BY tier) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id, count(*) OVER () FROM customer) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id, rank() OVER w FROM customer WINDOW w AS (ORDER BY name)) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id FROM customer ORDER BY name LIMIT 3) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id FROM customer OFFSET 3) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id FROM customer ORDER BY tier FETCH FIRST ROW WITH TIES) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT max(id) AS id FROM customer) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id, count(*) FROM customer GROUP BY id) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id || '' AS id FROM customer) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT name AS id FROM customer) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id FROM customer UNION ALL SELECT name FROM customer) AS c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id FROM customer) AS c WHERE id = 'x' OR id = 'y'", false},
		{"SELECT * FROM (SELECT id FROM customer) AS c WHERE NOT id = 'x'", false},
		{"WITH c AS (SELECT id FROM customer) SELECT * FROM c WHERE id = 'x'", false},
		{"SELECT * FROM (SELECT id FROM customer) AS c LEFT JOIN product p ON c.id = 'x'", false},
	} {
		sc, _, err := rewritetest.Bind(test.sql, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.sql, err)
		}
		if passed := len(sc.Needs[0].KeyEquals["id"]) > 0; passed != test.passed {
			t.Errorf("%s: passed %t, want %t", test.sql, passed, test.passed)
		}
	}
}

// TestKeysBelowViews is TestKeysBelowSubqueries for a view of a view's query.
func TestKeysBelowViews(t *testing.T) {
	text := types.Of(types.Text)
	_, sc, err := overView("SELECT b FROM v WHERE a = 'x'", "CREATE VIEW v (a, b) AS SELECT id, name FROM customer", nil, text, text)
	if err != nil {
		t.Fatal(err)
	}
	keys := func(n scope.Need) int { return len(n.KeyEquals["id"]) }
	if keys(sc.Needs[0]) != 0 || keys(sc.Needs[1]) != 1 {
		t.Errorf("the view is told %v, the type that it reads %v", sc.Needs[0].KeyEquals, sc.Needs[1].KeyEquals)
	}
	if sc.LookUp {
		t.Error("the statement counts as a look-up in a type")
	}
}
