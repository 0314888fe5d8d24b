package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
)

// fixtureDir is a copy of a fixture and the flags that name it.
func fixtureDir(t *testing.T, store string) (path string, flags []string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path = fixtures.Dir(t, store+"/objects")
	return path, []string{"--storage-uri", path}
}

// withFlags is a command line with more flags.
func withFlags(line string, flags ...string) []string { return append(strings.Fields(line), flags...) }

// file writes a file of the test.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// decoded reads what a command printed.
func decoded[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q is not the JSON that was expected: %v", text, err)
	}
	return v
}

// asOriginal is a store as the original reads it, rows by their keys.
func asOriginal(t *testing.T, path string) map[ontosql.TypeRef]original.Type {
	t.Helper()
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return originalIn(t, b)
}

// originalIn is asOriginal of a bucket.
func originalIn(t *testing.T, b objstore.Bucket) map[ontosql.TypeRef]original.Type {
	t.Helper()
	types, err := original.Read(t.Context(), b)
	if err != nil {
		t.Fatalf("the original opens the store: %v", err)
	}
	for _, typ := range types {
		slices.SortFunc(typ.Rows, func(a, b format.Row) int {
			return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Left, b.Left), strings.Compare(a.Right, b.Right), strings.Compare(a.Instance, b.Instance))
		})
	}
	return types
}

// modelsOfFixtures is a schema file of what the models of the fixtures are after their
// migration.
func modelsOfFixtures(t *testing.T) string {
	t.Helper()
	v := decoded[struct {
		Schemas []struct {
			Class string `json:"class"`
			JSON  string `json:"schema_json"`
		} `json:"schemas"`
	}](t, string(fixtures.File(t, "vectors/vectors.json")))
	sections := map[string]map[string]json.RawMessage{"entities": {}, "relations": {}}
	for _, s := range v.Schemas {
		schema, err := format.DecodeSchema("vectors", s.Class, []byte(s.JSON))
		if err != nil {
			t.Fatal(err)
		}
		if s.Class == "Customer" { // before the migration
			continue
		}
		section := "entities"
		if schema.Ref.Kind == ontosql.Relation {
			section = "relations"
		}
		sections[section][schema.Ref.Name] = json.RawMessage(s.JSON)
	}
	text, err := json.Marshal(sections)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, "models.json", string(text))
}

// upgradeCustomer is the fixtures' upgrader in SQL.
const upgradeCustomer = `{"Customer": {"1": {"tier": "CASE WHEN score > 1 THEN 'Gold' ELSE 'Standard' END"}}}`

