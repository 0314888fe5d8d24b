package mirror_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/mirror"
)

// compacted waits until accounts have other tables than those with the given cur, and returns the name of their cur.
func (v *view) compacted(m *mirror.Mirror, cur string) string {
	v.world.t.Helper()
	typ, _ := v.Type(account)
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if u := m.Use(v, typ, mirror.Window{Window: ontosql.Window{Upper: v.Head()}}); u != nil {
			now := u.Source.Cur
			u.Release()
			if now != cur {
				return now
			}
		}
		if time.Now().After(limit) {
			v.world.t.Fatalf("the tables are still %s: %+v", cur, m.Status())
		}
	}
}

// fewAccounts is a world in which each commit replaces many rows of those before.
func fewAccounts(t *testing.T) *world {
	all := *benchKeys
	*benchKeys = 1000
	t.Cleanup(func() { *benchKeys = all })
	return accounts(t, 4, 900)
}

// TestCompactedTables replaces the rows of a type until the current ones are written anew, twice, and
// opens the file again: the answers stay those of the files, and no row is read from the store
// again.
func TestCompactedTables(t *testing.T) {
	w := fewAccounts(t)
	m := w.mirror(1 << 30)
	m.CompactAfter(1000)
	w.view().settled(m, account)
	cur := w.view().compacted(m, "")
	for range 2 {
		for range 6 {
			w.accounts(len(w.commits)+1, 900)
			w.view().settled(m, account)
		}
		before := cur
		if cur = w.view().compacted(m, before); cur == before {
			t.Fatal("the current rows have not been written anew")
		}
		if n := w.view().check(m); n != 2 {
			t.Errorf("after a compaction %d of 2 answers come from the mirror", n)
		}
	}
	m.Close()
	m = w.mirror(1 << 30)
	defer m.Close()
	m.Follow(w.view())
	if n := w.view().check(m); n != 2 {
		t.Errorf("after a restart %d of 2 answers come from the mirror", n)
	}
	w.accounts(len(w.commits)+1, 900)
	w.view().settled(m, account)
	w.view().check(m)
}

// TestCompactionUnderAStatement compacts while a statement has found the old tables. One that has
// not started looks again. One that may start again finds the old rows at each start, because
// hist is not extended before it has ended.
func TestCompactionUnderAStatement(t *testing.T) {
	w := fewAccounts(t)
	m := w.mirror(1 << 30)
	defer m.Close()
	first := w.view()
	first.settled(m, account)
	cur := first.compacted(m, "")
	conn := w.conn()
	defer conn.Close()
	typ, _ := first.Type(account)
	window := ontosql.Window{Mode: ontosql.Latest, Upper: first.Head()}
	read := func(u *mirror.Use) []string {
		t.Helper()
		rows, err := first.run(conn, u, typ, window, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	want := read(nil)
	for range 4 { // the rows that the next compaction leaves out
		w.accounts(len(w.commits)+1, 900)
		w.view().settled(m, account)
	}
	once := m.Use(first, typ, mirror.Window{Window: window})
	again := m.Use(first, typ, mirror.Window{Window: window, Repeated: true})
	if diff := cmp.Diff(want, read(again)); diff != "" {
		t.Fatalf("before the compaction (-files +mirror):\n%s", diff)
	}
	m.CompactAfter(1)
	w.accounts(len(w.commits)+1, 900)
	m.Follow(w.view())
	w.view().compacted(m, cur)
	if _, err := first.run(conn, once, typ, window, nil, nil); err != errMoved {
		t.Errorf("a statement started over replaced tables: %v", err)
	}
	once.Release()
	w.accounts(len(w.commits)+1, 900)
	m.Follow(w.view())
	for range 5 {
		if diff := cmp.Diff(want, read(again)); diff != "" {
			t.Fatalf("after the compaction (-files +mirror):\n%s", diff)
		}
	}
	again.Release()
	w.view().settled(m, account)
	w.view().check(m)
}
