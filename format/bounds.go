package format

import (
	"bytes"
	"encoding/binary"
	"math"
)

// bounds are the least and the greatest value of a chunk.
type bounds struct {
	known  bool // false while there is no value
	vague  bool // there is a NaN, which readers order differently
	ints   [2]int64
	floats [2]float64
	texts  [2][]byte
}

// note takes plain values into the bounds and into what the bloom filter is made of.
func (c *chunk) note(values []byte) {
	if c.opaque || len(values) == 0 {
		return
	}
	b := &c.bounds
	if !b.known {
		b.known = true
		b.ints = [2]int64{math.MaxInt64, math.MinInt64}
		b.floats = [2]float64{math.Inf(1), math.Inf(-1)}
	}
	switch c.kind {
	case FieldStr:
		c.noteTexts(values)
	case FieldInt:
		for ; len(values) > 0; values = values[8:] {
			n := int64(binary.LittleEndian.Uint64(values))
			b.ints = [2]int64{min(b.ints[0], n), max(b.ints[1], n)}
		}
	case FieldFloat:
		for ; len(values) > 0; values = values[8:] {
			f := math.Float64frombits(binary.LittleEndian.Uint64(values))
			b.vague = b.vague || math.IsNaN(f)
			b.floats = [2]float64{min(b.floats[0], f), max(b.floats[1], f)}
		}
	case FieldBool:
		for _, bit := range values {
			b.ints = [2]int64{min(b.ints[0], int64(bit)), max(b.ints[1], int64(bit))}
		}
	}
}

func (c *chunk) noteTexts(values []byte) {
	least, most := c.bounds.texts[0], c.bounds.texts[1]
	for len(values) > 0 {
		size := c.sizeOf(values)
		text := values[textHead:size]
		values = values[size:]
		if least == nil || bytes.Compare(text, least) < 0 {
			least = text
		}
		if most == nil || bytes.Compare(text, most) > 0 {
			most = text
		}
		if c.hasher != nil {
			c.hashes = append(c.hashes, c.hasher.Sum64(text))
		}
	}
	c.bounds.texts = [2][]byte{bytes.Clone(least), bytes.Clone(most)} // values do not stay
}

// spelled are the bounds as the footer has them; not ok where it has none.
func (c *chunk) spelled() (least, most []byte, ok bool) {
	b := &c.bounds
	if !b.known || b.vague {
		return nil, nil, false
	}
	switch c.kind {
	case FieldStr:
		const longest = 4096 // of both together
		return b.texts[0], b.texts[1], len(b.texts[0])+len(b.texts[1]) <= longest
	case FieldBool:
		return []byte{byte(b.ints[0])}, []byte{byte(b.ints[1])}, true
	case FieldFloat:
		least, most = spellFloat(b.floats[0]), spellFloat(b.floats[1])
		if b.floats[0] == 0 { // a zero bound covers both zeros
			least = spellFloat(math.Copysign(0, -1))
		}
		if b.floats[1] == 0 {
			most = spellFloat(0)
		}
		return least, most, true
	}
	return spellInt(b.ints[0]), spellInt(b.ints[1]), true
}

func spellInt(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

func spellFloat(f float64) []byte { return spellInt(int64(math.Float64bits(f))) }
