package faults

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestWorkspaceDiskFull fills the disk of the workspace before each kind of write: the
// statement is 53100, nothing of it stays, reads go on, and when there is room again so do
// writes. The same holds for a gateway that is started on the full disk after a crash.
func TestWorkspaceDiskFull(t *testing.T) {
	t.Parallel()
	disk, cache := tmpfs(t, 64<<10), t.TempDir()
	start := func() (*gateway, *client) {
		g := launch(t, nil, "--cache-dir", cache, "--workspace-dir", disk, "--storage-uri", demoDir)
		return g, g.connect(t, "onto")
	}
	g, c := start()
	c.answers(t, `CREATE SCHEMA w; CREATE TABLE w.t (a int PRIMARY KEY, b text); INSERT INTO w.t SELECT g, repeat(md5(g::text), 10) FROM generate_series(1, 1000) g`)
	state := func(when string, c *client, want string) {
		t.Helper()
		if rows, err := c.ask(t, `SELECT count(*) || ' ' || sum(a) FROM w.t`); err != nil || strings.Join(rows, "") != want {
			t.Errorf("%s the table has %q (%v), want %q", when, rows, err, want)
		}
	}
	const big = `SELECT g + 10000 AS a, md5(g::text) || md5((g * 7)::text) || md5((g * 11)::text) AS b FROM generate_series(1, 1000000) g`
	for _, sql := range []string{
		`CREATE TABLE w.big AS ` + big,
		`INSERT INTO w.t ` + big,
		`INSERT INTO w.t VALUES (5000, repeat('x', 100000))`,
		`UPDATE w.t SET b = b || 'x'`,
		`BEGIN; INSERT INTO w.t VALUES (5000, 'x'); UPDATE w.t SET b = b || 'x'; COMMIT`,
	} {
		ballast := fillUp(t, disk)
		c.refuses(t, sql, "53100", "No space left on device")
		c.answers(t, `ROLLBACK`)
		state("on a full disk", c, "1000 500500")
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		c.answers(t, `INSERT INTO w.t VALUES (6000, 'y'); DELETE FROM w.t WHERE a = 6000`)
		state("with room again", c, "1000 500500")
	}
	c.answers(t, `BEGIN; UPDATE w.t SET b = b || 'x'; INSERT INTO w.t VALUES (5000, 'x')`)
	for i := range 100 {
		c.answers(t, fmt.Sprintf(`CREATE TABLE w.%s%d AS SELECT 1 AS a`, strings.Repeat("u", 50), i))
	}
	ballast := fillUp(t, disk)
	g.signal(t, syscall.SIGKILL)
	g.wait(t)
	g, c = start()
	state("after a crash on a full disk", c, "1000 500500")
	c.refuses(t, `UPDATE w.t SET b = b || 'x'`, "53100", "No space left on device")
	g.signal(t, syscall.SIGTERM)
	if code := g.wait(t); code != 0 {
		t.Errorf("on a full disk the gateway exited with %d; its log:\n%s", code, g.log)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	_, c = start()
	state("after a start", c, "1000 500500")
}
