package main

import "testing"

// TestGeneratedColumnsAreKept: the expression of a generated column outlives the process that
// declared it.
func TestGeneratedColumnsAreKept(t *testing.T) {
	path, _ := shopDir(t)
	here := t.TempDir()
	run := func(statements ...string) string {
		args := []string{"sql", "--storage-uri", path, "--workspace-dir", here, "--format", "csv"}
		for _, sql := range statements {
			args = append(args, "-c", sql)
		}
		code, out, problem := command(t, args...)
		if code != exitOK {
			t.Fatalf("%q: exit %d, %s", statements, code, problem)
		}
		return out
	}
	run("CREATE SCHEMA w", "CREATE TABLE w.t (a int, b int GENERATED ALWAYS AS (a * 2) STORED)", "ALTER TABLE w.t RENAME a TO first")
	run("INSERT INTO w.t VALUES (21)")
	if got := run("SELECT * FROM w.t"); got != "first,b\n21,42\n" {
		t.Errorf("the next process stores %q", got)
	}
	run("ALTER TABLE w.t ALTER b DROP EXPRESSION", "INSERT INTO w.t VALUES (1)")
	if got := run("SELECT b FROM w.t WHERE first = 1"); got != "b\n\n" && got != "b\n\"\"\n" {
		t.Errorf("a column whose expression is dropped has %q", got)
	}
}
