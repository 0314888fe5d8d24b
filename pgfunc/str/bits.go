package str

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// bitFunctions reach single bytes and bits of a bytea, and cut it. Bits count from
// the right of each byte.
var bitFunctions = []fmgr.Function{
	{Name: "ontosql_get_byte", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Int}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if err := within(a[1].Int, len(a[0].Text)); err != nil {
			return fmgr.Null, err
		}
		return fmgr.IntValue(int(a[0].Text[a[1].Int])), nil
	})},
	{Name: "ontosql_set_byte", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Int, fmgr.Int}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if err := within(a[1].Int, len(a[0].Text)); err != nil {
			return fmgr.Null, err
		}
		b := []byte(a[0].Text)
		b[a[1].Int] = byte(a[2].Int)
		return fmgr.TextValue(string(b)), nil
	})},
	{Name: "ontosql_get_bit", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Int}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if err := within(a[1].Int, 8*len(a[0].Text)); err != nil {
			return fmgr.Null, err
		}
		return fmgr.IntValue(int(a[0].Text[a[1].Int/8] >> (a[1].Int % 8) & 1)), nil
	})},
	{Name: "ontosql_set_bit", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Int, fmgr.Int}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if err := within(a[1].Int, 8*len(a[0].Text)); err != nil {
			return fmgr.Null, err
		}
		if a[2].Int != 0 && a[2].Int != 1 {
			return fmgr.Null, fmgr.InvalidParameter("new bit must be 0 or 1")
		}
		b := []byte(a[0].Text)
		at, mask := a[1].Int/8, byte(1)<<(a[1].Int%8)
		b[at] = b[at]&^mask | byte(a[2].Int)*mask
		return fmgr.TextValue(string(b)), nil
	})},
	{Name: "ontosql_bit_count", Args: []fmgr.Kind{fmgr.Bytes}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		n := 0
		for i := range len(a[0].Text) {
			n += bits.OnesCount8(a[0].Text[i])
		}
		return fmgr.IntValue(n), nil
	})},
	// The bytes, the place of the first one, from 1, and how many.
	{Name: "ontosql_bytes_part", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Int, fmgr.Int}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if a[2].Int < 0 {
			return fmgr.Null, pgerr.New("22011", "negative substring length not allowed")
		}
		return fmgr.TextValue(part(a[0].Text, a[1].Int, a[2].Int)), nil
	})},
	{Name: "ontosql_bytes_overlay", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Bytes, fmgr.Int, fmgr.Int}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if a[2].Int <= 0 {
			return fmgr.Null, pgerr.New("22011", "negative substring length not allowed")
		}
		s := a[0].Text
		return fmgr.TextValue(part(s, 1, a[2].Int-1) + a[1].Text + part(s, max(a[2].Int+a[3].Int, 1), int64(len(s)))), nil
	})},
	{Name: "ontosql_bytes_position", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Bytes}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.IntValue(1 + strings.Index(a[0].Text, a[1].Text)), nil
	})},
	{Name: "ontosql_bytes_reverse", Args: []fmgr.Kind{fmgr.Bytes}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		b := []byte(a[0].Text)
		slices.Reverse(b)
		return fmgr.TextValue(string(b)), nil
	})},
	// The bytes, those to take off, and at which ends: l, r or b.
	{Name: "ontosql_bytes_trim", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Bytes, fmgr.Text}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s := a[0].Text
		among := func(c byte) bool { return strings.IndexByte(a[1].Text, c) >= 0 }
		for a[2].Text != "r" && s != "" && among(s[0]) {
			s = s[1:]
		}
		for a[2].Text != "l" && s != "" && among(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		return fmgr.TextValue(s), nil
	})},
}

// within refuses an index outside of n bits.
func within(at int64, n int) error {
	if at < 0 || at >= int64(n) {
		return pgerr.New("2202E", "index %d out of valid range, 0..%d", at, n-1)
	}
	return nil
}

// part is n bytes of s from place from on, which counts from 1 and may lie before it.
func part(s string, from, n int64) string {
	first := max(from-1, 0)
	end := min(from-1+n, int64(len(s)))
	if first >= end {
		return ""
	}
	return s[first:end]
}
