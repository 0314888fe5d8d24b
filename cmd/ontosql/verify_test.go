package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/fixtures"
)

// originalVerification is what the original prints of verify, and our additions.
type originalVerification struct {
	Status string `json:"status"`
	Diffs  []struct {
		Kind    string                     `json:"type_kind"`
		Name    string                     `json:"type_name"`
		Stored  int64                      `json:"stored_version"`
		Added   []string                   `json:"added_fields"`
		Removed []string                   `json:"removed_fields"`
		Changed map[string]json.RawMessage `json:"changed_fields"`
	} `json:"diffs"`
	NewTypes []typeName `json:"new_types"`
}

// exported writes the schema file of a store.
func exportedSchemas(t *testing.T, flags []string) string {
	t.Helper()
	code, out, stderr := command(t, append([]string{"schema", "export"}, flags...)...)
	if code != exitOK {
		t.Fatalf("schema export: exit %d, %s", code, stderr)
	}
	return out
}

// TestVerify compares a store with schema files, and writes nothing.
func TestVerify(t *testing.T) {
	for _, store := range []string{"s3-v1/stage3-final", "s3-v2/stage3-final"} {
		path, flags := fixtureDir(t, store)
		head := headOf(t, path)
		same := exportedSchemas(t, flags)
		changed := strings.Replace(same, `"title"`, `"titel"`, 1)
		extra := strings.Replace(same, `"entities": {`, `"entities": {"Novel": {"entity_name": "Novel", "fields": {"id": {"index": false, "primary_key": true, "type": "<class 'str'>", "type_spec": {"kind": "primitive", "name": "str"}}}},`, 1)
		for _, c := range []struct {
			name, text   string
			strict       int // exit code with --strict
			status, diff string
			added        []typeName
		}{
			{"the same", same, exitOK, "ok", "", nil},
			{"another field", changed, exitSchema, "mismatch", "product +titel -title", nil},
			{"a new type", extra, exitOK, "ok", "", []typeName{{"entity", "Novel"}}},
		} {
			models := file(t, "models.json", c.text)
			code, out, stderr := command(t, append([]string{"verify", "--schema", models, "--json"}, flags...)...)
			v := decoded[originalVerification](t, out)
			if code != exitOK || v.Status != c.status {
				t.Errorf("%s, %s: exit %d, status %s, %s; want 0 and %s", store, c.name, code, v.Status, stderr, c.status)
			}
			var diff []string
			for _, d := range v.Diffs {
				diff = append(diff, d.Name+" +"+strings.Join(d.Added, ",")+" -"+strings.Join(d.Removed, ","))
			}
			if got := strings.Join(diff, "; "); got != c.diff || !cmp.Equal(v.NewTypes, c.added) {
				t.Errorf("%s, %s: diffs %s and new types %v, want %s and %v", store, c.name, got, v.NewTypes, c.diff, c.added)
			}
			code, out, stderr = command(t, append([]string{"verify", "--schema", models, "--diff", "--strict"}, flags...)...)
			if code != c.strict || (code == exitSchema) != strings.Contains(out, "+ titel") || (code == exitSchema) != strings.Contains(stderr, "are not those of") {
				t.Errorf("%s, %s, strict: exit %d, %s, %s; want %d", store, c.name, code, out, stderr, c.strict)
			}
		}
		if after := headOf(t, path); *after.ManifestPath != *head.ManifestPath {
			t.Errorf("%s: verify moved the head", store)
		}
		code, _, _ := command(t, append([]string{"schema", "history", "--kind", "entity", "--type", "Novel", "--version", "1"}, flags...)...)
		if code != exitGeneral {
			t.Errorf("%s: verify registered a type, as the original does", store)
		}
	}
}

