package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// awkward are the rows of a table before and after some commits: texts with quotes and line ends,
// NULLs, numbers, documents, bytes and moments.
var (
	awkwardTable = "CREATE TABLE odd (id text PRIMARY KEY, t text, n numeric(12,3), f double precision, j jsonb, b bytea, at timestamptz, day date, yes boolean)"
	awkwardFirst = `INSERT INTO odd VALUES ('a''b', E'two\nlines\t\\', 1.500, 0.1, '{"k": [1, null]}', '\x00ff', '2026-01-01 00:00:00.5+00', '2026-01-01', true), ('same', 'x', 0, 1e300, 'null', '', NULL, NULL, NULL)`
	awkwardLater = []string{
		`UPDATE odd SET t = E'it''s\r\n', n = -1.001, f = 'NaN', j = '"\\"', b = NULL, day = '0001-01-01', yes = false WHERE id = 'a''b'`,
		`INSERT INTO odd VALUES (E'new\nkey', NULL, 999999999.999, '-Infinity', '[]', 'abc', '1969-12-31 23:59:59.999999+00', '9999-12-31', true)`,
		`UPDATE odd SET t = 'y' WHERE id = 'same'`, `UPDATE odd SET t = 'x' WHERE id = 'same'`,
	}
)

func oddDir(t *testing.T, statements ...string) []string {
	t.Helper()
	flags := []string{"--storage-uri", t.TempDir() + "/store", "--cache-dir", t.TempDir()}
	if code, _, problem := command(t, withFlags("init", flags...)...); code != exitOK {
		t.Fatalf("init: exit %d, %s", code, problem)
	}
	sqlOK(t, flags, statements...)
	return flags
}

func sqlOK(t *testing.T, flags []string, statements ...string) string {
	t.Helper()
	args := withFlags("sql --format csv", flags...)
	for _, s := range statements {
		args = append(args, "-c", s)
	}
	code, out, problem := command(t, args...)
	if code != exitOK {
		t.Fatalf("sql: exit %d, %s", code, problem)
	}
	return out
}

// TestDiffSQLMakesTheSecondState runs what diff --sql prints on a store that is in the first state.
func TestDiffSQLMakesTheSecondState(t *testing.T) {
	later := oddDir(t, append([]string{awkwardTable, awkwardFirst}, awkwardLater...)...)
	const all = "SELECT * FROM odd ORDER BY id"
	code, script, problem := command(t, withFlags("diff 2 HEAD --sql", later...)...)
	if code != exitOK || strings.Count(script, ";\n") != 2 {
		t.Fatalf("diff --sql: exit %d, %s\n%s", code, problem, script)
	}
	again := oddDir(t, awkwardTable, awkwardFirst)
	sqlOK(t, again, script)
	if got, want := sqlOK(t, again, all), sqlOK(t, later, all); got != want {
		t.Errorf("after\n%s\nthe rows are\n%s\nwant\n%s", script, got, want)
	}
	if code, script, _ := command(t, withFlags("diff HEAD 2 --sql", later...)...); code != exitOK || !strings.Contains(script, "-- no row of public.odd WHERE id = 'new key'\n") {
		t.Errorf("backwards: exit %d\n%s", code, script)
	}
}

