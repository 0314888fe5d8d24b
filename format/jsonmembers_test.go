package format_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/format"
)

func TestEachMember(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{}`, ""},
		{`{"a":1,"b":{"c":[1,"}"]},"\u00e9":"x\"y"}`, `a=1 b={"c":[1,"}"]} \u00e9="x\"y"`},
		{" { \"a\" : NaN , \"a\" : null } ", "a=NaN a=null"},
		{`{"a":1} 2`, "error"},
		{`{"a":1`, "error"},
		{`{"a":01}`, "error"},
		{`{a:1}`, "error"},
		{`[1]`, "error"},
		{``, "error"},
	} {
		var got []string
		err := format.EachMember([]byte(c.text), func(name, value format.Span) {
			got = append(got, c.text[name.From:name.To]+"="+c.text[value.From:value.To])
		})
		var syntax *format.SyntaxError
		if errors.As(err, &syntax) {
			got = []string{"error"}
		}
		if joined := strings.Join(got, " "); joined != c.want {
			t.Errorf("%s: got %s (%v), want %s", c.text, joined, err, c.want)
		}
	}
}
