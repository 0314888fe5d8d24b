package format_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

type vectors struct {
	Schemas []struct {
		Class      string `json:"class"`
		SchemaJSON string `json:"schema_json"`
		SchemaHash string `json:"schema_hash"`
	} `json:"schemas"`
	JSON []struct {
		CompactSorted string `json:"compact_sorted"`
		Default       string `json:"default"`
	} `json:"json"`
	Unions map[string]string `json:"union_spellings"`
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	if err := json.Unmarshal(fixtures.File(t, "vectors/vectors.json"), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Schemas) == 0 || len(v.JSON) == 0 {
		t.Fatal("vectors.json is empty")
	}
	return v
}

func parse(t *testing.T, text string) format.Value {
	t.Helper()
	v, err := format.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return v
}

func TestVectorsOfJSON(t *testing.T) {
	for _, vector := range readVectors(t).JSON {
		for _, from := range []string{vector.CompactSorted, vector.Default} {
			if got := string(parse(t, from).Append(nil, format.Canonical)); got != vector.CompactSorted {
				t.Errorf("%s canonical: got %s, Python wrote %s", from, got, vector.CompactSorted)
			}
		}
		if got := string(parse(t, vector.Default).Append(nil, format.SpacedInOrder)); got != vector.Default {
			t.Errorf("%s spaced in order: got %s", vector.Default, got)
		}
	}
}

// TestCanonicalJSON has the results of json.dumps(json.loads(text), sort_keys=True,
// separators=(",", ":")) in Python 3.13.
func TestCanonicalJSON(t *testing.T) {
	tests := []struct{ text, want string }{
		{"1E5", "100000.0"},
		{"1e16", "1e+16"},
		{"9999999999999998.0", "9999999999999998.0"},
		{"123456789012345680.0", "1.2345678901234568e+17"},
		{"0.0001", "0.0001"},
		{"0.00001", "1e-05"},
		{"1.5e-07", "1.5e-07"},
		{"5e-324", "5e-324"},
		{"1e400", "Infinity"},
		{"-1e400", "-Infinity"},
		{"1e-400", "0.0"},
		{"-0.0", "-0.0"},
		{"-0", "0"},
		{"-12", "-12"},
		{"NaN", "NaN"},
		{"[Infinity, -Infinity]", "[Infinity,-Infinity]"},
		{"1267650600228229401496703205376", "1267650600228229401496703205376"},
		{` { "b" : [ ] , "a" : { } } `, `{"a":{},"b":[]}`},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{`"\u00e9\u2028\ud83d\ude00\/\b\f\n\r\t"`, `"\u00e9\u2028\ud83d\ude00/\b\f\n\r\t"`},
		{`"é😀"`, `"\u00e9\ud83d\ude00"`},
		{`"\ud800"`, `"\ud800"`},
		{`"\udc00\ud800x"`, `"\udc00\ud800x"`},
		{`"\ud800\u0041"`, `"\ud800A"`},
		{`"\ud800\ud83d\ude00"`, `"\ud800\ud83d\ude00"`},
		{"\"\x7f\"", `"\u007f"`},
		{`"\u0000\u001f"`, `"\u0000\u001f"`},
		// Keys sort by code point: a lone surrogate before U+FFFF before U+1F600. The order of
		// UTF-16 is different.
		{`{"😀":1,"\uffff":2,"\ud800":3,"z":4}`, `{"z":4,"\ud800":3,"\uffff":2,"\ud83d\ude00":1}`},
	}
	for _, test := range tests {
		got, err := format.Canonicalize([]byte(test.text))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v; Python writes %s", test.text, got, err, test.want)
		}
		got, err = format.AppendCanonical([]byte("before "), []byte(test.text))
		if err != nil || string(got) != "before "+test.want {
			t.Errorf("%s appended: got %s, %v; Python writes %s", test.text, got, err, test.want)
		}
	}
}

