package commit_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/writepath"
)

// TestBusy: another process that has a transaction open is waited for, and no
// longer than the lock timeout.
func TestBusy(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	run := sqlitetest.Connect(t, s.path)
	run("BEGIN IMMEDIATE")
	tx := writes(1, "k", 1, thing)
	tx.LockTimeout = 50 * time.Millisecond
	if _, err := s.Commit(t.Context(), tx); !errors.Is(err, ontosql.ErrBusy) {
		t.Errorf("got %v, want %v", err, ontosql.ErrBusy)
	}
	tx.LockTimeout = time.Minute
	done := make(chan error)
	go func() {
		_, err := s.Commit(t.Context(), tx)
		done <- err
	}()
	eventually(t, "the transaction waits", func() bool { return s.Waiting() == 1 })
	run("ROLLBACK")
	if err := <-done; err != nil {
		t.Errorf("after the other was done: %v", err)
	}
}

// TestBusyInRollbackJournal: a file that another process keeps out of write-ahead
// mode is written too, once its readers are done.
func TestBusyInRollbackJournal(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	run := sqlitetest.Connect(t, path)
	run("PRAGMA journal_mode = DELETE")
	run("BEGIN")
	run("SELECT * FROM commits")
	s := openSite(t, path)
	tx := creates(0, thing)
	tx.LockTimeout = 100 * time.Millisecond
	if _, err := s.Commit(t.Context(), tx); !errors.Is(err, ontosql.ErrBusy) {
		t.Errorf("got %v, want %v", err, ontosql.ErrBusy)
	}
	run("ROLLBACK")
	s.must(creates(0, thing))
	s.must(writes(1, "k", 1, thing))
	sqlitetest.Sound(t, path)
}

// TestFull: a disk that is full in the middle of a commit leaves nothing of it, and
// takes no other with it.
func TestFull(t *testing.T) {
	var s *site
	limit := 0
	s = openSite(t, sqlitetest.NewFile(t, format.EngineV1), func(o *commit.Options) {
		o.OnCommit = func(writepath.LocalCommit) { s.LimitPages(limit) } // the worker calls it
	})
	s.must(creates(0, thing))
	limit = 5 // more than there are
	s.must(writes(1, "k", 1, thing))
	r, err := s.Reserve(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	small, large := make([]error, 4), error(nil)
	for i := range small {
		wg.Go(func() { _, small[i] = s.Commit(t.Context(), writes(2, fmt.Sprint("small", i), 1, thing)) })
	}
	wg.Go(func() {
		tx := writes(2, "", 1, thing)
		tx.Data[0].Rows = numbered("large", 2000)
		_, large = s.Commit(t.Context(), tx)
	})
	eventually(t, "all wait", func() bool { return s.Waiting() == 5 })
	limit = 1 << 30
	r.Release()
	wg.Wait()
	if !errors.Is(large, ontosql.ErrFull) {
		t.Errorf("the large one got %v, want %v", large, ontosql.ErrFull)
	}
	if err := errors.Join(small...); err != nil {
		t.Errorf("the small ones got %v", err)
	}
	sqlitetest.Told(t, "commits and rows", sqlitetest.Ask(t, s.path, "SELECT (SELECT count(*) FROM commits), (SELECT max(id) FROM commits), count(*) FROM entity_history"), "6|6|5")
	tx := writes(6, "", 1, thing)
	tx.Data[0].Rows = numbered("large", 2000)
	s.must(tx)
	sqlitetest.Sound(t, s.path)
}

// TestFullLeavesRoom: what a commit took that was too large is given back at once.
func TestFullLeavesRoom(t *testing.T) {
	var s *site
	limit := 0
	s = openSite(t, sqlitetest.NewFile(t, format.EngineV1), func(o *commit.Options) {
		o.OnCommit = func(writepath.LocalCommit) { s.LimitPages(limit) } // the worker calls it
	})
	tx := writes(2, "", 1, thing)
	tx.Data[0].Rows = numbered("large", 200_000) // more than a cache of pages
	s.must(creates(0, thing))
	limit = 200
	s.must(writes(1, "k", 1, thing))
	r, err := s.Reserve(t.Context(), 0) // the limit ends with the connection, which this keeps open
	if err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 1)
	go func() {
		_, err := s.Commit(t.Context(), tx)
		refused <- err
	}()
	eventually(t, "it waits", func() bool { return s.Waiting() == 1 })
	r.Release()
	if err := <-refused; !errors.Is(err, ontosql.ErrFull) {
		t.Fatalf("got %v, want %v", err, ontosql.ErrFull)
	}
	eventually(t, "the log is empty", func() bool {
		info, err := os.Stat(s.path + "-wal")
		return err == nil && info.Size() == 0
	})
	s.must(writes(2, "k", 2, thing))
	sqlitetest.Sound(t, s.path)
}

