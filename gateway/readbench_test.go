package gateway_test

import (
	"testing"

	"github.com/ontosql/ontosql/wire"
)

// BenchmarkRead is what a statement costs beyond the wire, prepared once and by
// the simple protocol.
func BenchmarkRead(b *testing.B) {
	h := newHouse(b, nil)
	s := h.session(b, "onto")
	run := func(b *testing.B, st wire.Statement, args [][]byte) {
		p, err := st.Bind(b.Context(), args)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := drain(b.Context(), p); err != nil {
			b.Fatal(err)
		}
		p.Close()
		if err := s.Sync(b.Context(), false); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, sql, simple string
		args              [][]byte
	}{
		{"one", "SELECT 1", "SELECT 1", nil},
		{"key", "SELECT name, tier, balance FROM customer WHERE id = $1", "SELECT name, tier, balance FROM customer WHERE id = 'c7'", [][]byte{[]byte("c7")}},
	} {
		b.Run(c.name+"/prepared", func(b *testing.B) {
			st, err := s.Prepare(b.Context(), wire.Query{SQL: c.sql}, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				run(b, st, c.args)
			}
		})
		b.Run(c.name+"/simple", func(b *testing.B) {
			for b.Loop() {
				st, err := s.Prepare(b.Context(), wire.Query{SQL: c.simple, Simple: true}, nil)
				if err != nil {
					b.Fatal(err)
				}
				run(b, st, nil)
			}
		})
	}
}