// TestRespelled rewrites texts in the style that the original uses in SQLite.
func TestRespelled(t *testing.T) {
	for text, want := range map[string]string{
		`{"sku": 7, "price": 3.0}`:                           `{"price":3.0,"sku":7}`,
		`{"a": 1, "b": {"d": [1, 2.5, null], "c": {}}}`:      `{"a":1,"b":{"c":{},"d":[1,2.5,null]}}`,
		`{"name": "O\u00e9 \"x\"\n", "id": "c1"}`:            `{"id":"c1","name":"O\u00e9 \"x\"\n"}`,
		`{"b": 0.1, "a": -0.0, "c": 1e+16, "aa": 123456.75}`: `{"a":-0.0,"aa":123456.75,"b":0.1,"c":1e+16}`,
		`{"\u00e9": 1, "z": 2}`:                              `{"z":2,"\u00e9":1}`,
		`{"b": 1, "a": 2, "b": 3}`:                           `{"a":2,"b":3}`,
		`{"f": 0.30000000000000004, "e": 1.50, "d": -0}`:     `{"d":0,"e":1.5,"f":0.30000000000000004}`,
	} {
		got, err := format.AppendCanonical(nil, []byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
	if got, err := format.AppendCanonical([]byte("before"), []byte(`{"a": 1,}`)); err == nil || string(got) != "before" {
		t.Errorf("not JSON: got %s, %v, want dst unchanged and an error", got, err)
	}
}

func TestWhatIsNoJSON(t *testing.T) {
	for _, text := range []string{
		"", " ", "{", "[1", "[1,]", `{"a":1,}`, `{"a"}`, `{a:1}`, "01", "-", "1.", ".5", "1e", "+1", "-NaN", "nan", "tru", "nul",
		`"a`, `"\x"`, `"\u12g4"`, `"\`, `"\u12`, "\"\n\"", "\"\xff\"", "1 2", "[1]]", "\x00", "\ufeff1", `{"a":1 "b":2}`,
		strings.Repeat("[", 100_000),
		strings.Repeat(`{"a":`, 100_000),
	} {
		v, err := format.ParseJSON([]byte(text))
		if err == nil {
			t.Errorf("parse %.40q: got %v, want an error", text, v)
		}
	}
}

func TestEqual(t *testing.T) {
	same := [][2]string{
		{"1", "1.0"},
		{"1", "true"},
		{"0", "false"},
		{"1.0", "true"},
		{"-0.0", "0"},
		{"-0.0", "0.0"},
		{"false", "-0.0"},
		{"9007199254740993", "9007199254740993"},
		{"1e22", "10000000000000000000000"},
		{`{"a":1,"b":[2,{"c":null}]}`, `{"b":[2.0,{"c":null}],"a":true}`},
		{`"\u00e9"`, `"é"`},
		{"Infinity", "1e999"},
		{"[]", "[ ]"},
	}
	for _, pair := range same {
		if !format.Equal([]byte(pair[0]), []byte(pair[1])) || !format.Equal([]byte(pair[1]), []byte(pair[0])) {
			t.Errorf("%s and %s: not equal, but equal in Python", pair[0], pair[1])
		}
	}
	different := [][2]string{
		{"1", `"1"`},
		{"null", "false"},
		{"null", "0"},
		{"NaN", "NaN"},
		{"[NaN]", "[NaN]"},
		{`{"a":null}`, "{}"},
		{"[1,2]", "[2,1]"},
		{"[1]", "[1,1]"},
		{`{"a":1}`, `{"b":1}`},
		{"9007199254740993", "9007199254740992.0"},
		{"1", "1.5"},
		{"Infinity", "-Infinity"},
		{"[]", "{}"},
		{"{", "{"},
		{"2", "true"},
	}
	for _, pair := range different {
		if format.Equal([]byte(pair[0]), []byte(pair[1])) || format.Equal([]byte(pair[1]), []byte(pair[0])) {
			t.Errorf("%s and %s: equal, but not equal in Python", pair[0], pair[1])
		}
	}
}

func TestKeyText(t *testing.T) {
	tests := []struct{ json, want string }{
		{"5", "5"},
		{"1.0", "1.0"},
		{"1e16", "1e+16"},
		{"true", "True"},
		{"false", "False"},
		{"null", "None"},
		{`""`, ""},
		{`"c\u00e9"`, "cé"},
		{"-0.0", "-0.0"},
		{"NaN", "nan"},
		{"-Infinity", "-inf"},
		{"Infinity", "inf"},
		{"1208925819614629174706176", "1208925819614629174706176"},
	}
	for _, test := range tests {
		got, err := format.KeyText(parse(t, test.json))
		if err != nil || got != test.want {
			t.Errorf("str of %s: got %q, %v; want %q", test.json, got, err, test.want)
		}
	}
	for _, text := range []string{"[1]", "{}"} {
		if got, err := format.KeyText(parse(t, text)); err == nil {
			t.Errorf("key of %s: got %q, want an error", text, got)
		}
	}
}

func TestValuesMadeByHand(t *testing.T) {
	v := format.Object(
		format.Member{Name: "z", Value: format.Array(format.Null(), format.Bool(true), format.Int(math.MinInt64))},
		format.Member{Name: "a", Value: format.Float(2)},
		format.Member{Name: "z", Value: format.String("\xff\u2028")},
	)
	if got, want := string(v.Append(nil, format.Spaced)), `{"a": 2.0, "z": "\ufffd\u2028"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := strings.Join(v.Names(), ","), "z,a"; got != want {
		t.Errorf("names: got %s, want %s", got, want)
	}
	if n, ok := parse(t, "9223372036854775807").Int64(); !ok || n != math.MaxInt64 {
		t.Errorf("greatest integer: got %d, %t", n, ok)
	}
	if n, ok := parse(t, "9223372036854775808").Int64(); ok {
		t.Errorf("an integer of 65 bits: got %d", n)
	}
}

// TestManyMembers builds objects above and below the size at which objectBuilder uses a map.
func TestManyMembers(t *testing.T) {
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, `,"k%d":%d`, i%40, i)
	}
	v := parse(t, "{"+text.String()[1:]+"}")
	if len(v.Names()) != 40 {
		t.Fatalf("50 members of 40 names: got %d", len(v.Names()))
	}
	if got, _ := v.Get("k0"); got.Text() != "40" {
		t.Errorf("k0: got %s, want its last value 40", got.Text())
	}
}
