package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestTooMuch asks for more than there is: depth, parameters, memory, disk for
// spilling. Only the statement fails.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	disk := tmpfs(t, 8<<10)
	g := serve(t, nil, "--cache-dir", disk, "--storage-uri", demoDir, "--memory-limit", "96MiB")
	c := g.connect(t, "onto")
	c.answers(t, demoTiers, "40|3")
	for _, test := range []tooMuch{
		{"parentheses", `SELECT ` + strings.Repeat("(", 50_000) + `1` + strings.Repeat(")", 50_000), []string{"54001"}},
		{"a sum of many", `SELECT ` + strings.Repeat("1+", 50_000) + `1`, []string{"54001", ""}},
		{"subqueries", strings.Repeat("SELECT * FROM (", 5_000) + `SELECT 1` + strings.Repeat(") t", 5_000), []string{"54001"}},
		{"NOTs", `SELECT ` + strings.Repeat("NOT ", 100_000) + `true`, []string{"54001"}},
		{"parameters", `SELECT $65536`, []string{"54000", "08P01", "42P02"}},
		{"a parameter number", `SELECT $99999999999`, []string{"42601", "42P02", "22003"}},
		{"memory and the disk to spill on", `SELECT count(*) FROM (SELECT a, b, row_number() OVER (ORDER BY md5((a * b)::text)) FROM generate_series(1, 3000) a, generate_series(1, 3000) b) x`, []string{"53100", "53200"}},
	} {
		test.ask(t, g, c)
	}
}

// TestMemory requests more text in one vector of 2048 rows than the memory limit allows. The
// memory of the process stays near the limit.
func TestMemory(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--memory-limit", "256MiB")
	c := g.connect(t, "onto")
	for _, test := range []struct{ name, value string }{
		{"blanks of format()", `format('%8000000s', g)`},
		{"replacements", `replace('a' || g, 'a', repeat('x', 8000000))`},
		{"matches", `regexp_replace(repeat('a', 20) || g, 'a', repeat('x', 400000), 'g')`},
		{"repetitions", `repeat('x', 2000000 + g)`},
		{"repetitions of repetitions", `repeat(repeat('x' || g, 1000), 2000)`},
	} {
		tooMuch{test.name, `SELECT sum(length(` + test.value + `)) FROM generate_series(1, 1000) g`, []string{"54000"}}.ask(t, g, c)
	}
	// A batch of results, the engine's allocations outside its limit, and the Go heap.
	if peak := g.memoryPeak(t); peak > 2<<30 {
		t.Errorf("the gateway has taken %d MiB of memory, want 2 GiB at most", peak>>20)
	}
}

// TestMemoryBesideTheLimit asks for what the engine makes of the rows that it works on
// together, and does not count in its limit: texts of texts, lists of lists.
func TestMemoryBesideTheLimit(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--memory-limit", "256MiB")
	c := g.connect(t, "onto")
	const text = `(repeat('x', 100000) || g)`
	for _, test := range []struct{ name, value string }{
		{"texts of texts", strings.Repeat("upper(", 40) + text + strings.Repeat(")", 40)},
		{"concatenations", strings.Repeat(text+" || ", 60) + `g`},
		{"documents", `jsonb_build_array(` + numbered(40, text+" || #", ", ") + `)::text`},
		{"parts", `array_to_string(string_to_array(` + text + `, 'x'), 'y')`},
		{"elements", `array_fill(g, ARRAY[1000000])::text`},
	} {
		tooMuch{test.name, `SELECT sum(length(` + test.value + `)) FROM generate_series(1, 2000) g`, []string{"53200"}}.ask(t, g, c)
	}
	tooMuch{"arrays", `SELECT array_fill(0, ARRAY[1000000]) FROM generate_series(1, 2000)`, []string{"53200"}}.ask(t, g, c)
	// What the engine may take, what it is slow to give back, and the heap of Go.
	if peak := g.memoryPeak(t); peak > 3<<30 {
		t.Errorf("the gateway has taken %d MiB of memory, want 3 GiB at most", peak>>20)
	}
}

// memoryPeak is the most memory that the process has ever had, in bytes.
func (g *gateway) memoryPeak(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes := 0
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		t.Fatalf("the peak of memory in %q: %v", status, err)
	}
	return kilobytes << 10
}