// TestMigrateAsTheOriginal plans and applies the migration of the fixtures, and the
// original finds in the store what its own migration left there.
func TestMigrateAsTheOriginal(t *testing.T) {
	for _, engine := range []string{"s3-v1", "s3-v2"} {
		t.Run(engine, func(t *testing.T) {
			path, flags := fixtureDir(t, engine+"/stage1-commits")
			log := decoded[struct {
				Migration struct {
					Token    string           `json:"token"`
					Diffs    []shownDiff      `json:"diffs"`
					Rows     map[string]int64 `json:"estimated_rows"`
					Migrated map[string]int64 `json:"rows_migrated"`
					Versions map[string]int64 `json:"new_schema_versions"`
				} `json:"migration"`
			}](t, string(fixtures.File(t, engine+"/log.json"))).Migration
			flags = append(flags, "--schema", modelsOfFixtures(t), "--json")
			upgraded := append(slices.Clone(flags), "--upgraders", file(t, "up.json", upgradeCustomer))

			code, out, problem := command(t, withFlags("migrate", flags...)...)
			if code != exitOK || problem != "" {
				t.Fatalf("plan: exit %d, %s", code, problem)
			}
			plan := decoded[migrationPlan](t, out)
			for i := range plan.Diffs { // the original's command leaves out what is empty
				plan.Diffs[i].Changed = map[string]json.RawMessage{}
			}
			want := migrationPlan{
				HasChanges: true, Token: log.Token, Diffs: log.Diffs, EstimatedRows: log.Rows,
				RequiringUpgrader: []string{"Customer"}, SchemaOnly: []string{}, MissingUpgraders: []string{"Customer"},
				MissingSteps: map[string][]int64{"Customer": {1}},
			}
			if diff := gocmp.Diff(want, plan, cmpopts.IgnoreUnexported(migrationPlan{}), gocmp.Transformer("text", func(m json.RawMessage) string { return string(m) })); diff != "" {
				t.Errorf("the plan (-the original's +ours):\n%s", diff)
			}

			for _, c := range []struct {
				args []string
				says string
			}{
				{withFlags("migrate --apply --token "+log.Token, flags...), "missing upgraders: Customer from version 1"},
				{withFlags("migrate --apply --token "+log.Token+"x", upgraded...), "hint: --dry-run"},
			} {
				if code, _, problem := command(t, c.args...); code != exitExecution || !strings.Contains(problem, c.says) {
					t.Errorf("%s: exit %d, %q; want %d and %q", c.args, code, problem, exitExecution, c.says)
				}
			}
			if head := headOf(t, path); head.CommitID != 3 {
				t.Fatalf("the head is commit %d after refused migrations", head.CommitID)
			}

			code, out, problem = command(t, withFlags("migrate --apply --token "+log.Token, upgraded...)...)
			if code != exitOK || problem != "" {
				t.Fatalf("apply: exit %d, %s", code, problem)
			}
			done := decoded[migrated](t, out)
			done.Duration = 0
			if diff := gocmp.Diff(migrated{Success: true, Types: []string{"Customer"}, Rows: log.Migrated, Versions: log.Versions}, done); diff != "" {
				t.Errorf("the answer (-the original's +ours):\n%s", diff)
			}
			checkAtRest(t, path)
			theirs := asOriginal(t, fixtures.Dir(t, engine+"/stage2-migrated/objects"))
			if diff := gocmp.Diff(theirs, asOriginal(t, path)); diff != "" {
				t.Errorf("what the original reads (-after its migration +after ours):\n%s", diff)
			}
			code, out, _ = command(t, withFlags("commits --last 1 --json", flags[:2]...)...)
			meta := `{"actor":"ontosql","kind":"migration","migrated_types":[{"from_schema_version_id":1,"rows_rewritten":3,"to_schema_version_id":2,"type_kind":"entity","type_name":"Customer"}]}`
			if line := decoded[[]commitLine](t, out)[0]; code != exitOK || !format.Equal(line.Meta, []byte(meta)) {
				t.Errorf("the commit says %s, want %s", line.Meta, meta)
			}

			for _, args := range [][]string{withFlags("migrate", flags...), withFlags("migrate --apply --token "+log.Token, upgraded...)} {
				if code, out, _ = command(t, args...); code != exitOK || out != "{\n  \"has_changes\": false\n}\n" {
					t.Errorf("once more: exit %d, %s", code, out)
				}
			}
		})
	}
}

const shopSQL = `-- the shop
CREATE TABLE customer (id text PRIMARY KEY, name text NOT NULL, tier text NOT NULL, balance numeric(10,2) NOT NULL, email varchar(200), vip boolean NOT NULL, since date DEFAULT '2020-01-01');
CREATE TABLE badge (id text PRIMARY KEY, label varchar(5) DEFAULT 'x', n int);
COMMENT ON TABLE badge IS 'worn';
CREATE TABLE wears (left_key text REFERENCES customer, right_key text REFERENCES badge, PRIMARY KEY (left_key, right_key));
`

// upgradeShop takes two steps; the second sees what the first made, also a field
// that neither schema has.
const upgradeShop = `
Customer:
  1:
    rank: CASE tier WHEN 'Gold' THEN 3 ELSE 1 END
    balance: balance * 2 -- twice
  2:
    vip: rank > 2
    balance: balance::numeric + 1
Product:
  1:
    nothing: "1"
`

