package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	for engine, name := range map[string]string{format.EngineV1: fileV1, format.EngineV2: fileV2} {
		path := newFile(t, engine)
		theirs := fixture(t, name)
		without := ""
		if engine == format.EngineV1 { // theirs was not made by init, so that it has no marker
			without = "storage_meta"
		}
		told(t, "tables of "+engine, ask(t, path, shape, without), ask(t, theirs, shape, without)...)
		told(t, "indexes of "+engine, ask(t, path, indexes), ask(t, theirs, indexes)...)
		told(t, "marker of "+engine, ask(t, path, "SELECT key, value FROM storage_meta ORDER BY key"), "backend|sqlite", "engine_version|"+engine)
		told(t, "journal of "+engine, ask(t, path, "PRAGMA journal_mode"), "wal")
		sound(t, path)
	}
}

func TestInit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "onto.db")
	options := initdb.Options{URI: "sqlite:///" + path, Engine: format.EngineV2, DryRun: true}
	token := writepath.ForceToken(options.URI)
	want := &initdb.Plan{Backend: "sqlite", DBPath: path, EngineVersion: "v2", ForceToken: token}
	run := func(story string, failure error) {
		t.Helper()
		plan, err := initdb.Init(t.Context(), path, options)
		if !errors.Is(err, failure) || failure == nil && err != nil {
			t.Errorf("%s: got %v, want %v", story, err, failure)
		}
		if diff := cmp.Diff(want, plan); diff != "" {
			t.Errorf("%s (-want +got):\n%s", story, diff)
		}
	}
	run("dry run", nil)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dry run left %v", err)
	}
	options.DryRun = false
	run("first", nil)
	s := openSite(t, path)
	s.must(creates(0, thing, other, links))
	s.must(writes(1, "k", 1, thing, links))

	want.AlreadyInitialized = true
	run("again", writepath.ErrAlreadyInitialised)
	options.Force = true
	run("without a token", writepath.ErrWrongToken)
	options.Token = token
	locked(t, path, "the original", time.Now().Add(time.Minute))
	var held *writepath.LeaseHeldError
	if _, err := initdb.Init(t.Context(), path, options); !errors.As(err, &held) {
		t.Errorf("got %v, want the lock of the original", err)
	}
	told(t, "rows", ask(t, path, "SELECT count(*) FROM entity_history"), "1")
	edit(t, path, "DELETE FROM locks; CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY); INSERT INTO events VALUES ('e')")
	options.Engine, want.EngineVersion = format.EngineV1, "v1"
	run("anew", nil)
	told(t, "what is left", ask(t, path, `SELECT (SELECT count(*) FROM commits), (SELECT count(*) FROM entity_history), (SELECT count(*) FROM relation_history),
		(SELECT count(*) FROM schema_registry), (SELECT count(*) FROM schema_versions), (SELECT count(*) FROM type_layout_catalog), (SELECT count(*) FROM events)`),
		"0|0|0|0|0|0|1")
	if got := s.head(); got != 0 {
		t.Errorf("a reader finds commit %d", got)
	}
	s.must(creates(0, thing))
	told(t, "the first commit of the new one", ask(t, path, "SELECT id FROM commits"), "1")
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
	edit(t, foreign, "CREATE TABLE songs (id INTEGER PRIMARY KEY)")
	for path, want := range map[string]error{
		text: sqlconn.ErrForeign, foreign: sqlconn.ErrForeign, filepath.Join(dir, "no", "such", "dir"): ontosql.ErrStorage, dir: sqlconn.ErrForeign,
	} {
		_, err := initdb.Init(t.Context(), path, initdb.Options{Engine: format.EngineV1})
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
	told(t, "tables of another's file", ask(t, foreign, "SELECT name FROM sqlite_schema"), "songs")
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
	sound(t, path)
}

// TestInitWaits: whoever finds somebody at work on the file waits for him.
func TestInitWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "onto.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run := opened(t, path)
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
	sound(t, path)
}
