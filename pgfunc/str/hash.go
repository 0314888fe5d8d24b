package str

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"strings"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// hashFunctions are PostgreSQL's hashes (hashfn.c, after Bob Jenkins' lookup3; hashfunc.c).
var hashFunctions = []fmgr.Function{
	{Name: "ontosql_hash", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		_, hash := hashBytes([]byte(a[0].Text), 0)
		return fmgr.Value{Int: int64(int32(hash))}, nil
	})},
	// A text and a seed.
	{Name: "ontosql_hash_seeded", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		high, low := hashBytes([]byte(a[0].Text), uint64(a[1].Int))
		return fmgr.Value{Int: int64(uint64(high)<<32 | uint64(low))}, nil
	})},
	{Name: "ontosql_hash_int", Args: []fmgr.Kind{fmgr.Int}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		_, hash := hashBytes(folded(a[0].Int), 0)
		return fmgr.Value{Int: int64(int32(hash))}, nil
	})},
	{Name: "ontosql_hash_int_seeded", Args: []fmgr.Kind{fmgr.Int, fmgr.Int}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		high, low := hashBytes(folded(a[0].Int), uint64(a[1].Int))
		return fmgr.Value{Int: int64(uint64(high)<<32 | uint64(low))}, nil
	})},
	{Name: "ontosql_hash_float", Args: []fmgr.Kind{fmgr.Float}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		f := a[0].Float
		switch {
		case f == 0:
			return fmgr.Value{}, nil
		case f != f: // a NaN of any bits
			f = math.Float64frombits(0x7ff8000000000000)
		}
		_, hash := hashBytes(binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)), 0)
		return fmgr.Value{Int: int64(int32(hash))}, nil
	})},
	{Name: "ontosql_hash_uuid", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		bytes, err := hex.DecodeString(strings.ReplaceAll(a[0].Text, "-", ""))
		_, hash := hashBytes(bytes, 0)
		return fmgr.Value{Int: int64(int32(hash))}, err
	})},
}

// folded are the four bytes that are hashed of an integer: equal ones of all widths have
// the same.
func folded(n int64) []byte {
	high := uint32(n >> 32)
	if n < 0 {
		high = ^high
	}
	return binary.LittleEndian.AppendUint32(nil, uint32(n)^high)
}

// hashBytes is hash_bytes_extended; without a seed low is hash_bytes.
func hashBytes(data []byte, seed uint64) (high, low uint32) {
	a := 0x9e3779b9 + uint32(len(data)) + 3923095
	b, c := a, a
	mix := func() {
		a, c = (a-c)^bits.RotateLeft32(c, 4), c+b
		b, a = (b-a)^bits.RotateLeft32(a, 6), a+c
		c, b = (c-b)^bits.RotateLeft32(b, 8), b+a
		a, c = (a-c)^bits.RotateLeft32(c, 16), c+b
		b, a = (b-a)^bits.RotateLeft32(a, 19), a+c
		c, b = (c-b)^bits.RotateLeft32(b, 4), b+a
	}
	if seed != 0 {
		a += uint32(seed >> 32)
		b += uint32(seed)
		mix()
	}
	for ; len(data) >= 12; data = data[12:] {
		a += binary.LittleEndian.Uint32(data)
		b += binary.LittleEndian.Uint32(data[4:])
		c += binary.LittleEndian.Uint32(data[8:])
		mix()
	}
	// The lowest byte of c is that of the length.
	var rest [12]byte
	copy(rest[:], data[:min(len(data), 8)])
	if len(data) > 8 {
		copy(rest[9:], data[8:])
	}
	a += binary.LittleEndian.Uint32(rest[:])
	b += binary.LittleEndian.Uint32(rest[4:])
	c += binary.LittleEndian.Uint32(rest[8:])
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	c = (c ^ b) - bits.RotateLeft32(b, 24)
	return b, c
}
