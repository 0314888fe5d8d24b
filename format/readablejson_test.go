package format_test

import (
	"testing"

	"github.com/ontosql/ontosql/format"
)

func TestReadableJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":"x","c":[null]}`:                  ``,
		`{"a":"\ud83d\ude00","b":"\ud55c"}`:           ``,
		`{"b":"\\u0000","c":"\\ud800","d":"\\"}`:      ``,
		`{"a":NaN,"b":-Infinity,"c":Infinity}`:        `{"a":"NaN","b":"-Infinity","c":"Infinity"}`,
		`{"a":[1,NaN],"b":{"x":-Infinity},"c":-1}`:    `{"a":LOST,"b":LOST,"c":-1}`,
		`{"a":"\ud83d","b":2}`:                        `{"a":LOST,"b":2}`,
		`{"a":"x\ude00y","b":"\\ud83d"}`:              `{"a":LOST,"b":"\\ud83d"}`,
		`{"a":"\ud83d\ud83d\ude00"}`:                  `{"a":LOST}`,
		`{"a":"x\u0000","b":"\\u0000","c":"say \"x"}`: `{"a":LOST,"b":"\\u0000","c":"say \"x"}`,
		`{"a":{"k":["x\u0000"]},"b":["a\"N"]}`:        `{"a":LOST,"b":["a\"N"]}`,
		`{"a":{"\ud800":1},"\u0000":2}`:               `{"a":LOST,"\ufffd":2}`,
		`{"a":"x\u0000`:                               `{"a":"x\u0000`,
	} {
		plain := format.PlainJSON([]byte(text))
		if want == "" {
			want = text
			if !plain {
				t.Errorf("%s is not plain", text)
			}
		} else if plain {
			t.Errorf("%s is plain", text)
		}
		if got := format.ReadableJSON([]byte("before "), []byte(text), "LOST"); string(got) != "before "+want {
			t.Errorf("%s became %s, want %s", text, got[len("before "):], want)
		}
	}
}