// TestDiffAndItsKin asks what changed in each of the ways.
func TestDiffAndItsKin(t *testing.T) {
	flags := oddDir(t, append([]string{awkwardTable, awkwardFirst}, awkwardLater...)...)
	say := func(line string) string {
		t.Helper()
		code, out, problem := command(t, withFlags(line, flags...)...)
		if code != exitOK {
			t.Fatalf("%s: exit %d, %s", line, code, problem)
		}
		return out
	}
	if out := say("diff 2"); !strings.HasPrefix(out, "odd\n") || !strings.Contains(out, `  + new\nkey  n 999999999.999, f -Infinity,`) ||
		!strings.Contains(out, "  ~ a'b  t two") || strings.Contains(out, "same") {
		t.Errorf("diff:\n%s", out)
	}
	rows := decoded[[]struct {
		Table, Diff string
		Key, From   map[string]json.RawMessage
		To          map[string]json.RawMessage
		Changed     []string `json:"changed_fields"`
	}](t, say("diff HEAD 2 --json"))
	if len(rows) != 2 || rows[0].Diff != "update" || string(rows[0].From["n"]) != "-1.001" || string(rows[0].To["n"]) != "1.500" || len(rows[0].Changed) != 7 ||
		rows[1].Diff != "delete" || rows[1].To != nil || string(rows[1].Key["id"]) != `"new\nkey"` {
		t.Errorf("diff --json: %+v", rows)
	}
	if out := say("diff 3 3 --json"); out != "[]\n" {
		t.Errorf("diff of a point and itself: %s", out)
	}
	stat := decoded[[]map[string]any](t, say("diff 2 HEAD --stat --json"))
	if len(stat) != 1 || stat[0]["inserted"] != 1.0 || stat[0]["updated"] != 1.0 || stat[0]["unchanged"] != 1.0 || stat[0]["commits"] != 4.0 {
		t.Errorf("diff --stat: %v", stat)
	}
	if out := say("diff 2 HEAD --type odd --key same"); out != "" {
		t.Errorf("diff of a row that was changed back: %s", out)
	}
	if out := say("show 4"); !strings.HasPrefix(out, "commit 4\n") || !strings.Contains(out, "Rows:   1 in odd\n") || !strings.HasSuffix(out, "yes t\n") {
		t.Errorf("show:\n%s", out)
	}
	if at, head := say("show HEAD~1"), say("show 5"); at != head {
		t.Errorf("show HEAD~1:\n%s", at)
	}
	if out := say("log --last 2 --type odd"); strings.Count(out, "commit ") != 2 || !strings.HasPrefix(out, "commit 6\n") {
		t.Errorf("log:\n%s", out)
	}
	blame := decoded[[]map[string]any](t, say("blame odd same --json"))
	if len(blame) != 8 || blame[6]["column_name"] != "t" || blame[6]["commit_id"] != 6.0 || blame[0]["commit_id"] != 2.0 {
		t.Errorf("blame: %v", blame)
	}
	for line, want := range map[string]int{
		"diff": exitUsage, "diff 1 2 3": exitUsage, "diff 1 2 --sql --stat": exitUsage, "diff 1 --key a": exitUsage, "show": exitUsage, "blame odd": exitUsage, "log 3": exitUsage,
		"diff 1 later": exitExecution, "diff 1 2 --type nobody": exitExecution, "diff 1 2 --type odd --key a --key b": exitExecution,
		"show 99": exitExecution, "show x": exitExecution, "show 0": exitExecution, "show HEAD~99": exitExecution, "show 1969-01-01": exitExecution, "blame nobody x": exitExecution, "log --type nobody": exitExecution,
	} {
		if code, _, problem := command(t, withFlags(line, flags...)...); code != want || problem == "" {
			t.Errorf("%s: exit %d, want %d: %s", line, code, want, problem)
		}
	}
}

// TestTypeNames: what names a type is its table, or the name that it was registered with if no other
// type was.
func TestTypeNames(t *testing.T) {
	flags := oddDir(t, "SELECT 1")
	schema := file(t, "schema.json", `{"entities":{"Thing":{"entity_name":"Thing","fields":{"name":{"primary_key":true,"index":false,"type":"<class 'str'>","type_spec":{"kind":"primitive","name":"str"}}}}},
		"relations":{"Thing":{"relation_name":"Thing","left_type":"Thing","right_type":"Thing","instance_key_field":null,"fields":{}},"Other":{"relation_name":"Other","left_type":"Thing","right_type":"Thing","instance_key_field":null,"fields":{}}}}`)
	if code, _, problem := command(t, withFlags("migrate --apply --force --schema "+schema, flags...)...); code != exitOK {
		t.Fatal(problem)
	}
	sqlOK(t, flags, "INSERT INTO thing VALUES ('a')", "INSERT INTO thing_rel VALUES ('a', 'a')", "INSERT INTO other VALUES ('a', 'a')")
	for line, want := range map[string]string{
		"diff HEAD~3 --type thing": "thing\n", "diff HEAD~3 --type thing_rel": "thing_rel\n", "diff HEAD~3 --type Other": "other\n",
		"blame thing a": "a", "revert HEAD --type thing_rel": "nothing to revert\n",
	} {
		if code, out, problem := command(t, withFlags(line, flags...)...); code != exitOK || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, %s%s", line, code, out, problem)
		}
	}
	for _, line := range []string{"diff HEAD~3 --type Thing", "blame Thing a", "revert HEAD --type Thing"} {
		if code, out, problem := command(t, withFlags(line, flags...)...); code != exitExecution || !strings.Contains(problem, `"Thing" is the name of an entity and of a relation: give that of a table, thing or thing_rel`) {
			t.Errorf("%s: exit %d, %s%s", line, code, out, problem)
		}
	}
}
