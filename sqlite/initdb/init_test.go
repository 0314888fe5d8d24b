package initdb_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/writepath"
)

// TestInitLikeTheOriginal: the tables are those of the original's files, column by
// column.
func TestInitLikeTheOriginal(t *testing.T) {
	const shape = `SELECT m.name, c.name, c.type, c."notnull", c.dflt_value, c.pk FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT IN ('events', 'event_claims', 'dead_letters', 'sessions', 'sqlite_sequence', ?) ORDER BY m.name, c.cid`
	const indexes = `SELECT m.name, i.name FROM sqlite_schema m, pragma_index_info(m.name) i WHERE m.name LIKE 'idx_%_history_lookup' ORDER BY m.name, i.seqno`
	for engine, name := range map[string]string{format.EngineV1: sqlitetest.FileV1, format.EngineV2: sqlitetest.FileV2} {
		path := sqlitetest.NewFile(t, engine)
		theirs := sqlitetest.Fixture(t, name)
		without := ""
		if engine == format.EngineV1 { // files of the original were not created by init and have no marker
			without = "storage_meta"
		}
		sqlitetest.Told(t, "tables of "+engine, sqlitetest.Ask(t, path, shape, without), sqlitetest.Ask(t, theirs, shape, without)...)
		sqlitetest.Told(t, "indexes of "+engine, sqlitetest.Ask(t, path, indexes), sqlitetest.Ask(t, theirs, indexes)...)
		sqlitetest.Told(t, "marker of "+engine, sqlitetest.Ask(t, path, "SELECT key, value FROM storage_meta ORDER BY key"), "backend|sqlite", "engine_version|"+engine)
		sqlitetest.Told(t, "journal of "+engine, sqlitetest.Ask(t, path, "PRAGMA journal_mode"), "wal")
		sqlitetest.Sound(t, path)
	}
}

func TestInitRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("this is no database, it is a text of some length"), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sqlitetest.Edit(t, foreign, "CREATE TABLE songs (id INTEGER PRIMARY KEY)")
	for path, want := range map[string]error{
		text: sqlconn.ErrForeign, foreign: sqlconn.ErrForeign, filepath.Join(dir, "no", "such", "dir"): ontosql.ErrStorage, dir: sqlconn.ErrForeign,
	} {
		_, err := initdb.Init(t.Context(), path, initdb.Options{Engine: format.EngineV1})
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
	sqlitetest.Told(t, "tables of another's file", sqlitetest.Ask(t, foreign, "SELECT name FROM sqlite_schema"), "songs")
}

// TestInitAtOnce: of those who initialise one file at the same time one does.
func TestInitAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "onto.db")
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = initdb.Init(t.Context(), path, initdb.Options{Engine: format.EngineV1}) })
	}
	wg.Wait()
	if n := len(slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, writepath.ErrAlreadyInitialised) })); n != 1 || errs[0] != nil {
		t.Errorf("%d did not find it initialised: %v", n, errs)
	}
	sqlitetest.Sound(t, path)
}

// TestInitWaits: an initialisation waits for another one of the same file.
func TestInitWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "onto.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run := sqlitetest.Connect(t, path)
	run("BEGIN IMMEDIATE")
	done := make(chan error)
	go func() {
		_, err := initdb.Init(t.Context(), path, initdb.Options{Engine: format.EngineV1})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("got %v while another had the file", err)
	case <-time.After(100 * time.Millisecond):
	}
	run("ROLLBACK")
	if err := <-done; err != nil {
		t.Errorf("after the other was done: %v", err)
	}
	sqlitetest.Sound(t, path)
}
