package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/fixtures"
)

// TestExamine asks of every commit what the original says of it. The original calls
// every change of a bucket "insert_or_update" (COMPAT D14); we say which it was, as
// the same history in a SQLite file has it.
func TestExamine(t *testing.T) {
	type expectation struct {
		Changes map[string][]map[string]string `json:"changes"`
	}
	read := func(name string) (e expectation) {
		if err := json.Unmarshal(fixtures.File(t, name), &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	name := func(c map[string]string) string {
		return strings.Join([]string{c["kind"], c["type_name"], c["key"], c["left_key"], c["right_key"], c["instance_key"]}, " ")
	}
	operations := map[string]string{} // by commit and identity
	for id, changes := range read("sqlite-v1/expected.json").Changes {
		for _, c := range changes {
			operations[id+" "+name(c)] = c["operation"]
		}
	}
	for _, store := range []string{"s3-v1", "s3-v2"} {
		_, flags := fixtureDir(t, store+"/stage3-final")
		for id, want := range read(store + "/expected.json").Changes {
			for _, c := range want {
				operation, there := operations[id+" "+name(c)]
				if !there { // which only the buckets have, each once; some of a type dropped since
					operation = "insert"
				}
				c["operation"] = operation
			}
			code, out, stderr := command(t, append([]string{"commits", "examine", "--id", id, "--json"}, flags...)...)
			if code != exitOK {
				t.Errorf("%s: commits examine --id %s: exit %d, %s", store, id, code, stderr)
				continue
			}
			got := decoded[struct {
				ID      json.Number         `json:"commit_id"`
				Time    string              `json:"timestamp"`
				Changes []map[string]string `json:"changes"`
			}](t, out)
			if diff := cmp.Diff(want, got.Changes); diff != "" || got.ID.String() != id || got.Time == "" {
				t.Errorf("%s: commit %s at %s (-original +ours):\n%s", store, got.ID, got.Time, diff)
			}
		}
	}
}

// TestExamineFile asks the same of a SQLite file.
func TestExamineFile(t *testing.T) {
	for _, store := range []string{"sqlite-v1", "sqlite-v2"} {
		var want struct {
			Changes map[string][]map[string]string `json:"changes"`
		}
		if err := json.Unmarshal(fixtures.File(t, store+"/expected.json"), &want); err != nil {
			t.Fatal(err)
		}
		_, flags := fixtureFile(t, store)
		for id := 1; id <= 7; id++ {
			code, out, stderr := command(t, append([]string{"commits", "examine", "--json", "--id", fmt.Sprint(id)}, flags...)...)
			if code != exitOK {
				t.Errorf("%s: commits examine --id %d: exit %d, %s", store, id, code, stderr)
				continue
			}
			got := decoded[struct{ Changes []map[string]string }](t, out)
			if diff := cmp.Diff(want.Changes[fmt.Sprint(id)], got.Changes); diff != "" {
				t.Errorf("%s: commit %d (-original +ours):\n%s", store, id, diff)
			}
		}
	}
}

// TestExaminePrints prints a commit as a table, and refuses one that there is not.
func TestExaminePrints(t *testing.T) {
	_, flags := fixtureDir(t, "s3-v1/stage3-final")
	code, out, _ := command(t, append([]string{"commits", "examine", "--id", "2"}, flags...)...)
	for _, want := range []string{"commit_id: 2\n", "operations: 3\n", "entity    Customer   c2            update_version\n", "relation  Purchase   c1 -> 7 (o2)  update_version\n"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("commits examine --id 2: exit %d, no %q in\n%s", code, want, out)
		}
	}
	if code, same, _ := command(t, append([]string{"commits", "--id", "2", "--last", "1"}, flags...)...); code != exitOK || same != out {
		t.Errorf("commits --id 2: exit %d,\n%s\nwant what examine prints:\n%s", code, same, out)
	}
	for _, c := range []struct {
		args string
		code int
	}{
		{"commits --id 99", exitGeneral},
		{"commits --id 2 --since 1", exitUsage},
		{"commits --id 2 --meta a=b", exitUsage},
		{"commits examine --id 99", exitGeneral},
		{"commits examine --id 0", exitGeneral},
		{"commits examine", exitUsage},
		{"commits examine 2", exitUsage},
	} {
		if code, out, stderr := command(t, append(strings.Fields(c.args), flags...)...); code != c.code || out != "" || stderr == "" {
			t.Errorf("%s: exit %d, %s, %s; want %d", c.args, code, out, stderr, c.code)
		}
	}
}
