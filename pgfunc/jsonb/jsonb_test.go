package jsonb

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestJSONBForms holds what jsonb would refuse and stored documents contain.
func TestJSONBForms(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{`{"bb":1,"a":2,"a":3,"c":{}}`, `{"a": 3, "c": {}, "bb": 1}`},
		{`[1e-07,1e+16,3.0,-0.0,1.5e1]`, `[0.0000001, 10000000000000000, 3.0, 0.0, 15]`},
		{`[NaN,Infinity,-Infinity]`, `[null, null, null]`},
		{`"\u0000 \ud800 \u00e9\/"`, `"\u0000 \ud800 é/"`},
		{`1e999999`, `1e999999`},
		{`{not json`, `{not json`},
		{strings.Repeat("[", 3000) + strings.Repeat("]", 3000), strings.Repeat("[", 3000) + strings.Repeat("]", 3000)},
	} {
		if got := string(new(Printer).Append(nil, []byte(c.doc))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.doc, got, c.want)
		}
	}
}

// FuzzJSONB wants canonical text to be stable, to be JSON whenever the source
// was, and never a panic.
func FuzzJSONB(f *testing.F) {
	for _, doc := range []string{
		`{"b":1,"a":[true,null,1e-07,-0.0,"\u00e9\ud800\n"],"a":{}}`, `[NaN,Infinity,-Infinity]`, `{`, `"\`, `1e999999999`, `{"\u0000":1}`, "[[[]]]", "-",
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		j := new(Printer)
		once := j.Append(nil, doc)
		if !json.Valid(doc) || bytes.IndexByte(doc, unescapable) >= 0 {
			return
		}
		if !json.Valid(once) {
			t.Errorf("%q became %q, which is no JSON", doc, once)
		}
		if twice := j.Append(nil, once); !bytes.Equal(once, twice) {
			t.Errorf("%q became %q and then %q", doc, once, twice)
		}
	})
}

// TestLastNamed keeps the last of members with one name, and the spelling of what has none.
func TestLastNamed(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{`{"b":1e2,  "a":1.50}`, `{"b":1e2,  "a":1.50}`},
		{`{"bb":1e2,"a":1,"a":{"x":1,"x":1e300}}`, `{"a": {"x": 1e300}, "bb": 1e2}`},
		{`[{"a":1},{"\u0061":1,"a":2}]`, `[{"a": 1}, {"a": 2}]`},
		{`{"a":1,"a":`, `{"a":1,"a":`},
	} {
		if got := UniqueKeys(c.doc); got != c.want {
			t.Errorf("%s: got %s, want %s", c.doc, got, c.want)
		}
	}
}
