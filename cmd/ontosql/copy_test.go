package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/dir"
)

// answers are what SQL says of a store, at each of its points and of its types.
func answers(t *testing.T, uri string) string {
	t.Helper()
	flags := []string{"--storage-uri", uri}
	ask := func(line, sql string) string {
		code, out, problem := command(t, append(withFlags("sql --format csv "+line, flags...), "-c", sql)...)
		if code != exitOK {
			t.Fatalf("%s: %s: exit %d, %s", uri, sql, code, problem)
		}
		return out
	}
	head := strings.TrimSpace(strings.TrimPrefix(ask("", "SELECT max(commit_id) AS n FROM ontosql.commits"), "n\n"))
	tables := strings.Fields(ask("", "SELECT table_name FROM ontosql.types ORDER BY 1"))[1:]
	var all strings.Builder
	all.WriteString(ask("", `SELECT commit_id, created_at, message, actor, metadata - 'none' FROM ontosql.commits ORDER BY 1;
		SELECT type_kind, type_name, table_name, schema_version_id, key_columns FROM ontosql.types ORDER BY 1, 2;
		SELECT type_kind, type_name, schema_version_id, schema_hash, schema_json, reason, runtime_id, created_at FROM ontosql.schema_versions ORDER BY 1, 2, 3;
		SELECT table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position;
		SELECT c.relname, d.objsubid, d.description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid WHERE c.relname !~ '^(history|changes|as_of)' AND d.classoid = 'pg_class'::regclass ORDER BY 1, 2, 3`))
	var n int
	if _, err := fmt.Sscan(head, &n); err != nil {
		t.Fatal(err)
	}
	var sql strings.Builder
	for point := 1; point <= n; point += max(1, n/2) {
		for _, table := range tables {
			fmt.Fprintf(&sql, "SELECT %[2]d AS point, '%[1]s' AS type, x.*, commit_id FROM as_of.%[1]s(%[2]d) x ORDER BY 3, 4, 5;\n", table, point)
		}
	}
	for _, table := range tables {
		fmt.Fprintf(&sql, "SELECT * FROM history.%s ORDER BY commit_id, 1, 2, 3;\n", table)
	}
	all.WriteString(ask("", sql.String()))
	return all.String()
}

// TestCopyEverywhere makes a history by SQL, with everything that it can declare,
// migrate and drop, and takes it round through every kind of store.
func TestCopyEverywhere(t *testing.T) {
	path, flags := shopDir(t)
	for _, sql := range []string{
		"CREATE TABLE badge (label varchar(5) DEFAULT 'x', id text PRIMARY KEY, worth numeric(6,2), note jsonb); COMMENT ON TABLE badge IS 'worn'; COMMENT ON COLUMN badge.worth IS 'in euro'",
		"INSERT INTO badge (id, worth, note) VALUES ('b1', 1.50, '{\"z\": 1, \"a\": [1.0, null]}'), ('b2', NULL, NULL)",
		"CREATE TABLE wears (left_key text REFERENCES customer, right_key text REFERENCES badge, slot text, since date, PRIMARY KEY (left_key, right_key, slot))",
		"INSERT INTO wears VALUES ('c1', 'b1', 'left', '2026-01-02'), ('c1', 'b1', 'right', NULL)",
		"ALTER TABLE badge ADD COLUMN colour text DEFAULT 'red'; UPDATE badge SET colour = 'blue' WHERE id = 'b2'",
		"SET ontosql.purge_history = on; DROP TABLE wears",
		"CREATE TABLE wears (left_key text REFERENCES customer, right_key text REFERENCES badge, n int, PRIMARY KEY (left_key, right_key)); INSERT INTO wears VALUES ('c2', 'b2', 3)",
		"CREATE TABLE gone (id int PRIMARY KEY); INSERT INTO gone VALUES (1)",
		"SET ontosql.purge_history = on; DROP TABLE gone",
		"SET ontosql.commit_message = 'last'; UPDATE customer SET balance = balance + 1 WHERE id < 'c2'",
	} {
		if code, _, problem := command(t, append([]string{"sql", "-c", sql}, flags...)...); code != exitOK {
			t.Fatalf("%s: %s", sql, problem)
		}
	}
	want := answers(t, path)
	file, back := filepath.Join(t.TempDir(), "shop.db"), filepath.Join(t.TempDir(), "back")
	second, again := filepath.Join(t.TempDir(), "second.sqlite"), filepath.Join(t.TempDir(), "again")
	for _, step := range []struct{ from, to string }{{path, file}, {file, back}, {"sqlite://" + file, second}, {second, again}} {
		code, out, problem := command(t, "copy", step.from, step.to, "--json")
		if code != exitOK || problem != "" {
			t.Fatalf("copy %s %s: exit %d, %s", step.from, step.to, code, problem)
		}
		if done := decoded[copied](t, out); done.Status != "copied" || done.Head < 60 || int64(done.Commits) != done.Head || done.Verified.Points != done.Commits {
			t.Errorf("copy %s %s says %s", step.from, step.to, out)
		}
	}
	for _, uri := range []string{file, back, again} {
		if diff := gocmp.Diff(want, answers(t, uri)); diff != "" {
			t.Errorf("%s (-source +copy):\n%.4000s", uri, diff)
		}
	}
	checkAtRest(t, back)
	asOriginal(t, back)
	for _, uri := range []string{file, second, back, again} {
		if code, out, problem := command(t, "fsck", "--storage-uri", uri, "--data"); code != exitOK {
			t.Errorf("fsck %s: exit %d, %s%s", uri, code, out, problem)
		}
	}
	// The copies are ontologies to write to, each of its own now.
	for _, uri := range []string{file, back} {
		if code, _, problem := command(t, "sql", "--storage-uri", uri, "-c", "INSERT INTO badge (id) VALUES ('new'); ALTER TABLE badge DROP COLUMN colour"); code != exitOK {
			t.Errorf("write to %s: %s", uri, problem)
		}
	}
	if code, _, problem := command(t, "copy", path, file); code != exitExecution || !strings.Contains(problem, "another ontology, or commits that the source does not have") {
		t.Errorf("over a copy that went its own way: exit %d, %s", code, problem)
	}
}

