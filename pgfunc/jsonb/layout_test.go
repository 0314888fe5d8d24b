package jsonb_test

import (
	"testing"

	"github.com/ontosql/ontosql/pgfunc/jsonb"
)

// TestOffsets places the last object of documents whose other values have every alignment and
// size. The places are those that keyvalue() of PostgreSQL 15 tells.
func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		document string
		at       int64
	}{
		{`{}`, 0},
		{`[{}]`, 8},
		{`["a", {}]`, 16},
		{`["abcd", {}]`, 16},
		{`["\u00e9\u00e9\u00e9", {}]`, 20},
		{`[true, null, {}]`, 16},
		{`[0, {}]`, 20},
		{`[1.5, {}]`, 24},
		{`[10000, {}]`, 20},
		{`[12345.6789, {}]`, 24},
		{`[0.00001, {}]`, 20},
		{`{"a": {"x": 1.5, "y": "abc"}, "b": [{"z": 1}]}`, 72},
	} {
		v, err := jsonb.Parse(c.document)
		if err != nil {
			t.Fatal(err)
		}
		v.SortMembers()
		last := v
		for len(last.Items) > 0 && last.Items[len(last.Items)-1].Kind != "number" {
			last = last.Items[len(last.Items)-1]
		}
		if at := jsonb.Offsets(v)[last]; at != c.at {
			t.Errorf("the last object of %s is at %d, want %d", c.document, at, c.at)
		}
	}
}
