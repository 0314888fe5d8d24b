package rowstore_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/rowstore"
)

// logged opens a store whose log is read.
func (w *world) logged(dir string) (*rowstore.Store, *testenv.Output) {
	w.t.Helper()
	log := &testenv.Output{}
	s, err := rowstore.Open(w.t.Context(), rowstore.Options{Engine: w.engine, Dir: dir, Budget: 1 << 40, Memory: 8 << 20, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		w.t.Fatal(err)
	}
	return s, log
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, true func() bool) {
	t.Helper()
	for limit := time.Now().Add(testenv.Patience); !true(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// quiet checks that a store which is off has ended: it says little, and does not go on saying it.
func quiet(t *testing.T, log *testenv.Output) {
	t.Helper()
	said := log.String()
	time.Sleep(200 * time.Millisecond)
	if now := log.String(); strings.Count(now, "\n") > 10 || now != said || len(now) > 4000 {
		t.Errorf("the log has %d lines, %d of them since the store is off:\n%.2000s", strings.Count(now, "\n"), strings.Count(now, "\n")-strings.Count(said, "\n"), now)
	}
}

// TestDeletedStoreEnds: a store whose folder is deleted while it is extended is off once, and its library ends.
func TestDeletedStoreEnds(t *testing.T) {
	w := newWorld(t)
	w.commit(21_000)
	dir := t.TempDir()
	s, log := w.logged(dir)
	w.use(s, w.at(1), thing).Release()
	path := filepath.Join(dir, "rows-v1-1")
	eventually(t, "the store is off", func() bool {
		_ = os.RemoveAll(path) // it may just get another file
		w.commit(1000)
		h := w.at(len(w.marks))
		s.Follow(h)
		if u := s.Use(h, h.types[thing]); u != nil {
			u.Release()
		}
		return strings.Contains(log.String(), "row store is off")
	})
	quiet(t, log)
	began := time.Now()
	s.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Close took %s", took)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}

// TestDamagedStoreEnds: files that were damaged while the store was closed make it anew, or turn it off when they are
// read; its library does not go on trying them.
func TestDamagedStoreEnds(t *testing.T) {
	for name, damage := range map[string]func(body []byte){
		"the beginning": func(b []byte) { clear(b[:min(len(b), 4000)]) },
		"the middle":    func(b []byte) { clear(b[len(b)/4 : len(b)/2]) },
		"the end":       func(b []byte) { clear(b[len(b)*3/4:]) },
		"all":           func(b []byte) { clear(b) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.commit(21_000)
			dir := t.TempDir()
			s, _ := w.logged(dir)
			w.use(s, w.at(1), thing).Release()
			for range 6 {
				w.commit(300)
				w.use(s, w.at(len(w.marks)), thing).Release()
			}
			s.Close()
			files, err := filepath.Glob(filepath.Join(dir, "rows-v1-1", "*.sst"))
			if err != nil || len(files) == 0 {
				t.Fatalf("files: %q, %v", files, err)
			}
			for _, path := range files {
				body, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				damage(body)
				if err := os.WriteFile(path, body, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, log := w.logged(dir)
			defer s.Close()
			w.commit(10)
			h := w.at(len(w.marks))
			s.Follow(h)
			eventually(t, "the store answers, or is off", func() bool {
				u := s.Use(h, h.types[thing])
				if u == nil {
					return strings.Contains(log.String(), "row store is off")
				}
				defer u.Release()
				if u.Through < h.Head() {
					return false
				}
				for i := range 20 {
					key := w.rows[thing][i*1000].key
					b := &column.Batch{Cols: make([]column.Vector, 1)}
					if _, err := readNewest(t.Context(), u, b, key, 1, columnsOf(w.types[thing], "n")); err != nil {
						u.Distrust(err)
						return false
					}
					if b.Len != 1 {
						t.Errorf("%q has %d rows", key, b.Len)
					}
				}
				return true
			})
			quiet(t, log)
		})
	}
}
