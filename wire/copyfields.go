package wire

import (
	"bytes"

	"github.com/ontosql/ontosql/charset"
)

// copyFields splits lines of text or csv into fields, as PostgreSQL's CopyReadAttributesText
// and CopyReadAttributesCSV do.
type copyFields struct {
	csv                      bool
	delimiter, quote, escape byte
	null                     string

	values    [][]byte // fields of all lines, which point into the lines or into scratch; nil is NULL
	scratch   []byte   // fields with escapes or quotes, decoded
	maxValues int      // maximum length of values
	count     int      // fields of the current line, including those beyond maxValues
}

// split appends the fields of a line to values, at most width+1.
func (f *copyFields) split(line []byte, width int) error {
	f.maxValues, f.count = len(f.values)+width+1, 0
	mark := byte('\\')
	if f.csv {
		mark = f.quote
	}
	start := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case f.delimiter:
			f.add(line[start:i:i], i-start)
			start = i + 1
		case mark:
			value, raw, err := f.special(line[start:], i-start)
			if err != nil {
				return err
			}
			f.add(value, -1)
			if start += raw; start >= len(line) || line[start] != f.delimiter {
				return nil
			}
			i = start
			start++
		}
	}
	f.add(line[start:], len(line)-start)
	return nil
}

// splitPlain is split for a line without backslashes (text) or quotes (csv).
func (f *copyFields) splitPlain(line []byte, width int) {
	f.maxValues, f.count = len(f.values)+width+1, 0
	for {
		n := bytes.IndexByte(line, f.delimiter)
		if n < 0 {
			f.add(line, len(line))
			return
		}
		f.add(line[:n:n], n)
		line = line[n+1:]
	}
}

// add appends a field of the line. raw is the length of the field in the line, -1 if it has
// already been compared with NULL.
func (f *copyFields) add(value []byte, raw int) {
	if f.count++; len(f.values) >= f.maxValues {
		return
	}
	if raw >= 0 && string(value) == f.null {
		value = nil
	}
	f.values = append(f.values, value)
}

// special reads the field at the beginning of line. Its first backslash or quote is at first. raw is
// the length of the field in the line.
func (f *copyFields) special(line []byte, first int) (value []byte, raw int, err error) {
	if f.csv {
		return f.quoted(line, first)
	}
	return f.escaped(line, first)
}

// escaped reads a field of the text format. A backslash at the end of the line is dropped.
func (f *copyFields) escaped(line []byte, first int) (value []byte, raw int, err error) {
	begin := len(f.scratch)
	f.scratch = append(f.scratch, line[:first]...)
	suspect := false
	i := first
	for i < len(line) && line[i] != f.delimiter {
		c := line[i]
		if c == '\\' {
			if i+1 == len(line) {
				break
			}
			var numbered bool
			c, i, numbered = unescape(line, i+1)
			suspect = suspect || numbered && (c == 0 || c >= 0x80)
		} else {
			i++
		}
		f.scratch = append(f.scratch, c)
	}
	if string(line[:i]) == f.null {
		return nil, i, nil
	}
	value = f.scratch[begin:len(f.scratch):len(f.scratch)]
	if suspect {
		err = charset.Check(value)
	}
	return value, i, err
}

// unescape decodes the escape sequence at i, after the backslash. It returns the byte and the
// position after the sequence.
func unescape(line []byte, i int) (c byte, next int, numbered bool) {
	c, i = line[i], i+1
	digits := func(base, most, value int) (byte, int, bool) {
		for n := 0; n < most && i < len(line); n++ {
			d := digitOf(line[i])
			if d < 0 || d >= base {
				break
			}
			value, i = value*base+d, i+1
		}
		return byte(value), i, true
	}
	const letters, controls = "bfnrtv", "\b\f\n\r\t\v"
	switch {
	case '0' <= c && c <= '7':
		return digits(8, 2, int(c-'0'))
	case c == 'x' && i < len(line) && digitOf(line[i]) >= 0:
		return digits(16, 2, 0)
	}
	for n := range len(letters) {
		if c == letters[n] {
			return controls[n], i, false
		}
	}
	return c, i, false
}

// digitOf returns the value of a hexadecimal digit, -1 for other bytes.
func digitOf(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// quoted reads a csv field, which may be quoted in part.
func (f *copyFields) quoted(line []byte, first int) (value []byte, raw int, err error) {
	begin := len(f.scratch)
	f.scratch = append(f.scratch, line[:first]...)
	within := false
	i := first
scan:
	for ; i < len(line); i++ {
		c := line[i]
		switch {
		case !within && c == f.delimiter:
			break scan
		case !within && c == f.quote:
			within = true
		case within && c == f.escape && i+1 < len(line) && (line[i+1] == f.escape || line[i+1] == f.quote):
			i++
			f.scratch = append(f.scratch, line[i])
		case within && c == f.quote:
			within = false
		default:
			f.scratch = append(f.scratch, c)
		}
	}
	if within {
		return nil, i, badCopy("unterminated CSV quoted field")
	}
	return f.scratch[begin:len(f.scratch):len(f.scratch)], i, nil
}
