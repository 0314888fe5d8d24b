package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// TestSchemaExportAsTheOriginal compares with what the original says of the last
// state of its stores.
func TestSchemaExportAsTheOriginal(t *testing.T) {
	type version struct {
		ID        int64  `json:"schema_version_id"`
		Hash      string `json:"schema_hash"`
		CreatedAt string `json:"created_at"`
		RuntimeID string `json:"runtime_id"`
		Reason    string `json:"reason"`
		JSON      string `json:"schema_json"`
	}
	for _, engine := range []string{"s3-v1", "s3-v2"} {
		_, flags := fixtureDir(t, engine+"/stage3-final")
		expected := decoded[struct {
			Schemas map[string][]struct {
				Name   string          `json:"type_name"`
				Schema json.RawMessage `json:"schema"`
			} `json:"schemas"`
			Entities map[string]struct {
				Versions []version `json:"schema_versions"`
			} `json:"entities"`
		}](t, string(fixtures.File(t, engine+"/expected.json")))

		code, out, problem := command(t, withFlags("schema export", flags...)...)
		if code != exitOK {
			t.Fatalf("%s: export: exit %d, %s", engine, code, problem)
		}
		got := decoded[map[string]map[string]json.RawMessage](t, out)
		for kind, section := range map[string]string{"entity": "entities", "relation": "relations"} {
			if len(got[section]) != len(expected.Schemas[kind]) {
				t.Errorf("%s: %d %s, the original has %d", engine, len(got[section]), section, len(expected.Schemas[kind]))
			}
			for _, s := range expected.Schemas[kind] {
				if !format.Equal(got[section][s.Name], s.Schema) {
					t.Errorf("%s: %s is %s, the original's %s", engine, s.Name, got[section][s.Name], s.Schema)
				}
			}
		}

		versions := expected.Entities["Customer"].Versions
		var lines []schemaVersion
		for _, v := range versions {
			lines = append(lines, schemaVersion{Kind: "entity", Type: "Customer", ID: v.ID, Hash: v.Hash[:12], CreatedAt: v.CreatedAt, RuntimeID: v.RuntimeID, Reason: v.Reason})
			one := []string{"--kind", "entity", "--type", "Customer", "--version", string('0' + rune(v.ID))}
			code, out, problem = command(t, append(withFlags("schema export", flags...), one...)...)
			schema, err := format.ParseJSON([]byte(v.JSON))
			if code != exitOK || err != nil {
				t.Fatalf("%s: export of version %d: exit %d, %s, %v", engine, v.ID, code, problem, err)
			}
			want := withMembers(schema,
				format.Member{Name: "schema_version_id", Value: format.Int(v.ID)},
				format.Member{Name: "schema_hash", Value: format.String(v.Hash)},
				format.Member{Name: "created_at", Value: format.String(v.CreatedAt)},
			)
			if !format.Equal([]byte(out), want.Append(nil, format.Canonical)) {
				t.Errorf("%s: version %d is\n%s\nwant\n%s", engine, v.ID, out, want.Append(nil, format.Spaced))
			}
			_, out, _ = command(t, append(withFlags("schema history --json", flags...), one...)...)
			detail := decoded[schemaVersion](t, out)
			if detail.Hash != v.Hash || !format.Equal(detail.Schema, []byte(v.JSON)) {
				t.Errorf("%s: the detail of version %d is %s", engine, v.ID, out)
			}
		}
		for options, want := range map[string][]schemaVersion{"": lines, "--last 1": lines[1:], "--last 0": {}, "--since-version 1": lines[1:], "--since-version 2": {}} {
			code, out, problem = command(t, append(withFlags("schema history --json --kind entity --type Customer", flags...), strings.Fields(options)...)...)
			if diff := gocmp.Diff(want, decoded[[]schemaVersion](t, out)); code != exitOK || diff != "" {
				t.Errorf("%s: history %s: exit %d, %s (-the original's +ours):\n%s", engine, options, code, problem, diff)
			}
		}
	}
}

