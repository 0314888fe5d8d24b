package pages

import "math"

// Varint decodes one of SQLite's variable-length integers; n is 0 if it is incomplete.
func Varint(b []byte) (v uint64, n int) {
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

// Value is a value of a record: its serial type and its position in the payload.
type Value struct {
	serial   uint64
	from, to int
}

// Values decodes the positions of a record's first values, up to the length of its argument. n
// is their number; the payload may end before some of them.
func Values(payload []byte, into []Value) (n int, err error) {
	size, at := Varint(payload)
	if at == 0 || size > uint64(len(payload)) || size < uint64(at) {
		return 0, ErrMalformed
	}
	head, body := payload[:size], int(size)
	for at < len(head) && n < len(into) {
		serial, k := Varint(head[at:])
		if k == 0 {
			return 0, ErrMalformed
		}
		at += k
		length := 0
		switch {
		case serial >= 12:
			if serial > math.MaxInt32 {
				return 0, ErrMalformed
			}
			length = int(serial-12) / 2
		case serial == 10 || serial == 11:
			return 0, ErrMalformed
		default:
			length = int(serialBytes[serial])
		}
		into[n] = Value{serial, body, body + length}
		body += length
		n++
	}
	return n, nil
}

// serialBytes is the size of the values of the serial types below 12.
var serialBytes = [12]uint8{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}

// Int64 returns an integer value; ok is false for other types.
func (f Value) Int64(payload []byte) (v int64, ok bool) {
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

// Text returns a text value; ok is false for other types.
func (f Value) Text(payload []byte) (text []byte, ok bool) {
	if f.serial < 13 || f.serial%2 == 0 || f.to > len(payload) {
		return nil, false
	}
	return payload[f.from:f.to:f.to], true
}

// IsNull reports whether a field is NULL.
func (f Value) IsNull() bool { return f.serial == 0 }
