package gateway_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/sqlite/events"
	"github.com/ontosql/ontosql/sqlite/initdb"
)

// fileHouse is a gateway over a SQLite file.
func fileHouse(t testing.TB, path string, mirrored bool) *house {
	t.Helper()
	ctx := t.Context()
	h := &house{}
	h.openEngine(t, mirrorBudget(mirrored), nil)
	db, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	own := &storage.RecentCommits{}
	h.store = &watchedStore{Store: db}
	committer := commit.Open(commit.Options{DB: db, RuntimeID: "house", OnCommit: own.Landed})
	t.Cleanup(func() {
		if err := committer.Close(context.WithoutCancel(ctx)); err != nil {
			t.Errorf("close the committer: %v", err)
		}
	})
	bus := events.Open(events.Options{DB: db})
	t.Cleanup(func() {
		if err := bus.Close(); err != nil {
			t.Error(err)
		}
	})
	h.openGateway(t, database.Options{
		URI: "sqlite:////onto.db", Backend: "sqlite",
		Storage: storage.NewTables(storage.TablesOptions{
			Store: h.store, Own: own,
			Versions: func(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (ingest.Cursor, error) {
				return db.Versions(ctx, pin, t, w, keys)
			},
		}),
		Committer: committer, Events: bus,
	})
	return h
}

// fixtureCopy is a copy of a fixture's file.
func fixtureCopy(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "onto.db")
	if err := os.WriteFile(path, fixtures.File(t, name+"/onto.db"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// emptyFile is a new ontology in a file.
func emptyFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "onto.db")
	if _, err := initdb.Init(t.Context(), path, initdb.Options{URI: path, Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	return path
}