// TestSchemaText: what a person reads, and what is not there.
func TestSchemaText(t *testing.T) {
	_, flags := fixtureDir(t, "s3-v1/stage3-final")
	for _, c := range []struct {
		line, out, problem string
		code               int
	}{
		{"schema history --kind entity --type product", "version  hash          created_at                        runtime_id      reason\n" +
			"-------  ------------  --------------------------------  --------------  -------\n" +
			"1        7e961728966b  2026-11-21T02:04:36.887331+00:00  fixture-writer  initial\n", "", exitOK},
		{"schema history --kind entity --type Scratch", "", `there is no entity type "Scratch"`, exitGeneral},
		{"schema history --kind entity --type product --version 7", "", `has no version 7`, exitGeneral},
		{"schema export --kind entity", "", "--type NAME", exitUsage},
		{"schema export --type product", "", "--kind entity or relation", exitUsage},
		{"schema export --kind entity --type Scratch", "", `there is no schema of entity "Scratch"`, exitGeneral},
		{"schema export --kind entity --type product --version 7", "", `of version 7`, exitGeneral},
		{"schema export --kind relation --type Follows --format yaml", "created_at: \"", "", exitOK},
		{"schema export --output /nowhere/f", "", "no such file", exitExecution},
		{"schema export --schema /nowhere/f", "", "no such file", exitGeneral},
	} {
		code, out, problem := command(t, withFlags(c.line, flags...)...)
		if code != c.code || !strings.HasPrefix(out, c.out) || c.out == "" && out != "" || !strings.Contains(problem, c.problem) {
			t.Errorf("%s: exit %d, %q, %q; want exit %d, %q, %q", c.line, code, out, problem, c.code, c.out, c.problem)
		}
	}
	output := filepath.Join(t.TempDir(), "schema.json")
	code, out, _ := command(t, withFlags("schema export --output "+output, flags...)...)
	_, printed, _ := command(t, withFlags("schema export", flags...)...)
	if written, err := os.ReadFile(output); code != exitOK || out != "Written to "+output+"\n" || err != nil || string(written) != printed {
		t.Errorf("export to a file: exit %d, %q, %v, %d bytes", code, out, err, len(written))
	}
}

