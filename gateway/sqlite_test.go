package gateway_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// answered is one row of expected.json.
type answered struct {
	Key      string           `json:"key"`
	Left     string           `json:"left_key"`
	Right    string           `json:"right_key"`
	Instance string           `json:"instance_key"`
	Fields   json.RawMessage  `json:"fields"`
	Commit   ontosql.CommitID `json:"commit_id"`
}

func (a answered) line(t *testing.T) string {
	fields, err := format.Canonicalize(a.Fields)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s|%s|%s|%s|%d|%s", a.Key, a.Left, a.Right, a.Instance, a.Commit, fields)
}

// TestSQLiteFixtures compares every window of every type with what the original
// answered, with and without a mirror.
func TestSQLiteFixtures(t *testing.T) {
	for _, fixture := range []string{"sqlite-v1", "sqlite-v2"} {
		for name, mirrored := range map[string]bool{"plain": false, "mirrored": true} {
			t.Run(fixture+" "+name, func(t *testing.T) {
				if !mirrored {
					asksNoMirror(t)
				}
				var expected struct {
					Entities, Relations map[string]map[string][]answered
				}
				if err := json.Unmarshal(fixtures.File(t, fixture+"/expected.json"), &expected); err != nil {
					t.Fatal(err)
				}
				h := fileHouse(t, fixtureCopy(t, fixture), mirrored)
				s := h.session(t, "onto")
				compared := 0
				for _, kind := range []map[string]map[string][]answered{expected.Entities, expected.Relations} {
					for typ, answers := range kind {
						if len(must(t, s, "SELECT 1 FROM ontosql.types WHERE type_name = $1", typ)) == 0 {
							continue // it was dropped, and is no table any more
						}
						keys := "entity_key, NULL, NULL, NULL"
						if _, relation := expected.Relations[typ]; relation {
							keys = "NULL, left_key, right_key, instance_key"
						}
						for range 2 { // the mirror follows the first reads
							for question, want := range answers {
								if compareAnswer(t, s, typ, keys, question, want, fixture == "sqlite-v2") {
									compared++
								}
							}
						}
					}
				}
				if compared < 100 {
					t.Errorf("only %d answers were compared", compared)
				}
				if left := tablesLeft(t, h); len(left) > 0 {
					t.Errorf("tables that nobody needs any more: %q", left)
				}
			})
		}
	}
}

// compareAnswer asks a question of expected.json in SQL. On engine v2 the original
// answers from the rows of the current schema version alone, and ours from all of
// them (decision A16), so there the others are taken out.
func compareAnswer(t *testing.T, s wire.Session, typ, keys, question string, want []answered, v2 bool) bool {
	t.Helper()
	table := `"` + typ + `"`
	mode, number, _ := strings.Cut(question, ":")
	from, where := "", ""
	switch mode {
	case "latest":
		from = "public." + table
	case "as_of":
		at, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		from = fmt.Sprintf("as_of.%s(%d)", table, at)
	case "with_history":
		from = "history." + table
	case "history_since":
		from, where = "history."+table, " WHERE commit_id > "+number
	default:
		return false
	}
	got := []string{}
	for _, row := range must(t, s, "SELECT "+keys+", commit_id, fields_json, schema_version_id FROM "+from+where) {
		row = strings.ReplaceAll(row, "NULL|", "|")
		cut := strings.LastIndexByte(row, '|')
		if v2 && row[cut+1:] != currentVersion(t, s, typ) {
			continue
		}
		got = append(got, row[:cut])
	}
	lines := []string{}
	for _, a := range want {
		lines = append(lines, a.line(t))
	}
	slices.Sort(got)
	slices.Sort(lines)
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("%s %s (-original +ours):\n%s", typ, question, diff)
	}
	return true
}

func currentVersion(t *testing.T, s wire.Session, typ string) string {
	t.Helper()
	return must(t, s, "SELECT schema_version_id FROM ontosql.types WHERE type_name = $1", typ)[0]
}