// TestLogIsEmptied: after a while without commits the write-ahead log is empty.
func TestLogIsEmptied(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	for i := range 3 { // the first opens the file, the others find it open
		s.must(writes(ontosql.CommitID(i+1), "k", i, thing))
	}
	size := func() int64 {
		info, err := os.Stat(s.path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if size() == 0 {
		t.Fatal("there is nothing in the log")
	}
	eventually(t, "the log is empty", func() bool { return size() == 0 })
	s.must(writes(4, "k", 4, thing))
	sqlitetest.Sound(t, s.path)
}

// TestLogIsBounded: a log that has become large is emptied even if there is always
// somebody who commits.
func TestLogIsBounded(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	text := strings.Repeat("x", 1<<20)
	tx := writes(1, "", 1, thing)
	tx.Data[0].Rows = func(yield func(writepath.Row, error) bool) {
		for i := range 70 {
			id := fmt.Sprint("large", i)
			if !yield(writepath.Row{Row: format.Row{Key: id, Fields: fmt.Appendf(nil, `{"a":%q,"id":%q,"n":1}`, text, id)}}, nil) {
				return
			}
		}
	}
	head := s.must(tx).Commit
	eventually(t, "the log is small", func() bool {
		head = s.must(writes(head, "k", int(head), thing)).Commit
		info, err := os.Stat(s.path + "-wal")
		return err == nil && info.Size() < 1<<20
	})
}

// TestFileGone: no commit into a file that was removed is acknowledged.
func TestFileGone(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	if err := os.Rename(s.path, s.path+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), writes(1, "k", 1, thing)); !errors.Is(err, ontosql.ErrStorage) {
		t.Errorf("got %v, want %v", err, ontosql.ErrStorage)
	}
	if _, err := os.Stat(s.path); err == nil {
		t.Error("a file was made where one had been taken away")
	}
	// Another ontology in its place is another ontology.
	if _, err := initdb.Init(t.Context(), s.path, initdb.Options{Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), writes(1, "k", 1, thing)); !errors.Is(err, ontosql.ErrHeadMoved) {
		t.Errorf("got %v, want %v", err, ontosql.ErrHeadMoved)
	}
	s.must(creates(0, thing))
	s.must(writes(1, "k", 1, thing))
	sqlitetest.Told(t, "rows", sqlitetest.Ask(t, s.path, "SELECT entity_key FROM entity_history"), "k")
}

func TestNoOntology(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("text"), []byte("this is no database, it is a text of some length"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("another's"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sqlitetest.Edit(t, path("another's"), "CREATE TABLE songs (id INTEGER PRIMARY KEY); CREATE TABLE commits (sha TEXT)")
	for name, want := range map[string]error{
		"text": sqlconn.ErrForeign, "another's": sqlconn.ErrForeign, "empty": ontosql.ErrNotInitialised, "missing": ontosql.ErrNotInitialised,
	} {
		s := openSite(t, path(name))
		if _, err := s.Commit(t.Context(), creates(0, thing)); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
	sqlitetest.Told(t, "tables of another's file", sqlitetest.Ask(t, path("another's"), "SELECT name FROM sqlite_schema"), "songs", "commits")
}

// TestUnknownEngine: no rows are written to a file of an unknown engine version.
func TestUnknownEngine(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	sqlitetest.Edit(t, s.path, "UPDATE storage_meta SET value = 'v3' WHERE key = 'engine_version'")
	_, err := s.Commit(t.Context(), writes(1, "k", 1, thing))
	if !errors.Is(err, sqlconn.ErrEngine) {
		t.Errorf("got %v, want %v", err, sqlconn.ErrEngine)
	}
}

// TestDamagedFile: a commit that meets damage reports it and leaves nothing behind.
func TestDamagedFile(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	s := openSite(t, path)
	s.must(creates(0, thing))
	s.must(writes(1, "k", 1, thing))
	root, err := strconv.ParseInt(sqlitetest.Ask(t, path, "SELECT rootpage FROM sqlite_schema WHERE name = 'idx_entity_history_lookup'")[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	s.close() // so that nothing is in the log or in memory
	sqlitetest.Connect(t, path)("PRAGMA wal_checkpoint(TRUNCATE)")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xFF}, 4096), (root-1)*4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = openSite(t, path).Commit(t.Context(), writes(2, "k", 2, thing))
	var corrupt *ontosql.CorruptError
	if !errors.As(err, &corrupt) {
		t.Errorf("got %v, want damage", err)
	}
	sqlitetest.Told(t, "commits", sqlitetest.Ask(t, path, "SELECT count(*) FROM commits"), "2")
}

// TestReadOnlyFile has a file in a newer format that may be read but not written, so that even
// root cannot write it.
func TestReadOnlyFile(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	sqlitetest.Connect(t, path)("PRAGMA journal_mode = DELETE")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	const writeVersion = 18 // SQLite's file format, section 1.3
	if _, err := f.WriteAt([]byte{3}, writeVersion); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s := openSite(t, path)
	if _, err := s.Commit(t.Context(), creates(0, thing)); !errors.Is(err, ontosql.ErrReadOnly) {
		t.Errorf("got %v, want %v", err, ontosql.ErrReadOnly)
	}
}

func TestOpenedReadOnly(t *testing.T) {
	db, err := sqlite.Open(sqlite.Options{Path: sqlitetest.NewFile(t, format.EngineV1), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := commit.Open(commit.Options{DB: db})
	defer c.Close(t.Context())
	if _, err := c.Commit(t.Context(), creates(0, thing)); !errors.Is(err, ontosql.ErrReadOnly) {
		t.Errorf("got %v, want %v", err, ontosql.ErrReadOnly)
	}
}
