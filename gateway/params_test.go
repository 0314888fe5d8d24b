package gateway

import (
	"errors"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

func TestCheckArgument(t *testing.T) {
	for _, c := range []struct {
		oid  uint32
		text string
		code string
	}{
		{oidBool, "t", ""},
		{oidBool, "off", ""},
		{oidBool, "o", pgerr.InvalidTextRepresentation},
		{oidInt4, " 42 ", ""},
		{oidInt4, "2147483648", pgerr.NumericValueOutOfRange},
		{oidInt8, "9223372036854775808", pgerr.NumericValueOutOfRange},
		{oidInt8, "x", pgerr.InvalidTextRepresentation},
		{oidOID, "-1", pgerr.NumericValueOutOfRange},
		{oidFloat8, "-1e-3", ""},
		{oidFloat8, "Infinity", ""},
		{oidFloat8, "1e400", pgerr.NumericValueOutOfRange},
		{oidFloat4, "1e39", pgerr.NumericValueOutOfRange},
		{oidText, "it's", ""},
	} {
		err := checkArgument(c.oid, []byte(c.text))
		var e *pgerr.Error
		if c.code == "" && err != nil || c.code != "" && (!errors.As(err, &e) || e.Code != c.code) {
			t.Errorf("checkArgument(%d, %q): %v, want SQLSTATE %q", c.oid, c.text, err, c.code)
		}
	}
	if err := checkArgument(oidInt4, nil); err != nil {
		t.Errorf("NULL is refused: %v", err)
	}
}
