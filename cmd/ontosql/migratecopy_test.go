package main

import (
	"strings"
	"testing"
)

// TestMigrateLineToCopy runs the command line that a plan prints.
func TestMigrateLineToCopy(t *testing.T) {
	_, flags := shopDir(t)
	plan := append(withFlags("migrate --dry-run --meta ticket=7", flags...), "--schema", file(t, "shop.sql", shopSQL))
	code, out, problem := command(t, plan...)
	if code != exitOK || !strings.Contains(out, "Missing upgraders: Customer") || strings.Contains(out, "To apply") {
		t.Errorf("without upgraders there is nothing to apply: exit %d, %s%s", code, out, problem)
	}
	code, out, problem = command(t, append(plan, "--upgraders", file(t, "up.yaml", upgradeShop))...)
	_, line, found := strings.Cut(out, "To apply: ontosql ")
	if code != exitOK || !found {
		t.Fatalf("plan: exit %d, %s%s", code, out, problem)
	}
	if code, out, problem = command(t, strings.Fields(line)...); code != exitOK || !strings.Contains(out, "Customer: 40 rows migrated") {
		t.Errorf("%s: exit %d, %s%s", line, code, out, problem)
	}
	code, out, _ = command(t, withFlags("commits --last 1 --json --meta ticket=7", flags[:2]...)...)
	if lines := decoded[[]commitLine](t, out); code != exitOK || len(lines) != 1 || !strings.Contains(string(lines[0].Meta), `"kind": "migration"`) {
		t.Errorf("the commit with the key is %s", out)
	}
}

// TestShellWord quotes what a shell would split.
func TestShellWord(t *testing.T) {
	for value, want := range map[string]string{
		"s3://b/p": "s3://b/p", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "": "''", "TOKEN==": "TOKEN==",
	} {
		if got := shellWord(value); got != want {
			t.Errorf("%q is the word %s, want %s", value, got, want)
		}
	}
}

// TestSchemaHistoryOfNothing: a type that there is not is an error, as it is for schema
// export, and a command line without one says by which flags it is named.
func TestSchemaHistoryOfNothing(t *testing.T) {
	_, flags := shopDir(t)
	for _, c := range []struct {
		line, says string
		code       int
	}{
		{"schema history --kind entity --type nosuch", `no entity type "nosuch"`, exitGeneral},
		{"schema history", "--kind", exitUsage},
		{"schema history --kind entity", "--type", exitUsage},
	} {
		if code, out, problem := command(t, withFlags(c.line, flags[:2]...)...); code != c.code || out != "" || !strings.Contains(problem, c.says) {
			t.Errorf("%s: exit %d, %s%s; want %d and %q", c.line, code, out, problem, c.code, c.says)
		}
	}
}
