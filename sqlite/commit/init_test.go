package commit_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/sqlite/sqlitetest"
	"github.com/ontosql/ontosql/writepath"
)

// TestInit initialises a file again under an open committer and its readers.
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
	sqlitetest.Locked(t, path, "the original", time.Now().Add(time.Minute))
	var held *writepath.LeaseHeldError
	if _, err := initdb.Init(t.Context(), path, options); !errors.As(err, &held) {
		t.Errorf("got %v, want the lock of the original", err)
	}
	sqlitetest.Told(t, "rows", sqlitetest.Ask(t, path, "SELECT count(*) FROM entity_history"), "1")
	sqlitetest.Edit(t, path, "DELETE FROM locks; CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY); INSERT INTO events VALUES ('e')")
	options.Engine, want.EngineVersion = format.EngineV1, "v1"
	run("anew", nil)
	sqlitetest.Told(t, "what is left", sqlitetest.Ask(t, path, `SELECT (SELECT count(*) FROM commits), (SELECT count(*) FROM entity_history), (SELECT count(*) FROM relation_history),
		(SELECT count(*) FROM schema_registry), (SELECT count(*) FROM schema_versions), (SELECT count(*) FROM type_layout_catalog), (SELECT count(*) FROM events)`),
		"0|0|0|0|0|0|1")
	if got := s.head(); got != 0 {
		t.Errorf("a reader finds commit %d", got)
	}
	s.must(creates(0, thing))
	sqlitetest.Told(t, "the first commit of the new one", sqlitetest.Ask(t, path, "SELECT id FROM commits"), "1")
}
