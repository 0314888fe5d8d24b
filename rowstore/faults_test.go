package rowstore_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/mirror"
)

// TestOtherVersions: what a program with another layout has left is removed, and what is no store is made
// one.
func TestOtherVersions(t *testing.T) {
	w := newWorld(t)
	w.commit(50)
	h, dir := w.at(1), t.TempDir()
	for _, path := range []string{"rows-v0-1/000001.sst", "rows-v99-3/CURRENT", "rows-v1-1/CURRENT", "rows-v1-1/MANIFEST-000001", "rows-v1-1/OPTIONS-000002"} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("MANIFEST-000001\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := w.open(dir, 1<<40)
	defer s.Close()
	u := w.use(s, h, thing)
	defer u.Release()
	w.check(u, h, thing, 20)
	for _, gone := range []string{"rows-v0-1", "rows-v99-3"} {
		if _, err := os.Stat(filepath.Join(dir, gone)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", gone, err)
		}
	}
}

// TestDeletedWhileServing takes the files away under a store that is read and extended. What it answers is
// right; it may answer nothing.
func TestDeletedWhileServing(t *testing.T) {
	w := newWorld(t)
	w.commit(21_000)
	dir := t.TempDir()
	s := w.open(dir, 1<<40)
	defer s.Close()
	w.use(s, w.at(1), thing).Release()
	_ = os.RemoveAll(filepath.Join(dir, "rows-v1-1")) // it may just get another file
	for range 5 {
		w.commit(21_000) // a file of its own
		h := w.at(len(w.marks))
		s.Follow(h)
		for limit := time.Now().Add(testenv.Patience); ; time.Sleep(time.Millisecond) {
			u := s.Use(h, h.types[thing])
			if u == nil { // the store is off
				return
			}
			through, key := u.Through, w.rows[thing][0].key
			b := &column.Batch{Cols: make([]column.Vector, 1)}
			_, err := readNewest(t.Context(), u, b, key, 1, columnsOf(w.types[thing], "n"))
			if err == nil && b.Len != 1 {
				t.Errorf("%q has %d rows", key, b.Len)
			}
			if err != nil {
				u.Distrust(err)
			}
			u.Release()
			if through == h.Head() || s.Status()[0].Reason != nil {
				break
			}
			if time.Now().After(limit) {
				t.Fatalf("nothing was tried: %+v", s.Status())
			}
		}
	}
}

// movingHistory is a history during whose reading other things happen.
type movingHistory struct {
	history
	meanwhile func()
}

func (h movingHistory) Rows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (*mirror.Rows, error) {
	rows, err := h.history.Rows(ctx, t, after, through)
	h.meanwhile()
	return rows, err
}

// TestHeadMovesDuringABatch: while the rows of some commits are added, the head moves, the store is
// restored to an older commit and goes on in another way, or the type is dropped and made again. The table
// that was being extended is then extended further, or never used.
func TestHeadMovesDuringABatch(t *testing.T) {
	for name, move := range map[string]func(w *world) history{
		"more commits": func(w *world) history {
			w.commit(30)
			return w.at(4)
		},
		"restored": func(w *world) history {
			old := w.at(1)
			w.marks = w.marks[:1]
			for _, ref := range []ontosql.TypeRef{thing, link} {
				w.rows[ref] = old.between(ref, 0, 1)
			}
			for range 3 {
				w.commit(30)
			}
			return w.at(4)
		},
		"made again": func(w *world) history {
			again := *w.types[thing]
			again.Floor = 4
			w.types[thing] = &again
			w.commit(30)
			return w.at(4)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.commit(40)
			s := w.open(t.TempDir(), 1<<40)
			defer s.Close()
			w.use(s, w.at(1), thing).Release()
			w.commit(40)
			w.commit(40)
			begun, moved := make(chan struct{}), make(chan struct{})
			first := true
			s.Follow(movingHistory{w.at(3), func() {
				if first {
					first = false
					close(begun)
					<-moved
				}
			}})
			<-begun
			h := move(w)
			s.Follow(h)
			close(moved)
			u := w.use(s, h, thing)
			defer u.Release()
			w.check(u, h, thing, 100)
		})
	}
}
