package format_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

var (
	customer = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	buys     = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Buys"}
)

// expectedRow is a row that the original returns.
type expectedRow struct {
	Key         string          `json:"key"`
	LeftKey     string          `json:"left_key"`
	RightKey    string          `json:"right_key"`
	InstanceKey string          `json:"instance_key"`
	Fields      json.RawMessage `json:"fields"`
	CommitID    int64           `json:"commit_id"`
}

// expectedType is what the original returns for one type.
type expectedType struct {
	WithHistory    []expectedRow `json:"with_history"`
	SchemaVersions []struct {
		ID int64 `json:"schema_version_id"`
	} `json:"schema_versions"`
}

// line returns a row as text, to compare sets of rows.
func line(commit int64, key, left, right, instance string, fields []byte) string {
	return fmt.Sprintf("%d %q %q %q %q %s", commit, key, left, right, instance, fields)
}

// TestRowsOfTheOriginal reads every commit file of both stores. It compares the rows with those that
// the original returns for the whole history, and with the manifests. On engine v2 the original
// returns the current schema version only (COMPAT 4.4).
func TestRowsOfTheOriginal(t *testing.T) {
	for _, engine := range []string{"s3-v1", "s3-v2"} {
		var expected struct {
			Entities  map[string]expectedType `json:"entities"`
			Relations map[string]expectedType `json:"relations"`
		}
		if err := json.Unmarshal(fixtures.File(t, engine+"/expected.json"), &expected); err != nil {
			t.Fatal(err)
		}
		rows := commitRows(t, engine+"/stage3-final")
		for kind, types := range map[ontosql.Kind]map[string]expectedType{ontosql.Entity: expected.Entities, ontosql.Relation: expected.Relations} {
			for name, want := range types {
				if len(want.SchemaVersions) == 0 { // Scratch was dropped
					continue
				}
				current := want.SchemaVersions[len(want.SchemaVersions)-1].ID
				var got, wanted []string
				for _, r := range rows[ontosql.TypeRef{Kind: kind, Name: name}] {
					if r.SchemaVersionID == current || engine == "s3-v1" {
						got = append(got, line(int64(r.Commit), r.Key, r.Left, r.Right, r.Instance, r.Fields))
					}
				}
				for _, r := range want.WithHistory {
					fields, err := format.Canonicalize(r.Fields)
					if err != nil {
						t.Fatal(err)
					}
					wanted = append(wanted, line(r.CommitID, r.Key, r.LeftKey, r.RightKey, r.InstanceKey, fields))
				}
				slices.Sort(got)
				slices.Sort(wanted)
				if diff := cmp.Diff(wanted, got); diff != "" || len(got) == 0 {
					t.Errorf("%s %s (-original +ours):\n%s", engine, name, diff)
				}
			}
		}
	}
}

// commitRows returns the rows of the commit files of a store by type, in commit order.
func commitRows(t *testing.T, store string) map[ontosql.TypeRef][]format.Row {
	t.Helper()
	dir := fixtures.Dir(t, store+"/objects")
	rows := map[ontosql.TypeRef][]format.Row{}
	manifests, err := filepath.Glob(filepath.Join(dir, "commits", "*", "manifest.json"))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("manifests of %s: %v, %v", store, manifests, err)
	}
	slices.Sort(manifests)
	for _, path := range manifests {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		manifest, err := format.DecodeManifest(path, body)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range manifest.Files {
			local := filepath.Join(dir, filepath.FromSlash(f.Path))
			read, err := format.ReadRows(local)
			if err != nil {
				t.Fatalf("%s: %v", f.Path, err)
			}
			facts, err := format.Inspect(t.Context(), local)
			if err != nil {
				t.Fatalf("%s: %v", f.Path, err)
			}
			if int64(len(read)) != f.RowCount || facts.Rows != f.RowCount {
				t.Errorf("%s: read %d rows, facts say %d, manifest %d", f.Path, len(read), facts.Rows, f.RowCount)
			}
			if facts.MinCommit != manifest.CommitID || facts.MaxCommit != manifest.CommitID || facts.Duplicates {
				t.Errorf("%s: facts %+v, want commit %d and no duplicates", f.Path, facts, manifest.CommitID)
			}
			rows[f.Ref()] = append(rows[f.Ref()], read...)
		}
	}
	return rows
}

