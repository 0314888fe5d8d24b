package rowjson

import (
	"bytes"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// Splice writes a changed canonical fields_json to the encoder's text, and copies what
// does not change. It works for nearly all rows; a stored text that is not canonical or a
// value that is not plain makes it fail.
type Splice struct {
	*Encoder
	batch  *column.Batch // of the new values
	row    int
	stored []byte

	changed bool
	failed  bool        // the stored text is not canonical, or a value is not plain
	last    format.Span // the previous name
	end     int         // of the previous value, 0 for none
}

// meet returns the name of the next member. ok is false if the text is not canonical so
// far, or the name has escapes.
func (s *Splice) meet(name, value format.Span) (text []byte, ok bool) {
	text = s.stored[name.From:name.To]
	tight := name.From == s.end+1+quote && value.From == name.To+quote+1
	sorted := s.end == 0 || bytes.Compare(s.stored[s.last.From:s.last.To], text) < 0
	s.failed = s.failed || !tight || !sorted || !plainASCII(text)
	s.last, s.end = name, value.To
	return text, !s.failed
}

// quote is the size of the quotation mark on either side of a name.
const quote = 1

// whole reports whether the written text is complete and correct. err is the result of
// format.EachMember.
func (s *Splice) whole(err error) bool { return err == nil && !s.failed && s.end == len(s.stored)-1 }

// comma separates the next member from the one before.
func (s *Splice) comma() {
	if len(s.Text) > 1 {
		s.Text = append(s.Text, ',')
	}
}

// value appends the current row's value of a vector as one of column k of the type.
func (s *Splice) value(v *column.Vector, k int) {
	var ok bool
	s.Text, ok = s.appendPlain(s.Text, v, s.row, k)
	s.failed = s.failed || !ok
}
