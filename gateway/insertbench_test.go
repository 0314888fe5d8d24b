package gateway_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ontosql/ontosql/wire"
)

// BenchmarkInsert is one row in a commit, by as many sessions as there are
// goroutines, on a store that answers at once.
func BenchmarkInsert(b *testing.B) {
	for _, sessions := range []int{1, 64} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			h := newHouse(b, shop(b))
			h.ending = true
			var n atomic.Int64
			b.SetParallelism(sessions / 2)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				h.insertShelves(b, pb, &n)
			})
		})
	}
}

// insertShelves inserts one shelf after the other by a session of its own; n
// numbers them over all sessions.
func (h *house) insertShelves(b *testing.B, pb *testing.PB, n *atomic.Int64) {
	s := h.session(b, "onto")
	st, err := s.Prepare(b.Context(), wire.Query{SQL: "INSERT INTO shelf VALUES ($1, $2)"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	for pb.Next() {
		p, err := st.Bind(b.Context(), [][]byte{fmt.Appendf(nil, "shelf %d", n.Add(1)), []byte("1")})
		if err != nil {
			b.Fatal(err)
		}
		if _, err = drain(b.Context(), p); err != nil {
			b.Error(err)
		}
		p.Close()
		if err := s.Sync(b.Context(), err != nil); err != nil {
			b.Error(err)
		}
	}
}
