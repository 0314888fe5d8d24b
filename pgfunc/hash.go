package pgfunc

import (
	"encoding/binary"
	"math/bits"
)

// hashFunctions are PostgreSQL's hashes of texts (hashfn.c, after Bob Jenkins' lookup3).
var hashFunctions = []Function{
	{Name: "ontosql_hash", Args: []Kind{Text}, Result: Int, New: plain(func(a []Value) (Value, error) {
		_, hash := hashBytes([]byte(a[0].Text), 0)
		return Value{Int: int64(int32(hash))}, nil
	})},
	// A text and a seed.
	{Name: "ontosql_hash_seeded", Args: []Kind{Text, Int}, Result: Int, New: plain(func(a []Value) (Value, error) {
		high, low := hashBytes([]byte(a[0].Text), uint64(a[1].Int))
		return Value{Int: int64(uint64(high)<<32 | uint64(low))}, nil
	})},
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
