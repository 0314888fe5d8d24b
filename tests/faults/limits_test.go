package faults

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestTooMuch asks for more than there is: depth, parameters, memory, disk for
// spilling. Only the statement fails.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	disk := tmpfs(t, 8<<10)
	g := serve(t, nil, "--cache-dir", disk, "--storage-uri", demoDir, "--memory-limit", "96MiB")
	c := g.connect(t, "onto")
	c.answers(t, demoTiers, "40|3")
	for _, test := range []struct {
		name, sql string
		codes     []string
	}{
		{"parentheses", `SELECT ` + strings.Repeat("(", 50_000) + `1` + strings.Repeat(")", 50_000), []string{"54001"}},
		{"a sum of many", `SELECT ` + strings.Repeat("1+", 50_000) + `1`, []string{"54001", ""}},
		{"subqueries", strings.Repeat("SELECT * FROM (", 5_000) + `SELECT 1` + strings.Repeat(") t", 5_000), []string{"54001"}},
		{"NOTs", `SELECT ` + strings.Repeat("NOT ", 100_000) + `true`, []string{"54001"}},
		{"parameters", `SELECT $65536`, []string{"54000", "08P01", "42P02"}},
		{"a parameter number", `SELECT $99999999999`, []string{"42601", "42P02", "22003"}},
		{"memory and the disk to spill on", `SELECT count(*) FROM (SELECT a, b, row_number() OVER (ORDER BY md5((a * b)::text)) FROM generate_series(1, 3000) a, generate_series(1, 3000) b) x`, []string{"53100", "53200"}},
	} {
		rows, err := c.ask(t, test.sql)
		switch {
		case err == nil && contains(test.codes, ""):
		case err == nil:
			t.Errorf("too much of %s: answers %.100q, want an error of %q", test.name, rows, test.codes)
		default:
			e := wantError(t, "too much of "+test.name, err, stateIn(err, test.codes))
			if e == nil {
				t.Fatalf("the gateway is gone; its log:\n%s", g.log)
			}
		}
		c.answers(t, demoTiers, "40|3")
	}
}

// TestSpill sorts more than fits into memory, in two gateways that share a
// cache directory, and looks at what is left on the disk.
func TestSpill(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	for range 2 {
		g := launch(t, nil, "--cache-dir", cache, "--storage-uri", demoDir, "--memory-limit", "96MiB")
		t.Cleanup(func() {
			g.signal(t, syscall.SIGTERM)
			if code := g.wait(t); code != 0 {
				t.Errorf("exit code %d after SIGTERM, want 0; the log:\n%s", code, g.log)
			}
		})
		g.connect(t, "onto").answers(t, `SELECT max(n), count(DISTINCT k) FROM (
			SELECT k, row_number() OVER (ORDER BY k) AS n
			FROM (SELECT md5((a * 1500 + b)::text) AS k FROM generate_series(0, 1499) a, generate_series(0, 1499) b) x) y`, "2250000|2250000")
	}
	t.Cleanup(func() { // runs before the gateways are stopped
		if spills, err := os.ReadDir(filepath.Join(cache, "spill")); err != nil || len(spills) != 2 {
			t.Errorf("two gateways have %d directories to spill into (%v), want one each", len(spills), err)
		}
	})
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

// stateIn is the SQLSTATE of err where it is one of codes, else the first of
// them.
func stateIn(err error, codes []string) string {
	for _, code := range codes {
		if code != "" && stateOf(err, code) == code && strings.Contains(describe(err), ": "+code+":") {
			return code
		}
	}
	return codes[0]
}

// TestMessagesOutOfPlace sends messages of protocols within the protocol.
func TestMessagesOutOfPlace(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	for _, test := range []struct {
		name  string
		bytes []byte
		code  string // "" is no error
	}{
		{"CopyData without COPY", join(message('d', 1, 2, 3), message('c'), message('f', 0), message('S')), ""},
		{"FunctionCall", message('F', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0), "0A000"},
		{"Flush and Sync", join(message('H'), message('S')), ""},
		{"COPY FROM STDIN that fails", join(message('Q', []byte("COPY customer FROM STDIN\x00")...), message('d', 1), message('f', []byte("no\x00")...)), "57014"},
		{"empty query", message('Q', 0), ""},
		{"only semicolons", message('Q', []byte(";;;\x00")...), ""},
		{"an error in the middle", message('Q', []byte("SELECT 1; SELECT nosuch; SELECT 2\x00")...), "42703"},
		{"Close of what is not there", join(message('C', []byte("Snosuch\x00")...), message('C', []byte("Pnosuch\x00")...), message('S')), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := g.raw(t).login(t)
			r.write(t, test.bytes)
			e := r.untilReady(t)
			if e == nil {
				e = &pgproto3.ErrorResponse{}
			}
			if e.Code != test.code {
				t.Errorf("the gateway answers %s %q, want SQLSTATE %q", e.Code, e.Message, test.code)
			}
			r.write(t, message('Q', []byte("SELECT 1\x00")...))
			if e := r.untilReady(t); e != nil {
				t.Errorf("the next query: %s %s", e.Code, e.Message)
			}
		})
	}
}

// TestOddDirectories serves stores that are broken in the
// file system: a folder for an object, links that lead
// out of it.
func TestOddDirectories(t *testing.T) {
	t.Parallel()
	folder, link, loop := newStore(t, 2), newStore(t, 2), newStore(t, 2)
	folder.edit(t, "meta/head.json", removed)
	link.edit(t, "meta/head.json", removed)
	loop.edit(t, "meta/head.json", removed)
	for _, err := range []error{
		os.Mkdir(folder.dir+"/meta/head.json", 0o755),
		os.Symlink("/etc/passwd", link.dir+"/meta/head.json"),
		os.Symlink("head.json", loop.dir+"/meta/head.json"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--db", "folder="+folder.dir, "--db", "link="+link.dir, "--db", "loop="+loop.dir)
	g.connect(t, "folder").refuses(t, query, "55000", "not initialised")
	e := g.connect(t, "link").refuses(t, query, "58030", "permission denied")
	if e != nil && strings.Contains(describe(e), "root:") {
		t.Errorf("the error shows what a link leads to: %s", describe(e))
	}
	g.connect(t, "loop").refuses(t, query, "58030", "permission denied")
}
