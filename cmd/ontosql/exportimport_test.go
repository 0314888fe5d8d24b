package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/transfer"
)

// expectedRows are the records that the original's reader gives of a mode, by the
// name of the type, as lines.
func expectedRows(t *testing.T, name, mode string) map[string]string {
	t.Helper()
	raw, err := format.ParseJSON(fixtures.File(t, name+"/expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for section, kind := range map[string]string{"entities": "entity", "relations": "relation"} {
		types, _ := raw.Get(section)
		for typ, modes := range types.Members() {
			rows, _ := modes.Get(mode)
			var lines []string
			for _, row := range rows.Items() {
				members := []format.Member{{Name: "type_kind", Value: format.String(kind)}, {Name: "type_name", Value: format.String(typ)}}
				instance := format.Null()
				for name, v := range row.Members() {
					if name == "instance_key" {
						instance = v
						continue
					}
					if name == "commit_id" && instance.Text() != "" {
						members = append(members, format.Member{Name: "instance_key", Value: instance})
					}
					members = append(members, format.Member{Name: name, Value: v})
				}
				lines = append(lines, string(format.Object(members...).Append(nil, format.SpacedInOrder))+"\n")
			}
			slices.Sort(lines) // the key comes first; of a bucket its reader gives no order
			all[typ] = strings.Join(lines, "")
		}
	}
	return all
}

// exportedFiles are the files of a directory by the name of their type.
func exportedFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(e.Name(), ".jsonl")] = string(body)
	}
	return all
}

// TestExportAsTheOriginal exports the fixtures: byte for byte what the original's
// reader gives, in the order
// of keys.
func TestExportAsTheOriginal(t *testing.T) {
	for _, name := range []string{"sqlite-v1", "sqlite-v2", "s3-v1/stage3-final", "s3-v2/stage3-final"} {
		t.Run(name, func(t *testing.T) {
			open := fixtureFile
			store := name
			if engine, _, bucket := strings.Cut(name, "/"); bucket {
				open, store = fixtureDir, engine
			}
			_, flags := open(t, name)
			for mode, args := range map[string]string{"latest": "", "as_of:2": "--as-of 2"} {
				out := filepath.Join(t.TempDir(), "rows")
				code, said, problem := command(t, withFlags("export --with-metadata --output "+out+" "+args, flags...)...)
				if code != exitOK || !strings.HasPrefix(said, "Exported ") || !strings.HasSuffix(said, " rows to "+out+"/\n") {
					t.Fatalf("export: exit %d, %s%s", code, said, problem)
				}
				want := expectedRows(t, store, mode)
				for typ, lines := range exportedFiles(t, out) {
					if mode == "as_of:2" && typ == "Customer" {
						continue // the original hides the rows of older schema versions (COMPAT 4.4, 6.3)
					}
					if diff := gocmp.Diff(want[typ], lines); diff != "" {
						t.Errorf("%s %s (-original +ours):\n%s", typ, mode, diff)
					}
				}
			}
		})
	}
}

