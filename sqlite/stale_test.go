package sqlite

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
)

// TestWrittenOver restores another history into the file itself, as cp does, whose
// writer has brought its log home: all that the connections had in memory is of the
// file before.
func TestWrittenOver(t *testing.T) {
	for _, journal := range []string{"WAL", "DELETE"} {
		for _, c := range []struct {
			name          string
			served, other int // commits
		}{{"a larger one", 2, 400}, {"a smaller one", 400, 2}, {"one of the same size", 3, 3}} {
			t.Run(c.name+", "+journal, func(t *testing.T) {
				m, other := makeFile(t, journal), makeFile(t, journal)
				other.n = 1000 // at other times
				for n := range c.served {
					m.commit("", fmt.Sprint("A ", n))
				}
				var want []string
				for n := range c.other {
					other.commit("", fmt.Sprint("A ", n+7000))
					want = append(want, fmt.Sprintf("%d@%d", n+7000, n+1))
				}
				m.exec("PRAGMA wal_checkpoint(TRUNCATE)")
				other.close()
				db := openDB(t, Options{Path: m.path})
				if rows := all(t, db, pinOf(t, db), "A"); len(rows) != c.served {
					t.Fatalf("%d rows before, want %d", len(rows), c.served)
				}
				m.close()
				if out, err := exec.CommandContext(t.Context(), "cp", other.path, m.path).CombinedOutput(); err != nil {
					t.Fatalf("cp: %v: %s", err, out)
				}
				if diff := cmp.Diff(want, all(t, db, pinOf(t, db), "A")); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestCheckpointed brings a log home while a cursor is at work: that is no other file.
func TestCheckpointed(t *testing.T) {
	m := makeFile(t, "WAL")
	for n := range 3 * batchRows / 100 {
		var rows []string
		for i := range 100 {
			rows = append(rows, fmt.Sprint("A ", n*100+i))
		}
		m.commit("", rows...)
	}
	db := openDB(t, Options{Path: m.path})
	pin := pinOf(t, db)
	a := pin.Catalog.Types[0]
	begun, err := db.Versions(t.Context(), pin, a, ontosql.Window{Mode: ontosql.History, Upper: pin.Head.Commit}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := begun.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	pinOf(t, db)
	if rows, err := drain(t.Context(), begun); err != nil || len(rows) == 0 {
		t.Errorf("after the checkpoint %d rows and %v", len(rows), err)
	}
}
