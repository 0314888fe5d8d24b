package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestDeclaredLength: what SQL declares of a new column holds for the rows that
// there are.
func TestDeclaredLength(t *testing.T) {
	_, flags := shopDir(t)
	for _, c := range []struct {
		upgraders string
		code      int
		says      string
	}{
		{`{"Store": {"1": {"label": "city"}}}`, exitExecution, "value too long for type character varying(3): Key (code)=("},
		{`{"Store": {"1": {"label": "left(city, 3)", "rate": "2.345"}}}`, exitOK, ""},
	} {
		schema := file(t, "s.sql", "CREATE TABLE store (code text PRIMARY KEY, city text NOT NULL, open boolean NOT NULL, label varchar(3) NOT NULL, rate numeric(4,2))")
		args := append(withFlags("migrate --json --apply --force --schema "+schema, flags...), "--upgraders", file(t, "up.json", c.upgraders))
		if code, _, problem := command(t, args...); code != c.code || !strings.Contains(problem, c.says) {
			t.Errorf("%s: exit %d, %s; want exit %d, %q", c.upgraders, code, problem, c.code, c.says)
		}
	}
	if _, out, _ := command(t, append([]string{"sql", "--format", "csv", "-c", "SELECT DISTINCT rate FROM store"}, flags...)...); out != "rate\n2.35\n" {
		t.Errorf("the rates are %q, want two digits", out)
	}
}

// TestMigrationFails: of what cannot be migrated nothing is.
func TestMigrationFails(t *testing.T) {
	path, flags := shopDir(t)
	code, exported, problem := command(t, withFlags("schema export", flags[:2]...)...)
	if code != exitOK {
		t.Fatalf("export: exit %d, %s", code, problem)
	}
	change := func(old, text string) string {
		t.Helper()
		if !strings.Contains(exported, old) {
			t.Fatalf("the schemas have no %q", old)
		}
		return file(t, "schema.json", strings.ReplaceAll(exported, old, text))
	}
	retyped := change(`"<class 'float'>"`, `"<class 'int'>"`)
	for _, c := range []struct {
		schema, upgraders string
		code              int
		says              []string
	}{
		{retyped, ``, exitExecution, []string{"missing upgraders: Customer from version 1; Product from version 1"}},
		{retyped, `{"Customer": {"3": {"balance": "1"}}, "Product": {"1": {"price": "1"}}}`, exitExecution, []string{"Customer from version 1, 2\n"}},
		{retyped, `{"Customer": {"1": {"balance": "CASE id WHEN 'c7' THEN name ELSE '1' END::bigint"}}, "Product": {"1": {"price": "1"}}}`, exitExecution, []string{"invalid input syntax for type bigint", "Key (id)=(c7)"}},
		{retyped, `{"Customer": {"1": {"balance": "NULLIF(id, 'c9')::text::bigint"}}, "Product": {"1": {"price": "1"}}}`, exitExecution, []string{"Key (id)=("}},
		{retyped, `{"Customer": {"1": {"balance": "CASE WHEN id <> 'c9' THEN 1 END"}}, "Product": {"1": {"price": "1"}}}`, exitExecution, []string{"contains null values", "Key (id)=(c9)"}},
		{retyped, `{"Customer": {"1": {"balance": "nix"}}, "Product": {"1": {"price": "1"}}}`, exitExecution, []string{`migration of entity:Customer: column "nix" does not exist`}},
		{retyped, `{"Customer": {"1": {"balance": "1", "balanec": "1"}}, "Product": {"1": {"price": "1"}}}`, exitExecution, []string{`the schema has no field "balanec"`}},
		{retyped, `{"Customer": {"1": {"balance": "1 +"}}}`, exitGeneral, []string{"Customer: version 1: balance: line 1, column 4: syntax error"}},
		{retyped, `{"Customer": {"1": {"balance": 1}}}`, exitGeneral, []string{"want an SQL expression as text"}},
		{retyped, `{"Customer": {"one": {}}}`, exitGeneral, []string{`"one" is no schema version`}},
		{retyped, `[1]`, exitGeneral, []string{"upgraders"}},
		{change(`"str | None"`, `"<class 'str'>"`), ``, exitExecution, []string{`migration of entity:Customer: column "email" of relation "customer" contains null values: Key (id)=(c`}},
		{change(`"code"`, `"kode"`), ``, exitExecution, []string{"has another key"}},
		{change(`"email"`, `"entity_key"`), ``, exitExecution, []string{`field name "entity_key" of entity:Customer is reserved`}},
		{change(`"right_type": "Product"`, `"right_type": "Nothing"`), ``, exitExecution, []string{"entity:Nothing, which does not exist"}},
		{change(`"primary_key": true`, `"primary_key": false`), ``, exitGeneral, []string{"entity has one primary key"}},
		{change(`"entities"`, `"entitys"`), ``, exitGeneral, []string{"output of schema export"}},
		{change(`"entity_name": "Customer"`, `"entity_name": "Kunde"`), ``, exitGeneral, []string{`entity "Customer" is the schema of entity:Kunde`}},
		{file(t, "s.json", "{"), ``, exitGeneral, []string{"schema file"}},
		{file(t, "s.yaml", "a: [b"), ``, exitGeneral, []string{"schema file"}},
		{file(t, "s.sql", "CREATE TABLE a (id text PRIMARY KEY);\nCREATE TABLE b (x int)"), ``, exitGeneral, []string{"line 2, column 14: a table without a primary key", "hint: Every row"}},
		{file(t, "s", "CREATE TABLE a (id text primry)"), ``, exitGeneral, []string{"line 1, column 25: syntax error"}},
		{file(t, "s.sql", "SELECT 1"), ``, exitGeneral, []string{"SELECT does not belong into a schema file"}},
		{"/nowhere/s.sql", ``, exitGeneral, []string{"no such file"}},
	} {
		args := append(withFlags("migrate --json", flags...), "--schema", c.schema)
		if c.upgraders != "" {
			args = append(args, "--upgraders", file(t, "up.json", c.upgraders))
		}
		planned := exitGeneral
		if says := c.says[len(c.says)-1]; strings.Contains(says, "Key (") || strings.Contains(says, "from version") {
			planned = exitOK // the rows alone tell, or the plan says what is missing
		}
		if code, _, problem := command(t, args...); code != planned {
			t.Errorf("%s: the dry run: exit %d, %s; want %d", c.upgraders, code, problem, planned)
		}
		args = append(args, "--apply", "--force")
		code, out, problem := command(t, args...)
		for _, says := range c.says {
			if code != c.code || out != "" || !strings.Contains(problem, says) {
				t.Errorf("%s: exit %d, %q, %q; want exit %d and %q", c.upgraders, code, out, problem, c.code, says)
			}
		}
	}
	if head := headOf(t, path); head.CommitID != 54 {
		t.Errorf("the head is commit %d after failed migrations", head.CommitID)
	}
	checkAtRest(t, path)
}

