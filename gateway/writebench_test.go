package gateway_test

import (
	"fmt"
	"testing"
)

// BenchmarkWrite is one writing statement and its commit, over a mirrored table of
// 50,000 rows.
func BenchmarkWrite(b *testing.B) {
	for _, c := range []struct{ name, sql string }{
		{"UpdateOne", "UPDATE shelf SET height = height + 1 WHERE name = 's7'"},
		{"UpsertOne", "INSERT INTO shelf VALUES ('s7', %d) ON CONFLICT (name) DO UPDATE SET height = excluded.height"},
		{"UpsertMany", "INSERT INTO shelf SELECT 's' || g, %d FROM generate_series(1, 5000) AS g ON CONFLICT (name) DO UPDATE SET height = excluded.height"},
		{"UpdateMany", "UPDATE shelf SET height = height + 1 WHERE name < 's15'"},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := newHouse(b, shop(b))
			h.ending = true
			s := h.session(b, "onto")
			must(b, s, "INSERT INTO shelf SELECT 's' || g, g FROM generate_series(1, 50000) AS g")
			h.settle(b, s, "shelf")
			n := 0
			for b.Loop() {
				sql := c.sql
				if n++; c.name == "UpsertOne" || c.name == "UpsertMany" {
					sql = fmt.Sprintf(sql, n)
				}
				must(b, s, sql)
			}
		})
	}
}
