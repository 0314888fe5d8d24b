package format

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
)

// bounds are the minimum and the maximum value of a column chunk.
type bounds struct {
	known  bool // false until the first value
	hasNaN bool // a value is NaN, which readers order differently
	ints   [2]int64
	floats [2]float64
	texts  [2][]byte // of texts, and of decimals of fixedSize bytes
}

// addStatistics adds plain-encoded values to the bounds and their hashes to the bloom filter.
func (c *chunk) addStatistics(values []byte) {
	if c.noStatistics || len(values) == 0 {
		return
	}
	b := &c.encoded.bounds
	if !b.known {
		b.known = true
		b.ints = [2]int64{math.MaxInt64, math.MinInt64}
		b.floats = [2]float64{math.Inf(1), math.Inf(-1)}
	}
	switch c.physical() {
	case parquet.Types.ByteArray:
		c.addTextStatistics(values)
	case parquet.Types.FixedLenByteArray:
		c.addFixedStatistics(values)
	case parquet.Types.Int32:
		for ; len(values) > 0; values = values[4:] {
			n := int64(int32(binary.LittleEndian.Uint32(values)))
			b.ints = [2]int64{min(b.ints[0], n), max(b.ints[1], n)}
		}
	case parquet.Types.Int64:
		for ; len(values) > 0; values = values[8:] {
			n := int64(binary.LittleEndian.Uint64(values))
			b.ints = [2]int64{min(b.ints[0], n), max(b.ints[1], n)}
		}
	case parquet.Types.Double:
		for ; len(values) > 0; values = values[8:] {
			f := math.Float64frombits(binary.LittleEndian.Uint64(values))
			b.hasNaN = b.hasNaN || math.IsNaN(f)
			b.floats = [2]float64{min(b.floats[0], f), max(b.floats[1], f)}
		}
	case parquet.Types.Boolean:
		for _, bit := range values {
			b.ints = [2]int64{min(b.ints[0], int64(bit)), max(b.ints[1], int64(bit))}
		}
	}
}

func (c *chunk) addTextStatistics(values []byte) {
	least, most := c.encoded.bounds.texts[0], c.encoded.bounds.texts[1]
	for len(values) > 0 {
		size := c.sizeOf(values)
		text := values[lengthPrefix:size]
		values = values[size:]
		if least == nil || bytes.Compare(text, least) < 0 {
			least = text
		}
		if most == nil || bytes.Compare(text, most) > 0 {
			most = text
		}
		if c.hasher != nil {
			c.encoded.hashes = append(c.encoded.hashes, c.hasher.Sum64(text))
		}
	}
	c.encoded.bounds.texts = [2][]byte{bytes.Clone(least), bytes.Clone(most)} // the buffer of values is reused
}

// addFixedStatistics is addStatistics for decimals of fixedSize bytes, which are ordered as signed
// numbers.
func (c *chunk) addFixedStatistics(values []byte) {
	least, most := c.encoded.bounds.texts[0], c.encoded.bounds.texts[1]
	for ; len(values) > 0; values = values[fixedSize:] {
		value := values[:fixedSize]
		if least == nil || compareSigned(value, least) < 0 {
			least = value
		}
		if most == nil || compareSigned(value, most) > 0 {
			most = value
		}
	}
	c.encoded.bounds.texts = [2][]byte{bytes.Clone(least), bytes.Clone(most)}
}

// compareSigned compares two big-endian numbers of equal size in two's complement.
func compareSigned(a, b []byte) int {
	if first := cmp.Compare(int8(a[0]), int8(b[0])); first != 0 {
		return first
	}
	return bytes.Compare(a[1:], b[1:])
}

// encodedBounds returns the bounds as the footer stores them. ok is false if the footer stores
// none: without values, with a NaN, or if the texts are too long.
func (c *chunk) encodedBounds() (least, most []byte, ok bool) {
	b := &c.encoded.bounds
	if !b.known || b.hasNaN {
		return nil, nil, false
	}
	switch c.physical() {
	case parquet.Types.FixedLenByteArray:
		return b.texts[0], b.texts[1], true
	case parquet.Types.Int32:
		return encodeInt32(b.ints[0]), encodeInt32(b.ints[1]), true
	case parquet.Types.ByteArray:
		const longest = 4096 // bytes of both bounds together
		return b.texts[0], b.texts[1], len(b.texts[0])+len(b.texts[1]) <= longest
	case parquet.Types.Boolean:
		return []byte{byte(b.ints[0])}, []byte{byte(b.ints[1])}, true
	case parquet.Types.Double:
		least, most = encodeFloat(b.floats[0]), encodeFloat(b.floats[1])
		if b.floats[0] == 0 { // a bound of zero includes both 0.0 and -0.0
			least = encodeFloat(math.Copysign(0, -1))
		}
		if b.floats[1] == 0 {
			most = encodeFloat(0)
		}
		return least, most, true
	}
	return encodeInt(b.ints[0]), encodeInt(b.ints[1]), true
}

// exactBounds reports whether the encoded bounds are values of the column. A bound of zero of a
// float may have the other sign.
func (c *chunk) exactBounds() bool {
	return c.kind != FieldFloat || c.encoded.bounds.floats[0] != 0 && c.encoded.bounds.floats[1] != 0
}

func encodeInt(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

func encodeInt32(n int64) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

func encodeFloat(f float64) []byte { return encodeInt(int64(math.Float64bits(f))) }
