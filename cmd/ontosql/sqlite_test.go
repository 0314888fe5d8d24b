package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/fixtures"
)

// object is what a command prints with --json.
func object(t *testing.T, args ...string) (out map[string]any) {
	t.Helper()
	code, stdout, stderr := command(t, append(args, "--json")...)
	if code != exitOK {
		t.Fatalf("%q: exit %d, %s", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatalf("%q printed %s: %v", args, stdout, err)
	}
	return out
}

// TestInitFile initialises an ontology in a SQLite file, once and then again.
func TestInitFile(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "onto.db")
	plan := object(t, "init", "--db", path, "--dry-run")
	if _, err := os.Stat(path); err == nil || plan["status"] != "dry_run" || plan["message"] == nil || plan["already_initialized"] != false {
		t.Errorf("a dry run made the file or printed %v", plan)
	}
	done := object(t, "init", "--db", path)
	for name, want := range map[string]any{"backend": "sqlite", "db_path": path, "engine_version": "v1", "status": "initialized"} {
		if done[name] != want {
			t.Errorf("init says that %s is %v, want %v", name, done[name], want)
		}
	}
	if code, _, stderr := command(t, "init", "--db", path); code != exitExecution || !strings.Contains(stderr, "--force --token "+fmt.Sprint(plan["force_token"])) {
		t.Errorf("init of an ontology that is there: exit %d, %s", code, stderr)
	}
	if code, _, stderr := command(t, "sql", "--db", path, "-c", `CREATE TABLE "Thing" (id text PRIMARY KEY); INSERT INTO thing VALUES ('a')`); code != exitOK {
		t.Fatalf("write: exit %d, %s", code, stderr)
	}
	object(t, "init", "--db", path, "--engine-version", "v2", "--force", "--token", fmt.Sprint(plan["force_token"]))
	if about := object(t, "info", "--storage-uri", "sqlite://"+path); about["head_commit_id"] != nil || about["engine_version"] != "v2" {
		t.Errorf("after the new beginning info tells %v", about)
	}
	if code, _, stderr := command(t, "info", "--db", filepath.Join(t.TempDir(), "none.db")); code != exitOpen || !strings.Contains(stderr, "ontosql init") {
		t.Errorf("info of no file: exit %d, %s", code, stderr)
	}
}

// TestCommandsOverAFile runs the commands of the original over a file that it wrote.
func TestCommandsOverAFile(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "onto.db")
	if err := os.WriteFile(path, fixtures.File(t, "sqlite-v1/onto.db"), 0o600); err != nil {
		t.Fatal(err)
	}
	about := object(t, "info", "--db", path, "--stats")
	counts, _ := about["entity_counts"].(map[string]any)
	if about["head_commit_id"] != 7.0 || about["backend"] != "sqlite" || about["db_path"] != path || counts["Customer"] != 4.0 || about["file_size_bytes"] == nil {
		t.Errorf("info: %v", about)
	}
	if _, stdout, _ := command(t, "commits", "--db", path, "--last", "2", "--json"); !strings.Contains(stdout, `"operation": "schema_drop"`) || strings.Count(stdout, "commit_id") != 2 {
		t.Errorf("commits: %s", stdout)
	}
	export := object(t, "schema", "export", "--db", path, "--kind", "entity", "--type", "Customer")
	if export["schema_version_id"] != 2.0 || export["entity_name"] != "Customer" {
		t.Errorf("schema export: %v", export)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"schema", "history", "--kind", "entity", "--type", "Customer"}, "migration"},
		{[]string{"sql", "--format", "csv", "-c", "UPDATE customer SET age = age + 1 WHERE id = 'c3' RETURNING age"}, "age\n42\n"},
		{[]string{"sql", "--format", "csv", "--as-of", "HEAD~1", "-c", "SELECT age FROM customer WHERE id = 'c3'"}, "age\n41\n"},
		{[]string{"sql", "-c", "ALTER TABLE product ADD COLUMN stock bigint DEFAULT 3"}, "ALTER TABLE"},
		{[]string{"sql", "--format", "csv", "-c", "SELECT sku, stock FROM product ORDER BY sku"}, "sku,stock\n7,3\n10,3\n11,3\n"},
		{[]string{"schema", "drop", "relation", "Follows", "--dry-run", "--purge-history"}, "Follows"},
		{[]string{"commits", "--last", "1"}, "9 "},
	} {
		code, stdout, stderr := command(t, append(c.args, "--db", path)...)
		if code != exitOK || !strings.Contains(stdout, c.want) {
			t.Errorf("%q: exit %d, printed %q, %s; want %q", c.args, code, stdout, stderr, c.want)
		}
	}
}

