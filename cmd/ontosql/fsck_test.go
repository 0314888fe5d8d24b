package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// fixtureFile is a copy of a SQLite file and the flags that name it.
func fixtureFile(t *testing.T, name string) (path string, flags []string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path = filepath.Join(fixtures.Dir(t, name), "onto.db")
	return path, []string{"--db", path}
}

// editFile runs SQL on a SQLite file.
func editFile(t *testing.T, path, sql string) {
	t.Helper()
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteScript(conn, sql, nil); err != nil {
		t.Fatal(err)
	}
}

// dataFile is a data file of a commit in a store's directory.
func dataFile(t *testing.T, path, commit, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(path, "commits", commit+"-*", "entities", name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d files %s of commit %s, %v", len(found), name, commit, err)
	}
	return found[0]
}

// TestFsck checks sound and damaged stores of both kinds.
func TestFsck(t *testing.T) {
	for _, c := range []struct {
		name        string
		open        func(*testing.T) (path string, flags []string)
		do          func(path string) error
		light, deep []string // severity and check of what is found, without and with --data
	}{
		{"a sound directory", func(t *testing.T) (string, []string) { return fixtureDir(t, "s3-v1/stage2-migrated") }, nil, nil, nil},
		{
			"a data file is gone", func(t *testing.T) (string, []string) { return fixtureDir(t, "s3-v1/stage2-migrated") },
			func(path string) error { return os.Remove(dataFile(t, path, "1", "product.parquet")) },
			[]string{"error I4"},
			[]string{"error I4"},
		},
		{
			"a data file is cut", func(t *testing.T) (string, []string) { return fixtureDir(t, "s3-v1/stage2-migrated") },
			func(path string) error { return os.Truncate(dataFile(t, path, "1", "product.parquet"), 100) },
			nil,
			[]string{"error I4"},
		},
		{
			"an index is gone", func(t *testing.T) (string, []string) { return fixtureDir(t, "s3-v1/stage2-migrated") },
			func(path string) error {
				return os.Remove(filepath.Join(path, "meta/indices/entities/product.json"))
			},
			[]string{"warning I5"},
			[]string{"warning I5"},
		},
		{"a sound file", func(t *testing.T) (string, []string) { return fixtureFile(t, "sqlite-v2") }, nil, nil, nil},
		{
			"a commit is gone", func(t *testing.T) (string, []string) { return fixtureFile(t, "sqlite-v1") },
			func(path string) error { editFile(t, path, "DELETE FROM commits WHERE id = 6"); return nil },
			[]string{"error commit ids"},
			[]string{"error commit ids"},
		},
		{
			"a key is another one", func(t *testing.T) (string, []string) { return fixtureFile(t, "sqlite-v1") },
			func(path string) error {
				editFile(t, path, "UPDATE entity_history SET entity_key = '8' WHERE id = 4")
				return nil
			},
			nil,
			[]string{"error keys"},
		},
	} {
		path, flags := c.open(t)
		if c.do != nil {
			if err := c.do(path); err != nil {
				t.Fatal(err)
			}
		}
		for _, run := range []struct {
			flags []string
			want  []string
		}{{nil, c.light}, {[]string{"--data"}, c.deep}} {
			args := slices.Concat([]string{"fsck"}, run.flags, flags)
			code, out, stderr := command(t, append(args, "--json")...)
			r := decoded[fsckReport](t, out)
			var got []string
			want := exitOK
			for _, f := range r.Findings {
				got = append(got, f.Severity+" "+f.Check)
				if f.Severity == "error" {
					want = exitExecution
				}
				if len(f.Examples) == 0 || f.Total < int64(len(f.Examples)) || f.Examples[0].Problem == "" {
					t.Errorf("%s: a finding without its places: %+v", c.name, f)
				}
			}
			if !slices.Equal(got, run.want) || code != want || r.OK != (want == exitOK) || stderr != "" {
				t.Errorf("%s, %v: exit %d, ok %v, found %v, stderr %q; want exit %d, %v", c.name, run.flags, code, r.OK, got, stderr, want, run.want)
			}
			code, out, _ = command(t, args...)
			last := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]
			if code != want || !strings.Contains(last, "; errors: ") || len(got) > 0 && !strings.Contains(out, strings.Replace(got[0], " ", ": ", 1)) {
				t.Errorf("%s, %v: exit %d, printed\n%s", c.name, run.flags, code, out)
			}
		}
	}
}

// TestFsckOpens distinguishes an address without a store from a damaged store.
func TestFsckOpens(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, args := range [][]string{
		{"--storage-uri", t.TempDir()},
		{"--storage-uri", "file:///no/such/directory"},
		{"--db", filepath.Join(t.TempDir(), "none.db")},
		{"--db", file(t, "text.db", strings.Repeat("no database ", 100))},
	} {
		if code, out, stderr := command(t, append([]string{"fsck"}, args...)...); code != exitOpen || out != "" || stderr == "" {
			t.Errorf("fsck %v: exit %d, %s, %s; want %d", args, code, out, stderr, exitOpen)
		}
	}
	path, flags := fixtureDir(t, "s3-v1/stage2-migrated")
	if err := os.Remove(filepath.Join(path, format.HeadKey)); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := command(t, append([]string{"fsck"}, flags...)...); code != exitExecution || !strings.Contains(out, "error: I1") {
		t.Errorf("a store without its head: exit %d, %s; want %d and I1", code, out, exitExecution)
	}
}
