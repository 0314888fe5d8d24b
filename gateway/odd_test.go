package gateway

import "testing"

func TestTame(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":"NaN","c":"Infinity"}`:            ``,
		`{"a":NaN,"b":[-Infinity,Infinity]}`:          `{"a":"NaN","b":["-Infinity","Infinity"]}`,
		`{"a":"\ud83d\ude00","b":"\ud55c"}`:           ``,
		`{"a":"\ud83d","b":2}`:                        `{"a":null,"b":2}`,
		`{"a":"x\ude00y","b":"\\ud83d"}`:              `{"a":null,"b":"\\ud83d"}`,
		`{"a":"\ud83d\ud83d\ude00"}`:                  `{"a":null}`,
		`{"a":"x\u0000","b":"\\u0000","c":"say \"x"}`: `{"a":null,"b":"\\u0000","c":"say \"x"}`,
		`{"NaN":-1,"a":-0.5}`:                         ``,
	} {
		got, changed, _ := tame([]byte("before "), []byte(text))
		if want == "" {
			if changed || string(got) != "before "+text {
				t.Errorf("%s became %s, and should stay what it is", text, got)
			}
			continue
		}
		if !changed || !odd([]byte(text)) || string(got) != "before "+want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}
