package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoOntology runs each command on an empty directory and on a SQLite file that is not there:
// it says that there is no ontology, exits 5, and makes nothing (seed 001, test 11).
func TestNoOntology(t *testing.T) {
	work := t.TempDir()
	input, schema := filepath.Join(work, "Thing.jsonl"), filepath.Join(work, "schema.sql")
	for path, text := range map[string]string{
		input:  `{"type_kind":"entity","type_name":"Thing","key":"a","fields":{"id":"a"}}` + "\n",
		schema: "CREATE TABLE thing (id text PRIMARY KEY);",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	output := filepath.Join(work, "output")
	directory := t.TempDir()
	for _, store := range []string{directory, "sqlite:///" + filepath.Join(work, "onto.db")} {
		for _, line := range []string{
			"info", "info --stats --schema", "verify --schema " + schema, "schema export", "schema history --kind entity --type Thing",
			"schema drop entity Thing", "migrate --dry-run --schema " + schema, "commits", "commits examine --id 1", "export --output " + output,
			"import --apply --input " + input, "fsck", "fsck --data", "lock show", "log", "show 1", "diff 1 2", "blame Thing a",
			"compact", "compact --apply", "gc", "gc --apply",
		} {
			if (strings.HasPrefix(line, "compact") || strings.HasPrefix(line, "gc")) && strings.HasPrefix(store, "sqlite") {
				continue // refused for what the store is
			}
			code, out, errs := command(t, strings.Fields(line+" --storage-uri "+store)...)
			if code != exitOpen || out != "" || !strings.Contains(errs, "not initialised") {
				t.Errorf("%s of %s: exit %d\n%s%s", line, store, code, out, errs)
			}
		}
	}
	for path, want := range map[string]int{work: 2, directory: 0} {
		if left, err := os.ReadDir(path); err != nil || len(left) != want {
			t.Errorf("left behind in %s: %v, %v", path, left, err)
		}
	}
}