// TestMigrateUsage: what makes no sense is refused before a store is opened.
func TestMigrateUsage(t *testing.T) {
	for _, line := range []string{
		"migrate", "migrate --schema x --apply", "migrate --schema x --apply --dry-run --force", "migrate --schema x --apply --force --token t",
		"migrate --schema x --token t", "migrate --schema x --meta nix", "migrate --schema x --meta kind=x", "migrate --schema x --force", "migrate x", "migrate --nix",
		"schema", "schema nix", "schema drop", "schema drop entity", "schema drop table Customer", "schema drop entity C --apply",
		"schema drop entity C --token t", "schema drop entity C --dry-run --apply --token t", "schema drop relation R --cascade-relations",
		"schema drop relation R --drop-relation S", "schema drop entity C --cascade-relations --drop-relation S", "schema drop entity C --meta nix",
		"schema drop entity C --meta operation=x", "schema drop entity C --meta ontosql_schema=x",
		"schema history", "schema history --kind entity", "schema history --kind thing --type C", "schema history --kind entity --type C --last -1",
		"schema history --kind entity --type C --version 1 --since-version 1", "schema export --kind entity", "schema export --type C",
		"schema export --version 1", "schema export --format xml", "schema export --schema f --kind entity --type C", "schema export --models f",
	} {
		code, _, problem := command(t, withFlags(line, "--storage-uri", t.TempDir())...)
		if code != exitUsage {
			t.Errorf("%s: exit %d, %q; want a usage error", line, code, problem)
		}
	}
	for _, line := range []string{"schema export", "schema history --kind entity --type C", "schema drop entity C"} {
		if code, _, problem := command(t, withFlags(line, "--storage-uri", filepath.Join(t.TempDir(), "none"), "--cache-dir", t.TempDir())...); code != exitOpen {
			t.Errorf("%s without a store: exit %d, %q; want %d", line, code, problem, exitOpen)
		}
	}
}
