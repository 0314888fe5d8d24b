package mirror_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/mirror"
)

// TestInterimTablesAreRead checks that interim tables are read while the file cannot be
// written, and the tables of the file afterwards. A statement that began on the interim tables
// ends on them; they are dropped after it.
func TestInterimTablesAreRead(t *testing.T) {
	w := newWorld(t, 11)
	for range 20 {
		w.commit()
	}
	v, m := w.view(), w.mirror(1<<30)
	m.Follow(v)
	use := func() *mirror.Use {
		return m.Use(v, v.types[0], mirror.Window{Window: ontosql.Window{Upper: v.Head()}})
	}
	until := func(what string, done func() bool) {
		t.Helper()
		for limit := time.Now().Add(testenv.Patience); !done(); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("not %s: %+v", what, m.Status())
			}
		}
	}
	interim := func(u *mirror.Use) bool { return strings.Contains(u.Source.Cur, "memory.") }
	release := m.HoldWriters()
	var early *mirror.Use
	until("served", func() bool {
		early = use()
		return early != nil
	})
	if !interim(early) || early.Source.Through != v.Head() {
		t.Fatalf("%+v is read while the file cannot be written", early.Source)
	}
	if u := m.Use(v, v.types[0], mirror.Window{Window: ontosql.Window{Upper: v.Head()}, Indexed: true}); u != nil {
		t.Errorf("a use that needs an index got %+v, which has none", u.Source)
	}
	if n := v.check(m); n == 0 {
		t.Error("no answer came from the mirror while it was written")
	}
	release()
	v.settled(m, customer)
	late := use()
	if late == nil || interim(late) {
		t.Fatalf("%+v is read after the tables were written", late)
	}
	late.Release()
	v.check(m)
	number := early.Source.Cur[strings.LastIndex(early.Source.Cur, ".cur")+len(".cur"):]
	left := func() int {
		conn, n := w.conn(), 0
		defer conn.Close()
		err := conn.Each(t.Context(), `SELECT name FROM (SELECT schema_name, table_name AS name FROM duckdb_tables() UNION ALL SELECT schema_name, view_name FROM duckdb_views())
			WHERE schema_name = 'ontosql_mirrored' AND name IN ('all`+number+`', 'cur`+number+`', 'hist`+number+`')`, nil, func(*column.Batch, int) { n++ })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := left(); n != 3 {
		t.Errorf("%d tables and views in memory while one is in use, want 3", n)
	}
	early.Release()
	until("without tables in memory", func() bool { return left() == 0 })
}

// TestTablesOfOneFile builds the tables of a type that one commit has written: no version has a next
// one. The commits after it replace some.
func TestTablesOfOneFile(t *testing.T) {
	w := accounts(t, 1, 12_000)
	m := w.mirror(1 << 30)
	defer m.Close()
	m.Follow(w.view())
	w.view().compacted(m, "")
	if n := w.view().check(m); n != 2 {
		t.Errorf("%d of 2 answers come from the mirror", n)
	}
	for range 3 {
		w.accounts(len(w.commits)+1, 12_000)
	}
	w.view().settled(m, account)
	w.view().check(m)
}
