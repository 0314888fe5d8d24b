package gateway

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
)

func TestArgument(t *testing.T) {
	for _, c := range []struct {
		oid  uint32
		text string
		want any
		code string
	}{
		{oid: oidBool, text: "t", want: true},
		{oid: oidBool, text: "off", want: false},
		{oid: oidBool, text: "o", code: pgerr.InvalidTextRepresentation},
		{oid: oidInt4, text: " 42 ", want: int64(42)},
		{oid: oidInt4, text: "2147483648", code: pgerr.NumericValueOutOfRange},
		{oid: oidInt8, text: "9223372036854775808", code: pgerr.NumericValueOutOfRange},
		{oid: oidInt8, text: "x", code: pgerr.InvalidTextRepresentation},
		{oid: oidFloat8, text: "-1e-3", want: -0.001},
		{oid: oidFloat8, text: "1e400", code: pgerr.NumericValueOutOfRange},
		{oid: oidBytea, text: `\x00ff`, want: []byte{0, 255}},
		{oid: oidBytea, text: `a\\b\001`, want: []byte("a\\b\x01")},
		{oid: oidBytea, text: `\xzz`, code: pgerr.InvalidTextRepresentation},
		{oid: oidInt8Array, text: "{1, 2,NULL}", want: []any{int64(1), int64(2), nil}},
		{oid: oidTextArray, text: `{a,"b,c","say \"hi\"","NULL", null}`, want: []any{"a", "b,c", `say "hi"`, "NULL", nil}},
		{oid: oidTextArray, text: "{}", want: []any{}},
		{oid: oidTextArray, text: "{a,}", code: pgerr.InvalidTextRepresentation},
		{oid: oidTextArray, text: "a", code: pgerr.InvalidTextRepresentation},
		{oid: oidText, text: "it's", want: "it's"},
	} {
		got, err := argument(c.oid, []byte(c.text))
		var e *pgerr.Error
		switch {
		case c.code != "" && (!errors.As(err, &e) || e.Code != c.code):
			t.Errorf("argument(%d, %q): error %v, want SQLSTATE %s", c.oid, c.text, err, c.code)
		case c.code == "" && err != nil:
			t.Errorf("argument(%d, %q): %v", c.oid, c.text, err)
		case c.code == "" && !cmp.Equal(got, c.want):
			t.Errorf("argument(%d, %q): %s", c.oid, c.text, cmp.Diff(c.want, got))
		}
	}
	if got, err := argument(oidInt4, nil); got != nil || err != nil {
		t.Errorf("NULL became %v, %v", got, err)
	}
}