// TestTooDeep asks for documents and paths whose nesting would end the process: it
// cannot be caught there.
func TestTooDeep(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--storage-uri", demoDir)
	c := g.connect(t, "onto")
	const deep = `(repeat('[', 5000000) || repeat(']', 5000000))::jsonb`
	for _, test := range []tooMuch{
		{"levels of a document without its nulls", `SELECT length(jsonb_strip_nulls(` + deep + `)::text)`, []string{"54001"}},
		{"levels of documents that are compared", `SELECT ` + deep + ` = ` + deep, []string{"54001"}},
		{"levels of documents in each other", `SELECT ` + deep + ` @> ` + deep, []string{"54001"}},
		{"levels of documents in each other, by name", `SELECT jsonb_contained(` + deep + `, ` + deep + `)`, []string{"54001"}},
		{"levels of a document in lines", `SELECT length(jsonb_pretty(` + deep + `))`, []string{"54001"}},
		{"CASEs", `SELECT ` + strings.Repeat("CASE WHEN true THEN ", 50_000) + `1` + strings.Repeat(" END", 50_000), []string{"54001"}},
		{"subqueries in expressions", `SELECT ` + strings.Repeat("(SELECT ", 50_000) + `1` + strings.Repeat(")", 50_000), []string{"54001"}},
		{"arrays", `SELECT ` + strings.Repeat("ARRAY[", 50_000) + `1` + strings.Repeat("]", 50_000), []string{"54001"}},
		{"casts", `SELECT 1` + strings.Repeat("::int", 50_000), []string{"54001"}},
		{"signs", `SELECT ` + strings.Repeat("- ", 50_000) + `1`, []string{"54001"}},
		{"UNIONs", `SELECT 1` + strings.Repeat(" UNION ALL SELECT 1", 50_000), []string{"54001"}},
		{"JOINs", `SELECT count(*) FROM customer a` + strings.Repeat(" JOIN customer USING (id)", 50_000), []string{"54001"}},
		{"concatenations", `SELECT 'a'` + strings.Repeat("||'a'", 50_000), []string{"54001"}},
		{"calls", `SELECT ` + strings.Repeat("abs(", 50_000) + `1` + strings.Repeat(")", 50_000), []string{"54001"}},
		{"ANDs", `SELECT true` + strings.Repeat(" AND true", 10_000), []string{"", "54001"}},
		{"ORs", `SELECT false` + strings.Repeat(" OR false", 10_000), []string{"", "54001"}},
		{"some calls that are printed several times", `SELECT length(` + strings.Repeat("quote_literal(", 12) + `'a'` + strings.Repeat(")", 13), []string{""}},
		{"calls that are printed several times", `SELECT ` + strings.Repeat("quote_literal(", 200) + `'a'` + strings.Repeat(")", 200), []string{"54001"}},
		{"some products of an interval", `SELECT interval '1 day'` + strings.Repeat(" * 1", 50), []string{""}},
		{"products of an interval", `SELECT interval '1 day'` + strings.Repeat(" * 1", 200), []string{"54001"}},
		{"words", `SELECT 1 WHERE 1 IN (2` + strings.Repeat(",1", 2_000_000) + `)`, []string{"54000"}},
		{"steps of a path", `SELECT jsonb_path_query('1', '$' || repeat('.a', 20000000))`, []string{"54000"}},
	} {
		test.ask(t, g, c)
	}
}

