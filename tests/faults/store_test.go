package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/writepath"
)

// store is a store in a directory of the test's own: commit 1 registers
// Customer, and commit n gives customer cn the tier "t<n>".
type store struct {
	dir       string
	publisher *writepath.Publisher
	head      ontosql.CommitID
}

var opening = time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC)

var customerType = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}

// newStore makes a store with this head, at least 1.
func newStore(t *testing.T, head ontosql.CommitID) *store {
	t.Helper()
	path := t.TempDir()
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return newStoreIn(t, b, path, head)
}

// newStoreIn makes it in a bucket whose objects are the files below path.
func newStoreIn(t *testing.T, b objstore.Bucket, path string, head ontosql.CommitID) *store {
	t.Helper()
	s := &store{dir: path}
	var err error
	if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{Engine: format.EngineV1, Now: func() time.Time { return opening }}); err != nil {
		t.Fatalf("initialise: %v", err)
	}
	if s.publisher, err = writepath.NewPublisher(t.Context(), b, "faults"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.publisher.Close(context.Background()) })
	id := format.NewField("id", format.FieldStr, false)
	id.PrimaryKey = true
	schema := format.Schema{Ref: customerType, Fields: []format.SchemaField{id, format.NewField("tier", format.FieldStr, false)}}
	if s.head, err = s.publisher.Register(t.Context(), opening, []format.Schema{schema}); err != nil {
		t.Fatalf("register: %v", err)
	}
	for s.head < head {
		s.commit(t)
	}
	return s
}

// commit publishes the next commit, a day after the last.
func (s *store) commit(t *testing.T) {
	t.Helper()
	next := s.head + 1
	id, tier := fmt.Sprintf("c%d", next), fmt.Sprintf("t%d", next)
	row := format.Row{Key: id, Fields: format.Object(
		format.Member{Name: "id", Value: format.String(id)},
		format.Member{Name: "tier", Value: format.String(tier)},
	).Append(nil, format.Canonical)}
	var err error
	s.head, err = s.publisher.Publish(t.Context(), writepath.Commit{
		At:   opening.AddDate(0, 0, int(next)),
		Data: []writepath.Content{{Type: customerType, Rows: slices.Values([]format.Row{row})}},
	})
	if err != nil {
		t.Fatalf("publish commit %d: %v", next, err)
	}
}

// path is the file of an object; key may hold a * for what is not known.
func (s *store) path(t *testing.T, key string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.dir, filepath.FromSlash(key)))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d objects %s (%v), want one", len(found), key, err)
	}
	return found[0]
}

// edit replaces the content of an object; change returns nil to remove it. The
// file is another one afterwards, as after every write of an object.
func (s *store) edit(t *testing.T, key string, change func(body []byte) []byte) {
	t.Helper()
	path := s.path(t, key)
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(bytes.Clone(body))
	if bytes.Equal(body, changed) {
		t.Fatalf("the test's edit of %s changes nothing:\n%s", key, body)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if changed != nil {
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func removed([]byte) []byte { return nil }

func truncated(body []byte) []byte { return body[:len(body)/2] }

func notJSON([]byte) []byte { return []byte("<html>not JSON</html>") }

func empty([]byte) []byte { return []byte{} }

// replaced replaces text that must be there.
func replaced(old, with string) func([]byte) []byte {
	return func(body []byte) []byte { return bytes.ReplaceAll(body, []byte(old), []byte(with)) }
}

// member changes one field of a JSON object.
func member(name string, value any) func([]byte) []byte {
	return func(body []byte) []byte {
		object := map[string]any{}
		if err := json.Unmarshal(body, &object); err != nil {
			panic(err) // the test's own mistake
		}
		object[name] = value
		changed, err := json.Marshal(object)
		if err != nil {
			panic(err)
		}
		return changed
	}
}

// copyOfDemo is a copy of the demo store.
func copyOfDemo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(path, os.DirFS(demoDir)); err != nil {
		t.Fatal(err)
	}
	return path
}

// snapshotOf is the content of every file below a directory.
func snapshotOf(t *testing.T, path string) map[string]string {
	t.Helper()
	content := map[string]string{}
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(file)
		name, _ := filepath.Rel(path, file)
		content[name] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// checkUntouched fails when a store has changed since before.
func checkUntouched(t *testing.T, path string, before map[string]string) {
	t.Helper()
	if diff := cmp.Diff(before, snapshotOf(t, path)); diff != "" {
		t.Errorf("the store has changed (-before +after):\n%s", diff)
	}
}
