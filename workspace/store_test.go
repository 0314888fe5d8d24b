package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// house is a process that serves a workspace: an engine and a store.
type house struct {
	*testing.T
	dir    string
	engine *duckdb.Engine
	conn   *duckdb.Conn
	xacts  *workspace.Xacts
	store  *workspace.Store
}

func openHouse(t *testing.T, dir string) *house {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir(), ReadDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h := &house{T: t, dir: dir, engine: engine, conn: conn, xacts: workspace.NewXacts()}
	h.store = workspace.Open(t.Context(), conn, dir, h.xacts)
	return h
}

// close ends the process in order.
func (h *house) close() {
	h.Helper()
	if err := h.store.Close(h.Context(), h.conn); err != nil {
		h.Error(err)
	}
	h.conn.Close()
	h.engine.Close()
}

// crash copies the files as they are at this moment, as if the process ended here.
func (h *house) crash() (dir string) {
	h.Helper()
	dir = filepath.Join(h.TempDir(), "after")
	if err := os.CopyFS(dir, os.DirFS(h.dir)); err != nil {
		h.Fatal(err)
	}
	return dir
}

// session is a session of the house on the table s.t, which it creates if there is none.
func (h *house) session() *session {
	h.Helper()
	conn, err := h.engine.Conn(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	s := &session{h.T, conn, workspace.NewSession(h.store, h.xacts, "main", "t"), "s"}
	if s.table() != nil {
		return s
	}
	if err := s.temp.CreateSchema(h.Context(), conn, "s"); err != nil {
		h.Fatal(err)
	}
	columns := []workspace.Column{{Number: 1, Name: "a", Type: types.Of(types.Int4)}}
	heap, err := s.temp.CreateHeap(h.Context(), conn, "s", columns)
	if err != nil {
		h.Fatal(err)
	}
	s.temp.Put(&workspace.Table{Schema: "s", Name: "t", Columns: columns, Heap: heap})
	s.end(true)
	return s
}

// TestTheFileIsCreatedByTheFirstSchema: a gateway whose clients create none leaves no file.
func TestTheFileIsCreatedByTheFirstSchema(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "workspace")
	h := openHouse(t, dir)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is there: %v", err)
	}
	s := h.session()
	s.insert(1, 2)
	s.end(true)
	s.conn.Close()
	h.close()

	h = openHouse(t, dir)
	defer h.close()
	s = h.session()
	defer s.conn.Close()
	s.want("1 2")
}

// TestACrashKeepsWhatWasCommitted: and nothing of the transactions that ran.
func TestACrashKeepsWhatWasCommitted(t *testing.T) {
	h := openHouse(t, t.TempDir())
	a, b := h.session(), h.session()
	a.insert(1, 2, 3)
	a.end(true)
	a.delete(1)
	a.insert(4)
	a.end(true)
	b.delete(2)
	b.insert(5)
	heap, err := b.temp.CreateHeap(t.Context(), b.conn, "s", b.table().Columns)
	if err != nil {
		t.Fatal(err)
	}
	b.temp.Put(&workspace.Table{Schema: "s", Name: "half", Columns: b.table().Columns, Heap: heap})
	after := openHouse(t, h.crash())
	defer after.close()
	if err := after.store.Err(); err != nil {
		t.Fatal(err)
	}
	s := after.session()
	defer s.conn.Close()
	s.want("2 3 4")
	if s.temp.Table("s", "half") != nil {
		t.Error("a table of a transaction that was not committed is there")
	}
	s.insert(6) // by a number that no row has
	s.want("2 3 4 6")
	s.end(false)
	s.want("2 3 4")
	b.end(true)
	b.want("3 4 5")
	a.conn.Close()
	b.conn.Close()
	h.close()
}

// TestOneProcessHasTheWorkspace: another one is told who has it.
func TestOneProcessHasTheWorkspace(t *testing.T) {
	h := openHouse(t, t.TempDir())
	s := h.session()
	second := openHouse(t, h.dir)
	if err := second.store.Err(); !errors.Is(err, workspace.ErrInUse) {
		t.Errorf("the second got %v, want %v", err, workspace.ErrInUse)
	}
	second.close()
	s.conn.Close()
	h.close()
	third := openHouse(t, h.dir)
	defer third.close()
	if err := third.store.Err(); err != nil {
		t.Error(err)
	}
}

// TestADamagedFileIsLeftAlone: nothing is written to what cannot be read.
func TestADamagedFileIsLeftAlone(t *testing.T) {
	h := openHouse(t, t.TempDir())
	s := h.session()
	s.exec("UPDATE workspace.main.state SET format = 99")
	s.conn.Close()
	h.close()
	newer := openHouse(t, h.dir)
	if err := newer.store.Err(); err == nil || !strings.Contains(err.Error(), "format 99") {
		t.Errorf("a file of a newer program: got %v", err)
	}
	newer.close()

	path := filepath.Join(h.dir, "workspace.duckdb")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{"text": []byte("no database"), "zeros": make([]byte, len(whole)), "cut": whole[:len(whole)/2], "empty": {}} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		d := openHouse(t, h.dir)
		if d.store.Err() == nil && name != "empty" {
			t.Errorf("%s: the store opens", name)
		}
		d.close()
		if left, err := os.ReadFile(path); err != nil || name != "empty" && string(left) != string(damaged) {
			t.Errorf("%s: the file has changed: %v", name, err)
		}
	}
}