// TestMuch asks for as much as the protocol allows, and for one more.
func TestMuch(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	c := g.connect(t, "onto")
	var list strings.Builder
	args := make([][]byte, 65_535)
	for i := range args {
		fmt.Fprintf(&list, "$%d,", i+1)
		args[i] = fmt.Appendf(nil, "c%d", i)
	}
	for _, test := range []struct {
		name, sql string
		args      [][]byte
		want      string // the value, or the SQLSTATE
	}{
		{"65,535 parameters", `SELECT count(*) FROM customer WHERE id IN (` + strings.TrimSuffix(list.String(), ",") + `)`, args, "40"},
		{"65,536 parameters", `SELECT count(*) FROM customer WHERE id IN (` + list.String() + `$65536)`, args, "42P02"},
		{"10 MB of text", `SELECT length('` + strings.Repeat("x", 10<<20) + `')`, nil, "10485760"},
		{"10 MB of comment", `SELECT 1 /*` + strings.Repeat("x", 10<<20) + `*/`, nil, "1"},
		{"50,000 ORs of a column", `SELECT count(*) FROM customer WHERE ` + numbered(50_000, "id = 'c#'", " OR "), nil, "40"},
		{"50,000 ANDs of a column", `SELECT count(*) FROM customer WHERE ` + numbered(50_000, "name <> 'c#'", " AND "), nil, "40"},
		{"20,000 ORs", `SELECT count(*) FROM generate_series(1, 9) a WHERE ` + numbered(20_000, "a + 1 = #", " OR "), nil, "9"},
		{"20,000 ANDs", `SELECT count(*) FROM generate_series(1, 9) a WHERE ` + numbered(20_000, "a + # > 7", " AND "), nil, "2"},
		{"ORs that are unknown", `SELECT count(*) FILTER (WHERE c)::text || count(*) FILTER (WHERE c IS NULL) || count(*) FILTER (WHERE NOT c)
			FROM (SELECT ` + numbered(500, "a + 1 = #", " OR ") + ` OR (a > 900 AND NULL) AS c FROM generate_series(1, 1000) a) x`, nil, "498100402"},
		{"ANDs that are unknown", `SELECT count(*) FILTER (WHERE c)::text || count(*) FILTER (WHERE c IS NULL) || count(*) FILTER (WHERE NOT c)
			FROM (SELECT ` + numbered(500, "a + 1 <> #", " AND ") + ` AND (a <= 900 OR NULL) AS c FROM generate_series(1, 1000) a) x`, nil, "402100498"},
		{"a list with a NULL", `SELECT count(*) FILTER (WHERE c)::text || count(*) FILTER (WHERE c IS NULL) FROM (SELECT ` + numbered(500, "a = #", " OR ") + ` OR a = $1::int AS c FROM generate_series(0, 999) a) x`, [][]byte{nil}, "500500"},
		{"300,000 numbers in a list", `SELECT count(*) FROM generate_series(-4, 9) a WHERE a IN (` + numbered(300_000, "#", ", ") + `)`, nil, "10"},
		{"20,000 numbers in a list of two types", `SELECT count(*) FROM generate_series(-4, 9) a WHERE a IN (9000000000, ` + numbered(20_000, "#", ", ") + `)`, nil, "10"},
		{"20,000 numbers and a NULL", `SELECT count(*) FROM generate_series(-4, 9) a WHERE a NOT IN (NULL, ` + numbered(20_000, "#", ", ") + `)`, nil, "0"},
		{"20,000 numbers beside a NULL", `SELECT count(*) FROM (VALUES (1), (-1), (NULL)) v(a) WHERE a NOT IN (` + numbered(20_000, "#", ", ") + `)`, nil, "1"},
		{"20,000 texts in a list", `SELECT count(*) FROM generate_series(-4, 9) a WHERE a || '''' IN (` + numbered(20_000, "'#'''", ", ") + `)`, nil, "10"},
		{"20,000 texts in a list of a join", `SELECT count(*) FROM customer a LEFT JOIN customer b ON a.id = b.id AND b.name IN (` + numbered(20_000, "'#'", ", ") + `)`, nil, "40"},
		{"5,000 queries", `SELECT count(*) FROM (` + numbered(5_000, "SELECT # AS a", " UNION ALL ") + `) x`, nil, "5000"},
		{"5,001 queries", numbered(5_001, "SELECT # AS a", " UNION ALL "), nil, "54001"},
		{"2,000 UNIONs", numbered(2_000, "SELECT #, 1", " UNION "), nil, "54001"},
		{"5,000 rows in a list", `SELECT count(*) FROM generate_series(1, 9) a WHERE (a, 7) IN (` + numbered(5_000, "(#, 7)", ", ") + `)`, nil, "9"},
		{"20,000 arms of a CASE", `SELECT CASE 7 ` + numbered(20_000, "WHEN # THEN 'arm #'", " ") + ` END`, nil, "arm 7"},
		{"50,000 rows of VALUES", `SELECT count(*) FROM (VALUES ` + numbered(50_000, "(#, '#')", ", ") + `) v`, nil, "50000"},
		{"50,000 outputs", `SELECT ` + numbered(50_000, "#", ", "), nil, "54011"},
		{"1,664 outputs", `SELECT ` + numbered(1_664, "#", ", "), nil, "0"},
		{"50,000 arguments with types", `SELECT coalesce(` + numbered(50_000, "NULL::int", ", ") + `, 8)`, nil, "8"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 4*testenv.Patience)
		result := c.ExecParams(ctx, test.sql, test.args, nil, nil, nil).Read()
		cancel()
		got := describe(result.Err)
		if e := (*pgconn.PgError)(nil); errors.As(result.Err, &e) {
			got = e.Code
		} else if result.Err == nil {
			got = string(result.Rows[0][0])
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
	c.answers(t, demoTiers, "40|3")
}

// numbered is a text n times, each with its number for #, and what stands between.
func numbered(n int, text, between string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(strings.ReplaceAll(text, "#", strconv.Itoa(i)))
	}
	return b.String()
}

// tooMuch is a statement that fails with one of the codes; "" is success.
type tooMuch struct {
	name, sql string
	codes     []string
}

// ask sees that the statement alone fails.
func (m tooMuch) ask(t *testing.T, g *gateway, c *client) {
	t.Helper()
	rows, err := c.ask(t, m.sql)
	switch {
	case err == nil && contains(m.codes, ""):
	case err == nil:
		t.Errorf("too much of %s: answers %.100q, want an error of %q", m.name, rows, m.codes)
	default:
		e := wantError(t, "too much of "+m.name, err, stateIn(err, m.codes))
		if e == nil {
			t.Fatalf("the gateway is gone; its log:\n%s", g.log)
		}
	}
	c.answers(t, demoTiers, "40|3")
}

// TestSpill sorts more rows than fit into memory in two gateways that share a cache directory,
// and checks which files remain on disk.
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
