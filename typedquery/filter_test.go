package typedquery_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/typedquery"
)

// shownFilter is a filter on one line.
func shownFilter(f typedquery.Filter) string {
	var operands []string
	for _, o := range f.Operands {
		operands = append(operands, string(o.Append(nil, format.Canonical)))
	}
	return fmt.Sprint(f.Side, " ", strings.Join(f.Path, "."), " ", f.Op, " ", strings.Join(operands, " "))
}

// TestParseFilters reads filters of one word and of three, in any order. The original takes any
// three words for one filter (COMPAT D43).
func TestParseFilters(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  []string // or one text of an error
	}{
		{nil, nil},
		{[]string{`$.age gt 9`}, []string{"0 age gt 9"}},
		{[]string{`$.age`, `gt`, `9`}, []string{"0 age gt 9"}},
		{[]string{`$.a eq 1`, `$.b eq 2`, `$.c eq 3`}, []string{"0 a eq 1", "0 b eq 2", "0 c eq 3"}},
		{[]string{`$.a eq 1`, `$.b`, `ne`, `"x y"`, `$.c is_null`}, []string{"0 a eq 1", `0 b ne "x y"`, "0 c is_null "}},
		{[]string{`  left.$.a.b_1   eq   "it's"  `}, []string{`1 a.b_1 eq "it's"`}},
		{[]string{`right.$.A`, `in`, `[1, "a", null, true]`}, []string{`2 A in 1 "a" null true`}},
		{[]string{`$.a in []`}, []string{"0 a in "}},
		{[]string{`$.a is_null`}, []string{"0 a is_null "}},
		{[]string{`$.a`, `is_null`, `-`}, []string{"0 a is_null "}},
		{[]string{`$.a is_null true`}, []string{"0 a is_null "}},
		{[]string{`$.a eq {"b": [1]}`}, []string{`0 a eq {"b":[1]}`}},

		{[]string{`$.a`}, []string{"error: want PATH OP JSON"}},
		{[]string{`$.a`, `eq`}, []string{"error: want PATH OP JSON"}},
		{[]string{`a eq 1`}, []string{`error: path "a"`}},
		{[]string{`$.left.f eq 1`, `$ eq 1`}, []string{`error: path "$"`}},
		{[]string{`$.a[0] eq 1`}, []string{`error: path "$.a[0]"`}},
		{[]string{`$.a'b eq 1`}, []string{`error: path "$.a'b"`}},
		{[]string{`$.a like "x"`}, []string{`error: operator "like"`}},
		{[]string{`$.a eq`}, []string{"error: want JSON"}},
		{[]string{`$.a eq Gold`}, []string{"error: want JSON behind eq, a text in double quotes"}},
		{[]string{`$.a eq null`}, []string{"error: nothing compares with null"}},
		{[]string{`$.a gt [1]`}, []string{"error: gt compares numbers and texts"}},
		{[]string{`$.a in 1`}, []string{"error: in wants a list"}},
		{[]string{`$.a eq NaN`}, []string{"error: want a finite number"}},
		{[]string{`$.a eq 1e999`}, []string{"error: want a finite number"}},
		{[]string{`$.a eq "\u0000"`}, []string{"error: no text in SQL has U+0000"}},
		{[]string{`$.a in ["\ud800"]`}, []string{"error: no text in SQL has U+0000"}},
		{[]string{`$.a is_null false`}, []string{"error: is_null tests for null"}},
	} {
		filters, err := typedquery.ParseFilters(c.words)
		var got []string
		for _, f := range filters {
			got = append(got, shownFilter(f))
		}
		if err != nil {
			got = []string{"error: " + err.Error()}
		}
		ok := len(got) == len(c.want)
		for i := range min(len(got), len(c.want)) {
			want, isError := strings.CutPrefix(c.want[i], "error: ")
			ok = ok && (got[i] == c.want[i] || isError && err != nil && strings.Contains(got[i], want))
		}
		if !ok {
			t.Errorf("%q: got %q, want %q", c.words, got, c.want)
		}
	}
}