// TestSnapshotsOfTheOriginal checks that a snapshot has the rows of the commits it covers.
func TestSnapshotsOfTheOriginal(t *testing.T) {
	for _, store := range []string{"s3-v1/stage3-final", "s3-v2/stage3-final"} {
		rows := commitRows(t, store)
		dir := fixtures.Dir(t, store+"/objects")
		for key, body := range fixtures.Objects(t, store) {
			if !strings.HasPrefix(key, "meta/indices/") {
				continue
			}
			index, err := format.DecodeIndex(key, body)
			if err != nil {
				t.Fatal(err)
			}
			kind := ontosql.Entity
			if strings.HasPrefix(key, "meta/indices/relations/") {
				kind = ontosql.Relation
			}
			for _, entry := range index.Entries {
				var want []format.Row
				for _, r := range rows[ontosql.TypeRef{Kind: kind, Name: index.TypeName}] {
					if entry.MinCommitID <= r.Commit && r.Commit <= entry.MaxCommitID {
						want = append(want, r)
					}
				}
				path := filepath.Join(dir, filepath.FromSlash(entry.Path))
				got, err := format.ReadRows(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-commits +snapshot):\n%s", entry.Path, diff)
				}
				facts, err := format.Inspect(t.Context(), path)
				if err != nil || facts.MinCommit != entry.MinCommitID || facts.MaxCommit != entry.MaxCommitID {
					t.Errorf("%s: facts %+v, %v; want commits %d to %d", entry.Path, facts, err, entry.MinCommitID, entry.MaxCommitID)
				}
			}
		}
	}
}

func TestFactsOfTheOriginal(t *testing.T) {
	dir := fixtures.Dir(t, "s3-v1/stage3-final/objects")
	path, err := filepath.Glob(filepath.Join(dir, "commits", "1-*", "entities", "Customer.parquet"))
	if err != nil || len(path) != 1 {
		t.Fatal(path, err)
	}
	got, err := format.Inspect(t.Context(), path[0])
	if err != nil {
		t.Fatal(err)
	}
	want := &format.Facts{
		Rows: 3,
		Columns: []format.ColumnFact{
			{Name: "commit_id", Kind: format.KindInt64},
			{Name: "entity_type", Kind: format.KindString},
			{Name: "entity_key", Kind: format.KindString},
			{Name: "schema_version_id", Kind: format.KindInt64},
			{Name: "fields_json", Kind: format.KindString},
			{Name: "active", Kind: format.KindBool},
			{Name: "address", Kind: format.KindOther},
			{Name: "age", Kind: format.KindInt64},
			{Name: "attrs", Kind: format.KindOther},
			{Name: "email", Kind: format.KindString},
			{Name: "id", Kind: format.KindString},
			{Name: "name", Kind: format.KindString},
			{Name: "score", Kind: format.KindDouble},
			{Name: "tags", Kind: format.KindOther},
			{Name: "visits", Kind: format.KindOther},
		},
		MinCommit: 1, MaxCommit: 1,
		KeyBounds: true, MinKey: "c1", MaxKey: "c2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	note, err := got.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := format.DecodeFacts(note)
	if err != nil || !cmp.Equal(back, got) {
		t.Errorf("note %s read as %+v, %v", note, back, err)
	}
	for _, note := range []string{``, `{}`, `{"version":99}`} {
		if back, err := format.DecodeFacts([]byte(note)); err == nil {
			t.Errorf("note %q: got %+v, want an error", note, back)
		}
	}
	// In commit 2 every address is None: pyarrow writes a column of nulls.
	path, err = filepath.Glob(filepath.Join(dir, "commits", "2-*", "entities", "Customer.parquet"))
	if err != nil || len(path) != 1 {
		t.Fatal(path, err)
	}
	if got, err = format.Inspect(t.Context(), path[0]); err != nil {
		t.Fatal(err)
	}
	if kind, ok := got.Column("address"); !ok || kind != format.KindNull {
		t.Errorf("address of commit 2: kind %q, %t; want null", kind, ok)
	}
}
