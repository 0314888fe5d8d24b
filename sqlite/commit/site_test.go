package commit_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/commit"
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

// storedFields is version n as the file stores it.
func storedFields(ref ontosql.TypeRef, id string, n int) string {
	if ref.Kind == ontosql.Relation {
		return fmt.Sprintf(`{"n": %d, "a": null}`, n)
	}
	return fmt.Sprintf(`{"n": %d, "id": %q, "a": null}`, n, id)
}

func dataOf(ref ontosql.TypeRef, rows ...writepath.Row) writepath.Data {
	schema, _ := declared(ref)
	return writepath.Data{Type: ref, Fields: format.DataFields(schema.Fields), SchemaVersion: writepath.FirstVersion, Rows: inOrder(rows)}
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

// site is a file with a committer, and the results that the committer delivered.
type site struct {
	testing.TB
	path string
	db   *sqlite.DB
	*commit.Committer
	mu     sync.Mutex
	landed []writepath.LocalCommit
}

func openSite(t testing.TB, path string, change ...func(*commit.Options)) *site {
	t.Helper()
	db, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	s := &site{TB: t, path: path, db: db}
	o := commit.Options{DB: db, RuntimeID: "site", OnCommit: func(l writepath.LocalCommit) {
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
