package sqlite_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/check"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/writepath"
)

var (
	thing = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}
	other = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Other"}
	links = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Links"}
)

// declared is the schema of a type of the tests, its fields not in the order of
// their names, and what SQL declares of it.
func declared(ref ontosql.TypeRef) (format.Schema, format.Extras) {
	n := format.NewField("n", format.FieldInt, false)
	a := format.NewField("a", format.FieldStr, true)
	if ref.Kind == ontosql.Relation {
		slot := format.NewField("slot", format.FieldStr, false)
		return format.Schema{Ref: ref, Left: "Thing", Right: "Other", InstanceKey: "slot", Fields: []format.SchemaField{a, n, slot}},
			format.Extras{Columns: columns("left_key", "right_key", "slot", "n", "a")}
	}
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	return format.Schema{Ref: ref, Fields: []format.SchemaField{a, key, n}}, format.Extras{Columns: columns("n", "id", "a")}
}

func columns(names ...string) []format.ColumnExtras {
	all := make([]format.ColumnExtras, len(names))
	for i, name := range names {
		all[i].Field = name
	}
	return all
}

// version is version n of the identity id; of a relation it links id with "x" in
// slot "s".
func version(ref ontosql.TypeRef, id string, n int) writepath.Row {
	if ref.Kind == ontosql.Relation {
		return writepath.Row{Row: format.Row{Left: id, Right: "x", Instance: "s", Fields: fmt.Appendf(nil, `{"a":null,"n":%d}`, n)}}
	}
	return writepath.Row{Row: format.Row{Key: id, Fields: fmt.Appendf(nil, `{"a":null,"id":%q,"n":%d}`, id, n)}}
}

// storedFields is how version n stands in the file.
func storedFields(ref ontosql.TypeRef, id string, n int) string {
	if ref.Kind == ontosql.Relation {
		return fmt.Sprintf(`{"n": %d, "a": null}`, n)
	}
	return fmt.Sprintf(`{"n": %d, "id": %q, "a": null}`, n, id)
}

func dataOf(ref ontosql.TypeRef, rows ...writepath.Row) writepath.Data {
	schema, _ := declared(ref)
	return writepath.Data{Type: ref, Fields: schema.Fields, SchemaVersion: writepath.FirstVersion, Rows: inOrder(rows)}
}

func inOrder(rows []writepath.Row) iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// writes is a transaction that writes one version of one identity of each type.
func writes(pin ontosql.CommitID, id string, n int, refs ...ontosql.TypeRef) writepath.Tx {
	tx := writepath.Tx{Pin: pin}
	for _, ref := range refs {
		tx.Data = append(tx.Data, dataOf(ref, version(ref, id, n)))
	}
	return tx
}

// creates is a transaction that registers types.
func creates(pin ontosql.CommitID, refs ...ontosql.TypeRef) writepath.Tx {
	return writepath.Tx{Pin: pin, Schema: func(s *migration.State) error {
		for _, ref := range refs {
			schema, extras := declared(ref)
			if err := s.Create(&schema, extras); err != nil {
				return err
			}
		}
		return nil
	}}
}

// site is a file with a committer on it, and what it was told.
type site struct {
	testing.TB
	path string
	db   *sqlite.DB
	*commit.Committer
	mu     sync.Mutex
	landed []writepath.Landed
}

// newFile is a new ontology in a file of the test's own.
func newFile(t testing.TB, engine string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "onto.db")
	if _, err := initdb.Init(t.Context(), path, initdb.Options{URI: path, Engine: engine}); err != nil {
		t.Fatalf("initialise: %v", err)
	}
	return path
}

func openSite(t testing.TB, path string, change ...func(*commit.Options)) *site {
	t.Helper()
	db, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	s := &site{TB: t, path: path, db: db}
	o := commit.Options{DB: db, RuntimeID: "site", Landed: func(l writepath.Landed) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.landed = append(s.landed, l)
	}}
	for _, f := range change {
		f(&o)
	}
	s.Committer = commit.Open(o)
	t.Cleanup(func() {
		s.close()
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// close ends the committer.
func (s *site) close() {
	s.Helper()
	if err := s.Committer.Close(context.WithoutCancel(s.Context())); err != nil {
		s.Errorf("close committer: %v", err)
	}
}

// must commits.
func (s *site) must(tx writepath.Tx) writepath.Outcome {
	s.Helper()
	out, err := s.Commit(s.Context(), tx)
	if err != nil {
		s.Fatalf("commit: %v", err)
	}
	return out
}

// head is what a reader sees.
func (s *site) head() ontosql.CommitID {
	s.Helper()
	pin, err := s.db.PinFresh(s.Context())
	if err != nil {
		s.Fatalf("pin: %v", err)
	}
	return pin.Head.Commit
}

// ask is the rows of a query on a file, their columns joined by "|".
func ask(t testing.TB, path, query string, args ...any) []string {
	t.Helper()
	conn, err := lite.OpenConn(path, lite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetBusyTimeout(10 * time.Second)
	var rows []string
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(row *lite.Stmt) error {
		var columns []string
		for i := range row.ColumnCount() {
			columns = append(columns, row.ColumnText(i))
		}
		rows = append(rows, strings.Join(columns, "|"))
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return rows
}

// told compares what was got with what was wanted, line by line.
func told(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  got  %s\n  want %s", what, strings.Join(got, "\n       "), strings.Join(want, "\n       "))
	}
}

// sound makes sure that nothing in the file breaks a rule of the original's or
// ours.
func sound(t testing.TB, path string) {
	t.Helper()
	report, err := check.Run(context.WithoutCancel(t.Context()), path, check.Options{Data: true, Now: time.Now})
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	for _, f := range report.Findings {
		t.Errorf("check finds: %s %s in %s: %v", f.Severity, f.Check, f.Table, f.Places)
	}
	told(t, "integrity", ask(t, path, "PRAGMA integrity_check"), "ok")
	told(t, "foreign keys", ask(t, path, "PRAGMA foreign_key_check"))
}
