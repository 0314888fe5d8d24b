package compat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestListsOfParameters runs IN with just enough parameters that they are passed to the engine
// as one list, and with one fewer: with other conditions, twice in a statement, of mixed
// integer types, with NULL, and with a value that does not fit the type.
func TestListsOfParameters(t *testing.T) {
	theirs, ours := connectClient(t, postgresShop(t, "compat_lists")).PgConn, connectClient(t, serveShop(t)).PgConn
	fill := "INSERT INTO item (sku, title, sold, day) SELECT i, 'title ' || i, i % 2 = 0, date '2024-01-01' + i::int FROM generate_series(1, 300) i"
	must(t, t.Context(), theirs, "TRUNCATE item, shelf, stands, owns")
	must(t, t.Context(), theirs, fill)
	must(t, t.Context(), ours, fill)
	for _, n := range []int{63, 64, 150} {
		list := func(from int) string {
			places := make([]string, n)
			for i := range places {
				places[i] = fmt.Sprint("$", from+i)
			}
			return strings.Join(places, ", ")
		}
		values := func(value func(i int) string) []string {
			all := make([]string, n)
			for i := range all {
				all[i] = value(i)
			}
			return all
		}
		numbers := values(func(i int) string { return fmt.Sprint(i * 3) })
		titles := values(func(i int) string { return fmt.Sprint("title ", i*2) })
		withNull := slices.Concat(numbers[1:], []string{"NULL"})
		mixed := slices.Repeat([]uint32{21, 23, 20}, n)[:n]
		for _, q := range []struct {
			sql  string
			oids []uint32
			args []string
		}{
			{"SELECT sku FROM item WHERE sku IN (" + list(1) + ") ORDER BY sku", nil, numbers},
			{"SELECT sku FROM item WHERE sku IN (" + list(1) + ") ORDER BY sku", mixed, numbers},
			{"SELECT count(*) FROM item WHERE sku NOT IN (" + list(1) + ")", nil, numbers},
			{"SELECT count(*) FROM item WHERE sku IN (" + list(1) + ")", nil, withNull},
			{"SELECT count(*) FROM item WHERE sku NOT IN (" + list(1) + ")", nil, withNull},
			{"SELECT count(*) FROM item WHERE NOT (sku IN (" + list(1) + "))", nil, numbers},
			{"SELECT sku FROM item WHERE title IN (" + list(1) + ") ORDER BY 1", nil, titles},
			{"SELECT sku FROM item WHERE day IN (" + list(1) + ") ORDER BY 1", nil, values(func(i int) string { return fmt.Sprintf("2024-03-%02d", i%31+1) })},
			{"SELECT sku FROM item WHERE sku > $1 AND title IN (" + list(2) + ") AND sku < $" + fmt.Sprint(n+2) + " ORDER BY 1", nil, slices.Concat([]string{"10"}, titles, []string{"90"})},
			{"SELECT sku FROM item WHERE sku IN (" + list(1) + ") AND title IN (" + list(n+1) + ") ORDER BY 1", nil, slices.Concat(numbers, titles)},
			{"SELECT sku FROM item WHERE sku IN (" + list(1) + ") OR sku + 1 IN (" + list(1) + ") ORDER BY 1", nil, numbers},
			{"SELECT (SELECT count(*) FROM item WHERE sku IN (" + list(2) + ")) + $1::int", nil, slices.Concat([]string{"5"}, numbers)},
			{"SELECT i.sku FROM item i WHERE EXISTS (SELECT 1 FROM item j WHERE j.sku = i.sku + 1 AND j.sku IN (" + list(1) + ")) ORDER BY 1", nil, numbers},
			{"SELECT count(*) FROM item GROUP BY sold HAVING count(*) IN (" + list(1) + ")", nil, numbers},
			{"SELECT sku, CASE WHEN sku IN (" + list(1) + ") THEN 'in' END FROM item WHERE sku < 9 ORDER BY 1", nil, numbers},
			{"SELECT i FROM generate_series(1, 20) i WHERE i IN (" + list(1) + ") AND i IN (1, 2, 3, $1) ORDER BY 1", nil, numbers},
			{"SELECT count(*) FROM item WHERE sku IN (" + list(1) + ")", nil, slices.Concat(numbers[1:], []string{"x"})},
			{"UPDATE item SET title = title || '!' WHERE sku IN (" + list(1) + ") AND sku = 9 RETURNING sku, title", nil, numbers},
			{"INSERT INTO item (sku, title) VALUES ((SELECT max(sku) + 1 FROM item WHERE sku + 0 IN (" + list(1) + ") OR sku >= 300), $1 || '?') RETURNING sku, title", append(slices.Repeat([]uint32{20}, n), 0)[:n], numbers},
		} {
			compareParameters(t, theirs, ours, q.sql, q.oids, q.args)
		}
	}
}
