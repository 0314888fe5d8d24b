package check_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/sqlite/check"
)

// originalChange is a line of what the original says of a commit.
type originalChange struct {
	Kind      string `json:"kind"`
	Type      string `json:"type_name"`
	Key       string `json:"key"`
	Left      string `json:"left_key"`
	Right     string `json:"right_key"`
	Instance  string `json:"instance_key"`
	Operation string `json:"operation"`
}

func changesOf(t *testing.T, path string, commit ontosql.CommitID) []originalChange {
	t.Helper()
	changes, err := check.Changes(t.Context(), path, commit)
	if err != nil {
		t.Fatal(err)
	}
	got := []originalChange{}
	for _, c := range changes {
		line := originalChange{Kind: c.Type.Kind.String(), Type: c.Type.Name, Operation: map[bool]string{true: "insert", false: "update_version"}[c.Insert]}
		if c.Type.Kind == ontosql.Entity {
			line.Key = c.Key[0]
		} else {
			line.Left, line.Right, line.Instance = c.Key[0], c.Key[1], c.Key[2]
		}
		got = append(got, line)
	}
	return got
}

// TestChangesOfTheOriginal asks what each commit of the fixtures did.
func TestChangesOfTheOriginal(t *testing.T) {
	for _, name := range []string{sqlitetest.FileV1, sqlitetest.FileV2} {
		var expected struct {
			Changes map[string][]originalChange `json:"changes"`
		}
		if err := json.Unmarshal(fixtures.File(t, name+"/expected.json"), &expected); err != nil {
			t.Fatal(err)
		}
		path := sqlitetest.Fixture(t, name)
		for id := ontosql.CommitID(1); id <= 7; id++ {
			want := expected.Changes[fmt.Sprint(int64(id))]
			if diff := cmp.Diff(want, changesOf(t, path, id)); diff != "" {
				t.Errorf("%s, commit %d (-original +ours):\n%s", name, id, diff)
			}
		}
	}
}

// TestChangesAfterADrop takes a row as new whose type was dropped before, although
// its rows were left there.
func TestChangesAfterADrop(t *testing.T) {
	path := sqlitetest.Fixture(t, sqlitetest.FileV1)
	sqlitetest.Edit(t, path, `
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Scratch', 's', '{}', 5, 1);
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Scratch', 's', '{}', 6, 1);
		INSERT INTO commits VALUES (8, '2026-11-21T03:00:00.000000+00:00', NULL);
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Scratch', 's', '{}', 8, 1)`)
	for id, want := range map[ontosql.CommitID]string{6: "update_version", 8: "insert"} {
		got := changesOf(t, path, id)
		if len(got) != 1 || got[0].Key != "s" || got[0].Operation != want {
			t.Errorf("commit %d: %v, want %s of s", id, got, want)
		}
	}
}
