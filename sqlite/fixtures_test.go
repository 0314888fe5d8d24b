package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/resolver"
)

// openFixture opens a copy of a fixture.
func openFixture(t *testing.T, name string) (*DB, string) {
	t.Helper()
	path := filepath.Join(fixtures.Dir(t, name), "onto.db")
	return openDB(t, Options{Path: path}), path
}

func openDB(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := Open(o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func pinOf(t testing.TB, db *DB) *resolver.Pin {
	t.Helper()
	pin, err := db.Pin(t.Context())
	if err != nil {
		t.Fatalf("pin: %v", err)
	}
	return pin
}

func typeOf(t testing.TB, pin *resolver.Pin, kind ontosql.Kind, name string) *catalog.Type {
	t.Helper()
	typ, ok := pin.Catalog.Type(ontosql.TypeRef{Kind: kind, Name: name})
	if !ok {
		t.Fatalf("no %s %s at commit %d; there are %d types, warnings %q", kind, name, pin.Head.Commit, len(pin.Catalog.Types), pin.Warnings)
	}
	return typ
}

// version is a row that a cursor gave.
type version struct {
	Keys    []string
	Commit  ontosql.CommitID
	Version int64
	Image   string
	ID      int64
}

// versions reads a cursor to its end.
func versions(ctx context.Context, db *DB, pin *resolver.Pin, typ *catalog.Type, w ontosql.Window, keys ...string) (rows []version, err error) {
	c, err := db.Versions(ctx, pin, typ, w, keys)
	if err != nil {
		return nil, err
	}
	return drain(ctx, c)
}

func drain(ctx context.Context, c *Cursor) (rows []version, err error) {
	defer c.Close()
	for {
		b, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		n := len(b.Cols) - 4
		for i := range b.Len {
			v := version{Commit: ontosql.CommitID(b.Cols[n].I64[i]), Image: string(b.Cols[n+2].Str[i]), ID: b.Cols[n+3].I64[i]}
			if !b.Cols[n+1].IsNull(i) {
				v.Version = b.Cols[n+1].I64[i]
			}
			for k := range n {
				v.Keys = append(v.Keys, string(b.Cols[k].Str[i]))
			}
			rows = append(rows, v)
		}
	}
}

func mustVersions(t testing.TB, db *DB, pin *resolver.Pin, typ *catalog.Type, w ontosql.Window, keys ...string) []version {
	t.Helper()
	rows, err := versions(t.Context(), db, pin, typ, w, keys...)
	if err != nil {
		t.Fatalf("versions of %s in %+v: %v", typ.Ref, w, err)
	}
	return rows
}

// latest are the newest of versions that come in the order of their ids.
func latest(rows []version) []version {
	newest := map[string]version{}
	for _, r := range rows {
		if key := strings.Join(r.Keys, "\x00"); r.Commit >= newest[key].Commit {
			newest[key] = r
		}
	}
	out := []version{}
	for _, r := range newest {
		out = append(out, r)
	}
	return out
}

// expected is what the original answers about a fixture.
type expected struct {
	Head    ontosql.CommitID
	Commits []struct {
		ID        ontosql.CommitID
		CreatedAt format.Time `json:"created_at"`
		Metadata  json.RawMessage
	}
	Operations map[string]int64
	Entities   map[string]map[string]json.RawMessage
	Relations  map[string]map[string]json.RawMessage
}

type expectedRow struct {
	Key      string `json:"key"`
	Left     string `json:"left_key"`
	Right    string `json:"right_key"`
	Instance string `json:"instance_key"`
	Fields   json.RawMessage
	Commit   ontosql.CommitID `json:"commit_id"`
}

func expectedOf(t *testing.T, name string) *expected {
	t.Helper()
	e := new(expected)
	if err := json.Unmarshal(fixtures.File(t, name+"/expected.json"), e); err != nil {
		t.Fatal(err)
	}
	return e
}

// lines are rows as sorted texts.
func lines(t *testing.T, rows []version) []string {
	t.Helper()
	out := []string{}
	for _, r := range rows {
		out = append(out, line(t, r.Keys, r.Commit, []byte(r.Image)))
	}
	slices.Sort(out)
	return out
}

func line(t *testing.T, keys []string, commit ontosql.CommitID, fields []byte) string {
	t.Helper()
	canonical, err := format.Canonicalize(fields)
	if err != nil {
		t.Fatalf("fields %s: %v", fields, err)
	}
	return fmt.Sprintf("%q %d %s", keys, commit, canonical)
}

var both = []string{"sqlite-v1", "sqlite-v2"}

// TestFixtureCommits compares head and commits with what the original answers.
func TestFixtureCommits(t *testing.T) {
	for _, name := range both {
		t.Run(name, func(t *testing.T) {
			db, _ := openFixture(t, name)
			pin, want := pinOf(t, db), expectedOf(t, name)
			if pin.Head.Commit != want.Head || pin.View.Len() != int(want.Head) || pin.Engine != strings.TrimPrefix(name, "sqlite-") || len(pin.Warnings) > 0 {
				t.Errorf("head %d, %d commits, engine %s, warnings %q; want head %d and the engine of the name", pin.Head.Commit, pin.View.Len(), pin.Engine, pin.Warnings, want.Head)
			}
			for _, c := range want.Commits {
				e := pin.View.Commit(c.ID)
				if e == nil {
					t.Fatalf("commit %d is missing", c.ID)
				}
				got := format.Object()
				for name, text := range e.Manifest.Metadata {
					v, err := format.ParseJSON(text)
					if err != nil {
						t.Fatal(err)
					}
					got = format.Object(append(members(got), format.Member{Name: name, Value: v})...)
				}
				if wanted, _ := format.Canonicalize(c.Metadata); !e.Manifest.CreatedAt.Equal(c.CreatedAt.Time) || string(got.Append(nil, format.Canonical)) != string(wanted) {
					t.Errorf("commit %d: created %s with %s, want %s with %s", c.ID, e.Manifest.CreatedAt, got.Append(nil, format.Canonical), c.CreatedAt, wanted)
				}
				rows := int64(0)
				for _, f := range e.Manifest.Files {
					rows += f.RowCount
				}
				if want := want.Operations[strconv.Itoa(int(c.ID))]; rows != want {
					t.Errorf("commit %d has %d rows, want %d", c.ID, rows, want)
				}
			}
		})
	}
}

func members(v format.Value) (list []format.Member) {
	for name, member := range v.Members() {
		list = append(list, format.Member{Name: name, Value: member})
	}
	return list
}

// TestFixtureWindows compares the rows of every window of every type with what the
// original answers. Where engine v2 hides rows of older schema versions from it,
// ours shows them (decision A16), as the original itself does on v1.
func TestFixtureWindows(t *testing.T) {
	for _, name := range both {
		t.Run(name, func(t *testing.T) {
			db, _ := openFixture(t, name)
			pin := pinOf(t, db)
			want := expectedOf(t, "sqlite-v1")
			compared := 0
			for kind, types := range map[ontosql.Kind]map[string]map[string]json.RawMessage{ontosql.Entity: want.Entities, ontosql.Relation: want.Relations} {
				for typeName, answers := range types {
					typ, ok := pin.Catalog.Type(ontosql.TypeRef{Kind: kind, Name: typeName})
					if !ok {
						if typeName != "Scratch" {
							t.Errorf("%s %s is missing", kind, typeName)
						}
						continue
					}
					for question, answer := range answers {
						var rows []expectedRow
						if question == "schema_versions" || json.Unmarshal(answer, &rows) != nil {
							continue
						}
						compared++
						compareWindow(t, db, pin, typ, question, rows)
					}
				}
			}
			if compared < 50 {
				t.Errorf("only %d answers were compared", compared)
			}
		})
	}
}

func compareWindow(t *testing.T, db *DB, pin *resolver.Pin, typ *catalog.Type, question string, want []expectedRow) {
	t.Helper()
	ask, number, _ := strings.Cut(question, ":")
	n, _ := strconv.Atoi(number)
	w, newest := ontosql.Window{Mode: ontosql.History, Upper: pin.Head.Commit}, false
	switch ask {
	case "latest":
		newest = true
	case "as_of":
		w.Upper, newest = ontosql.CommitID(n), true
	case "history_since":
		w.Lower = ontosql.CommitID(n)
	}
	rows := mustVersions(t, db, pin, typ, w)
	if newest {
		rows = latest(rows)
	}
	wanted := []string{}
	for _, r := range want {
		keys := []string{r.Key}
		if typ.Ref.Kind == ontosql.Relation {
			keys = []string{r.Left, r.Right, r.Instance}
		}
		wanted = append(wanted, line(t, keys, r.Commit, r.Fields))
	}
	slices.Sort(wanted)
	if diff := cmp.Diff(wanted, lines(t, rows)); diff != "" {
		t.Errorf("%s %s (-want +got):\n%s", typ.Ref, question, diff)
	}
	// The same by look-ups of every key.
	var keys []string
	for _, r := range rows {
		if !slices.Contains(keys, r.Keys[0]) {
			keys = append(keys, r.Keys[0])
		}
	}
	if keys == nil {
		return
	}
	if newest {
		w.Mode = ontosql.Latest
	}
	sought := mustVersions(t, db, pin, typ, w, append(keys, "no such key")...)
	if newest {
		sought = latest(sought)
	}
	if diff := cmp.Diff(wanted, lines(t, sought)); diff != "" {
		t.Errorf("%s %s by keys (-want +got):\n%s", typ.Ref, question, diff)
	}
}

// TestFixtureSchemas compares the schema versions with what the original answers.
func TestFixtureSchemas(t *testing.T) {
	for _, name := range both {
		t.Run(name, func(t *testing.T) {
			db, _ := openFixture(t, name)
			pin, want := pinOf(t, db), expectedOf(t, name)
			for kind, types := range map[ontosql.Kind]map[string]map[string]json.RawMessage{ontosql.Entity: want.Entities, ontosql.Relation: want.Relations} {
				for typeName, answers := range types {
					var versions []struct {
						ID        int64       `json:"schema_version_id"`
						JSON      string      `json:"schema_json"`
						Hash      string      `json:"schema_hash"`
						CreatedAt format.Time `json:"created_at"`
						Reason    string      `json:"reason"`
					}
					if err := json.Unmarshal(answers["schema_versions"], &versions); err != nil {
						t.Fatal(err)
					}
					typ, ok := pin.Catalog.Type(ontosql.TypeRef{Kind: kind, Name: typeName})
					if ok != (len(versions) > 0) {
						t.Errorf("%s %s exists: %t, with %d versions", kind, typeName, ok, len(versions))
					}
					if !ok {
						continue
					}
					if len(typ.Versions) != len(versions) || typ.SchemaID != versions[len(versions)-1].ID {
						t.Errorf("%s: %d versions, current %d; want %d", typ.Ref, len(typ.Versions), typ.SchemaID, len(versions))
						continue
					}
					for i, v := range versions {
						if got := typ.Versions[i]; got.ID != v.ID || got.JSON != v.JSON || got.Hash != v.Hash || !got.CreatedAt.Equal(v.CreatedAt.Time) || got.Reason != v.Reason {
							t.Errorf("%s version %d: %+v, want %+v", typ.Ref, v.ID, got, v)
						}
					}
				}
			}
		})
	}
}
