package gateway_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore/dir"
)

// BenchmarkLookUpBesideLargeCommit asks for identities, one after the other, while another gateway
// commits 100,000 rows of their type. It reports the longest look-up from that commit on, and how many were
// longer than 5 ms.
func BenchmarkLookUpBesideLargeCommit(b *testing.B) {
	const identities = 100_000
	disk, err := dir.Open(b.TempDir(), dir.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := demo.Fill(b.Context(), disk, nil); err != nil {
		b.Fatal(err)
	}
	h, other := newHouse(b, disk), newHouse(b, disk)
	s, writer := h.session(b, "onto"), other.session(b, "onto")
	insert := func(prefix string) string {
		return fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) SELECT '%s' || n, 'Customer ' || n, 'gold', n FROM generate_series(1, %d) AS g(n)", prefix, identities)
	}
	must(b, s, insert("k"))
	h.settle(b, s, "customer")
	inRowStore(b, s, "SELECT id FROM customer WHERE id = 'k1'")
	st := prepared(b, s, "SELECT id, name, tier, balance FROM customer WHERE id = $1")
	for round := range b.N {
		var took []time.Duration
		var wait sync.WaitGroup
		var committed atomic.Int64
		wait.Go(func() {
			must(b, writer, insert(fmt.Sprintf("f%d_", round)))
			committed.Store(time.Now().UnixNano())
		})
		for i := 0; committed.Load() == 0 || time.Now().UnixNano()-committed.Load() < int64(2*time.Second); i++ {
			began := time.Now()
			again(b, s, st, [][]byte{fmt.Appendf(nil, "k%d", 1+i*7919%identities)})
			took = append(took, time.Since(began))
		}
		wait.Wait()
		slices.Sort(took)
		over := 0
		for _, d := range took {
			if d > 5*time.Millisecond {
				over++
			}
		}
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-longest")
		b.ReportMetric(float64(over), "over-5ms")
	}
}
