package sqlite

import "math"

// varint reads one of SQLite's integers; n is 0 where it does not end.
func varint(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	for i := range min(len(b), 8) {
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	if len(b) < 9 {
		return 0, 0
	}
	return v<<8 | uint64(b[8]), 9
}

// field is a value of a record: its serial type and where it lies in the payload.
type field struct {
	serial   uint64
	from, to int
}

// fields finds the first values of a record, as many as fit. n is how many there are;
// the payload may end before some of them.
func fields(payload []byte, into []field) (n int, err error) {
	size, at := varint(payload)
	if at == 0 || size > uint64(len(payload)) || size < uint64(at) {
		return 0, errOddPage
	}
	head, body := payload[:size], int(size)
	for at < len(head) && n < len(into) {
		serial, k := varint(head[at:])
		if k == 0 {
			return 0, errOddPage
		}
		at += k
		length := 0
		switch {
		case serial >= 12:
			if serial > math.MaxInt32 {
				return 0, errOddPage
			}
			length = int(serial-12) / 2
		case serial == 10 || serial == 11:
			return 0, errOddPage
		default:
			length = int(serialBytes[serial])
		}
		into[n] = field{serial, body, body + length}
		body += length
		n++
	}
	return n, nil
}

// serialBytes is how long the values of the serial types below 12 are.
var serialBytes = [12]uint8{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}

// integer is a field's value, ok is false where it is none.
func (f field) integer(payload []byte) (v int64, ok bool) {
	switch {
	case f.serial == 8 || f.serial == 9:
		return int64(f.serial) - 8, true
	case f.serial == 0 || f.serial > 6 || f.to > len(payload):
		return 0, false
	}
	b := payload[f.from:f.to]
	v = int64(int8(b[0]))
	for _, c := range b[1:] {
		v = v<<8 | int64(c)
	}
	return v, true
}

// text is a field's value, ok is false where it is none.
func (f field) text(payload []byte) (text []byte, ok bool) {
	if f.serial < 13 || f.serial%2 == 0 || f.to > len(payload) {
		return nil, false
	}
	return payload[f.from:f.to:f.to], true
}

// null reports whether a field is NULL.
func (f field) null() bool { return f.serial == 0 }
