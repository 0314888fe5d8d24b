package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/fixtures"
)

// fixtureFlags are the flags of a store of the original, at its last stage.
func fixtureFlags(t *testing.T, store string) []string {
	t.Helper()
	if strings.HasPrefix(store, "sqlite") {
		_, flags := fixtureFile(t, store)
		return flags
	}
	_, flags := fixtureDir(t, store+"/stage3-final")
	return flags
}

// rowsOfOriginal are the answers of query_entities and query_relations, by type and window.
type rowsOfOriginal map[string]map[string][]struct {
	Key      string `json:"key"`
	Left     string `json:"left_key"`
	Right    string `json:"right_key"`
	Instance string `json:"instance_key"`
	Commit   any    `json:"commit_id"`
	Fields   map[string]any
}

// recordedRows reads them from a fixture; what its log of schema versions is, is skipped.
func recordedRows(t *testing.T, store, section string) rowsOfOriginal {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(fixtures.File(t, store+"/expected.json"), &all); err != nil {
		t.Fatal(err)
	}
	var types map[string]map[string]json.RawMessage
	if err := json.Unmarshal(all[section], &types); err != nil {
		t.Fatal(err)
	}
	rows := rowsOfOriginal{}
	for name, windows := range types {
		delete(windows, "schema_versions")
		text, err := json.Marshal(map[string]any{name: windows})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &rows); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// fieldsOfTypes are the fields of the types of the fixtures, as they are at the end.
var fieldsOfTypes = map[string][]string{
	"Customer":     {"id", "name", "age", "active", "email", "tags", "attrs", "address", "visits", "tier"},
	"product":      {"sku", "title", "price"},
	"Follows":      {},
	"Subscription": {"seats", "note"},
	"Purchase":     {"qty"},
}

// objects are the original's rows as its commands print them. A row of an older schema version has
// the fields of the newest (decision A16).
func (rows rowsOfOriginal) objects(typ, window string) []map[string]any {
	objects := []map[string]any{}
	for _, r := range rows[typ][window] {
		o := map[string]any{"commit_id": r.Commit}
		if r.Left == "" {
			o["key"] = r.Key
		} else {
			o["left_key"], o["right_key"] = r.Left, r.Right
		}
		if r.Instance != "" {
			o["instance_key"] = r.Instance
		}
		for _, f := range fieldsOfTypes[typ] {
			o[f] = r.Fields[f]
		}
		objects = append(objects, o)
	}
	return objects
}

// byIdentity sorts rows: the original's newest rows have no order.
func byIdentity(rows []map[string]any) {
	slices.SortStableFunc(rows, func(a, b map[string]any) int {
		of := func(o map[string]any) string {
			return fmt.Sprint(o["commit_id"], o["key"], o["left_key"], o["right_key"], o["instance_key"])
		}
		return strings.Compare(of(a), of(b))
	})
}

// TestQueryAnswersAsTheOriginal asks each store of the original for the rows that it recorded. What
// the original hides on engine v2, rows of older schema versions, is there as on v1.
func TestQueryAnswersAsTheOriginal(t *testing.T) {
	windows := map[string]string{
		"latest": "", "with_history": "--with-history", "as_of:0": "--as-of 0", "as_of:1": "--as-of 1", "as_of:3": "--as-of 3",
		"history_since:0": "--history-since 0", "history_since:3": "--history-since 3",
	}
	for _, store := range []string{"s3-v1", "s3-v2", "sqlite-v1", "sqlite-v2"} {
		flags := fixtureFlags(t, store)
		for section, types := range map[string][]string{"entities": {"Customer", "product"}, "relations": {"Follows", "Purchase", "Subscription"}} {
			rows := recordedRows(t, strings.Replace(store, "-v2", "-v1", 1), section)
			for _, typ := range types {
				for _, window := range slices.Sorted(maps.Keys(windows)) {
					if window != "latest" && typ != "Customer" && typ != "Purchase" {
						continue
					}
					code, out, problem := command(t, withFlags("query "+section+" "+typ+" --json "+windows[window], flags...)...)
					if code != exitOK {
						t.Errorf("%s: %s of %s: exit %d, %s", store, window, typ, code, problem)
						continue
					}
					got, want := decoded[[]map[string]any](t, out), rows.objects(typ, window)
					byIdentity(got)
					byIdentity(want)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s: %s of %s (-original +ours):\n%s", store, window, typ, diff)
					}
				}
			}
		}
	}
}

