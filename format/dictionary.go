package format

import "bytes"

// dictionary has the values that pages of a chunk refer to.
type dictionary struct {
	asked   bool              // whether it is worth while
	numbers map[string]uint32 // of the entries; nil where no further page refers to them
	entries []byte            // one plain value after the other
	count   int               // of them
}

// number is that of a plain value, as an entry; not ok where entries are too many.
func (d *dictionary) number(value []byte) (n uint32, ok bool) {
	const most = 1 << 20
	if n, ok = d.numbers[string(value)]; ok {
		return n, true
	}
	if len(d.entries)+len(value) > most {
		return 0, false
	}
	n = uint32(d.count)
	d.numbers[string(value)] = n
	d.entries = append(d.entries, value...)
	d.count++
	return n, true
}

// repeats reports whether a dictionary would make the chunk smaller, by the look
// of its first values: at most one in eight is a new one.
func (c *chunk) repeats() bool {
	const sample, few = 1024, 64
	switch {
	case c.opaque || c.count < few || c.kind == FieldBool:
		return false
	case c.same:
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

// appendNumbers appends the dictionary indexes of the values of the current page. If ok is
// false, the page does not use the dictionary.
func (c *chunk) appendNumbers(m *pageMaker) (ok bool) {
	d := &c.dict
	if !d.asked {
		d.asked = true
		if c.repeats() {
			d.numbers = map[string]uint32{}
		}
	}
	if d.numbers == nil || c.count == 0 {
		return false
	}
	known := len(d.entries)
	m.numbers = m.numbers[:0]
	var value []byte
	var n uint32
	for plain := c.plain; len(plain) > 0; {
		size := c.sizeOf(plain)
		if !bytes.Equal(value, plain[:size]) {
			value = plain[:size]
			if n, ok = d.number(value); !ok {
				d.numbers = nil
				c.note(d.entries[known:])
				return false
			}
		}
		m.numbers = append(m.numbers, n)
		plain = plain[size:]
	}
	c.note(d.entries[known:])
	width := widthOf(d.count)
	m.page = append(m.page, byte(width))
	if c.same {
		m.page = appendRun(m.page, n, c.count, width)
	} else {
		m.page = appendHybrid(m.page, m.numbers, width)
	}
	return true
}