// TestMigrateToSQL gives a store of Python's types others that are written as SQL.
func TestMigrateToSQL(t *testing.T) {
	path, flags := shopDir(t)
	query := func(sql string) string {
		t.Helper()
		code, out, problem := command(t, append([]string{"sql", "--format", "csv", "-c", sql}, flags...)...)
		if code != exitOK {
			t.Fatalf("%s: exit %d, %s", sql, code, problem)
		}
		return out
	}
	want := query("SELECT id, name, tier, round(balance::numeric * 2 + 1, 2)::float8 AS balance, email, tier = 'Gold' AS vip, '2020-01-01' AS since FROM customer ORDER BY id")
	flags = append(flags, "--schema", file(t, "shop.sql", shopSQL))
	code, out, problem := command(t, withFlags("migrate --json", flags...)...)
	if code != exitOK {
		t.Fatalf("plan: exit %d, %s", code, problem)
	}
	plan := decoded[migrationPlan](t, out)
	if diff := gocmp.Diff([]typeName{{"entity", "badge"}, {"relation", "wears"}}, plan.NewTypes); diff != "" {
		t.Errorf("new types (-want +got):\n%s", diff)
	}
	if len(plan.Diffs) != 1 || !slices.Equal(plan.Diffs[0].Added, []string{"since", "vip"}) || len(plan.Diffs[0].Changed) != 1 {
		t.Errorf("the plan has %+v, want the balance of Customer changed and two fields added, and the rest kept in Python's spelling", plan.Diffs)
	}
	flags = append(flags, "--upgraders", file(t, "up.yaml", upgradeShop))
	if code, out, problem = command(t, withFlags("migrate", flags...)...); code != exitOK || strings.Contains(out, "Missing") || !strings.Contains(out, "relation 'wears' (new)") {
		t.Errorf("the plan with upgraders: exit %d, %s%s", code, out, problem)
	}
	code, out, problem = command(t, withFlags("migrate --apply --force", flags...)...)
	if code != exitOK || !strings.Contains(out, "Customer: 40 rows migrated -> v2\n") || !strings.HasSuffix(problem, "migrating rows: 40 of 40\n") {
		t.Fatalf("apply: exit %d, %s%s", code, out, problem)
	}
	checkAtRest(t, path)
	asOriginal(t, path)
	flags = flags[:4]
	if got := query("SELECT id, name, tier, balance::float8, email, vip, since FROM customer ORDER BY id"); got != want {
		t.Errorf("the customers are\n%swant\n%s", got, want)
	}
	query("INSERT INTO badge (id) VALUES ('b'); INSERT INTO wears VALUES ('c1', 'b'); INSERT INTO customer (id, name, tier, balance, vip) VALUES ('new', 'N', 'T', 1, true)")
	if got := query("SELECT * FROM customer WHERE id = 'new'"); got != "id,balance,email,name,tier,since,vip\nnew,1.00,,N,T,2020-01-01,t\n" {
		t.Errorf("a new customer is %s", got)
	}
	if got := query("SELECT label, obj_description('badge'::regclass) FROM badge"); got != "label,obj_description\nx,worn\n" {
		t.Errorf("what SQL declares of a new type is lost: %s", got)
	}
}

// TestTwoMigrations: of two that carry out one plan at once one does, and the other
// has to look again.
func TestTwoMigrations(t *testing.T) {
	path, flags := fixtureDir(t, "s3-v1/stage1-commits")
	flags = append(flags, "--schema", modelsOfFixtures(t), "--upgraders", file(t, "up.json", upgradeCustomer))
	_, out, _ := command(t, withFlags("migrate --json", flags...)...)
	token := decoded[migrationPlan](t, out).Token
	codes, problems := make([]int, 2), make([]string, 2)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() {
			codes[i], _, problems[i] = command(t, withFlags("migrate --json --apply --token "+token, flags...)...)
		})
	}
	all.Wait()
	loser := slices.Index(codes, exitExecution)
	if slices.Index(codes, exitOK) < 0 || codes[0]+codes[1] > exitExecution || loser >= 0 && !strings.Contains(problems[loser], "hint: --dry-run") {
		t.Errorf("the two ended with %d and say %q", codes, problems)
	}
	if head := headOf(t, path); head.CommitID != 4 {
		t.Errorf("the head is commit %d, want one migration", head.CommitID)
	}
	checkAtRest(t, path)
}

