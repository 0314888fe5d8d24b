package format

import (
	"bytes"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
)

// dictionary is the dictionary of a column chunk.
type dictionary struct {
	decided bool              // whether the chunk uses a dictionary is decided
	indexes map[string]uint32 // index of each entry; nil if further pages do not use the dictionary
	entries []byte            // plain-encoded values
	count   int               // number of entries
}

// index returns the index of a plain-encoded value and adds the value if it is new. ok is false
// if the dictionary is full.
func (d *dictionary) index(value []byte) (n uint32, ok bool) {
	const most = 1 << 20
	if n, ok = d.indexes[string(value)]; ok {
		return n, true
	}
	if len(d.entries)+len(value) > most {
		return 0, false
	}
	n = uint32(d.count)
	d.indexes[string(value)] = n
	d.entries = append(d.entries, value...)
	d.count++
	return n, true
}

// dictionaryPays estimates from a sample of the page's values whether a dictionary makes the chunk smaller:
// at most one in eight of them is distinct. The sample is the start of the page. If it has more distinct
// values, those of a fixed size are also taken from all over the page: the days of a few years may be as many
// as the sample, and yet be few for the page.
func (c *chunk) dictionaryPays(p *page) bool {
	const sample, few = 1024, 64
	switch {
	case c.noStatistics || p.count < few || c.kind == FieldBool:
		return false
	case p.constant:
		return true
	case c.kind == FieldFloat:
		return false
	}
	looked := min(p.count, sample)
	if c.hasAtMost(p.plain, looked/8, looked, 1) {
		return true
	}
	if p.count == looked || c.physical() == parquet.Types.ByteArray {
		return false
	}
	return c.hasAtMost(p.plain, distinctIn(looked, float64(p.count)/8), looked, p.count/looked)
}

// hasAtMost reports whether a sample of so many of a page's values has at most so many distinct ones. step
// is from one value of the sample to the next, 1 for values that have no fixed size.
func (c *chunk) hasAtMost(plain []byte, distinct, sample, step int) bool {
	seen := map[string]struct{}{}
	for range sample {
		size := c.sizeOf(plain)
		if _, known := seen[string(plain[:size])]; !known {
			seen[string(plain[:size])] = struct{}{}
			if len(seen) > distinct {
				return false
			}
		}
		plain = plain[min(step*size, len(plain)):]
	}
	return true
}

// distinctIn is how many distinct values a sample is expected to have of so many equally frequent ones.
func distinctIn(sample int, distinct float64) int {
	return int(distinct * -math.Expm1(-float64(sample)/distinct))
}

// appendIndexes appends the dictionary indexes of the values of a page. If ok is false, the page
// does not use the dictionary.
func (c *chunk) appendIndexes(p *page, m *pageEncoder) (ok bool) {
	d := &c.encoded.dict
	if !d.decided {
		d.decided = true
		if c.dictionaryPays(p) {
			d.indexes = map[string]uint32{}
		}
	}
	if d.indexes == nil || p.count == 0 {
		return false
	}
	known := len(d.entries)
	m.indexes = m.indexes[:0]
	var value []byte
	var n uint32
	for plain := p.plain; len(plain) > 0; {
		size := c.sizeOf(plain)
		if !bytes.Equal(value, plain[:size]) {
			value = plain[:size]
			if n, ok = d.index(value); !ok {
				d.indexes = nil
				c.addStatistics(d.entries[known:])
				return false
			}
		}
		m.indexes = append(m.indexes, n)
		plain = plain[size:]
	}
	c.addStatistics(d.entries[known:])
	width := widthOf(d.count)
	m.page = append(m.page, byte(width))
	if p.constant {
		m.page = appendRun(m.page, n, p.count, width)
	} else {
		m.page = appendHybrid(m.page, m.indexes, width)
	}
	return true
}
