package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
)

// TestReplaced puts another file in the place of the one that is served.
func TestReplaced(t *testing.T) {
	m, other := makeFile(t, "WAL"), makeFile(t, "WAL")
	db := openDB(t, Options{Path: m.path})
	m.commit("", "A 1")
	m.commit("", "A 2")
	pin := pinOf(t, db)
	a := typeOf(t, pin, ontosql.Entity, "A")
	w := ontosql.Window{Mode: ontosql.History, Upper: 2}
	begun, err := db.Versions(t.Context(), pin, a, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	other.n = 30 // at other times
	other.commit("", "A 1")
	other.commit("", "A 7")
	other.commit("", "A 8")
	m.close()
	other.close()
	if err := os.Rename(other.path, m.path); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pin(t.Context()); !errors.Is(err, ontosql.ErrStorage) {
		t.Errorf("pin of a file beside the log of the one before: %v, want %v", err, ontosql.ErrStorage)
	}
	m.removeLog()
	if b, err := begun.Next(t.Context()); !errors.Is(err, ErrReplaced) {
		t.Errorf("a cursor over the file that was there before: %+v, %v; want %v", b, err, ErrReplaced)
	}
	for _, keys := range [][]string{nil, {"1"}} {
		if rows, err := versions(t.Context(), db, pin, a, w, keys...); !errors.Is(err, ErrReplaced) {
			t.Errorf("rows %v, error %v at a pin of the file before, keys %q; want %v", show(rows), err, keys, ErrReplaced)
		}
	}
	if diff := cmp.Diff([]string{"1@1", "7@2", "8@3"}, all(t, db, pinOf(t, db), "A")); diff != "" {
		t.Errorf("in the other file (-want +got):\n%s", diff)
	}
}

// removeLog removes the files next to the database file.
func (m *made) removeLog() {
	m.tb.Helper()
	for _, name := range []string{"-wal", "-shm"} {
		if err := os.Remove(m.path + name); err != nil {
			m.tb.Fatal(err)
		}
	}
}

// TestReplacedByItself puts a copy with the same history and more in the place of the
// file, as VACUUM INTO makes one: the pins of before go on.
func TestReplacedByItself(t *testing.T) {
	m := makeFile(t, "WAL")
	db := openDB(t, Options{Path: m.path})
	m.commit("", "A 1", "B 1")
	m.commit("", "A 2")
	pin := pinOf(t, db)
	smaller := filepath.Join(t.TempDir(), "smaller.db")
	m.exec("VACUUM INTO '" + smaller + "'")
	m.close()
	if err := os.Rename(smaller, m.path); err != nil {
		t.Fatal(err)
	}
	m.removeLog()
	if diff := cmp.Diff([]string{"1@1", "2@2"}, all(t, db, pin, "A")); diff != "" {
		t.Errorf("a pin of before (-want +got):\n%s", diff)
	}
	if now := pinOf(t, db); now.Head != pin.Head || now.Catalog.Version != pin.Catalog.Version {
		t.Errorf("head %+v after the copy, %+v before", now.Head, pin.Head)
	}
}

// TestPutBack restores an earlier state into the file itself.
func TestPutBack(t *testing.T) {
	m := makeFile(t, "WAL")
	db := openDB(t, Options{Path: m.path})
	m.commit("", "A 1")
	early := pinOf(t, db)
	backup := filepath.Join(t.TempDir(), "backup.db")
	m.exec("VACUUM INTO '" + backup + "'")
	m.commit("", "A 2")
	m.commit("", "A 3")
	late := pinOf(t, db)
	from := connection(t, backup)
	b, err := lite.NewBackup(m.conn, "main", from, "main")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Step(-1); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	m.n = 10 // at another time than before
	m.commit("", "A 4")
	m.commit("", "A 5")
	now := pinOf(t, db)
	if now.Head.Commit != 3 || now.View.Commit(1).Path != early.View.Commit(1).Path || now.View.Commit(2).Path == late.View.Commit(2).Path {
		t.Errorf("head %+v; commit 1 must be the same and commit 2 another", now.Head)
	}
	if diff := cmp.Diff([]string{"1@1", "4@2", "5@3"}, all(t, db, now, "A")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1@1"}, all(t, db, early, "A")); diff != "" {
		t.Errorf("a pin of before (-want +got):\n%s", diff)
	}
	if rows, err := versions(t.Context(), db, late, typeOf(t, late, ontosql.Entity, "A"), ontosql.Window{Upper: 3}); !errors.Is(err, ErrReplaced) {
		t.Errorf("rows %v, error %v at a pin of what is no longer there; want %v", show(rows), err, ErrReplaced)
	}
}

// TestDeleted removes the file and puts it back.
func TestDeleted(t *testing.T) {
	m := makeFile(t, "DELETE")
	m.commit("", "A 1")
	m.close()
	db := openDB(t, Options{Path: m.path})
	pin := pinOf(t, db)
	aside := m.path + ".aside"
	if err := os.Rename(m.path, aside); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pin(t.Context()); !errors.Is(err, ontosql.ErrStorage) || errors.Is(err, ontosql.ErrNotInitialised) {
		t.Errorf("pin of a file that is gone: %v, want %v", err, ontosql.ErrStorage)
	}
	if _, err := versions(t.Context(), db, pin, pin.Catalog.Types[0], ontosql.Window{Upper: 1}); !errors.Is(err, ontosql.ErrStorage) {
		t.Errorf("rows of a file that is gone: %v, want %v", err, ontosql.ErrStorage)
	}
	if err := os.Rename(aside, m.path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1@1"}, all(t, db, pinOf(t, db), "A")); diff != "" {
		t.Errorf("in the file that is back (-want +got):\n%s", diff)
	}
}

// TestDropped drops a type that a pin shows. Its rows are there as long as they are
// there, and never fewer of them.
func TestDropped(t *testing.T) {
	for _, purge := range []bool{false, true} {
		m := makeFile(t, "WAL")
		m.commit("", "A 1", "B 1")
		m.commit("", "B 2", "A 2")
		db := openDB(t, Options{Path: m.path})
		before := pinOf(t, db)
		a := typeOf(t, before, ontosql.Entity, "A")
		w := ontosql.Window{Mode: ontosql.History, Upper: 2}
		begun, err := db.Versions(t.Context(), before, a, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.drop("A", purge)
		for _, read := range []struct {
			how  string
			want []string
			do   func() ([]version, error)
		}{
			{"cursor begun before", []string{"1@1", "2@2"}, func() ([]version, error) { return drain(t.Context(), begun) }},
			{"scan", []string{"1@1", "2@2"}, func() ([]version, error) { return versions(t.Context(), db, before, a, w) }},
			{"key", []string{"2@2"}, func() ([]version, error) { return versions(t.Context(), db, before, a, w, "2") }},
			{"no such key", []string{}, func() ([]version, error) { return versions(t.Context(), db, before, a, w, "3") }},
		} {
			rows, err := read.do()
			var gone *DroppedError
			switch {
			case purge && (!errors.As(err, &gone) || gone.Commit != 3 || gone.Type != a.Ref):
				t.Errorf("%s: rows %v, error %v of purged rows", read.how, show(rows), err)
			case !purge && (err != nil || cmp.Diff(read.want, show(rows)) != ""):
				t.Errorf("%s: rows %v, error %v; want %v", read.how, show(rows), err, read.want)
			}
		}
		after := pinOf(t, db)
		if _, there := after.Catalog.Type(a.Ref); there || after.View.Floor(a.Ref) != 3 {
			t.Errorf("purge %t: after the drop the type is there: %t, floor %d", purge, there, after.View.Floor(a.Ref))
		}
		m.register("entity", "A", schemaOf("A"))
		m.commit("", "A 9")
		again := pinOf(t, db)
		if diff := cmp.Diff([]string{"9@4"}, all(t, db, again, "A")); diff != "" {
			t.Errorf("purge %t: the type that was made again (-want +got):\n%s", purge, diff)
		}
		if diff := cmp.Diff([]string{"1@1", "2@2"}, all(t, db, again, "B")); diff != "" {
			t.Errorf("purge %t: the other type (-want +got):\n%s", purge, diff)
		}
		fresh := openDB(t, Options{Path: m.path})
		if diff := cmp.Diff([]string{"9@4"}, all(t, fresh, pinOf(t, fresh), "A")); diff != "" {
			t.Errorf("purge %t: read at once (-want +got):\n%s", purge, diff)
		}
	}
}

// TestRowsTakenAway removes a row by hand: the error says what is missing.
func TestRowsTakenAway(t *testing.T) {
	m := makeFile(t, "WAL")
	m.commit("", "A 1", "A 2", "A 3")
	db := openDB(t, Options{Path: m.path})
	pin := pinOf(t, db)
	m.exec("DELETE FROM entity_history WHERE entity_key = '2'")
	var corrupt *ontosql.CorruptError
	if rows, err := versions(t.Context(), db, pin, pin.Catalog.Types[0], ontosql.Window{Upper: 1}); !errors.As(err, &corrupt) {
		t.Errorf("rows %v, error %v; want a *ontosql.CorruptError", show(rows), err)
	}
}
