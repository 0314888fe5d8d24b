package gateway_test

import (
	"bytes"
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

// BenchmarkCopyCommit is COPY of 300,000 rows of five columns, and its commit, on a store
// in memory.
func BenchmarkCopyCommit(b *testing.B) {
	const rows = 300_000
	h := newHouse(b, shop(b))
	h.ending = true
	c := h.copier(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		b.StopTimer()
		var data bytes.Buffer
		for range rows {
			n++
			fmt.Fprintf(&data, "%d\tProduct number %d\t%.2f\t2026-01-02T03:04:05Z\tt\n", n, n, float64(n%9973)/100)
		}
		b.StartTimer()
		if tag, err := c.load(b, "COPY item (sku, title, weight, added, sold) FROM STDIN", &data); err != nil {
			b.Fatalf("%s: %v", tag, err)
		}
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
