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

// copyLines finds the lines of COPY data in text or csv, as PostgreSQL's
// CopyReadLineText does. Data comes in pieces that may be cut anywhere.
type copyLines struct {
	csv           bool
	quote, escape byte // csv; escape is 0 where it is the quote

	buf   []byte
	start int  // of the line at hand
	pos   int  // the first byte that was not looked at
	eof   bool // no more data comes

	scanned int // lines up to here were looked at together,
	clean   int // and up to here nothing is special in them: no mark, and all is valid text

	eol     copyEOL
	number  int64 // of the line at hand
	plain   bool  // no backslash of text is in it, no quote of csv
	quoted  bool  // pos lies within quotes
	escaped bool  // an escape came before pos
}

// lineEnd is the result of the search for the end of a line.
type lineEnd uint8

const (
	lineCut  lineEnd = iota // more data is needed
	lineDone                // a line
	lineLast                // the end of the data, with what stands before it
)

// lookahead is the number of bytes that decide what the byte at pos means: those behind a
// backslash or a carriage return, and the line end behind \. As in PostgreSQL, the reader waits
// for no more bytes, so other bytes in their place belong to the next line.
func (l *copyLines) lookahead(c byte) int {
	switch {
	case c == '\\' && l.pos+1 < len(l.buf) && l.buf[l.pos+1] == '.':
		return len("\\.\r\n")
	case c == '\\' || c == '\r' && (l.csv || l.eol == eolUnknown || l.eol == eolCRNL):
		return 2
	}
	return 1
}

// next is the line at start, without its end. It is called again, with more data
// in buf, after lineCut.
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
				l.pos++ // what follows a backslash is never special
			}
		}
		l.pos++
	}
}

// nextPlain is next for a line without special bytes. The first line takes the other way, because
// it decides the style of line ends.
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

// scanBuffered scans the buffered lines at once. Most have no special bytes, and one scan of all is
// cheaper than one of each.
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

// peekAt is the byte n places behind pos, 0 behind the data.
func (l *copyLines) peekAt(n int) byte {
	if l.pos+n < len(l.buf) {
		return l.buf[l.pos+n]
	}
	return 0
}

// lineEnding is the length of the line end at pos, which must be of the style of
// those before it.
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

// isEndMarker reports whether the backslash at pos begins the end-of-data marker. In
// csv it may be a value that only looks so.
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