// TestCopyRefuses has the exit codes of refused copies, which do not change the target.
func TestCopyRefuses(t *testing.T) {
	_, flags := fixtureFile(t, "sqlite-v1")
	db := flags[1]
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "holiday.jpg"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	if code, _, problem := command(t, "init", "--storage-uri", fresh); code != exitOK {
		t.Fatal(problem)
	}
	for line, c := range map[string]struct {
		code int
		says string
	}{
		"copy":                           {exitUsage, "want FROM and TO"},
		"copy " + db:                     {exitUsage, "want FROM and TO"},
		"copy " + db + " sqlite://" + db: {exitUsage, "are one store"},
		"copy " + db + " ftp://x/y":      {exitUsage, "unknown kind of storage"},
		"copy " + filepath.Join(full, "no") + " " + full: {exitOpen, "no such bucket"},
		"copy " + full + " " + db + "2.db":               {exitOpen, "not initialised"},
		"copy " + db + " " + full:                        {exitExecution, "the target is not empty"},
		"copy " + db + " " + fresh:                       {exitExecution, "another ontology"},
	} {
		code, _, problem := command(t, strings.Fields(line)...)
		if code != c.code || !strings.Contains(problem, c.says) {
			t.Errorf("%s: exit %d, %s; want %d and %s", line, code, problem, c.code, c.says)
		}
	}
	b, err := dir.Open(full, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Get(t.Context(), format.HeadKey); err == nil {
		t.Error("a directory with other files became an ontology")
	}
	if _, err := os.Stat(db + "2.db"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made of nothing: %v", err)
	}
}

// TestCopyWithoutCommits says what a second copy has brought that is no commit.
func TestCopyWithoutCommits(t *testing.T) {
	path, _ := shopDir(t)
	to := filepath.Join(t.TempDir(), "copy")
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"Copied ", "Nothing new: ", "Copied 1 object to "} {
		if says == "Copied 1 object to " {
			if _, err := b.Put(t.Context(), "events/ns/2026-01-02T03-04-05_e.json", []byte("{}")); err != nil {
				t.Fatal(err)
			}
		}
		if code, out, problem := command(t, "copy", path, to); code != exitOK || !strings.HasPrefix(out, says) {
			t.Errorf("copy: exit %d, %s%s; want %s", code, out, problem, says)
		}
	}
}

// TestCopyOverS3 takes a file into a bucket, from prefix to prefix, and back.
func TestCopyOverS3(t *testing.T) {
	at := testenv.S3(t)
	path, _ := fixtureFile(t, "sqlite-v2")
	back := filepath.Join(t.TempDir(), "back.db")
	one, two := "s3://"+at.Bucket+"/one", "s3://"+at.Bucket+"/two/below"
	endpoint := []string{"--s3-endpoint-url", at.Endpoint}
	for _, step := range []struct{ from, to string }{{path, one}, {one, two}, {two, back}} {
		for _, says := range []string{"Copied 7 commits to ", "Nothing new: "} {
			code, out, problem := command(t, append([]string{"copy", step.from, step.to}, endpoint...)...)
			if code != exitOK || !strings.HasPrefix(out, says) {
				t.Fatalf("copy %s %s: exit %d, %s%s; want %s", step.from, step.to, code, out, problem, says)
			}
		}
	}
	rows := func(uri string) map[string]string {
		out := filepath.Join(t.TempDir(), "rows")
		if code, _, problem := command(t, append([]string{"export", "--history-since", "0", "--with-metadata", "--storage-uri", uri, "--output", out}, endpoint...)...); code != exitOK {
			t.Fatalf("export %s: exit %d, %s", uri, code, problem)
		}
		return sortedMembers(t, exportedFiles(t, out))
	}
	want := rows(path)
	for _, uri := range []string{one, two, back} {
		if diff := gocmp.Diff(want, rows(uri)); diff != "" {
			t.Errorf("%s (-source +copy):\n%s", uri, diff)
		}
		if code, out, problem := command(t, append([]string{"fsck", "--data", "--storage-uri", uri}, endpoint...)...); code != exitOK {
			t.Errorf("fsck %s: exit %d, %s%s", uri, code, out, problem)
		}
	}
}