// TestWhichOntology tells what a command works on where it is said in several ways.
func TestWhichOntology(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := t.TempDir()
	path := filepath.Join(folder, "onto.db")
	object(t, "init", "--db", path)
	t.Chdir(folder)
	object(t, "info") // the original's default, in the working directory
	t.Setenv("ONTOLOGIA_STORAGE_URI", "sqlite:////nowhere/else.db")
	if about := object(t, "info", "--db", path); about["db_path"] != path {
		t.Errorf("--db gives way to the environment: %v", about)
	}
	t.Setenv("ONTOLOGIA_STORAGE_URI", "")
	t.Setenv("ONTOLOGIA_DB", "/nowhere/else.db")
	if about := object(t, "info", "--storage-uri", "sqlite://"+path); about["db_path"] != path {
		t.Errorf("--storage-uri gives way to the environment: %v", about)
	}
}

// TestServeOfNoOntology starts a server on files that can never be served: it ends at
// once, as every other command does.
func TestServeOfNoOntology(t *testing.T) {
	whole, _ := fixtureFile(t, "sqlite-v2")
	body, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for _, c := range []struct {
		name, sql string
		body      []byte
		want      string
	}{
		{"a text", "", []byte(strings.Repeat("not a database ", 100)), "is no SQLite database"},
		{"another application's", "CREATE TABLE t (a)", nil, "another application's database"},
		{"a newer engine's", "UPDATE storage_meta SET value = 'v9' WHERE key = 'engine_version'", body, "engine_version"},
	} {
		path := filepath.Join(t.TempDir(), "onto.db")
		if err := os.WriteFile(path, c.body, 0o600); err != nil {
			t.Fatal(err)
		}
		if c.sql != "" {
			editFile(t, path, c.sql)
		}
		var out, problem bytes.Buffer
		code := run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--storage-uri", path}, strings.NewReader(""), &out, &problem)
		if code != exitOpen || !strings.Contains(problem.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: exit %d, printed %q, said %q; want exit %d and %q", c.name, code, out.String(), problem.String(), exitOpen, c.want)
		}
	}
}

// TestDamageOfAFile runs commands over files with something wrong: what it is, is
// said once, and by the right exit code.
func TestDamageOfAFile(t *testing.T) {
	whole, flags := fixtureFile(t, "sqlite-v2")
	schema := filepath.Join(t.TempDir(), "schema.json")
	if code, _, stderr := command(t, append([]string{"schema", "export", "--output", schema}, flags...)...); code != exitOK {
		t.Fatalf("schema export: exit %d, %s", code, stderr)
	}
	layouts, _ := object(t, append([]string{"info"}, flags...)...)["type_layouts"].(map[string]any)
	customer, _ := layouts["Customer"].(map[string]any)
	if len(layouts) != 5 || customer["current_schema_version_id"] != 2.0 || customer["activation_commit_id"] != 4.0 || fmt.Sprint(customer["historical_versions"]) != "[1]" {
		t.Errorf("info says of layouts %v", layouts)
	}
	for _, c := range []struct {
		name, damage, line string
		exit               int
		want               string
	}{
		{"sound", "", "verify --strict --schema " + schema, exitOK, "Schema OK."},
		{"a gap", "DELETE FROM commits WHERE id = 6", "verify --strict --schema " + schema, exitExecution, "error: commit ids: 1 found"},
		{"a gap", "DELETE FROM commits WHERE id = 6", "verify --schema " + schema, exitOK, "commits row 7: commit 6 is missing"},
		{"a negative id", "INSERT INTO commits VALUES (-3, '2026-01-01T00:00:00.000000+00:00', NULL)", "verify --schema " + schema, exitOK, "commit ids begin at 1"},
		{"rows of no commit", "UPDATE entity_history SET commit_id = 99 WHERE id = 2", "verify --schema " + schema, exitOK, "error: foreign keys: 1 found"},
		{"no metadata", "ALTER TABLE commits DROP COLUMN metadata_json", "fsck", exitExecution, "head 7"},
		{"a lock of no time", "INSERT INTO locks VALUES ('ontology_write', 'me', 'then', 'soon')", "lock show", exitOK, "owner_id: me\nis_expired: true\n"},
	} {
		path := filepath.Join(t.TempDir(), "onto.db")
		body, err := os.ReadFile(whole)
		if err == nil {
			err = os.WriteFile(path, body, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		editFile(t, path, "PRAGMA foreign_keys = OFF;"+c.damage)
		code, out, stderr := command(t, append(strings.Fields(c.line), "--db", path)...)
		if code != c.exit || !strings.Contains(out, c.want) {
			t.Errorf("%s: %s: exit %d, printed %s%s; want exit %d and %q", c.name, c.line, code, out, stderr, c.exit, c.want)
		}
	}
	if code, _, stderr := command(t, "init", "--storage-uri", ":memory:"); code != exitUsage {
		t.Errorf("init in memory: exit %d, %s; want %d", code, stderr, exitUsage)
	}
}
