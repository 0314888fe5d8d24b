package mirror_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/mirror"
)

// compare reads random windows of every type at a pin, with the mirror and without. It returns
// the number of reads in which the mirror was used.
func compare(v *view, conn *duckdb.Conn, m *mirror.Mirror, r *rand.Rand, questions int) (used int, err error) {
	for range questions {
		typ := v.types[r.IntN(len(v.types))]
		w := ontosql.Window{Mode: ontosql.Mode(r.IntN(5)), Upper: ontosql.CommitID(r.IntN(int(v.Head()) + 1))}
		if r.IntN(3) == 0 {
			w.Upper = v.Head()
		}
		if w.Mode == ontosql.Diff {
			w.Since, w.Backward = ontosql.CommitID(r.IntN(int(w.Upper)+1)), r.IntN(2) == 0
		}
		var keys, bound []scan.KeyEqual
		var args []any
		if r.IntN(2) == 0 {
			name := scan.KeyColumns(typ.Ref.Kind)[0]
			if typ.Ref.Kind == ontosql.Relation && r.IntN(2) == 0 {
				name = "right_key"
			}
			literal, param := scan.KeyEqual{Column: name}, scan.KeyEqual{Column: name}
			for _, text := range []string{fmt.Sprint(r.IntN(15)), fmt.Sprintf("k%d", r.IntN(15))}[r.IntN(2):] {
				args = append(args, text)
				literal.Texts = append(literal.Texts, duckdb.Literal(text))
				param.Texts = append(param.Texts, fmt.Sprintf("CAST($%d AS VARCHAR)", len(args)))
			}
			keys, bound = []scan.KeyEqual{literal}, []scan.KeyEqual{param}
			if r.IntN(2) == 0 {
				bound, args = keys, nil
			}
		}
		got, over, err := v.answer(conn, m, typ, w, bound, args...)
		if err != nil {
			return used, fmt.Errorf("%s %+v keys %v with the mirror: %w", typ.Ref, w, bound, err)
		}
		want, _, err := v.answer(conn, nil, typ, w, keys)
		if err != nil {
			return used, fmt.Errorf("%s %+v keys %v from files: %w", typ.Ref, w, keys, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return used, fmt.Errorf("%s at head %d, %+v keys %v, mirror used %t (-files +mirror):\n%s", typ.Ref, v.Head(), w, keys, over, diff)
		}
		if over {
			used++
		}
	}
	return used, nil
}

// TestMirrorAndFilesAnswerEqually commits random histories, with dropped and migrated types,
// and reads both sources: before the mirror is built, afterwards, and at older and newer pins.
func TestMirrorAndFilesAnswerEqually(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			m := w.mirror(1 << 30)
			if seed > 0 {
				m.CompactAfter(0)
			}
			conn := w.conn()
			defer conn.Close()
			r := rand.New(rand.NewPCG(seed, 1))
			used := 0
			ask := func(v *view, questions int) {
				t.Helper()
				n, err := compare(v, conn, m, r, questions)
				if err != nil {
					t.Fatal(err)
				}
				used += n
			}
			for range 6 {
				w.commit()
			}
			m.Follow(w.view())
			ask(w.view(), 10)
			for round := range 5 {
				w.view().settled(m, customer, product, purchase)
				older := w.view()
				ask(older, 8)
				for range 1 + r.IntN(4) {
					w.commit()
				}
				switch round {
				case 1:
					w.drop(r.IntN(3))
				case 3:
					w.migrate(r.IntN(3))
				}
				v := w.view()
				ask(v, 4) // these commits were not passed to Follow
				m.Follow(v)
				ask(older, 4)
				ask(v, 4)
			}
			if used < 40 {
				t.Errorf("the mirror was used for only %d reads", used)
			}
		})
	}
}

// TestReadersWhileAnotherCommits reads while the mirror is being extended.
func TestReadersWhileAnotherCommits(t *testing.T) {
	w := newWorld(t, 42)
	m := w.mirror(1 << 30)
	m.CompactAfter(0)
	for range 5 {
		w.commit()
	}
	w.view().settled(m, customer, product, purchase)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 30 {
			w.commit()
			m.Follow(w.view())
		}
	}()
	errs := make(chan error, 2)
	for reader := range 2 {
		go func() {
			conn := w.conn()
			defer conn.Close()
			r := rand.New(rand.NewPCG(42, uint64(reader)))
			for {
				select {
				case <-done:
					errs <- nil
					return
				default:
				}
				if _, err := compare(w.view(), conn, m, r, 3); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	<-done
}
