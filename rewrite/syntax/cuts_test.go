package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCuts(t *testing.T) {
	long := strings.Repeat("x", 63)
	umlauts := strings.Repeat("ä", 32) // 64 bytes: the last one does not fit
	for sql, want := range map[string][]Cut{
		"SELECT 1":                                    nil,
		"SELECT * FROM " + long:                       nil,
		"SELECT '" + long + long + "'":                nil,
		"SELECT * FROM " + long + "Y":                 {{long + "y", long}},
		`SELECT "` + long + `Y" FROM t`:               {{long + "Y", long}},
		`SELECT "` + strings.Repeat("a b ", 16) + `"`: {{strings.Repeat("a b ", 16), strings.Repeat("a b ", 15) + "a b"}},
		`SELECT "` + long[1:] + `"""`:                 nil,
		`SELECT "` + umlauts + `"`:                    {{umlauts, umlauts[:62]}},
		"SELECT " + long + "1, " + long + "1":         {{long + "1", long}, {long + "1", long}},
		"SELECT '" + long + "y":                       nil, // no end
	} {
		if got := Cuts(sql); !cmp.Equal(got, want) {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