// TestMigrateJSON gives values of JSON another shape: they are kept, and checked.
func TestMigrateJSON(t *testing.T) {
	path, flags := fixtureDir(t, "s3-v1/stage2-migrated")
	_, exported, _ := command(t, withFlags("schema export", flags...)...)
	reshaped := func(shape, spec string) string {
		t.Helper()
		old := `"tags": {"index": false, "primary_key": false, "type": "list[str]", "type_spec": {"item": {"kind": "primitive", "name": "str"}, "kind": "list"}}`
		canonical, err := format.SchemaJSON([]byte(exported))
		if err != nil || !strings.Contains(canonical, old) {
			t.Fatalf("the schemas have no %s: %v", old, err)
		}
		return file(t, "s.json", strings.Replace(canonical, old, `"tags": {"index": true, "primary_key": false, "type": "`+shape+`", "type_spec": `+spec+`}`, 1))
	}
	for _, c := range []struct {
		shape, spec string
		code        int
		says        string
	}{
		{"list[int]", `{"item": {"kind": "primitive", "name": "int"}, "kind": "list"}`, exitExecution, "Key (id)=(c1)"},
		{"typing.List[str]", `{"item": {"kind": "primitive", "name": "str"}, "kind": "list"}`, exitOK, "Customer: 0 rows migrated -> v3"},
	} {
		code, out, problem := command(t, withFlags("migrate --apply --force --schema "+reshaped(c.shape, c.spec), flags...)...)
		if code != c.code || !strings.Contains(out+problem, c.says) {
			t.Errorf("tags as %s: exit %d, %s%s; want exit %d and %q", c.shape, code, out, problem, c.code, c.says)
		}
	}
	checkAtRest(t, path)
	if typ := asOriginal(t, path)[ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}]; typ.Version != 3 || len(typ.Rows) != 3 {
		t.Errorf("the original sees %d customers of version %d", len(typ.Rows), typ.Version)
	}
}

// TestMigrateFreshStore registers types in a store that has none, from each kind of
// schema file.
func TestMigrateFreshStore(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	sql := file(t, "shop.sql", shopSQL)
	code, asYAML, problem := command(t, "schema", "export", "--schema", sql, "--format", "yaml")
	if code != exitOK {
		t.Fatalf("export: exit %d, %s", code, problem)
	}
	var all []string
	for _, schema := range []string{sql, file(t, "shop.yml", asYAML), file(t, "shop", asYAML)} {
		store := t.TempDir()
		flags := []string{"--storage-uri", store}
		if code, _, problem := command(t, withFlags("init", flags...)...); code != exitOK {
			t.Fatal(problem)
		}
		code, out, problem := command(t, withFlags("migrate --json --schema "+schema, flags...)...)
		if code != exitOK {
			t.Fatalf("plan: exit %d, %s", code, problem)
		}
		plan := decoded[migrationPlan](t, out)
		if code, _, problem := command(t, withFlags("migrate --apply --schema "+schema+" --token "+plan.Token, flags...)...); code != exitOK {
			t.Fatalf("apply: exit %d, %s", code, problem)
		}
		asOriginal(t, store)
		_, out, _ = command(t, withFlags("schema export --with-hash", flags...)...)
		all = append(all, out)
	}
	_, hashed, _ := command(t, "schema", "export", "--schema", sql, "--with-hash")
	for _, got := range all {
		if got != hashed {
			t.Errorf("a store of a schema file exports\n%swant\n%s", got, hashed)
		}
	}
}
