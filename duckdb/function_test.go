package duckdb

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
)

// TestFunctions calls functions of pgfunc on more rows than one batch holds, with
// NULLs among them: texts, integers and lists go in and come out.
func TestFunctions(t *testing.T) {
	e, err := Open(t.Context(), Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c, err := e.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const rows = "(SELECT i, CASE WHEN i % 3 <> 0 THEN 'a' || i || '-b' END AS s FROM range(10000) t(i))"
	for _, q := range []struct{ sql, want string }{
		{"SELECT CAST(count(*) FILTER (WHERE ontosql_regexp_replace(s, '[0-9]+', '#', 1, 1, '') = 'a#-b') AS VARCHAR) FROM " + rows, "6666"},
		{"SELECT CAST(count(ontosql_regexp_match(s, '(.)([0-9]+)', '')) AS VARCHAR) FROM " + rows, "6666"},
		{"SELECT CAST(max(len(ontosql_regexp_matches(s, '.', 'g'))) AS VARCHAR) FROM " + rows, "7"},
		{"SELECT CAST(sum(CAST(ontosql_regexp_match(s, '(x)?a([0-9]+)', '')[2] AS BIGINT)) AS VARCHAR) FROM " + rows, "33326667"},
		{"SELECT CAST(count(ontosql_regexp_match(s, '(x)?a', '')[1]) AS VARCHAR) FROM " + rows, "0"},
		{"SELECT CAST(count(DISTINCT ontosql_format('%s %2$s', [s, CAST(i AS VARCHAR)])) AS VARCHAR) FROM " + rows, "10000"},
		{"SELECT CAST(sum(ontosql_regexp_count(s, '[0-9]', 1, '')) AS VARCHAR) FROM " + rows, "25926"},
	} {
		got := ""
		if err := c.Each(t.Context(), q.sql, nil, func(b *column.Batch, i int) { got = string(b.Cols[0].Str[i]) }); err != nil {
			t.Fatalf("%s: %v", q.sql, err)
		}
		if got != q.want {
			t.Errorf("%s is %s, want %s", q.sql, got, q.want)
		}
	}
	err = c.Exec(t.Context(), "SELECT ontosql_regexp('(', '')")
	if err == nil || !strings.Contains(err.Error(), "[2201B] invalid regular expression") {
		t.Errorf("a bad expression: %v", err)
	}
}
