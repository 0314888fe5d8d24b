package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// flowFile is a file with so many versions of an entity and of a relation type, of which
// some are plain and some are what other writers store. again says that a commit may
// write an identity twice.
func flowFile(t *testing.T, random *rand.Rand, versions int, odd, again bool) string {
	t.Helper()
	path := emptyFile(t)
	s := fileHouse(t, path, false).session(t, "onto")
	must(t, s, `CREATE TABLE "Flow" (id text PRIMARY KEY, n bigint, value double precision, name text, ok boolean, day date, at timestamptz, doc jsonb)`)
	must(t, s, `CREATE TABLE "Bond" (left_key text REFERENCES flow, right_key text REFERENCES flow, weight bigint, PRIMARY KEY (left_key, right_key))`)
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	run := func(sql string, args ...any) {
		t.Helper()
		if err := sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	strange := []string{
		`{"id": "%[1]s", "n": "x%[2]d", "value": NaN}`, `{"id": "%[1]s", "n": %[2]d.5, "name": "\u0000", "doc": [1, {"b": 2, "a": "é"}]}`,
		`{"id": "%[1]s", "n": %[2]d`, `{"id":"%[1]s","n":1e3,"value":123456789012345678901234567890}`, `{"name": "\ud83d\ude00 %[2]d", "id": "%[1]s", "name": "twice"}`,
		`{"id": "%[1]s", "day": "2026-02-30", "at": "noon", "ok": 1}`, `[%[2]d]`, `{}`,
	}
	run("BEGIN")
	commit, in := 2, map[string]bool{}
	for i := range versions {
		if i%200 == 0 {
			commit++
			clear(in)
			run("INSERT INTO commits VALUES (?, '2027-01-01T00:00:00.000000+00:00', NULL)", commit)
		}
		key := fmt.Sprintf("k%d", random.IntN(700))
		if in[key] && !again {
			continue
		}
		in[key] = true
		fields := fmt.Sprintf(`{"id": "%s", "n": %d, "value": %d.25, "name": "number %d", "ok": %v, "day": "2026-01-%02d", "at": "2026-01-01T00:00:00.%06d+00:00", "doc": {"z": %[2]d, "a": null}}`,
			key, i, i, i, i%2 == 0, 1+i%28, i)
		if odd && random.IntN(10) == 0 {
			fields = strange[random.IntN(len(strange))]
			if strings.Contains(fields, "%") {
				fields = fmt.Sprintf(fields, key, i)
			}
		}
		run("INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Flow', ?, ?, ?, 1)", key, fields, commit)
		run("INSERT INTO relation_history (relation_type, left_key, right_key, instance_key, fields_json, commit_id, schema_version_id) VALUES ('Bond', ?, ?, '', ?, ?, NULL)",
			key, "k7", fmt.Sprintf(`{"weight": %d}`, i), commit)
	}
	run("COMMIT")
	return path
}

var flowQuestions = []string{
	"SELECT * FROM flow",
	"SELECT id, n, value, name, ok, day, at, doc, commit_id, valid_to FROM history.flow",
	"SELECT count(*), sum(n), count(value), count(doc) FROM as_of.flow(9)",
	"SELECT id, change, n, commit_id FROM changes.flow WHERE commit_id > 4",
	"SELECT * FROM bond",
	"SELECT left_key, weight, commit_id FROM history.bond",
}

// TestSQLiteStream feeds the mirror from files without a table between: every answer, and
// every warning, is what it is without a mirror.
func TestSQLiteStream(t *testing.T) {
	for seed, c := range []struct{ odd, again bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		t.Run(fmt.Sprintf("odd %v, again %v", c.odd, c.again), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 3))
			path := flowFile(t, random, 2500, c.odd, c.again)
			plain, mirrored := fileHouse(t, path, false), fileHouse(t, path, true)
			with, without := mirrored.session(t, "onto"), plain.session(t, "onto")
			compare := func(when string) {
				t.Helper()
				mirrored.settle(t, with, "flow", "bond")
				for _, sql := range flowQuestions {
					plain.notices, mirrored.notices = nil, nil
					want, got := must(t, without, sql), must(t, with, sql)
					slices.Sort(want)
					slices.Sort(got)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("seed %d, %s: %s (-file +mirror):\n%s", seed, when, sql, diff)
					}
					unreadable := func(notices []string) []string {
						notices = slices.DeleteFunc(slices.Clone(notices), func(n string) bool { return !strings.Contains(n, "stored values") })
						slices.Sort(notices)
						return notices
					}
					if diff := cmp.Diff(unreadable(plain.notices), unreadable(mirrored.notices)); diff != "" {
						t.Errorf("seed %d, %s: %s: notices (-file +mirror):\n%s", seed, when, sql, diff)
					}
				}
				if os.Getenv("ONTOSQL_TEST_MIRROR") == "half" { // the other half is read from the file
					return
				}
				if plan := strings.Join(must(t, with, "EXPLAIN SELECT * FROM flow"), "\n"); !strings.Contains(plan, "Rows: 0 in the window") {
					t.Errorf("%s: the mirror has not all rows:\n%s", when, plan)
				}
			}
			compare("built")
			conn, err := lite.OpenConn(path, lite.OpenReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			err = sqlitex.ExecuteScript(conn, `INSERT INTO commits SELECT max(id) + 1, '2027-01-02T00:00:00.000000+00:00', NULL FROM commits;
				INSERT INTO commits SELECT max(id) + 1, '2027-01-02T00:00:00.000000+00:00', NULL FROM commits;
				INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
				SELECT entity_type, entity_key, fields_json, (SELECT max(id) FROM commits) - 1, 1 FROM entity_history WHERE id % 2 = 0 ORDER BY id;
				INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
				SELECT entity_type, entity_key, fields_json, (SELECT max(id) FROM commits), 1 FROM entity_history WHERE id % 3 = 0 ORDER BY id;`, nil)
			if err != nil {
				t.Fatal(err)
			}
			compare("extended")
		})
	}
}
