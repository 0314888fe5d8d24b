package pgfunc

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// bitFunctions reach single bytes and bits of a bytea, and cut it. Bits count from
// the right of each byte.
var bitFunctions = []Function{
	{Name: "ontosql_get_byte", Args: []Kind{Bytes, Int}, Result: Int, New: plain(func(a []Value) (Value, error) {
		if err := within(a[1].Int, len(a[0].Text)); err != nil {
			return null, err
		}
		return integer(int(a[0].Text[a[1].Int])), nil
	})},
	{Name: "ontosql_set_byte", Args: []Kind{Bytes, Int, Int}, Result: Bytes, New: plain(func(a []Value) (Value, error) {
		if err := within(a[1].Int, len(a[0].Text)); err != nil {
			return null, err
		}
		b := []byte(a[0].Text)
		b[a[1].Int] = byte(a[2].Int)
		return text(string(b)), nil
	})},
	{Name: "ontosql_get_bit", Args: []Kind{Bytes, Int}, Result: Int, New: plain(func(a []Value) (Value, error) {
		if err := within(a[1].Int, 8*len(a[0].Text)); err != nil {
			return null, err
		}
		return integer(int(a[0].Text[a[1].Int/8] >> (a[1].Int % 8) & 1)), nil
	})},
	{Name: "ontosql_set_bit", Args: []Kind{Bytes, Int, Int}, Result: Bytes, New: plain(func(a []Value) (Value, error) {
		if err := within(a[1].Int, 8*len(a[0].Text)); err != nil {
			return null, err
		}
		if a[2].Int != 0 && a[2].Int != 1 {
			return null, invalid("new bit must be 0 or 1")
		}
		b := []byte(a[0].Text)
		at, mask := a[1].Int/8, byte(1)<<(a[1].Int%8)
		b[at] = b[at]&^mask | byte(a[2].Int)*mask
		return text(string(b)), nil
	})},
	{Name: "ontosql_bit_count", Args: []Kind{Bytes}, Result: Int, New: plain(func(a []Value) (Value, error) {
		n := 0
		for i := range len(a[0].Text) {
			n += bits.OnesCount8(a[0].Text[i])
		}
		return integer(n), nil
	})},
	// The bytes, the place of the first one, from 1, and how many.
	{Name: "ontosql_bytes_part", Args: []Kind{Bytes, Int, Int}, Result: Bytes, New: plain(func(a []Value) (Value, error) {
		if a[2].Int < 0 {
			return null, pgerr.New("22011", "negative substring length not allowed")
		}
		return text(part(a[0].Text, a[1].Int, a[2].Int)), nil
	})},
	{Name: "ontosql_bytes_overlay", Args: []Kind{Bytes, Bytes, Int, Int}, Result: Bytes, New: plain(func(a []Value) (Value, error) {
		if a[2].Int <= 0 {
			return null, pgerr.New("22011", "negative substring length not allowed")
		}
		s := a[0].Text
		return text(part(s, 1, a[2].Int-1) + a[1].Text + part(s, max(a[2].Int+a[3].Int, 1), int64(len(s)))), nil
	})},
	{Name: "ontosql_bytes_position", Args: []Kind{Bytes, Bytes}, Result: Int, New: plain(func(a []Value) (Value, error) {
		return integer(1 + strings.Index(a[0].Text, a[1].Text)), nil
	})},
	{Name: "ontosql_bytes_reverse", Args: []Kind{Bytes}, Result: Bytes, New: plain(func(a []Value) (Value, error) {
		b := []byte(a[0].Text)
		slices.Reverse(b)
		return text(string(b)), nil
	})},
	// The bytes, those to take off, and at which ends: l, r or b.
	{Name: "ontosql_bytes_trim", Args: []Kind{Bytes, Bytes, Text}, Result: Bytes, New: plain(func(a []Value) (Value, error) {
		s := a[0].Text
		among := func(c byte) bool { return strings.IndexByte(a[1].Text, c) >= 0 }
		for a[2].Text != "r" && s != "" && among(s[0]) {
			s = s[1:]
		}
		for a[2].Text != "l" && s != "" && among(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		return text(s), nil
	})},
}

// within refuses a place that is none of n.
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
