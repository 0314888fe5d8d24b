package query_test

import (
	"testing"

	"github.com/ontosql/ontosql/rewrite/rewritetest"
)

// TestLookUp asks of statements whether they only fetch rows by their keys.
func TestLookUp(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT * FROM customer WHERE id = $1":                                          true,
		"SELECT name, id AS key, name FROM customer c WHERE c.id = 'a'":                 true,
		"SELECT c.* FROM customer c WHERE id IN ('a', $1)":                              true,
		"SELECT name FROM as_of.customer(7) WHERE $1 = id":                              true,
		"SELECT * FROM customer":                                                        false,
		"SELECT name || '' FROM customer WHERE id = $1":                                 false,
		"SELECT name::varchar(2) FROM customer WHERE id = $1":                           false,
		"SELECT count(*) FROM customer WHERE id = $1":                                   false,
		"SELECT c FROM customer c WHERE id = $1":                                        false,
		"SELECT 1 FROM customer WHERE id = $1":                                          false,
		"SELECT FROM customer WHERE id = $1":                                            false,
		"SELECT name FROM customer WHERE id = $1 AND age > 3":                           false,
		"SELECT name FROM customer WHERE id = $1 OR age > 3":                            false,
		"SELECT name FROM customer WHERE id > $1":                                       false,
		"SELECT name FROM customer WHERE id || '' = $1":                                 false,
		"SELECT name FROM customer WHERE id = $1 AND id = 'b'":                          false,
		"SELECT name FROM customer WHERE id = $1 LIMIT 0":                               false,
		"SELECT name FROM customer WHERE id = $1 OFFSET 1":                              false,
		"SELECT name FROM customer WHERE id = $1 ORDER BY name":                         false,
		"SELECT DISTINCT name FROM customer WHERE id = $1":                              false,
		"SELECT name FROM customer WHERE id = $1 GROUP BY name":                         false,
		"SELECT name FROM customer WHERE id = $1 HAVING true":                           false,
		"SELECT name FROM customer WHERE id = $1 UNION ALL SELECT 'x'":                  false,
		"SELECT name FROM customer, generate_series(1, 2) WHERE id = $1":                false,
		"SELECT name FROM (SELECT name FROM customer WHERE id = $1) q WHERE name > 'x'": false,
		"WITH q AS (SELECT name FROM customer WHERE id = $1) SELECT name FROM q":        false,
		"SELECT name FROM customer WHERE id = (SELECT 'a')":                             false,
	} {
		sc, _, err := rewritetest.Bind(sql, nil)
		switch {
		case sc == nil:
			if want {
				t.Errorf("%s: %v", sql, err)
			}
		case sc.LookUp != want:
			t.Errorf("%s: a look-up is %t, want %t", sql, sc.LookUp, want)
		}
	}
}
