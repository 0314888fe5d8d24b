package faults

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// workspaceFiles are the paths of a workspace's files below --workspace-dir: the engine's file,
// and its log if there is one.
func workspaceFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "workspace.duckdb*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file of a workspace below %s (%v)", dir, err)
	}
	return files
}

// TestWorkspaceDamaged flips bits in the file of a workspace and in its log, at places all over
// them. What is damaged is an error, in that workspace only, and never other rows than were
// written; the ontology is served in any case.
func TestWorkspaceDamaged(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T, dir string) (*gateway, *client) {
		g := launch(t, nil, "--cache-dir", t.TempDir(), "--workspace-dir", dir, "--storage-uri", demoDir)
		return g, g.connect(t, "onto")
	}
	const summary = `SELECT count(*), sum(a), md5(string_agg(b, ',' ORDER BY a)) FROM w.`
	tables := []string{"t", "u"}
	fill := func(c *client, table string) {
		c.answers(t, fmt.Sprintf(`CREATE TABLE w.%s (a int PRIMARY KEY, b text); INSERT INTO w.%[1]s SELECT g, md5(g::text) FROM generate_series(1, 3000) g`, table))
	}
	whole := map[string][]byte{}
	want := map[string]string{}
	dir := t.TempDir()
	g, c := start(t, dir)
	c.answers(t, `CREATE SCHEMA w`)
	fill(c, "t")
	g.signal(t, syscall.SIGTERM) // an orderly end: the table is in the file
	g.wait(t)
	g, c = start(t, dir)
	fill(c, "u")
	for _, table := range tables {
		rows, err := c.ask(t, summary+table)
		if err != nil {
			t.Fatal(err)
		}
		want[table] = rows[0]
	}
	g.signal(t, syscall.SIGKILL) // the second is in the log
	g.wait(t)
	for _, path := range workspaceFiles(t, dir) {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole[strings.TrimPrefix(path, dir)] = body
	}
	if len(whole) != 2 {
		t.Fatalf("the workspace has %d files, want its file and its log", len(whole))
	}
	for path, body := range whole {
		for i := range 6 {
			place := len(body) * (2*i + 1) / 12
			t.Run(fmt.Sprintf("%s at %d", filepath.Base(path), place), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := os.Mkdir(filepath.Join(dir, filepath.Base(filepath.Dir(path))), 0o700); err != nil {
					t.Fatal(err)
				}
				for other, body := range whole {
					damaged := bytes.Clone(body)
					if other == path {
						for j := place; j < len(damaged) && j < place+64; j += 7 {
							damaged[j] ^= 0x10
						}
					}
					if err := os.WriteFile(filepath.Join(dir, other), damaged, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				_, c := start(t, dir)
				for _, table := range tables {
					rows, err := c.ask(t, summary+table)
					var refused *pgconn.PgError
					switch {
					case err == nil && rows[0] != want[table]:
						t.Errorf("w.%s has other rows than were written: %s, want %s or an error", table, rows[0], want[table])
					case err == nil:
					case !errors.As(err, &refused) || refused.Code != "XX001" && !strings.Contains(refused.Detail, "The workspace of this database is not available"):
						t.Errorf("w.%s: %s", table, describe(err))
					}
				}
				c.answers(t, demoTiers, "40|3")
			})
		}
	}
}

// TestWorkspaceReadOnly starts a gateway whose workspace lies on a file system that has become
// read-only: the ontology is served, and statements on the workspace say why they fail.
func TestWorkspaceReadOnly(t *testing.T) {
	t.Parallel()
	disk := tmpfs(t, 16<<10)
	start := func() (*gateway, *client) {
		g := launch(t, nil, "--cache-dir", t.TempDir(), "--workspace-dir", disk, "--storage-uri", demoDir)
		return g, g.connect(t, "onto")
	}
	remount := func(flags uintptr) {
		if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|flags, ""); err != nil {
			t.Skipf("cannot make a read-only file system: %v", err)
		}
	}
	g, c := start()
	c.answers(t, `CREATE SCHEMA w; CREATE TABLE w.t (a int); INSERT INTO w.t VALUES (1)`)
	g.signal(t, syscall.SIGTERM)
	g.wait(t)
	remount(syscall.MS_RDONLY)
	g, c = start()
	c.answers(t, demoTiers, "40|3")
	c.answers(t, `CREATE TEMP TABLE mine (a int); INSERT INTO mine VALUES (1); SELECT * FROM mine`, "1")
	for sql, code := range map[string]string{
		`SELECT * FROM w.t`:                 "42P01",
		`INSERT INTO w.t VALUES (2)`:        "42P01",
		`DROP TABLE w.t`:                    "3F000",
		`CREATE SCHEMA x`:                   "55000",
		`CREATE TABLE w.u AS SELECT 1 AS a`: "3F000",
	} {
		e := c.refuses(t, sql, code)
		if !strings.Contains(e.Detail, "read-only file system") {
			t.Errorf("%s: the detail is %q and does not say that the file system is read-only", sql, e.Detail)
		}
	}
	g.signal(t, syscall.SIGTERM)
	g.wait(t)
	remount(0)
	_, c = start()
	c.answers(t, `INSERT INTO w.t VALUES (2); SELECT sum(a) FROM w.t`, "3")
}

// TestTwoGatewaysOneWorkspace starts a second gateway on a workspace that the first one uses.
// The second serves the ontology alone; after the first has ended a third has the tables.
func TestTwoGatewaysOneWorkspace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func() (*gateway, *client) {
		g := launch(t, nil, "--cache-dir", t.TempDir(), "--workspace-dir", dir, "--storage-uri", demoDir)
		return g, g.connect(t, "onto")
	}
	first, c := start()
	c.answers(t, `CREATE SCHEMA w; CREATE TABLE w.t (a int); INSERT INTO w.t VALUES (1)`)
	_, other := start()
	other.answers(t, demoTiers, "40|3")
	other.refuses(t, `CREATE SCHEMA x`, "55006", "Another gateway", "--workspace-dir")
	e := other.refuses(t, `SELECT * FROM w.t`, "42P01")
	if !strings.Contains(e.Detail, "not available") {
		t.Errorf("the detail is %q and does not say that the workspace is not available", e.Detail)
	}
	c.answers(t, `INSERT INTO w.t VALUES (2); SELECT sum(a) FROM w.t`, "3")
	first.signal(t, syscall.SIGKILL)
	first.wait(t)
	_, third := start()
	third.answers(t, `SELECT sum(a) FROM w.t`, "3")
}