// TestSchemaDropOfATypeMadeAnew counts rows that the commit wrote that dropped the type before.
func TestSchemaDropOfATypeMadeAnew(t *testing.T) {
	_, flags := fixtureDir(t, "s3-v1/stage2-migrated")
	file := filepath.Join(t.TempDir(), "anew.sql")
	if err := os.WriteFile(file, []byte("CREATE TABLE fleet (id text PRIMARY KEY); BEGIN; DROP TABLE fleet; CREATE TABLE fleet (id text PRIMARY KEY); INSERT INTO fleet VALUES ('a'); COMMIT;"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, problem := command(t, withFlags("sql -f "+file, flags...)...); code != exitOK {
		t.Fatalf("sql: exit %d, %s%s", code, out, problem)
	}
	if code, out, problem := command(t, withFlags("schema drop entity fleet", flags...)...); code != exitDropSafety || !strings.Contains(problem, "existing rows: fleet") {
		t.Errorf("schema drop: exit %d, %s%s", code, out, problem)
	}
}

// TestSchemaDrop drops types of a fixture as its original would.
func TestSchemaDrop(t *testing.T) {
	for _, engine := range []string{"s3-v1", "s3-v2"} {
		t.Run(engine, func(t *testing.T) {
			path, flags := fixtureDir(t, engine+"/stage2-migrated")
			run := func(line string, code int, says string) string {
				t.Helper()
				got, out, problem := command(t, withFlags("schema drop "+line, flags...)...)
				if got != code || !strings.Contains(out+problem, says) {
					t.Errorf("schema drop %s: exit %d, %s%s; want exit %d and %q", line, got, out, problem, code, says)
				}
				return out
			}
			run("entity Nix", exitUsage, `there is no entity "Nix"`)
			run("relation Customer", exitUsage, `there is no relation "Customer"`)
			run("entity Customer", exitDropSafety, "Follows, Purchase, Subscription")
			run("entity Customer --drop-relation Follows --drop-relation Purchase", exitDropSafety, ": Subscription;")
			run("entity Customer --drop-relation Nix --drop-relation Follows --drop-relation Purchase --drop-relation Subscription", exitUsage, `no relation "Nix"`)
			run("entity Customer --cascade-relations", exitDropSafety, "types with existing rows: Customer, Follows, Purchase, Subscription; --purge-history")
			run("entity product --cascade-relations --purge-history", exitOK, "    relation 'Subscription' (2 rows)\n")

			plan := decoded[dropPlan](t, run("entity Scratch --json", exitOK, "token"))
			want := dropPlan{Target: typeName{"entity", "Scratch"}, Affected: []typeName{{"entity", "Scratch"}}, Rows: map[string]int64{"Scratch": 0}, Token: plan.Token}
			if diff := gocmp.Diff(want, plan, gocmp.AllowUnexported(dropPlan{})); diff != "" {
				t.Errorf("the plan (-want +got):\n%s", diff)
			}
			run("entity Scratch --apply --purge-history --token "+plan.Token, exitDropSafety, "hint: --dry-run")
			result := decoded[dropped](t, run("entity Scratch --json --apply --meta why=tidy --token "+plan.Token, exitOK, "dropped"))
			if diff := gocmp.Diff(dropped{"dropped", 5, []typeName{{"entity", "Scratch"}}}, result); diff != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
			run("entity Scratch --apply --token "+plan.Token, exitUsage, `no entity "Scratch"`)

			plan = decoded[dropPlan](t, run("entity product --json --purge-history --cascade-relations", exitOK, "token"))
			if !plan.PurgeRequired || plan.Rows["product"] != 3 || len(plan.Affected) != 3 {
				t.Errorf("the plan of a cascade is %+v", plan)
			}
			run("entity product --apply --purge-history --cascade-relations --token "+plan.Token, exitOK, "Schema drop applied (commit 6):\n  Dropped relation 'Purchase'\n  Dropped relation 'Subscription'\n  Dropped entity 'product'\n")
			checkAtRest(t, path)
			types := asOriginal(t, path)
			if len(types) != 2 {
				t.Errorf("the original still sees %d types", len(types))
			}
			_, out, _ := command(t, withFlags("commits --last 2 --json", flags...)...)
			for i, meta := range []string{
				`{"actor":"ontosql","affected_types":"[{\"kind\": \"relation\", \"type_name\": \"Purchase\"}, {\"kind\": \"relation\", \"type_name\": \"Subscription\"}, {\"kind\": \"entity\", \"type_name\": \"product\"}]","operation":"schema_drop","target_kind":"entity","target_type":"product"}`,
				`{"actor":"ontosql","affected_types":"[{\"kind\": \"entity\", \"type_name\": \"Scratch\"}]","operation":"schema_drop","target_kind":"entity","target_type":"Scratch","why":"tidy"}`,
			} {
				if line := decoded[[]commitLine](t, out)[i]; !format.Equal(line.Meta, []byte(meta)) {
					t.Errorf("commit %d says %s, want %s", line.CommitID, line.Meta, meta)
				}
			}
		})
	}
}

// TestStalePlan: a plan is carried out at its own head alone, which is looked at
// under the lock.
func TestStalePlan(t *testing.T) {
	path, flags := fixtureDir(t, "s3-v1/stage1-commits")
	a, err := parseAddress(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{out: os.Stdout, err: os.Stderr}
	p.cfg = Config{RuntimeID: "t", CacheDir: t.TempDir(), CacheSize: "1GiB", S3LockTimeoutMS: 5000, S3LeaseTTLMS: 30000}
	g, err := p.openSole(t.Context(), a, gatewayUse{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.close(t.Context())
	scratch := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Scratch"}
	_, err = g.handler.ChangeSchema(t.Context(), soleName, &typeddl.SchemaPlan{Head: 2, Drop: []ontosql.TypeRef{scratch}})
	if !overtaken(err) {
		t.Errorf("a plan of commit 2 at commit 3: %v, want a serialization failure", err)
	}
	token := decoded[dropPlan](t, func() string {
		_, out, _ := command(t, withFlags("schema drop entity Scratch --json", flags...)...)
		return out
	}()).Token
	if code, _, problem := command(t, append([]string{"sql", "-c", "INSERT INTO scratch VALUES ('s')"}, flags...)...); code != exitOK {
		t.Fatal(problem)
	}
	code, _, problem := command(t, withFlags("schema drop entity Scratch --apply --token "+token, flags...)...)
	if code != exitDropSafety || !strings.Contains(problem, "existing rows: Scratch") {
		t.Errorf("drop of a type that has rows since: exit %d, %s", code, problem)
	}
}

// TestCreateTableAsOurUser: the user of the commands has the name of one of ontosql's schemas,
// in which no table can be created.
func TestCreateTableAsOurUser(t *testing.T) {
	_, flags := fixtureDir(t, "s3-v1/stage0-init")
	code, out, problem := command(t, append([]string{"sql", "--format", "csv", "-c", "CREATE TABLE t (id text PRIMARY KEY); SELECT current_schemas(false)"}, flags...)...)
	if code != exitOK || !strings.HasSuffix(out, "{public}\n") {
		t.Errorf("exit %d, %q, %s; want the table in public", code, out, problem)
	}
}

// TestUpgraderChain: which steps there are, and which are missing.
func TestUpgraderChain(t *testing.T) {
	u := upgraders{"T": {1: {"a": "1"}, 2: {"b": "2"}, 5: {"c": "3"}}, "Far": {1 << 40: {}}}
	for _, c := range []struct {
		name    string
		stored  int64
		steps   int
		missing []int64
	}{{"T", 1, 5, []int64{3, 4}}, {"T", 5, 1, nil}, {"T", 6, 1, []int64{6}}, {"Other", 3, 1, []int64{3}}} {
		steps, missing := u.chain(c.name, c.stored)
		if len(steps) != c.steps || !slices.Equal(missing, c.missing) {
			t.Errorf("%s from %d: %d steps, missing %d; want %d, %d", c.name, c.stored, len(steps), missing, c.steps, c.missing)
		}
	}
	if _, missing := u.chain("Far", 1); len(missing) != mostMissing {
		t.Errorf("%d missing steps are listed, want %d", len(missing), mostMissing)
	}
	if err := (&migrationPlan{}).complete(); err != nil {
		t.Error(err)
	}
	if err := (&migrationPlan{MissingUpgraders: []string{"T"}, MissingSteps: map[string][]int64{"T": {3, 4}}}).complete(); !errors.Is(err, errMissingUpgraders) {
		t.Error(err)
	}
}
