package copydata

import (
	"bytes"
	"unicode/utf8"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/textvalue"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/input"
)

// declare makes the field's reader apply the type modifier of the column: the length of a
// varchar(n), or the precision and scale of a numeric(p,s).
func (f *field) declare(c *catalog.Column) {
	switch {
	case c.Typmod == 0:
	case c.Type.Kind == column.Wide:
		_, _, f.tooLong = ddlstmt.NumericLimits(c.Typmod)
		f.read = func(_ *[]byte, v *column.Vector, i int, text []byte) bool {
			key, err := input.ReadWide(string(text), c.Typmod)
			v.Str[i] = []byte(key)
			return err == nil
		}
	case c.Type.Kind == column.Text:
		most := ddlstmt.TextLength(c.Typmod)
		f.tooLong = pgerr.New(pgerr.StringDataRightTruncation, "value too long for type character varying(%d)", most)
		f.read = func(_ *[]byte, v *column.Vector, i int, text []byte) (ok bool) {
			v.Str[i], ok = cutBlanks(text, most)
			return ok
		}
	case c.Type.Kind == column.Numeric:
		precision, scale, overflow := ddlstmt.NumericLimits(c.Typmod)
		if precision > int(c.Type.Width) || scale > int(c.Type.Scale) {
			return // the stored type has fewer digits than the declared one
		}
		f.tooLong = overflow
		f.read = func(_ *[]byte, v *column.Vector, i int, text []byte) (ok bool) {
			v.I128[i], ok = textvalue.ReadDecimal(text, precision, scale)
			v.I128[i] = textvalue.Scaled(v.I128[i], int(c.Type.Scale)-scale)
			return ok
		}
	}
}

// cutBlanks truncates a text to a number of characters; ok is false if that would remove
// more than blanks.
func cutBlanks(text []byte, most int) (_ []byte, ok bool) {
	if len(text) <= most {
		return text, true
	}
	end := 0
	for n := 0; n < most && end < len(text); n++ {
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	return text[:end], len(bytes.TrimRight(text[end:], " ")) == 0
}