// TestVerifyFile verifies a SQLite file, of which no byte changes.
func TestVerifyFile(t *testing.T) {
	for _, name := range []string{"sqlite-v1", "sqlite-v2"} {
		path, flags := fixtureFile(t, name)
		same := exportedSchemas(t, flags)
		if code, out, stderr := command(t, append([]string{"verify", "--strict", "--schema", modelsOfFixtures(t)}, flags...)...); code != exitOK {
			t.Errorf("%s: the original's models: exit %d, %s, %s", name, code, out, stderr)
		}
		for text, want := range map[string]int{same: exitOK, strings.Replace(same, `"title"`, `"titel"`, 1): exitSchema} {
			code, out, stderr := command(t, append([]string{"verify", "--strict", "--json", "--schema", file(t, "models.json", text)}, flags...)...)
			if code != want || decoded[originalVerification](t, out).Status != map[int]string{exitOK: "ok", exitSchema: "mismatch"}[want] {
				t.Errorf("%s: exit %d, %s, %s; want %d", name, code, out, stderr, want)
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, fixtures.File(t, name+"/onto.db")) {
			t.Errorf("%s: verify changed the file (%v)", name, err)
		}
	}
}

// TestVerifyFromBeforeTypeSpecs accepts a schema without type_spec whose texts say the same, as
// the original does, which then stores it again.
func TestVerifyFromBeforeTypeSpecs(t *testing.T) {
	for _, c := range []struct {
		name, edit, status string
		upgrades           []typeName
	}{
		{"no type_spec", "schema_json", "ok", []typeName{{"entity", "product"}}},
		{"and another type", "replace(schema_json, '<class ''float''>', '<class ''int''>')", "mismatch", nil},
		{"and a type that its text does not tell", "replace(schema_json, '<class ''float''>', 'float | None')", "mismatch", nil},
	} {
		path, flags := fixtureFile(t, "sqlite-v1")
		models := file(t, "models.json", exportedSchemas(t, flags))
		const without = "json_remove(%s, '$.fields.sku.type_spec', '$.fields.title.type_spec', '$.fields.price.type_spec')"
		change := fmt.Sprintf(without, c.edit)
		editFile(t, path, "UPDATE schema_versions SET schema_hash = 'old', schema_json = "+change+" WHERE type_name = 'product';"+
			"UPDATE schema_registry SET schema_json = "+change+" WHERE type_name = 'product'")
		code, out, stderr := command(t, append([]string{"verify", "--schema", models, "--json"}, flags...)...)
		v := decoded[verification](t, out)
		if code != exitOK || v.Status != c.status || !cmp.Equal(v.Upgrades, c.upgrades) {
			t.Errorf("%s: exit %d, %s, %s; want %s and upgrades of %v", c.name, code, out, stderr, c.status, c.upgrades)
		}
	}
}

// TestVerifySQL verifies against SQL, including its declarations that a schema does not have.
func TestVerifySQL(t *testing.T) {
	_, flags := shopDir(t)
	const create = `CREATE TABLE visit (id text PRIMARY KEY, n bigint DEFAULT 1)`
	if code, _, stderr := command(t, append([]string{"sql", "-c", create}, flags...)...); code != exitOK {
		t.Fatalf("create: %s", stderr)
	}
	for _, c := range []struct{ sql, status string }{
		{create, "ok"},
		{`CREATE TABLE visit (id text PRIMARY KEY, n bigint DEFAULT 2)`, "mismatch"},
		{`CREATE TABLE visit (id text PRIMARY KEY, n text)`, "mismatch"},
	} {
		code, out, stderr := command(t, "verify", "--schema", file(t, "schema.sql", c.sql), "--json", flags[0], flags[1])
		if v := decoded[originalVerification](t, out); code != exitOK || v.Status != c.status {
			t.Errorf("%s: exit %d, %s, %s; want %s", c.sql, code, out, stderr, c.status)
		}
	}
}

// TestVerifyUsage refuses what makes no sense.
func TestVerifyUsage(t *testing.T) {
	_, flags := fixtureDir(t, "s3-v1/stage3-final")
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"verify"}, exitUsage},
		{[]string{"verify", "--schema", "/no/such/file"}, exitGeneral},
		{[]string{"verify", "--schema", file(t, "models.json", "[]")}, exitGeneral},
	} {
		if code, out, _ := command(t, append(c.args, flags...)...); code != c.code || out != "" {
			t.Errorf("%v: exit %d, %s; want %d", c.args, code, out, c.code)
		}
	}
	none := file(t, "models.json", "{\"entities\": {}}")
	if code, _, _ := command(t, "verify", "--schema", none, "--storage-uri", t.TempDir()); code != exitOpen {
		t.Errorf("verify no ontology: exit %d, want %d", code, exitOpen)
	}
}
