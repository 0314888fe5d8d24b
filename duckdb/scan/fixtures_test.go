package scan_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// store is a fixture at its final stage, with two lists of data files for each type: those of
// the manifests, and those of the indexes, snapshots included.
type store struct {
	*bench
	catalog   *catalog.Catalog
	head      ontosql.CommitID
	manifests map[ontosql.TypeRef][]scan.File
	indexes   map[ontosql.TypeRef][]scan.File
}

func openStore(t *testing.T, name string) *store {
	dir := fixtures.Dir(t, name+"/stage3-final/objects")
	s := &store{bench: newBench(t, dir), manifests: map[ontosql.TypeRef][]scan.File{}, indexes: map[ontosql.TypeRef][]scan.File{}}
	objects := fixtures.Objects(t, name+"/stage3-final")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	commits := map[ontosql.CommitID]*format.Manifest{}
	for key, body := range objects {
		if strings.HasSuffix(key, "/manifest.json") {
			m, err := format.DecodeManifest(key, body)
			must(err)
			commits[m.CommitID] = m
		}
	}
	for _, id := range slices.Sorted(maps.Keys(commits)) {
		for _, f := range commits[id].Files {
			kind, err := ontosql.ParseKind(f.Kind)
			must(err)
			ref := ontosql.TypeRef{Kind: kind, Name: f.TypeName}
			s.manifests[ref] = append(s.manifests[ref], inspect(t, filepath.Join(dir, f.Path)))
		}
		s.head = id
	}
	registry, err := format.DecodeRegistry("registry", objects["meta/schema/registry.json"])
	must(err)
	types, err := format.DecodeTypes("types", objects["meta/schema/types.json"])
	must(err)
	dropped, err := format.DecodeDropped("dropped", objects["meta/schema/dropped.json"])
	must(err)
	versions := map[ontosql.TypeRef]*format.Versions{}
	for ref := range s.manifests {
		v, err := format.DecodeVersions("versions", objects[format.VersionsKey(ref)])
		must(err)
		versions[ref] = v
		index, err := format.DecodeIndex("index", objects[format.IndexKey(ref)])
		must(err)
		for _, entry := range index.Entries {
			s.indexes[ref] = append(s.indexes[ref], inspect(t, filepath.Join(dir, entry.Path)))
		}
	}
	s.catalog, _ = catalog.Build(catalog.Input{
		Head: s.head, Registry: registry, Types: types, Dropped: dropped, Versions: versions,
		Floor: func(ontosql.TypeRef) ontosql.CommitID { return 0 },
	})
	return s
}

// stored is one row of expected.json.
type stored struct {
	Key      string           `json:"key"`
	Left     string           `json:"left_key"`
	Right    string           `json:"right_key"`
	Instance string           `json:"instance_key"`
	Fields   json.RawMessage  `json:"fields"`
	Commit   ontosql.CommitID `json:"commit_id"`
}

func (r stored) line() string {
	fields, err := format.Canonicalize(r.Fields)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %q %q %q %q %s", r.Commit, r.Key, r.Left, r.Right, r.Instance, fields)
}

func lines(rows []stored) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.line()
	}
	slices.Sort(out)
	return out
}

// answer runs a window and returns its rows in the form of expected.json. It checks the
// visible columns against fields_json.
func (s *store) answer(of *catalog.Type, w ontosql.Window, files []scan.File) (rows []stored, schemaVersions []string) {
	s.t.Helper()
	r := scan.Request{Type: of, Window: w, Files: files}
	names := map[string]string{"commit_id": "commit_id", "schema_version_id": "schema_version_id", "fields_json": "fields_json", "key": "entity_key"}
	if of.Ref.Kind == ontosql.Relation {
		names["key"] = "instance_key"
	}
	if w.Mode == ontosql.Latest {
		for as, name := range names {
			names[as] = "__r1_" + as
			r.Hidden = append(r.Hidden, scan.Hidden{Name: name, As: "__r1_" + as})
		}
	}
	for _, got := range s.rows(s.sql(r)) {
		row := stored{Fields: got[names["fields_json"]]}
		commit, err := strconv.Atoi(string(got[names["commit_id"]]))
		if err != nil {
			s.t.Fatal(err)
		}
		row.Commit = ontosql.CommitID(commit)
		if of.Ref.Kind == ontosql.Relation {
			row.Left, row.Right, row.Instance = got.text("left_key"), got.text("right_key"), got.text(names["key"])
		} else {
			row.Key = got.text(names["key"])
		}
		s.checkVisible(of, got, row)
		rows = append(rows, row)
		schemaVersions = append(schemaVersions, string(got[names["schema_version_id"]]))
	}
	return rows, schemaVersions
}