// TestSQLiteWrites writes in every way that a bucket is written in, and asks for the
// rows after each step, plainly and mirrored.
func TestSQLiteWrites(t *testing.T) {
	for name, mirrored := range map[string]bool{"plain": false, "mirrored": true} {
		t.Run(name, func(t *testing.T) {
			if !mirrored {
				asksNoMirror(t)
			}
			h := fileHouse(t, emptyFile(t), mirrored)
			s, other := h.session(t, "onto"), h.session(t, "onto")
			for _, step := range []struct{ sql, want string }{
				{`CREATE TABLE "Thing" (id text PRIMARY KEY, n bigint NOT NULL, f double precision)`, ""},
				{`CREATE TABLE "Owns" (left_key text REFERENCES thing, right_key text REFERENCES thing, slot text, w bigint, PRIMARY KEY (left_key, right_key, slot))`, ""},
				{"INSERT INTO thing VALUES ('a', 1, 1.5), ('b', 2, NULL) RETURNING id, n", "a|1 b|2"},
				{"INSERT INTO owns VALUES ('a', 'b', 'x', 1), ('a', 'b', 'y', 2)", ""},
				{"UPDATE thing SET n = n + 10 WHERE id = 'a' RETURNING n", "11"},
				{"UPDATE thing SET n = n", ""},
				{"INSERT INTO thing VALUES ('a', 5, 5), ('c', 3, 3) ON CONFLICT (id) DO UPDATE SET n = excluded.n * 2 RETURNING id, n", "a|10 c|3"},
				{"INSERT INTO thing VALUES ('c', 9, 9) ON CONFLICT DO NOTHING", ""},
				{"SELECT id, n, f FROM thing ORDER BY id", "a|10|1.5 b|2|NULL c|3|3"},
				{"SELECT id, n, commit_id, valid_to_commit FROM history.thing ORDER BY id, commit_id", "a|1|3|5 a|11|5|6 a|10|6|NULL b|2|3|NULL c|3|6|NULL"},
				{"SELECT left_key, right_key, slot, w FROM owns ORDER BY slot", "a|b|x|1 a|b|y|2"},
				{"UPDATE owns SET w = 7 WHERE left_key = 'a' AND slot = 'y'", ""},
				{"SELECT id, change, n FROM changes.thing WHERE id = 'a' ORDER BY commit_id", "a|insert|1 a|update|11 a|update|10"},
				{"SELECT w FROM as_of.owns(4) ORDER BY w", "1 2"},
				{"ALTER TABLE thing ADD COLUMN note text DEFAULT 'new'", ""},
				{"ALTER TABLE thing ALTER COLUMN n TYPE text USING 'n' || n", ""},
				{"SELECT id, n, note FROM thing ORDER BY id", "a|n10|new b|n2|new c|n3|new"},
				{"SELECT count(*), min(commit_id), max(commit_id) FROM ontosql.commits", "9|1|9"},
				{"SELECT type_name, row_count, path FROM ontosql.commit_files WHERE commit_id IN (6, 7) ORDER BY commit_id", "Thing|2|NULL Owns|1|NULL"},
			} {
				if got := strings.Join(must(t, s, step.sql), " "); got != step.want {
					t.Errorf("%s: %q, want %q", step.sql, got, step.want)
				}
			}
			refused(t, s, pgerr.ObjectNotInPrerequisiteState, "DROP TABLE owns")
			refused(t, s, pgerr.UniqueViolation, "INSERT INTO thing VALUES ('a', '1', 1)")

			must(t, s, "BEGIN")
			must(t, s, "UPDATE thing SET note = 'mine' WHERE id = 'b'")
			must(t, other, "UPDATE thing SET note = 'theirs' WHERE id = 'b'")
			if e := refused(t, s, pgerr.SerializationFailure, "COMMIT"); !strings.Contains(e.Detail, `"expected":9,"actual":10`) {
				t.Errorf("the conflict tells %q", e.Detail)
			}
			must(t, s, "BEGIN")
			must(t, s, "INSERT INTO thing VALUES ('z', 'z', 1)")
			answers(t, s, "SELECT count(*) FROM thing", "4")
			must(t, s, "ROLLBACK")
			answers(t, s, "SELECT count(*), max(note) FROM thing", "3|theirs")
			must(t, s, "SET ontosql.purge_history = on")
			must(t, s, "DROP TABLE owns")
			refused(t, s, pgerr.UndefinedTable, "SELECT * FROM owns")
			if left := tablesLeft(t, h); len(left) > 0 {
				t.Errorf("tables that nobody needs any more: %q", left)
			}
		})
	}
}

// TestSQLiteOddValues writes numbers that are not finite into a bucket and into a file,
// where JSON is all there is of them: the answers are the same.
func TestSQLiteOddValues(t *testing.T) {
	disk := mem.New("odd")
	if _, err := writepath.Init(t.Context(), disk, writepath.InitOptions{URI: "mem://odd", Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	path := emptyFile(t)
	houses := map[string]*house{
		"bucket": openHouse(t, disk, false), "file": fileHouse(t, path, false), "mirrored file": fileHouse(t, path, true),
	}
	for _, name := range []string{"bucket", "file"} {
		s := houses[name].session(t, "onto")
		must(t, s, `CREATE TABLE "Odd" (id text PRIMARY KEY, f double precision, n bigint, s text, b boolean)`)
		must(t, s, "INSERT INTO odd VALUES ('a', 1.5, 1, 'one', true), ('b', 'NaN', 2, 'two', false)")
		must(t, s, "INSERT INTO odd VALUES ('c', '-Infinity', 3, 'three', NULL), ('d', 'Infinity', 4, NULL, true)")
		must(t, s, "UPDATE odd SET n = n + 10 WHERE id IN ('a', 'b')")
		must(t, s, "UPDATE odd SET f = 2 WHERE id = 'd'")
	}
	for _, sql := range []string{
		"SELECT * FROM odd ORDER BY id",
		"SELECT * FROM odd WHERE id = 'b'",
		"SELECT id, f, n, s, commit_id FROM history.odd ORDER BY id, commit_id",
		"SELECT id, f, n, s FROM as_of.odd(3) ORDER BY id",
		"SELECT id, change, f, n FROM changes.odd ORDER BY id, commit_id",
	} {
		want := must(t, houses["bucket"].session(t, "onto"), sql)
		for _, name := range []string{"file", "mirrored file"} {
			h := houses[name]
			h.notices = nil
			s := h.session(t, "onto")
			if h.mirror != nil {
				h.settle(t, s, "odd")
			}
			if diff := cmp.Diff(want, must(t, s, sql)); diff != "" {
				t.Errorf("%s: %s (-bucket +file):\n%s", name, sql, diff)
			}
			if len(h.notices) > 0 {
				t.Errorf("%s: %s: the client was told %q", name, sql, h.notices)
			}
		}
	}
}
