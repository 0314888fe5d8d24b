package initdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/sqlite/writelock"
	"github.com/ontosql/ontosql/writepath"
)

// Options configures Init.
type Options struct {
	URI    string // as given by the user; the force token depends on it
	Engine string // format.EngineV1 or format.EngineV2
	DryRun bool
	Force  bool   // reset an existing ontology
	Token  string // the plan's ForceToken, required with Force
	Now    func() time.Time
}

// Plan describes what Init did or would do.
type Plan struct {
	Backend            string `json:"backend"`
	DBPath             string `json:"db_path"` // absolute
	EngineVersion      string `json:"engine_version"`
	AlreadyInitialized bool   `json:"already_initialized"`
	ForceToken         string `json:"force_token"`
}

// Init creates an empty ontology in the file at path, which is created if missing, in one
// transaction. With Force an existing ontology is reset: commits, history and schema are
// deleted; tables of events are unchanged. Errors: writepath.ErrAlreadyInitialised,
// writepath.ErrWrongToken, *writepath.LeaseHeldError, ErrForeign, and the dictionary's
// ErrBusy, ErrFull, ErrReadOnly and ErrStorage. The plan is also returned with the first two.
func Init(ctx context.Context, path string, o Options) (*Plan, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("initialise: %w", err)
	}
	exists, err := initialised(ctx, path)
	if err != nil {
		return nil, err
	}
	plan := &Plan{
		Backend: "sqlite", DBPath: path, EngineVersion: o.Engine,
		AlreadyInitialized: exists, ForceToken: writepath.ForceToken(o.URI),
	}
	switch {
	case o.DryRun:
		return plan, nil
	case exists && !o.Force:
		return plan, writepath.ErrAlreadyInitialised
	case exists && o.Token != plan.ForceToken:
		return plan, writepath.ErrWrongToken
	}
	w, err := sqlconn.CreateWriter(path, initWait)
	if err != nil {
		return plan, err
	}
	defer w.Close()
	err = makeOntology(w, exists, o)
	if errors.Is(err, writepath.ErrAlreadyInitialised) {
		plan.AlreadyInitialized = true
	}
	if err != nil {
		w.Rollback()
	}
	return plan, sqlconn.StorageError("initialise "+path, err)
}

// initialised reports whether the file has an ontology, without writing.
func initialised(ctx context.Context, path string) (bool, error) {
	db, err := sqlite.Open(sqlite.Options{Path: path, ReadOnly: true})
	if err != nil {
		return false, err
	}
	defer db.Close()
	_, err = db.Pin(ctx)
	if errors.Is(err, ontosql.ErrNotInitialised) {
		return false, nil
	}
	return err == nil, err
}

// initWait bounds the wait for other writers of the file.
const initWait = 5 * time.Second

// makeOntology creates the tables and the engine marker in one transaction.
func makeOntology(w *sqlconn.Writer, exists bool, o Options) error {
	until := time.Now().Add(initWait)
	err := w.Begin(initWait)
	for sqlconn.IsBusy(err) && time.Now().Before(until) {
		err = w.Begin(initWait)
	}
	if err != nil {
		return err
	}
	already, err := w.HasTable("commits")
	if err != nil {
		return err
	}
	if already && !exists {
		return writepath.ErrAlreadyInitialised // by another process in the meantime
	}
	l := writelock.Holder{Now: o.Now}
	if err := l.Admit(w); err != nil {
		return err
	}
	for _, t := range append(dbschema.OntologyTables[:len(dbschema.OntologyTables):len(dbschema.OntologyTables)], dbschema.StorageMeta) {
		if err := dbschema.MakeTable(w, t); err != nil {
			return err
		}
	}
	if o.Engine == format.EngineV2 {
		if err := dbschema.MakeTable(w, dbschema.LayoutCatalog); err != nil {
			return err
		}
	}
	if exists {
		if err := deleteAll(w); err != nil {
			return err
		}
	}
	if err := makeMissing(w, format.TimeOf(o.Now())); err != nil {
		return err
	}
	for _, meta := range [][2]string{{"engine_version", o.Engine}, {"backend", "sqlite"}} {
		err := w.Exec("INSERT INTO storage_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", meta[0], meta[1])
		if err != nil {
			return err
		}
	}
	return w.Exec("COMMIT")
}

// deleteAll deletes all commits and what they wrote, children before parents, and resets their
// ids.
func deleteAll(w *sqlconn.Writer) error {
	for _, name := range []string{"entity_history", "relation_history", "commits", "schema_registry", "schema_versions", dbschema.LayoutCatalog.Name} {
		there, err := w.HasTable(name)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		if err := w.Exec("DELETE FROM " + name); err != nil {
			return err
		}
		if err := w.Exec("DELETE FROM sqlite_sequence WHERE name = ?", name); err != nil {
			return err
		}
	}
	return nil
}
