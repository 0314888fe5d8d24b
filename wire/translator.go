package wire

import (
	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
)

// translator converts the values of columns to the client's encoding when they are encoded. It keeps
// the first error until failed returns it. A nil translator converts nothing.
type translator struct {
	to  *charset.Encoding
	err error
}

func newTranslator(to *charset.Encoding) *translator {
	if to == nil {
		return nil
	}
	return &translator{to: to}
}

// wrap returns an encoder that converts the output of encode.
func (t *translator) wrap(encode appendValue) appendValue {
	if t == nil {
		return encode
	}
	return func(dst []byte, v *column.Vector, i int) []byte {
		start := len(dst)
		dst = encode(dst, v, i)
		if charset.IsPlain(dst[start:]) {
			return dst
		}
		text := dst[start:]
		out, read := t.to.Append(dst[:start], text)
		if read < len(text) && t.err == nil {
			t.err = t.to.Lacks(text[read:])
		}
		return out
	}
}

// failed returns and clears the first error.
func (t *translator) failed() error {
	if t == nil || t.err == nil {
		return nil
	}
	err := t.err
	t.err = nil
	return err
}

// encodeError converts the texts of an error or a notice to the client's encoding. If a text cannot be
// converted, it returns the error of the conversion, as in PostgreSQL.
func encodeError(e *charset.Encoding, said *pgerr.Error) *pgerr.Error {
	if e == nil {
		return said
	}
	answer := *said
	for _, text := range []*string{
		&answer.Message, &answer.Detail, &answer.Hint, &answer.Where, &answer.Schema, &answer.Table, &answer.Column,
		&answer.DataType, &answer.Constraint, &answer.Routine,
	} {
		out, read := e.Append(nil, []byte(*text))
		if read < len(*text) {
			lacks := e.Lacks([]byte((*text)[read:]))
			lacks.Severity = said.Severity
			return lacks
		}
		*text = string(out)
	}
	return &answer
}