func (s *store) checkVisible(of *catalog.Type, got row, r stored) {
	s.t.Helper()
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(r.Fields, &fields); err != nil {
		s.t.Fatal(err)
	}
	for _, c := range of.Columns {
		want, ok := fields[c.Field]
		if !ok {
			want = json.RawMessage("null")
		}
		switch c.Role {
		case catalog.FromInstanceKey:
			want, _ = json.Marshal(r.Instance)
		case catalog.FromLeftKey, catalog.FromRightKey:
			continue // part of the identity, compared above
		}
		if !format.Equal(got[c.Name], want) {
			s.t.Errorf("%s %s: column %s = %s, want %s", of.Ref, r.line(), c.Name, got[c.Name], want)
		}
	}
}

// TestFixtures compares every window of every type with the original's answers, over commit
// files and over snapshots.
func TestFixtures(t *testing.T) {
	for _, name := range []string{"s3-v1", "s3-v2"} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, name)
			var expected struct {
				Entities, Relations map[string]map[string][]stored
			}
			if err := json.Unmarshal(fixtures.File(t, name+"/expected.json"), &expected); err != nil {
				t.Fatal(err)
			}
			compared := 0
			for _, of := range s.catalog.Types {
				answers := expected.Entities[of.Ref.Name]
				if of.Ref.Kind == ontosql.Relation {
					answers = expected.Relations[of.Ref.Name]
				}
				for _, files := range [][]scan.File{s.manifests[of.Ref], s.indexes[of.Ref]} {
					for question, want := range answers {
						// Snapshots hold the same rows; the first and last commits are enough
						// for them.
						if n := len(files); n > 0 && files[0].Min < files[0].Max && strings.Contains(question, ":") && !strings.HasSuffix(question, ":2") {
							continue
						}
						if s.compare(of, files, question, want, name == "s3-v2") {
							compared++
						}
					}
				}
			}
			if compared < 100 {
				t.Errorf("only %d answers were compared", compared)
			}
		})
	}
}

// compare answers a question of expected.json: "latest", "as_of:3", "history_since:3" or
// "with_history". On engine v2 the original answers temporal questions from rows of the
// current schema version only (COMPAT 3.6), and this program from all (A16); the others are
// removed before the comparison.
func (s *store) compare(of *catalog.Type, files []scan.File, question string, want []stored, v2 bool) bool {
	s.t.Helper()
	mode, number, _ := strings.Cut(question, ":")
	at, _ := strconv.Atoi(number)
	w := ontosql.Window{Upper: s.head}
	switch mode {
	case "as_of":
		w.Upper = ontosql.CommitID(at)
	case "history_since", "with_history":
		w.Mode, w.Lower = ontosql.History, ontosql.CommitID(at)
	case "latest":
	default:
		return false
	}
	got, versions := s.answer(of, w, files)
	if v2 {
		current := strconv.FormatInt(of.SchemaID, 10)
		kept := []stored{}
		for i, r := range got {
			if versions[i] == current {
				kept = append(kept, r)
			}
		}
		got = kept
	}
	if diff := gocmp.Diff(lines(want), lines(got)); diff != "" {
		s.t.Errorf("%s %s over %d files (-original +ours):\n%s", of.Ref, question, len(files), diff)
	}
	return true
}