// TestQueryFiltersAsTheOriginal asks what the original was asked in its query language; where its
// answers on S3 are errors (COMPAT 6.6), those on SQLite hold.
func TestQueryFiltersAsTheOriginal(t *testing.T) {
	var want struct{ Typed map[string]json.RawMessage }
	if err := json.Unmarshal(fixtures.File(t, "sqlite-v1/expected.json"), &want); err != nil {
		t.Fatal(err)
	}
	for _, store := range []string{"s3-v1", "s3-v2", "sqlite-v1", "sqlite-v2"} {
		flags := fixtureFlags(t, store)
		for name, filter := range map[string]string{"age>9": "$.age gt 9", "active": "$.active eq true", "email null": "$.email is_null", "tier Gold": `$.tier eq "Gold"`} {
			code, out, problem := command(t, append([]string{"query", "entities", "Customer", "--json", "--filter", filter}, flags...)...)
			if code != exitOK {
				t.Fatalf("%s: %s: exit %d, %s", store, filter, code, problem)
			}
			keys := []string{}
			for _, r := range decoded[[]struct{ Key string }](t, out) {
				keys = append(keys, r.Key)
			}
			if diff := cmp.Diff(decoded[[]string](t, string(want.Typed[name])), keys); diff != "" {
				t.Errorf("%s: %s (-original +ours):\n%s", store, filter, diff)
			}
		}
		_, out, _ := command(t, append([]string{"query", "relations", "Subscription", "--json", "--filter", "left.$.age gt 1", "--filter", "$.seats lt 3"}, flags...)...)
		links := [][]string{}
		for _, r := range decoded[[]struct {
			Left  string `json:"left_key"`
			Right string `json:"right_key"`
		}](t, out) {
			links = append(links, []string{r.Left, r.Right})
		}
		if diff := cmp.Diff(decoded[[][]string](t, string(want.Typed["left age"])), links); diff != "" {
			t.Errorf("%s: left.$.age (-original +ours):\n%s", store, diff)
		}
		_, out, _ = command(t, withFlags("query traverse Customer --json --via Purchase", flags...)...)
		paths := [][]any{}
		for _, path := range decoded[[]struct {
			Key       string `json:"source_key"`
			Relations []struct {
				Left   string `json:"left_key"`
				Right  string `json:"right_key"`
				Fields struct{ Qty int }
			}
		}](t, out) {
			relations := []any{}
			for _, r := range path.Relations { // the original's answer has instance keys, its command quantities
				relations = append(relations, []any{r.Left, r.Right, map[int]string{1: "o1", 6: "o2"}[r.Fields.Qty]})
			}
			paths = append(paths, []any{path.Key, relations})
		}
		if diff := cmp.Diff(decoded[[][]any](t, string(want.Typed["via Purchase"])), paths); diff != "" {
			t.Errorf("%s: via Purchase (-original +ours):\n%s", store, diff)
		}
	}
}

// TestTraverse goes over several hops, in both directions, over relations that link a type with
// itself, and to entities that are not there.
func TestTraverse(t *testing.T) {
	flags := oddDir(t, `CREATE TABLE town (id text PRIMARY KEY, size bigint);
		CREATE TABLE road (left_key text REFERENCES town, right_key text REFERENCES town, toll text, km double precision, PRIMARY KEY (left_key, right_key, toll));
		CREATE TABLE person (id bigint PRIMARY KEY, name text);
		CREATE TABLE lives (left_key bigint REFERENCES person, right_key text REFERENCES town, PRIMARY KEY (left_key, right_key));
		INSERT INTO town VALUES ('a', 1), ('b', 2), ('c', 3), ('d', NULL);
		INSERT INTO road VALUES ('a', 'b', 'x', 1), ('a', 'b', 'y', 2.5), ('b', 'c', 'x', 3), ('c', 'ghost', 'x', 4);
		INSERT INTO person VALUES (1, 'Ann'), (2, 'Ben');
		INSERT INTO lives VALUES (1, 'a'), (2, 'a'), (2, 'c'), (3, 'b')`)
	say := func(args ...string) string {
		t.Helper()
		code, out, problem := command(t, append(append([]string{"query", "traverse"}, args...), flags...)...)
		if code != exitOK {
			t.Fatalf("query traverse %q: exit %d, %s", args, code, problem)
		}
		return out
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"town", "--via", "road", "--via", "road"}, `
source_key  left_key  right_key  fields
----------  --------  ---------  -----------
a           a         b          {"km": 1.0}
a           a         b          {"km": 2.5}
a           b         c          {"km": 3.0}
b           b         c          {"km": 3.0}
b           c         ghost      {"km": 4.0}
c           c         ghost      {"km": 4.0}
d                                
`},
		{[]string{"town", "--via", "road", "--without-relations", "--filter", "$.size lt 3"}, `
key  id  size  commit_id
---  --  ----  ---------
b    b   2     1
b    b   2     1
c    c   3     1
`},
		{[]string{"town", "--via", "lives", "--via", "lives", "--without-relations", "--filter", `$.id eq "a"`}, `
key  id  name  commit_id  size
---  --  ----  ---------  ----
1    1   Ann   1          
2    2   Ben   1          
a    a         1          1
a    a         1          1
c    c         1          3
`},
		{[]string{"town", "--via", "road", "--filter", `$.id eq "z"`}, "\nNo results.\n"},
		{[]string{"town", "--filter", `$.id eq "a"`, "--json"}, `
[
  {
    "source_key": "a",
    "source": {
      "id": "a",
      "size": 1
    },
    "relations": []
  }
]
`},
	} {
		if got := "\n" + say(c.args...); got != c.want {
			t.Errorf("query traverse %q:%s\nwant%s", c.args, got, c.want)
		}
	}
}

