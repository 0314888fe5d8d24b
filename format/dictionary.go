package format

import "bytes"

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

// dictionaryPays estimates from the first values whether a dictionary makes the chunk smaller: at
// most one in eight of them is distinct.
func (c *chunk) dictionaryPays() bool {
	const sample, few = 1024, 64
	switch {
	case c.noStatistics || c.count < few || c.kind == FieldBool:
		return false
	case c.constant:
		return true
	case c.kind == FieldFloat:
		return false
	}
	looked := min(c.count, sample)
	seen := map[string]struct{}{}
	plain := c.plain
	for range looked {
		size := c.sizeOf(plain)
		if _, known := seen[string(plain[:size])]; !known {
			seen[string(plain[:size])] = struct{}{}
			if len(seen)*8 > looked {
				return false
			}
		}
		plain = plain[size:]
	}
	return true
}

// appendIndexes appends the dictionary indexes of the values of the current page. If ok is false,
// the page does not use the dictionary.
func (c *chunk) appendIndexes(m *pageEncoder) (ok bool) {
	d := &c.dict
	if !d.decided {
		d.decided = true
		if c.dictionaryPays() {
			d.indexes = map[string]uint32{}
		}
	}
	if d.indexes == nil || c.count == 0 {
		return false
	}
	known := len(d.entries)
	m.indexes = m.indexes[:0]
	var value []byte
	var n uint32
	for plain := c.plain; len(plain) > 0; {
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
	if c.constant {
		m.page = appendRun(m.page, n, c.count, width)
	} else {
		m.page = appendHybrid(m.page, m.indexes, width)
	}
	return true
}