// TestReadersKeepADroppedTable: the heap goes with the first commit after the end of the last
// transaction that may read it.
func TestReadersKeepADroppedTable(t *testing.T) {
	h := openHouse(t, t.TempDir())
	defer h.close()
	writer, reader := h.session(), h.session()
	defer writer.conn.Close()
	defer reader.conn.Close()
	writer.insert(1)
	writer.end(true)
	reader.want("1")
	seen, snapshot := reader.table(), reader.temp.Snapshot(false)
	writer.temp.Remove(writer.table())
	writer.end(true)
	if reader.table() != nil {
		t.Error("the table is still there")
	}
	exists := func() bool { return reader.conn.Exec(t.Context(), seen.Heap.Source(snapshot, nil)) == nil }
	if !exists() {
		t.Error("the heap went while a transaction may read it")
	}
	commit := func() {
		writer.temp.PutSchema(&workspace.Schema{Name: "s"})
		writer.end(true)
	}
	commit()
	if !exists() {
		t.Error("the heap went with another commit while a transaction may read it")
	}
	reader.end(true)
	commit()
	if exists() {
		t.Error("the heap of a dropped table is still there")
	}
}

// TestLargeHeapsGoAtOnce: only the heaps of small tables wait for the next commit.
func TestLargeHeapsGoAtOnce(t *testing.T) {
	h := openHouse(t, t.TempDir())
	defer h.close()
	s := h.session()
	defer s.conn.Close()
	s.insert(1)
	s.end(true)
	large := s.table()
	large.Heap.Grew(1_000_000)
	s.temp.Remove(large)
	s.end(true)
	if err := s.conn.Exec(t.Context(), large.Heap.Source(s.temp.Snapshot(false), nil)); err == nil {
		t.Error("the heap of a large table is still there")
	}
}

// TestBackupWhileItIsWritten: a backup has whole transactions, whichever ran, and can be put
// back.
func TestBackupWhileItIsWritten(t *testing.T) {
	h := openHouse(t, t.TempDir())
	s := h.session()
	s.insert(1, 2)
	s.end(true)
	done, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for v := 10; ; v += 2 { // two rows a transaction
			select {
			case <-stop:
				return
			default:
			}
			s.insert(v, v+1)
			s.end(v%4 == 0)
			if v%20 == 10 {
				s.exec("CHECKPOINT workspace")
			}
		}
	}()
	var files []string
	for i := range 5 {
		file := filepath.Join(t.TempDir(), "copy.duckdb")
		if err := workspace.Backup(t.Context(), h.dir, file); err != nil {
			t.Fatalf("backup %d: %v", i, err)
		}
		files = append(files, file)
	}
	if err := workspace.Backup(t.Context(), h.dir, files[0]); !errors.Is(err, os.ErrExist) {
		t.Errorf("a backup over a file came to %v", err)
	}
	if _, err := workspace.Restore(t.Context(), files[0], h.dir, true); !errors.Is(err, workspace.ErrInUse) {
		t.Errorf("a restore under a running gateway came to %v", err)
	}
	close(stop)
	<-done
	s.conn.Close()
	h.close()
	for i, file := range files {
		kept, err := workspace.Restore(t.Context(), file, h.dir, true)
		if err != nil || kept == "" {
			t.Fatalf("restore %d: %q, %v", i, kept, err)
		}
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("the workspace before: %v", err)
		}
		again := openHouse(t, h.dir)
		r := again.session()
		rows := strings.Fields(r.rows(r.temp.Snapshot(false)))
		for k, v := range rows {
			if n, _ := strconv.Atoi(v); n >= 10 && (n/2)%2 != 0 {
				t.Errorf("backup %d has the row %s, which was rolled back", i, v)
			}
			if n, _ := strconv.Atoi(v); n >= 10 && n%2 == 0 && (k+1 == len(rows) || rows[k+1] != strconv.Itoa(n+1)) {
				t.Errorf("backup %d has half a transaction: %s", i, v)
			}
		}
		if len(rows) < 2 || rows[0] != "1" {
			t.Errorf("backup %d has %q", i, rows)
		}
		r.end(false)
		r.conn.Close()
		again.close()
	}
	if _, err := workspace.Restore(t.Context(), files[0], h.dir, false); !errors.Is(err, os.ErrExist) {
		t.Errorf("a restore over a workspace came to %v", err)
	}
	if err := workspace.Backup(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "x")); !errors.Is(err, workspace.ErrNone) {
		t.Errorf("a backup of nothing came to %v", err)
	}
}
