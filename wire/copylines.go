package wire

import (
	"bytes"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
)

// copyEOL is the style of line ends of COPY data. The first line decides it.
type copyEOL uint8

const (
	eolUnknown copyEOL = iota
	eolNL
	eolCR
	eolCRNL
)

// copyLines splits COPY data in text or csv format into lines, as PostgreSQL's CopyReadLineText
// does. The data may be divided into messages at any byte.
type copyLines struct {
	csv           bool
	quote, escape byte // csv; escape is 0 if it equals quote

	buf   []byte
	start int  // start of the current line
	pos   int  // the first byte that has not been read
	eof   bool // buf has the end of the data

	scanned int // scanBuffered has scanned up to here
	clean   int // up to here there are no backslashes or quotes, and the text is valid

	eol     copyEOL
	number  int64 // number of the current line
	plain   bool  // the current line has no backslash (text) or quote (csv)
	quoted  bool  // pos is within quotes
	escaped bool  // the byte before pos is an escape
}

// lineEnd is the result of the search for the end of a line.
type lineEnd uint8

const (
	lineCut  lineEnd = iota // more data is needed
	lineDone                // a complete line
	lineLast                // the end of the data, with the line before it
)

// lookahead returns the number of bytes from pos on that are needed to interpret the byte c at pos. A
// backslash and a carriage return need the next byte, \. (the end-of-data marker) needs its line end.
// As in PostgreSQL, the reader does not wait for more bytes.
func (l *copyLines) lookahead(c byte) int {
	switch {
	case c == '\\' && l.pos+1 < len(l.buf) && l.buf[l.pos+1] == '.':
		return len("\\.\r\n")
	case c == '\\' || c == '\r' && (l.csv || l.eol == eolUnknown || l.eol == eolCRNL):
		return 2
	}
	return 1
}

// next returns the line at start without its line end. After lineCut the caller adds data to buf and
// calls it again.
func (l *copyLines) next() (line []byte, end lineEnd, err error) {
	if l.pos == l.start {
		l.quoted, l.escaped = false, false
		if line, l.plain = l.nextPlain(); l.plain {
			return line, lineDone, nil
		}
	}
	for {
		if l.pos == len(l.buf) {
			if !l.eof {
				return nil, lineCut, nil
			}
			return l.buf[l.start:], lineLast, nil
		}
		c := l.buf[l.pos]
		if !l.eof && len(l.buf)-l.pos < l.lookahead(c) {
			return nil, lineCut, nil
		}
		if l.csv {
			l.trackQuotes(c)
		}
		switch {
		case (c == '\r' || c == '\n') && !l.quoted:
			length, err := l.lineEnding(c)
			if err != nil {
				return nil, lineDone, err
			}
			line = l.buf[l.start:l.pos]
			l.pos += length
			return line, lineDone, nil
		case c == '\\' && (!l.csv || l.pos == l.start):
			marker, err := l.isEndMarker()
			if err != nil {
				return nil, lineDone, err
			}
			if marker {
				return l.buf[l.start:l.pos], lineLast, nil
			}
			if !l.csv && l.pos+1 < len(l.buf) {
				l.pos++ // the byte after a backslash is never special
			}
		}
		l.pos++
	}
}

// nextPlain is next for a line without special bytes. It does not handle the first line, which
// decides the style of line ends.
func (l *copyLines) nextPlain() (line []byte, ok bool) {
	if l.eol != eolNL && l.eol != eolCRNL {
		return nil, false
	}
	if l.eol == eolNL && l.start >= l.scanned {
		l.scanBuffered()
	}
	n := bytes.IndexByte(l.buf[l.start:], '\n')
	if n < 0 {
		return nil, false
	}
	line = l.buf[l.start : l.start+n]
	if l.start+n < l.clean {
		l.pos = l.start + n + 1
		return line, true
	}
	if l.eol == eolCRNL {
		if n == 0 || line[n-1] != '\r' {
			return nil, false
		}
		line = line[:n-1]
	}
	if bytes.IndexByte(line, '\r') >= 0 {
		return nil, false
	}
	if l.csv {
		if bytes.IndexByte(line, l.quote) >= 0 || len(line) > 0 && line[0] == '\\' {
			return nil, false
		}
	} else if bytes.IndexByte(line, '\\') >= 0 {
		return nil, false
	}
	l.pos = l.start + n + 1
	return line, true
}

