package rowstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/rowstore"
)

// TestEveryPoint fills a table, in a file of many rows and in batches of few, extends it, opens it
// again and asks for keys at every point.
func TestEveryPoint(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	for range 3 {
		w.commit(3000)
	}
	s := w.open(dir, 1<<40)
	for round := range 6 {
		h := w.at(len(w.marks))
		for _, ref := range []ontosql.TypeRef{thing, link} {
			u := w.use(s, h, ref)
			w.check(u, h, ref, 30)
			u.Release()
		}
		if round == 3 {
			s.Close()
			s = w.open(dir, 1<<40)
			before := w.reads.Load()
			w.use(s, h, thing).Release()
			if w.reads.Load() != before {
				t.Error("a store that was closed is filled anew")
			}
		}
		w.commit(1 + round*20)
	}
	s.Close()
}

// TestOtherHistories: a table of another history, of a type with other columns, or from before a drop is not
// used, and a new one takes its place.
func TestOtherHistories(t *testing.T) {
	w := newWorld(t)
	for range 4 {
		w.commit(40)
	}
	s := w.open(t.TempDir(), 1<<40)
	defer s.Close()
	old := w.at(4)
	w.use(s, old, thing).Release()
	// The store was restored to commit 2, and went on in another way.
	w.marks = w.marks[:2]
	w.rows[thing] = old.between(thing, 0, 2)
	w.rows[link] = old.between(link, 0, 2)
	for range 3 {
		w.commit(40)
	}
	h := w.at(5)
	if u := s.Use(h, h.types[thing]); u != nil {
		t.Error("the table of another history is used")
	}
	u := w.use(s, h, thing)
	w.check(u, h, thing, 100)
	u.Release()
	// The same after an extension of many rows, which makes a new table.
	w.commit(200_001)
	h = w.at(6)
	u = w.use(s, h, thing)
	w.check(u, h, thing, 5)
	u.Release()
	// A type with one column more, and one that was dropped and created again.
	more := *w.types[thing]
	more.Columns = append(slices.Clip(more.Columns), catalog.Column{Name: "late", Field: "late", Type: column.Type{Kind: column.Int64}})
	if u := s.Use(h, &more); u != nil {
		t.Error("the table of a type with other columns is used")
	}
	again := *w.types[thing]
	again.Floor = 6
	w.types[thing] = &again
	w.commit(40)
	h = w.at(7)
	u = w.use(s, h, thing)
	w.check(u, h, thing, 10)
	u.Release()
}

// TestKilled copies a store as it is on the disk while it is open and filled, as a crash would leave
// it, and opens the copy.
func TestKilled(t *testing.T) {
	w := newWorld(t)
	w.commit(21_000)
	w.commit(100)
	dir := t.TempDir()
	s := w.open(dir, 1<<40)
	defer s.Close()
	for round := range 5 {
		h := w.at(len(w.marks))
		w.use(s, h, thing).Release()
		crashed := t.TempDir()
		if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		after := w.open(crashed, 1<<40)
		u := w.use(after, h, thing)
		w.check(u, h, thing, 20)
		u.Release()
		after.Close()
		w.commit(round * 50)
	}
}

// TestDamaged spoils the files of a store: it is made anew, or stops answering.
func TestDamaged(t *testing.T) {
	w := newWorld(t)
	w.commit(21_000)
	h := w.at(1)
	for name, spoil := range map[string]func(path string) error{
		"cut off": func(path string) error { return os.Truncate(path, 10) },
		"other bytes": func(path string) error {
			body, err := os.ReadFile(path)
			for i := range body {
				body[i] ^= 0x5a
			}
			if err == nil {
				err = os.WriteFile(path, body, 0o600)
			}
			return err
		},
		"one byte": func(path string) error { // of a block of rows
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte{0x5a}, 2000)
			return errors.Join(err, f.Close())
		},
		"removed": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := w.open(dir, 1<<40)
			w.use(s, h, thing).Release()
			s.Close()
			files, err := filepath.Glob(filepath.Join(dir, "rows-v1-1", "*.sst"))
			if err != nil || len(files) == 0 {
				t.Fatalf("files %v, %v", files, err)
			}
			for _, f := range files {
				if err := spoil(f); err != nil {
					t.Fatal(err)
				}
			}
			s = w.open(dir, 1<<40)
			defer s.Close()
			s.Follow(h)
			u := s.Use(h, h.types[thing])
			if u == nil {
				return // it was found when the store was opened
			}
			defer u.Release()
			columns := columnsOf(w.types[thing], "n")
			_, err = readNewest(t.Context(), u, &column.Batch{Cols: make([]column.Vector, 1)}, w.rows[thing][0].key, 1, columns)
			if err == nil {
				t.Fatal("a damaged file was read")
			}
			u.Distrust(err)
			for limit := time.Now().Add(testenv.Patience); s.Use(h, h.types[thing]) != nil; {
				if time.Now().After(limit) {
					t.Fatal("the store still answers")
				}
			}
		})
	}
}

// TestBudget: tables that are not looked up make room, and one that does not fit is not made.
func TestBudget(t *testing.T) {
	w := newWorld(t)
	w.commit(200)
	h := w.at(1)
	s := w.open(t.TempDir(), 3)
	defer s.Close()
	s.Follow(h)
	for limit := time.Now().Add(testenv.Patience); ; time.Sleep(time.Millisecond) {
		if u := s.Use(h, h.types[thing]); u != nil {
			t.Fatal("a table without room was made")
		}
		if status := s.Status(); status[0].Reason != nil {
			if !strings.Contains(status[0].Reason.Error(), "budget") {
				t.Errorf("the reason is %v", status[0].Reason)
			}
			return
		}
		if time.Now().After(limit) {
			t.Fatal("nothing was tried")
		}
	}
}

// TestTwoProcesses: two stores below one directory have a place each, and what one leaves is removed
// by the next.
func TestTwoProcesses(t *testing.T) {
	w := newWorld(t)
	w.commit(50)
	h := w.at(1)
	dir := t.TempDir()
	first, second := w.open(dir, 1<<40), w.open(dir, 1<<40)
	for _, s := range []*rowstore.Store{first, second} {
		u := w.use(s, h, thing)
		w.check(u, h, thing, 20)
		u.Release()
	}
	second.Close()
	first.Close()
	w.open(dir, 1<<40).Close()
	left, err := filepath.Glob(filepath.Join(dir, "rows-v1-?"))
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestReadersBesideTheWorker reads while the table is extended, dropped and made again.
func TestReadersBesideTheWorker(t *testing.T) {
	w := newWorld(t)
	w.commit(100)
	s := w.open(t.TempDir(), 1<<40)
	defer s.Close()
	w.use(s, w.at(1), thing).Release()
	var readers sync.WaitGroup
	stop := make(chan struct{})
	h := w.at(1)
	own := h.rows[thing][0].key
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				u := s.Use(h, h.types[thing])
				if u == nil {
					continue
				}
				b := &column.Batch{Cols: make([]column.Vector, 1)}
				if _, err := readNewest(t.Context(), u, b, own, 1, columnsOf(w.types[thing], "n")); err != nil || b.Len != 1 {
					t.Errorf("%d rows, %v", b.Len, err)
				}
				u.Release()
			}
		})
	}
	for range 30 {
		w.commit(20)
		s.Follow(w.at(len(w.marks)))
		time.Sleep(2 * time.Millisecond)
	}
	close(stop)
	readers.Wait()
}
