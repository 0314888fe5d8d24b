package pgfunc

import (
	"errors"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestEdits changes documents. What is not changed stays as it is written; of members with
// one name the last is meant.
func TestEdits(t *testing.T) {
	path := func(steps ...string) []any {
		list := make([]any, len(steps))
		for i, s := range steps {
			list[i] = s
		}
		return list
	}
	for _, c := range []struct {
		name string
		args []any
		want string
	}{
		{"concat", []any{`{"a": 1.0, "b":2}`, ` {"b": [1, 2]} `}, `{"a":1.0,"b":[1, 2]}`},
		{"concat", []any{`[1]`, `{"a":2}`}, `[1,{"a":2}]`},
		{"concat", []any{`1`, `"x"`}, `[1,"x"]`},
		{"delete_key", []any{`["a", "\u0061", 1, ["a"]]`, "a"}, `[1,["a"]]`},
		{"delete_key", []any{`1`, "a"}, `22023 cannot delete from scalar`},
		{"delete", []any{`{"a":1,"b":2,"c":3}`, []any{"a", nil, "c"}}, `{"b":2}`},
		{"delete_index", []any{`[1,2,3]`, -1}, `[1,2]`},
		{"delete_index", []any{`[1,2,3]`, -4}, `[1,2,3]`},
		{"delete_index", []any{`{}`, 0}, `22023 cannot delete from object using integer index`},
		{"delete_path", []any{`{"a":[{"b":1,"c":2}]}`, path("a", "-1", "b")}, `{"a":[{"c":2}]}`},
		{"delete_path", []any{`{"a":[1]}`, path("a", "x")}, `22P02 path element at position 2 is not an integer: "x"`},
		{"delete_path", []any{`{"a":[1]}`, []any{"a", nil}}, `22004 path element at position 2 is null`},
		{"delete_path", []any{`{"a":1}`, path("b", "c")}, `{"a":1}`},
		{"set", []any{`{"a":[1,2]}`, path("a", "-9"), `0`, 1}, `{"a":[0,1,2]}`},
		{"set", []any{`{"a":[1,2]}`, path("a", "9"), `0`, 1}, `{"a":[1,2,0]}`},
		{"set", []any{`{"a":[1,2]}`, path("a", "9"), `0`, 0}, `{"a":[1,2]}`},
		{"set", []any{`{"a":[1,[5]]}`, path("a", "-9", "0"), `0`, 1}, `{"a":[1,[5]]}`},
		{"set", []any{`[]`, path("x"), `0`, 0}, `[]`},
		{"set", []any{`1`, path("x"), `0`, 1}, `22023 cannot set path in scalar`},
		{"set", []any{`{"a":1}`, []any{}, `0`, 1}, `{"a":1}`},
		{"insert", []any{`{}`, path("a"), `1`, 0}, `{"a":1}`},
		{"insert", []any{`{"a":1}`, path("a"), `1`, 0}, `22023 cannot replace existing key`},
		{"insert", []any{`[1,2]`, path("0"), `0`, 1}, `[1,0,2]`},
		{"insert", []any{`[1,2]`, path("-1"), `0`, 1}, `[1,2,0]`},
		{"insert", []any{`[1,2]`, path("-9"), `0`, 1}, `[0,1,2]`},
		{"assign", []any{`{}`, path("a", "2", "b"), `1`}, `{"a":[null,null,{"b":1}]}`},
		{"assign", []any{`[1]`, path("-2"), `1`}, `22023 path element at position 1 is out of range: -2`},
		{"assign", []any{`{"a":1}`, path("a", "b"), `1`}, `22023 cannot replace existing key`},
		{"assign", []any{`{}`, []any{nil}, `1`}, `22004 jsonb subscript in assignment must not be null`},
		{"assign", []any{`[]`, path("2000000000"), `1`}, `54000 json document has more than 4194304 values`},
	} {
		got, err := call(t, "ontosql_jsonb_"+c.name, c.args...)
		if e, ok := errors.AsType[*pgerr.Error](err); ok {
			got = e.Code + " " + e.Message
		}
		if got != c.want {
			t.Errorf("%s%q: %s, want %s", c.name, c.args, got, c.want)
		}
	}
}
