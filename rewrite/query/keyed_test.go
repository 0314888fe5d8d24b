package query_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/rewrite/rewritetest"
)

// TestKeyedSources binds statements whose first reference has no row but those
// of the keys asked for: its WHERE clause is left out where it asks for nothing
// else, and stays in every other case.
func TestKeyedSources(t *testing.T) {
	for _, test := range []struct {
		sql  string
		left bool // out
	}{
		{"SELECT name FROM customer WHERE id = $1", true},
		{"SELECT name FROM customer AS c WHERE 'x' = c.id ORDER BY name LIMIT 3", true},
		{"SELECT id FROM product WHERE id IN (1, $1)", true},
		{"SELECT name FROM customer WHERE id = CAST($1 AS text)", true},
		{"SELECT name FROM history.customer WHERE id = $1", true},
		{"SELECT name FROM as_of.customer(3) WHERE id = $1", true},
		{"SELECT name FROM customer FOR SYSTEM_TIME AS OF 3 WHERE id = $1", true},
		{"SELECT count(*) FROM customer WHERE id = $1 GROUP BY tier HAVING count(*) > 1", true},
		{"SELECT (SELECT name FROM customer WHERE id = $1)", true},

		{"SELECT name FROM customer WHERE id = $1 AND tier = 'Gold'", false},
		{"SELECT name FROM customer WHERE id = $1 AND id = $2", false},
		{"SELECT name FROM customer WHERE id = $1 AND id = name", false},
		{"SELECT name FROM customer WHERE id = name", false},
		{"SELECT name FROM customer WHERE id = $1 OR tier = 'Gold'", false},
		{"SELECT name FROM customer WHERE NOT id = $1", false},
		{"SELECT name FROM customer WHERE id <> $1", false},
		{"SELECT name FROM customer WHERE id NOT IN ('x', $1)", false},
		{"SELECT name FROM customer WHERE id IN ('x', NULL)", false},
		{"SELECT name FROM customer WHERE id = CAST($1 AS varchar(3))", false},
		{"SELECT id FROM product WHERE id = CAST($1 AS numeric)", false},
		{"SELECT id FROM product WHERE id BETWEEN 1 AND 1", false},
		{"SELECT name FROM customer WHERE tier = 'Gold'", false},
		{"SELECT c.name FROM customer c LEFT JOIN product p ON true WHERE c.id = $1", false},
		{"SELECT c.name FROM product p LEFT JOIN customer c ON c.age = p.id WHERE c.id = $1", false},
		{"SELECT c.name FROM customer c, product p WHERE c.id = $1", false},
		{"SELECT c.name FROM customer c, product p WHERE p.id = 1 AND c.id = $1", false},
		{"SELECT name FROM (SELECT * FROM customer) AS c WHERE id = $1", false},
		{"SELECT (SELECT max(name) FROM customer WHERE id = c.tier) FROM customer c", false},
	} {
		sc, _, err := rewritetest.Bind(test.sql, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.sql, err)
		}
		sources := make([]string, len(sc.Needs))
		for i := range sources {
			sources[i] = "<source>"
		}
		whole, err := sc.Bind(sources)
		if err != nil {
			t.Fatalf("%s: %v", test.sql, err)
		}
		keyed, err := sc.Bind(sources, 0)
		if err != nil {
			t.Fatalf("%s: %v", test.sql, err)
		}
		if strings.ContainsRune(whole+keyed, 0) {
			t.Errorf("%s: a mark is left in %q or %q", test.sql, whole, keyed)
		}
		if left := whole != keyed; left != test.left {
			t.Errorf("%s: left out: %t, want %t\n%s\n%s", test.sql, left, test.left, whole, keyed)
		}
		if test.left && strings.Contains(keyed, "WHERE") {
			t.Errorf("%s: a condition is left in %s", test.sql, keyed)
		}
	}
}