// TestQueryOfASchemaFile shows the types and fields of a schema file.
func TestQueryOfASchemaFile(t *testing.T) {
	flags := fixtureFlags(t, "s3-v2")
	schema := file(t, "models.sql", `CREATE TABLE product (sku bigint PRIMARY KEY, title text, colour text); CREATE TABLE shelf (id text PRIMARY KEY)`)
	code, out, problem := command(t, append([]string{"query", "entities", "product", "--schema", schema, "--filter", "$.sku eq 7", "--json"}, flags...)...)
	if got := decoded[[]map[string]any](t, out); code != exitOK || !cmp.Equal(got, []map[string]any{{"key": "7", "sku": 7.0, "title": "Widget", "colour": nil, "commit_id": 1.0}}) {
		t.Errorf("exit %d, %s%s", code, out, problem)
	}
	for line, want := range map[string]struct {
		code int
		out  string
	}{
		"query entities shelf":           {exitOK, "No results.\n"},
		"query entities shelf --json":    {exitOK, "[]\n"},
		"query traverse shelf":           {exitOK, "No results.\n"},
		"query entities Customer":        {exitUsage, ""},
		"query relations Purchase":       {exitUsage, ""},
		"query entities product --limit": {exitUsage, ""},
	} {
		code, out, problem := command(t, withFlags(line+" --schema "+schema, flags...)...)
		if code != want.code || out != want.out || (code != exitOK) != (problem != "") {
			t.Errorf("%s: exit %d, %s%s; want %v", line, code, out, problem, want)
		}
	}
	if code, _, problem := command(t, withFlags("query entities product --schema nowhere.sql", flags...)...); code != exitGeneral || problem == "" {
		t.Errorf("a schema file that is missing: exit %d, %s", code, problem)
	}
}

// TestQueryRefuses lists command lines that make no sense.
func TestQueryRefuses(t *testing.T) {
	flags := fixtureFlags(t, "s3-v1")
	for _, args := range [][]string{
		{"query"},
		{"query", "events"},
		{"query", "entities"},
		{"query", "entities", "Customer", "product"},
		{"query", "entities", "Nobody"},
		{"query", "entities", "Purchase"},
		{"query", "relations", "Customer"},
		{"query", "traverse", "Purchase"},
		{"query", "entities", "Scratch"}, // dropped
		{"query", "entities", "Customer", "--limit", "-1"},
		{"query", "entities", "Customer", "--offset", "-1"},
		{"query", "entities", "Customer", "--as-of", "someday"},
		{"query", "entities", "Customer", "--history-since", "-1"},
		{"query", "entities", "Customer", "--as-of", "2", "--with-history"},
		{"query", "entities", "Customer", "--as-of", "2", "--history-since", "0"},
		{"query", "entities", "Customer", "--filter", "$.age"},
		{"query", "entities", "Customer", "--filter", "left.$.age eq 1"},
		{"query", "traverse", "Customer", "--via", "Nobody"},
		{"query", "traverse", "product", "--via", "Follows"},
		{"query", "traverse", "Customer", "--without-relations"},
		{"query", "traverse", "Customer", "--limit", "1"},
	} {
		code, out, problem := command(t, append(args, flags...)...)
		if code != exitUsage || out != "" || problem == "" {
			t.Errorf("%q: exit %d, %s%s; want %d", args, code, out, problem, exitUsage)
		}
	}
	if code, _, _ := command(t, "query", "entities", "Customer", "--storage-uri", t.TempDir()+"/nowhere"); code != exitOpen {
		t.Errorf("no store: exit %d, want %d", code, exitOpen)
	}
	code, out, problem := command(t, append([]string{"query", "entities", "Customer", "--filter", "$.age gt 1" + strings.Repeat("0", 400)}, flags...)...)
	if code == exitOK && out != "No results.\n" {
		t.Errorf("a number above all: exit %d, %s%s", code, out, problem)
	}
}
