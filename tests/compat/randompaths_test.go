package compat

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestRandomPaths evaluates random paths of SQL/JSON on random documents: accessors and methods
// behind each other in both modes, and texts that are dates and times, or nearly.
func TestRandomPaths(t *testing.T) {
	ctx := t.Context()
	theirs, ours := connect(t, testenv.Postgres(t)), connect(t, start(t, tables))
	const seed = 20261127
	p := paths{rand.New(rand.NewPCG(seed, 0))}
	must(t, ctx, theirs, "SET TimeZone = 'UTC'")
	for i := range 600 {
		sql := p.onDocument()
		if i%2 == 1 {
			sql = p.onTimes()
		}
		if diff := compare(ask(ctx, theirs, sql), ask(ctx, ours, sql), true); diff != "" {
			t.Errorf("seed %d, statement %d: %s\n%s", seed, i, sql, diff)
		}
	}
}

// paths makes statements with paths.
type paths struct{ *rand.Rand }

func (p paths) one(of ...string) string { return of[p.IntN(len(of))] }

// document is a value of JSON.
func (p paths) document(depth int) any {
	switch r := p.IntN(20); {
	case depth > 3 || r < 7:
		return []any{
			1, 1.5, 0, -3, json.Number("123456.789"), json.Number("12345678901234567890"), json.Number("0.00010"), 10000, json.Number("1.0"),
			"a", "bcd", "", "h\u00e9llo", true, false, nil,
		}[p.IntN(16)]
	case r < 13:
		list := make([]any, p.IntN(5))
		for i := range list {
			list[i] = p.document(depth + 1)
		}
		return list
	}
	object := map[string]any{}
	for range p.IntN(6) {
		object[strings.Repeat(p.one("a", "b", "c", "d"), 1+p.IntN(5))] = p.document(depth + 1)
	}
	return object
}

func (p paths) onDocument() string {
	text, _ := json.Marshal(p.document(0))
	path := p.one("", "lax ", "strict ") + p.one("$", "$.**", "$.*", "$[*]", "$.a", "$.**{1 to last}")
	for range p.IntN(5) {
		path += p.one(".keyvalue()", ".a", ".*", "[*]", "[0]", ".value", ".**", ".size()", ".type()", "[last]", ".keyvalue().value", " ? (@.a > 0)", " ? (exists (@.a))", ".key")
	}
	return fmt.Sprintf("SELECT %s(%s, %s%s)", p.one("jsonb_path_query_array", "jsonb_path_exists", "jsonb_path_query_first"), quoted(string(text)), quoted(path), p.one("", ", '{}', true"))
}

func (p paths) onTimes() string {
	text := func() string {
		return p.one("2017-03-10", "2017-03-10 12:34:56", "2017-03-10T12:34:56", "2017-03-10 12:34:56+03", "2017-03-10T12:34:56.789+03:10", "12:34:56", "12:34:56+3", "12:34:56.5-05:30",
			"12:34", "2017-3-1", "0044-03-15", "2017-02-30", "24:00:00", "2017-03-10 12:34:56 +3", "  2017-03-10", "2017-03-10 ", "10000-01-01", "12:34:56.1234567", "2017-03-10x")
	}
	zone, silent := p.one("", "_tz"), p.one("", ", '{}', true")
	if p.IntN(2) == 0 {
		template := p.one("yyyy-mm-dd", "dd-mm-yyyy", "HH24:MI", "HH24:MI:SS", "HH24:MI TZH", "HH24:MI:SSTZH:TZM", "yyyy-mm-dd HH24:MI", "Q", `YYYY-MM-DD\"T\"HH24:MI:SS`, "FF3", "HH12:MI AM",
			"yyyy mm dd", "DDD YYYY", "TZH", "YYYY TZH", "HH24:MI:SS.FF2", "yyyy@mm", "FMHH24:MI", "IYYY-IW-ID", "SSSSS", "TZ")
		return fmt.Sprintf(`SELECT jsonb_path_query_array%s('"%s"', '$.datetime("%s")'%s)`, zone, text(), template, silent)
	}
	return fmt.Sprintf(`SELECT jsonb_path_query_array%s('["%s", "%s", "%s"]', '%s$[*].datetime() ? (@ %s "%s".datetime())'%s)`,
		zone, text(), text(), text(), p.one("", "strict "), p.one("<", "==", ">=", "!="), text(), silent)
}
