package gateway_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/wire"
)

// BenchmarkRead is what a statement costs beyond the wire, prepared once and by
// the simple protocol.
func BenchmarkRead(b *testing.B) {
	h := newHouse(b, nil)
	s := h.session(b, "onto")
	for _, c := range []struct {
		name, sql, simple string
		args              [][]byte
	}{
		{"one", "SELECT 1", "SELECT 1", nil},
		{"key", "SELECT name, tier, balance FROM customer WHERE id = $1", "SELECT name, tier, balance FROM customer WHERE id = 'c7'", [][]byte{[]byte("c7")}},
	} {
		b.Run(c.name+"/prepared", func(b *testing.B) {
			st := prepared(b, s, c.sql)
			for b.Loop() {
				again(b, s, st, c.args)
			}
		})
		b.Run(c.name+"/simple", func(b *testing.B) {
			for b.Loop() {
				st, err := s.Prepare(b.Context(), wire.Query{SQL: c.simple, Simple: true}, nil)
				if err != nil {
					b.Fatal(err)
				}
				again(b, s, st, nil)
			}
		})
	}
}

// BenchmarkLookUp asks for many identities one after the other: the gateway, which has them in the
// row store, and the engine alone over the mirror.
func BenchmarkLookUp(b *testing.B) {
	const identities = 20_000 // their rows stay in the memory of the row store
	disk, err := dir.Open(b.TempDir(), dir.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := demo.Fill(b.Context(), disk, nil); err != nil {
		b.Fatal(err)
	}
	h := newHouse(b, disk)
	s := h.session(b, "onto")
	must(b, s, fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) SELECT 'k' || n, 'Customer ' || n, 'gold', n FROM generate_series(1, %d) AS g(n)", identities))
	h.settle(b, s, "customer")
	inRowStore(b, s, "SELECT id FROM customer WHERE id = 'k1'")
	must(b, s, "UPDATE customer SET balance = balance + 1") // a second version of each
	h.settle(b, s, "customer")
	key := func() []byte { return fmt.Appendf(nil, "k%d", 1+rand.IntN(identities)) }
	hundred := func() []byte {
		all := []byte("{")
		for range 100 {
			all = append(append(all, key()...), ',')
		}
		return append(all[:len(all)-1], '}')
	}
	const columns = "id, name, tier, balance"
	for _, c := range []struct {
		name, sql string
		args      func() [][]byte
	}{
		{"gateway", "SELECT " + columns + " FROM customer WHERE id = $1", func() [][]byte { return [][]byte{key()} }},
		{"as of", "SELECT " + columns + " FROM as_of.customer($1::bigint) WHERE id = $2", func() [][]byte { return [][]byte{fmt.Append(nil, 55+rand.IntN(2)), key()} }},
		{"history", "SELECT " + columns + " FROM history.customer WHERE id = $1", func() [][]byte { return [][]byte{key()} }},
		{"any of 100", "SELECT " + columns + " FROM customer WHERE id = ANY($1)", func() [][]byte { return [][]byte{hundred()} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			st := prepared(b, s, c.sql)
			for b.Loop() {
				again(b, s, st, c.args())
			}
		})
	}
	b.Run("engine", func(b *testing.B) {
		conn, err := h.engine.Conn(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		st, err := conn.Prepare(b.Context(), "SELECT k0, f1, f2, f3 FROM ontosql_mirror.main.cur1 WHERE k0 = $1")
		if err != nil {
			b.Fatal(err)
		}
		defer st.Close()
		for b.Loop() {
			rows, err := st.Query(b.Context(), []any{string(key())})
			if err != nil {
				b.Fatal(err)
			}
			if n, err := count(b.Context(), rows); err != nil || n != 1 {
				b.Fatalf("%d rows, %v", n, err)
			}
		}
	})
}

func prepared(b *testing.B, s wire.Session, sql string) wire.Statement {
	b.Helper()
	st, err := s.Prepare(b.Context(), wire.Query{SQL: sql}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return st
}

// again runs a statement to its end as one transaction.
func again(b *testing.B, s wire.Session, st wire.Statement, args [][]byte) {
	b.Helper()
	p, err := st.Bind(b.Context(), args)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := count(b.Context(), p); err != nil {
		b.Fatal(err)
	}
	p.Close()
	if err := s.Sync(b.Context(), false); err != nil {
		b.Fatal(err)
	}
}

// batches are rows of a portal or of the engine.
type batches interface {
	Next(ctx context.Context) (*column.Batch, error)
}

// count reads rows to their end.
func count(ctx context.Context, from batches) (n int, err error) {
	for {
		batch, err := from.Next(ctx)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += batch.Len
	}
}
