//go:build !mirrormode

package gateway_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/wire"
)

// customers is a store of one type with a text key, two texts, a float and an integer.
func customers(t testing.TB) objstore.Bucket {
	t.Helper()
	return storeOf(t, format.Schema{
		Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"},
		Fields: []format.SchemaField{
			keyField("id", format.FieldStr), format.NewField("name", format.FieldStr, false), format.NewField("tier", format.FieldStr, false),
			format.NewField("balance", format.FieldFloat, false), format.NewField("visits", format.FieldInt, false),
		},
	})
}

// customerHouse serves a store of that many customers. Each statement is a whole
// transaction.
func customerHouse(b *testing.B, rows int) *house {
	b.Helper()
	h := newHouse(b, customers(b))
	h.ending = true
	c := h.copier(b)
	lines, w := io.Pipe()
	go func() {
		for i := range rows {
			fmt.Fprintf(w, "c%07d\tCustomer number %d\t%s\t%.2f\t%d\n", i, i, []string{"Standard", "Silver", "Gold"}[i%3], float64(i*7919%1_000_000)/100, i*31%1000)
		}
		w.Close()
	}()
	if tag, err := c.load(b, "COPY customer (id, name, tier, balance, visits) FROM STDIN", lines); err != nil {
		b.Fatal(tag, err)
	}
	return h
}

// caughtUp waits until the mirror has what was committed.
func (h *house) caughtUp(t testing.TB, s wire.Session) {
	t.Helper()
	for {
		must(t, s, "SELECT max(id) FROM customer")
		if st := h.mirror.Status(); len(st) == 1 && st[0].Through == st[0].Target {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// BenchmarkLargeWrite is one statement that changes a twentieth of a mirrored
// table, and its commit.
func BenchmarkLargeWrite(b *testing.B) {
	const rows, changed = 400_000, 20_000
	h := customerHouse(b, rows)
	s := h.session(b, "onto")
	for _, of := range []struct{ name, sql string }{
		{"Update", "UPDATE customer SET balance = balance + 1 WHERE visits < 50"},
		{"Upsert", fmt.Sprintf("INSERT INTO customer (id, name, tier, balance, visits) SELECT 'c' || lpad((g * 19 %%%% %d)::text, 7, '0'), 'Customer number ' || g, 'Gold', g * 0.5, 1000 + %%d FROM generate_series(1, %d) AS g "+
			"ON CONFLICT (id) DO UPDATE SET balance = excluded.balance, visits = excluded.visits", rows, changed)},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			n, used := 0, time.Duration(0)
			for b.Loop() {
				b.StopTimer()
				h.caughtUp(b, s)
				n++
				sql := of.sql
				if of.name == "Upsert" {
					sql = fmt.Sprintf(sql, n)
				}
				before := processor()
				b.StartTimer()
				must(b, s, sql)
				b.StopTimer()
				used += processor() - before
				b.StartTimer()
			}
			b.ReportMetric(float64(used.Nanoseconds())/float64(n)/changed, "cpu-ns/row")
		})
	}
}