// scanBuffered scans all buffered lines at once for special bytes. Most lines have none, and one scan
// is cheaper than a scan of each line.
func (l *copyLines) scanBuffered() {
	l.clean = l.start
	l.scanned = l.start + bytes.LastIndexByte(l.buf[l.start:], '\n') + 1
	lines := l.buf[l.start:l.scanned]
	special := bytes.IndexByte(lines, '\\') >= 0 || bytes.IndexByte(lines, '\r') >= 0 || l.csv && bytes.IndexByte(lines, l.quote) >= 0
	if !special && utf8.Valid(lines) && bytes.IndexByte(lines, 0) < 0 {
		l.clean = l.scanned
	}
}

// trackQuotes tracks the quotes of csv. Line ends within a field count as lines.
func (l *copyLines) trackQuotes(c byte) {
	if l.quoted && c == l.escape && l.escape != 0 {
		l.escaped = !l.escaped
	}
	if c == l.quote && !l.escaped {
		l.quoted = !l.quoted
	}
	if c != l.escape || l.escape == 0 {
		l.escaped = false
	}
	newline := byte('\r')
	if l.eol == eolNL {
		newline = '\n'
	}
	if l.quoted && c == newline {
		l.number++
	}
}

// peekAt returns the byte at pos+n, 0 after the end of the data.
func (l *copyLines) peekAt(n int) byte {
	if l.pos+n < len(l.buf) {
		return l.buf[l.pos+n]
	}
	return 0
}

// lineEnding returns the length of the line end at pos. It must have the style of the earlier ones.
func (l *copyLines) lineEnding(c byte) (length int, err error) {
	switch {
	case c == '\n' && (l.eol == eolUnknown || l.eol == eolNL):
		l.eol = eolNL
		return 1, nil
	case c == '\n':
		return 0, l.errStrayLineEnd("newline", `\n`)
	case l.eol == eolNL:
		return 0, l.errStrayLineEnd("carriage return", `\r`)
	case l.eol == eolCR:
		return 1, nil
	case l.peekAt(1) == '\n':
		l.eol = eolCRNL
		return 2, nil
	case l.eol == eolCRNL:
		return 0, l.errStrayLineEnd("carriage return", `\r`)
	}
	l.eol = eolCR
	return 1, nil
}

func (l *copyLines) errStrayLineEnd(name, escape string) error {
	if l.csv {
		return badCopy("unquoted %s found in data", name).WithHint("Use quoted CSV field to represent %s.", name)
	}
	return badCopy("literal %s found in data", name).WithHint("Use \"%s\" to represent %s.", escape, name)
}

// isEndMarker reports whether the backslash at pos begins the end-of-data marker. In csv, \. that is
// not alone on a line is a value.
func (l *copyLines) isEndMarker() (bool, error) {
	if l.peekAt(1) != '.' {
		return false, nil
	}
	wrong := func(message string) (bool, error) {
		if l.csv {
			return false, nil
		}
		return false, badCopy("%s", message)
	}
	const corrupt, otherStyle = "end-of-copy marker corrupt", "end-of-copy marker does not match previous newline style"
	last := l.peekAt(2)
	if l.eol == eolCRNL {
		switch last {
		case '\n':
			return wrong(otherStyle)
		case '\r':
		default:
			return wrong(corrupt)
		}
		last = l.peekAt(3)
	}
	switch {
	case last != '\r' && last != '\n':
		return wrong(corrupt)
	case l.eol == eolCR && last != '\r', l.eol != eolCR && l.eol != eolUnknown && last != '\n':
		return false, badCopy("%s", otherStyle)
	}
	return true, nil
}

func badCopy(format string, args ...any) *pgerr.Error {
	return pgerr.New(pgerr.BadCopyFileFormat, format, args...)
}