// TestExportHistory exports versions after a commit, in the order of commits, and
// refuses what makes no sense.
func TestExportHistory(t *testing.T) {
	_, flags := fixtureFile(t, "sqlite-v1")
	out := filepath.Join(t.TempDir(), "a", "rows")
	code, said, problem := command(t, withFlags("export --history-since 1 --with-metadata --json --type Customer --output "+out, flags...)...)
	if code != exitOK || problem != "" {
		t.Fatalf("export: exit %d, %s", code, problem)
	}
	answer := decoded[exported](t, said)
	want := exported{Status: "exported", Output: out, Rows: 5, Files: []exportedFile{{typeName{"entity", "Customer"}, filepath.Join(out, "Customer.jsonl"), 5}}}
	if diff := gocmp.Diff(want, answer, gocmp.AllowUnexported(exportedFile{})); diff != "" {
		t.Errorf("the answer (-want +got):\n%s", diff)
	}
	var order []string
	for _, line := range strings.Split(strings.TrimSpace(exportedFiles(t, out)["Customer"]), "\n") {
		r := decoded[struct {
			Key    string `json:"key"`
			Commit int64  `json:"commit_id"`
		}](t, line)
		order = append(order, fmt.Sprint(r.Commit, " ", r.Key))
	}
	if diff := gocmp.Diff([]string{"2 c2", "4 c1", "4 c10", "4 c2", "5 c3"}, order); diff != "" {
		t.Errorf("the order (-want +got):\n%s", diff)
	}
	for line, want := range map[string]int{
		"export": exitUsage,
		"export --output x --as-of 2 --history-since 1": exitUsage,
		"export --output x --as-of never":               exitUsage,
		"export --output x --type Nobody":               exitUsage,
		"export --output /dev/null/x":                   exitExecution,
	} {
		if code, _, problem := command(t, withFlags(line, flags...)...); code != want || problem == "" {
			t.Errorf("%s: exit %d, %q; want %d", line, code, problem, want)
		}
	}
	if code, _, problem := command(t, "export", "--output", out, "--storage-uri", filepath.Join(t.TempDir(), "none.db")); code != exitOpen {
		t.Errorf("a file that is not there: exit %d, %s", code, problem)
	}
	if left, err := filepath.Glob(filepath.Join(out, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// importAnswer runs import and reads what it says.
func importAnswer(t *testing.T, want int, line string, flags ...string) imported {
	t.Helper()
	code, said, problem := command(t, withFlags("import --json "+line, flags...)...)
	if code != want {
		t.Fatalf("import %s: exit %d, %s%s; want %d", line, code, said, problem, want)
	}
	return decoded[imported](t, said)
}

// TestImport takes rows from one store to an empty one, in both kinds of stores,
// and goes through the policies and conditions.
func TestImport(t *testing.T) {
	for _, kind := range []string{"dir", "file"} {
		t.Run(kind, func(t *testing.T) {
			_, flags := fixtureFile(t, "sqlite-v1")
			rows := filepath.Join(t.TempDir(), "rows")
			if code, _, problem := command(t, withFlags("export --output "+rows, flags...)...); code != exitOK {
				t.Fatal(problem)
			}
			schema := filepath.Join(t.TempDir(), "schema.json")
			if code, _, problem := command(t, withFlags("schema export --output "+schema, flags...)...); code != exitOK {
				t.Fatal(problem)
			}
			to := filepath.Join(t.TempDir(), "to")
			if kind == "file" {
				to += ".db"
			}
			flags = []string{"--storage-uri", to}
			if code, _, problem := command(t, withFlags("init", flags...)...); code != exitOK {
				t.Fatal(problem)
			}
			input := "--input " + rows
			importAnswer(t, exitConflict, input, flags...) // no type is registered
			if code, _, problem := command(t, withFlags("migrate --apply --force --schema "+schema, flags...)...); code != exitOK {
				t.Fatal(problem)
			}
			count := func(inserts, updates, skipped int) transfer.Counts {
				return transfer.Counts{Total: inserts + updates + skipped, Inserts: inserts, Updates: updates, Skipped: skipped}
			}
			for i, c := range []struct {
				line string
				code int
				want imported
			}{
				{input, exitOK, imported{"dry_run", 0, count(12, 0, 0)}},
				{input + " --apply --precondition must_exist", exitConflict, imported{Status: "conflict", Counts: transfer.Counts{Conflicts: 12}}},
				{input + " --apply --precondition must_not_exist --meta ticket=OPS-7 --meta message=moved", exitOK, imported{"applied", 2, count(12, 0, 0)}},
				{input + " --apply", exitOK, imported{"applied", 0, count(0, 12, 0)}}, // nothing differs
				{input + " --apply --on-conflict abort", exitConflict, imported{Status: "conflict", Counts: transfer.Counts{Conflicts: 12}}},
				{input + " --apply --on-conflict skip", exitOK, imported{"applied", 0, count(0, 0, 12)}},
				{input + " --apply --precondition must_not_exist", exitConflict, imported{Status: "conflict", Counts: transfer.Counts{Conflicts: 12}}},
				{input + " --precondition if_commit_id:1", exitConflict, imported{Status: "conflict", Counts: transfer.Counts{Conflicts: 12}}},
				{input + " --precondition if_commit_id:2", exitOK, imported{"dry_run", 0, count(0, 12, 0)}},
			} {
				if got := importAnswer(t, c.code, c.line, flags...); got != c.want {
					t.Errorf("%d: import %s: %+v, want %+v", i, c.line, got, c.want)
				}
			}
			again := filepath.Join(t.TempDir(), "again")
			if code, _, problem := command(t, withFlags("export --output "+again, flags...)...); code != exitOK {
				t.Fatal(problem)
			}
			if diff := gocmp.Diff(sortedMembers(t, exportedFiles(t, rows)), sortedMembers(t, exportedFiles(t, again))); diff != "" {
				t.Errorf("rows (-first store +second store):\n%s", diff)
			}
			_, said, _ := command(t, withFlags("commits --last 1 --json", flags...)...)
			if meta := decoded[[]commitLine](t, said)[0]; meta.CommitID != 2 || !format.Equal(meta.Meta, []byte(`{"actor":"ontosql","message":"moved","ticket":"OPS-7"}`)) {
				t.Errorf("the commit is %d with %s", meta.CommitID, meta.Meta)
			}
		})
	}
}

// sortedMembers are exported files with the members of every object in order.
func sortedMembers(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	sorted := map[string]string{}
	for typ, lines := range files {
		for line := range strings.Lines(lines) {
			v, err := format.ParseJSON([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			sorted[typ] += string(v.Append(nil, format.Canonical)) + "\n"
		}
	}
	return sorted
}

// TestImportRefuses names file and line of what it does not take, and writes
// nothing.
func TestImportRefuses(t *testing.T) {
	path, flags := fixtureDir(t, "s3-v1/stage3-final")
	product := func(fields string) string {
		return `{"type_kind":"entity","type_name":"product","fields":{` + fields + `}}`
	}
	purchase := func(rest string) string {
		return `{"type_kind":"relation","type_name":"Purchase","left_key":"c1","right_key":"7",` + rest + `}`
	}
	for line, says := range map[string]string{
		`{"type_kind":`: "json, byte 14",
		`[]`:            "expected an object, found an array",
		`{"type_kind":"table","type_name":"x","fields":{}}`:                                                              `type_kind: want "entity" or "relation"`,
		`{"type_kind":"entity","fields":{}}`:                                                                             "type_name: missing",
		`{"type_kind":"entity","type_name":"Nobody","fields":{}}`:                                                        "entity:Nobody is not registered",
		`{"type_kind":"entity","type_name":"Scratch","fields":{}}`:                                                       "entity:Scratch is not registered",
		`{"type_kind":"entity","type_name":"product"}`:                                                                   "fields: expected an object",
		`{"type_kind":"entity","type_name":"product","key":"8","fields":{"sku":9,"title":"","price":1}}`:                 `key: is "8" where fields.sku is "9"`,
		product(`"title":"a","price":1`):                                                                                 "fields.sku: is null or missing",
		product(`"sku":null,"title":"a","price":1`):                                                                      "fields.sku: is null or missing",
		product(`"sku":1,"title":"a"`):                                                                                   "fields.price: is null or missing",
		product(`"sku":1,"title":"a","price":"much"`):                                                                    "fields.price: expected float, found a string",
		product(`"sku":99999999999999999999,"title":"a","price":1`):                                                      "fields.sku: does not fit 64 bits",
		product(`"sku":1,"title":7,"price":1`):                                                                           "fields.title: expected str, found an integer",
		product(`"sku":1,"title":"a","price":1,"colour":"red"`):                                                          "fields.colour: entity:product has no such field",
		purchase(`"fields":{"qty":1}`):                                                                                   "instance_key: missing or blank",
		purchase(`"fields":{"qty":1},"instance_key":" "`):                                                                "instance_key: missing or blank",
		purchase(`"fields":{"qty":1,"order_no":"x"},"instance_key":"y"`):                                                 "fields.order_no: is not the instance_key",
		`{"type_kind":"relation","type_name":"Follows","left_key":"c1","fields":{}}`:                                     "right_key: missing",
		`{"type_kind":"relation","type_name":"Follows","left_key":"c1","right_key":"c2","fields":{},"instance_key":"x"}`: "instance_key: relation:Follows has none",
	} {
		good := product(`"sku":1,"title":"a","price":1`)
		input := file(t, "rows.jsonl", good+"\n\n"+line+"\n")
		code, _, problem := command(t, withFlags("import --apply --input "+input, flags...)...)
		if want := input + ":3: " + says; code != exitConflict || !strings.Contains(problem, want) {
			t.Errorf("%s: exit %d, %s; want %d and %s", line, code, problem, exitConflict, want)
		}
	}
	twice := product(`"sku":1,"title":"a","price":1`) + "\n"
	input := file(t, "rows.jsonl", twice+twice)
	code, said, _ := command(t, withFlags("import --apply --json --input "+input, flags...)...)
	if want := `entity:product \"1\" also occurs at ` + input + `:1`; code != exitConflict || !strings.Contains(said, want) || !strings.Contains(said, `"status": "invalid"`) {
		t.Errorf("twice: exit %d, %s; want %s", code, said, want)
	}
	empty := t.TempDir()
	for line, want := range map[string]int{
		"import --apply": exitUsage,
		"import --apply --dry-run --input " + input:             exitUsage,
		"import --on-conflict maybe --input " + input:           exitUsage,
		"import --precondition hope --input " + input:           exitUsage,
		"import --precondition if_commit_id:x --input " + input: exitUsage,
		"import --meta kind=x --input " + input:                 exitUsage,
		"import --input " + empty:                               exitUsage,
		"import --input " + filepath.Join(empty, "x.jsonl"):     exitUsage,
	} {
		if code, _, problem := command(t, withFlags(line, flags...)...); code != want {
			t.Errorf("%s: exit %d, %s; want %d", line, code, problem, want)
		}
	}
	if head := headOf(t, path); head.CommitID != 8 {
		t.Errorf("the head is commit %d, want 8", head.CommitID)
	}
}

// TestImportConverts stores what the original's models make of a value.
func TestImportConverts(t *testing.T) {
	_, flags := shopDir(t)
	if code, _, problem := command(t, append([]string{"sql", "-c", `CREATE TABLE every (id int PRIMARY KEY, f double precision, b boolean, d date, t timestamptz, n numeric(6,2), u uuid, x bytea, s varchar(3), j jsonb, w int DEFAULT 7)`}, flags...)...); code != exitOK {
		t.Fatal(problem)
	}
	record := func(fields string) string {
		return `{"type_kind":"entity","type_name":"every","fields":{` + fields + `}}` + "\n"
	}
	input := file(t, "every.jsonl",
		record(`"id":"1","f":3,"b":"yes","d":"2026-02-10","t":"2026-02-10T12:00:00Z","n":12.5,"u":"A0EEBC999C0B4EF8BB6D6BB9BD380A11","x":"AQID","s":"abc","j":{"b":[1,2.0],"a":null},"w":1`)+
			record(`"id":2.0,"f":"1e3","b":0,"w":null`))
	if code, said, problem := command(t, withFlags("import --apply --input "+input, flags...)...); code != exitOK {
		t.Fatalf("import: exit %d, %s%s", code, said, problem)
	}
	out := filepath.Join(t.TempDir(), "rows")
	if code, _, problem := command(t, withFlags("export --type every --output "+out, flags[:2]...)...); code != exitOK {
		t.Fatal(problem)
	}
	want := `{"type_kind": "entity", "type_name": "every", "key": "1", "fields": {"b": true, "d": "2026-02-10", "f": 3.0, "id": 1, "j": {"a": null, "b": [1, 2.0]}, "n": "12.5", "s": "abc", "t": "2026-02-10T12:00:00.000000+00:00", "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "w": 1, "x": "AQID"}}
{"type_kind": "entity", "type_name": "every", "key": "2", "fields": {"b": false, "d": null, "f": 1000.0, "id": 2, "j": null, "n": null, "s": null, "t": null, "u": null, "w": null, "x": null}}
`
	if diff := gocmp.Diff(want, exportedFiles(t, out)["every"]); diff != "" {
		t.Errorf("what is stored (-want +got):\n%s", diff)
	}
	for fields, says := range map[string]string{
		`"id":3`:                     "fields.w: missing: the field's DEFAULT is not evaluated here",
		`"id":3,"w":1,"s":"abcd"`:    "fields.s: value too long for type character varying(3)",
		`"id":3,"w":1,"n":12345.6`:   "fields.n: 12345.6 does not fit numeric(6,2)",
		`"id":3,"w":1,"n":1.234`:     "fields.n: 1.234 does not fit numeric(6,2)",
		`"id":3,"w":1,"d":"12.3."`:   "fields.d",
		`"id":3,"w":1,"x":"%"`:       "fields.x",
		`"id":3,"w":1,"t":"someday"`: "fields.t",
	} {
		code, _, problem := command(t, withFlags("import --apply --input "+file(t, "bad.jsonl", record(fields)), flags...)...)
		if code != exitConflict || !strings.Contains(problem, says) {
			t.Errorf("%s: exit %d, %s; want %s", fields, code, problem, says)
		}
	}
}
