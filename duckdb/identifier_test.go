package duckdb

import (
	"fmt"
	"testing"
	"unicode"

	"github.com/ontosql/ontosql/column"
)

// TestIdentifierCase checks what column.Aliases relies on: DuckDB's identifiers are
// case-insensitive in ASCII only, and no other two characters are equal.
func TestIdentifierCase(t *testing.T) {
	e, err := Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	conn, err := e.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	same := func(a, b string) bool {
		t.Helper()
		var found int32
		sql := fmt.Sprintf("SELECT t.%s FROM (SELECT 1 AS %s, 2 AS %s) AS t", Ident(b), Ident(a), Ident(b))
		if err := conn.Each(t.Context(), sql, nil, func(b *column.Batch, i int) { found = b.Cols[0].I32[i] }); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return found != 2
	}
	for r := rune(1); r <= unicode.MaxRune; r++ {
		for _, o := range []rune{unicode.ToLower(r), unicode.ToUpper(r), unicode.SimpleFold(r)} {
			if o == r {
				continue
			}
			letters := r < unicode.MaxASCII && o < unicode.MaxASCII
			if got := same(string(r), string(o)); got != letters {
				t.Errorf("identifiers %q and %q are equal: %t, want %t", r, o, got, letters)
			}
		}
	}
	for _, pair := range [][2]string{{"é", "e\u0301"}, {"ß", "ss"}, {"ﬁ", "fi"}, {"a b", "a\u00a0b"}, {"a", "a "}, {"Ⅷ", "VIII"}} {
		if same(pair[0], pair[1]) {
			t.Errorf("identifiers %q and %q are equal", pair[0], pair[1])
		}
	}
}
