package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mirrored reads a table until all of its rows come from the mirror, or fails.
func mirrored(t *testing.T, c *client, table string) {
	t.Helper()
	waitFor(t, "the mirror of "+table, func() bool {
		plan, err := c.ask(t, `SELECT count(*) FROM `+table+`; EXPLAIN SELECT * FROM `+table)
		text := strings.Join(plan, "\n")
		if err != nil {
			t.Errorf("%s: %v", table, describe(err))
		}
		return strings.Contains(text, "Mirror: through") && strings.Contains(text, "Files: 0 considered")
	})
}

// mirrorFile is the mirror's file below a cache directory.
func mirrorFile(t *testing.T, cache string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(cache, "mirror", "*", "*.duckdb"))
	if err != nil || len(found) != 1 {
		t.Fatalf("files of the mirror: %v, %v, want one", found, err)
	}
	return found[0]
}

// mirrorQuestions read every table of the demo whole.
var mirrorQuestions = []string{
	demoTiers,
	`SELECT md5(string_agg(fields_json || commit_id::text, ';' ORDER BY id)) FROM customer`,
	`SELECT md5(string_agg(fields_json || valid_from::text || coalesce(valid_to::text, ''), ';' ORDER BY id, commit_id)) FROM history.customer`,
	`SELECT md5(string_agg(fields_json || commit_id::text, ';' ORDER BY left_key, right_key, order_no)) FROM purchase`,
	`SELECT count(*), max(balance) FROM as_of.customer(20)`,
	`SELECT name, tier FROM customer WHERE id = 'c7'`,
}

// answersOf are the answers to them, one line each.
func answersOf(t *testing.T, c *client) []string {
	t.Helper()
	var all []string
	for _, sql := range mirrorQuestions {
		rows, err := c.ask(t, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, describe(err))
		}
		all = append(all, strings.Join(rows, ";"))
	}
	return all
}

// answersAre compares them.
func answersAre(t *testing.T, c *client, when string, want []string) {
	t.Helper()
	for i, got := range answersOf(t, c) {
		if got != want[i] {
			t.Errorf("%s: %s answers %s, want %s", when, mirrorQuestions[i], got, want[i])
		}
	}
}

// flip changes bytes of a file, each step bytes from an offset on.
func flip(path string, from, step int) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i := from; i < len(body); i += step {
		body[i] ^= 0xff
	}
	return os.WriteFile(path, body, 0o644)
}

// TestMirrorDamaged damages mirror files before a gateway starts and while it runs. Every
// answer is correct, and in the end the mirror has been rebuilt.
func TestMirrorDamaged(t *testing.T) {
	t.Parallel()
	built := t.TempDir()
	g := launch(t, nil, "--cache-dir", built, "--storage-uri", demoDir)
	c := g.connect(t, "onto")
	want := answersOf(t, c)
	for _, table := range []string{"customer", "purchase"} {
		mirrored(t, c, table)
	}
	answersAre(t, c, "mirrored", want)
	g.signal(t, syscall.SIGTERM)
	if code := g.wait(t); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for name, damage := range map[string]func(path string) error{
		"version of the engine": func(path string) error { return flip(path, 12, 1<<30) },
		"both headers":          func(path string) error { return flip(path, 4096+64, 4096) },
		"every block":           func(path string) error { return flip(path, 12_288+5_000, 262_144) },
		"a byte in every 100":   func(path string) error { return flip(path, 0, 100) },
		"half of it":            func(path string) error { return os.Truncate(path, 12_288+262_144/2) },
		"the log is noise": func(path string) error {
			return os.WriteFile(path+".wal", []byte(strings.Repeat("noise", 9_999)), 0o644)
		},
		"another ontosql's": func(path string) error { return os.Rename(path, strings.Replace(path, "-v", "-v9", 1)) },
		"a directory in its place": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.MkdirAll(filepath.Join(path, "x"), 0o755)
		},
	} {
		for _, running := range []bool{false, true} {
			when := "before the start"
			if running {
				when = "while running"
			}
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				cache, store := filepath.Join(t.TempDir(), "cache"), copyOfDemo(t)
				args := []string{"--cache-dir", cache, "--storage-uri", store}
				if !running {
					args[3] = demoDir // whose mirror it is
				}
				if !running {
					if err := os.CopyFS(cache, os.DirFS(built)); err != nil {
						t.Fatal(err)
					}
					if err := damage(mirrorFile(t, cache)); err != nil {
						t.Fatal(err)
					}
				}
				g := serve(t, nil, args...)
				c := g.connect(t, "onto")
				answersAre(t, c, "at first", want)
				mirroredUnlessOff(t, g, c)
				if !running {
					answersAre(t, c, "mirrored again", want)
					return
				}
				if err := damage(mirrorFile(t, cache)); err != nil {
					t.Fatal(err)
				}
				answersAre(t, c, "after the damage", want)
				for i := range 3 {
					c.answers(t, fmt.Sprintf(`INSERT INTO customer (id, name, tier, balance) VALUES ('z%d', 'Late', 'gold', 1)`, i))
					c.answers(t, demoTiers, fmt.Sprintf("%d|4", 41+i))
					answersAre(t, g.connect(t, "onto@54"), "of the past, after a commit", want)
				}
			})
		}
	}
}

// mirroredUnlessOff waits for the mirror of customer, unless the log says that
// the gateway goes without.
func mirroredUnlessOff(t *testing.T, g *gateway, c *client) {
	t.Helper()
	if !strings.Contains(g.log.String(), "mirror is off") {
		mirrored(t, c, "customer")
	}
}
