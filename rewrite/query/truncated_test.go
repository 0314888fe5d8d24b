package query_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/rewrite/rewritetest"
)

// TestTruncatedTimes tells where date_trunc is compared in the form that the engine compares as a
// range: with a constant, in WHERE.
func TestTruncatedTimes(t *testing.T) {
	const from = " FROM (SELECT id, '2020-01-01'::timestamp + id::int * INTERVAL '1 day' AS at, name FROM customer) c "
	for sql, isRange := range map[string]bool{
		"SELECT id" + from + "WHERE date_trunc('month', at) = '2020-03-01'":                           true,
		"SELECT id" + from + "WHERE date_trunc('month', at) >= $1 AND name = 'x'":                     true,
		"SELECT id" + from + "WHERE DATE '2020-03-01' < date_trunc('month', at)":                      true,
		"SELECT id" + from + "WHERE date_trunc('month', at) = date_trunc('month', localtimestamp)":    true,
		"SELECT id" + from + "WHERE date_trunc('month', at) BETWEEN '2020-03-01' AND 'infinity'":      true,
		"SELECT id" + from + "WHERE date_trunc('month', at) IN ('2020-03-01', 'infinity')":            false,
		"SELECT id" + from + "WHERE date_trunc('month', at) = at":                                     false,
		"SELECT date_trunc('month', at) = '2020-03-01'" + from:                                        false,
		"SELECT 1" + from + "GROUP BY date_trunc('month', at) HAVING date_trunc('month', at) = 'now'": false,
	} {
		_, bound, err := rewritetest.Bind(sql, nil)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if got := strings.Contains(bound, "CASE WHEN isfinite("); got != isRange {
			t.Errorf("%s: a range %t, want %t: %s", sql, got, isRange, bound)
		}
	}
}
