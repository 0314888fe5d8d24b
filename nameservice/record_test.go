package nameservice_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
)

// TestExampleRecords: each example record of seed 003 is read, and written as the same JSON value with
// the same members. What the seed leaves out of "Indexing State with Lock" is that of "Ready State".
func TestExampleRecords(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != 7 {
		t.Fatalf("examples: got %q, %v; want 7", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := nameservice.DecodeRecord(file, text)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got, err := json.Marshal(r)
		if err != nil || !nameservice.EqualPayloads(got, text) {
			t.Errorf("%s:\n got %s, %v\nwant %s", file, got, err, text)
		}
		if again := r.Members(); len(again) != 16 {
			t.Errorf("%s: written with the members %q, want the 16 attributes", file, slices.Sorted(maps.Keys(again)))
		}
	}
}

// TestExtraMembers: top-level members that are no attributes are kept, in records of both versions.
func TestExtraMembers(t *testing.T) {
	for _, text := range []string{
		`{"pk":"a:main","v":2,"type":"ledger","name":"a","branch":"main","status_state":"ready","x":{"y":[1.50]}}`,
		`{"ledger_alias":"a:main","x":{"y":[1.50]},"status_state":"ready"}`,
	} {
		r, err := nameservice.DecodeRecord("k", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := r.Members()
		if string(got["x"]) != `{"y":[1.50]}` || string(got["status_state"]) != `"ready"` {
			t.Errorf("%s is written as %s", text, got.Encode())
		}
	}
}

// TestDamagedRecords: the error names the object and the attribute.
func TestDamagedRecords(t *testing.T) {
	const good = `{"pk":"a:main","v":2,"type":"ledger","name":"a","branch":"main","status_v":1,"status":{"state":"ready"}}`
	for _, test := range []struct{ old, with, field string }{
		{good, `{`, ""},
		{good, `[]`, ""},
		{good, `null`, ""},
		{good, `{}`, "v"},
		{`"v":2`, `"v":3`, "v"},
		{`"v":2`, `"v":"2"`, "v"},
		{`"pk":"a:main"`, `"pk":"a"`, "pk"},
		{`"pk":"a:main"`, `"pk":"a:b:c"`, "pk"},
		{`"pk":"a:main"`, `"pk":"b:main"`, "pk"},
		{`"pk":"a:main"`, `"pk":7`, "pk"},
		{`"pk":"a:main"`, `"pk":"vg:a:main"`, "type"},
		{`"type":"ledger"`, `"type":"vg:bm25"`, "type"},
		{`"status_v":1`, `"status_v":1.5`, "status_v"},
		{`"status_v":1`, `"status_v":-1`, "status_v"},
		{`"status_v":1`, `"head_v":99999999999999999999`, "head_v"},
		{`"status":{"state":"ready"}`, `"status":[]`, "status"},
		{`"status":{"state":"ready"}`, `"retracted":"no"`, "retracted"},
		{`"status":{"state":"ready"}`, `"deps":"a:main"`, "deps"},
		{good, `{"ledger_alias":"a:main","commit_t":"x"}`, "commit_t"},
		{good, `{"ledger_alias":"a:main","ledger_name":"b"}`, "ledger_alias"},
	} {
		text := strings.Replace(good, test.old, test.with, 1)
		_, err := nameservice.DecodeRecord("ns@v2/a/main.json", []byte(text))
		var corrupt *ontosql.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Key != "ns@v2/a/main.json" || corrupt.Field != test.field {
			t.Errorf("%s: got the error %v, want one that names the key and %q", text, err, test.field)
		}
	}
}

func TestParseAlias(t *testing.T) {
	for text, want := range map[string]string{
		"shop": "shop:main", "shop:dev": "shop:dev", "vg:search": "vg:search:main", "vg:search:dev": "vg:search:dev", "org/shop": "org/shop:main",
		"vgs:x": "vgs:x",
	} {
		a, err := nameservice.ParseAlias(text)
		if err != nil || a.String() != want {
			t.Errorf("ParseAlias(%q): got %s, %v; want %s", text, a, err, want)
		}
		if again, err := nameservice.ParseAlias(a.String()); err != nil || again != a {
			t.Errorf("ParseAlias(%q): got %+v, %v; want %+v", a, again, err, a)
		}
	}
	for _, text := range []string{"", ":", "a:", ":a", "vg", "vg:", "vg:main:", "a:b:c", "vg:a:b:c", "a@3", "shop:main@3", "a b\n"} {
		a, err := nameservice.ParseAlias(text)
		var bad *nameservice.NameError
		if !errors.As(err, &bad) {
			t.Errorf("ParseAlias(%q): got %s, %v; want a *NameError", text, a, err)
		}
	}
}

func TestEqualPayloads(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2,3]}`, ` { "b":[2,3], "a":1 } `, true},
		{`{"a":1}`, `{"a":1.0}`, true},
		{`{"a":100}`, `{"a":1e2}`, true},
		{`{"a":-0.50}`, `{"a":-5E-1}`, true},
		{`{"a":0}`, `{"a":-0.0e9}`, true},
		{`{"a":1e999999999999}`, `{"a":10e999999999998}`, true},
		{`{"a":1e999999999999}`, `{"a":1e999999999998}`, false},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{`{"a":0.1}`, `{"a":0.10000000000000001}`, false},
		{`{"a":1}`, `{"a":-1}`, false},
		{`{"a":1}`, `{"a":true}`, false},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":null}`, `{}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":"\u00e9"}`, `{"a":"é"}`, true},
		{``, `null`, true},
		{`null`, `{}`, false},
		{`{`, `{`, false},
	} {
		if got := nameservice.EqualPayloads([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("%s and %s: equal is %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func FuzzDecodeRecord(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"ledger_alias":"a:main","commit_address":"x","commit_t":4}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := nameservice.DecodeRecord("k", text)
		if err != nil {
			return
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%q is read and cannot be written: %v", text, err)
		}
		again, err := nameservice.DecodeRecord("k", written)
		if err != nil {
			t.Fatalf("%q is written as %s, which cannot be read: %v", text, written, err)
		}
		if string(again.Members().Encode()) != string(r.Members().Encode()) {
			t.Fatalf("%q is written as %s, and then as %s", text, r.Members().Encode(), again.Members().Encode())
		}
	})
}
