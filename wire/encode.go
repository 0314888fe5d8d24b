package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// appendValue appends value i of v, which is not NULL, to dst without a length. It is chosen once for
// each column and does not allocate, except to grow dst.
type appendValue func(dst []byte, v *column.Vector, i int) []byte

// rowEncoder encodes the rows of batches as DataRow messages.
type rowEncoder struct {
	columns []appendValue
	kinds   []column.Kind
	texts   *translator
}

// newRowEncoder returns the encoder of rows. Texts are converted to encoding.
func newRowEncoder(columns []Column, batch *column.Batch, formats []int16, style *textout.Style, encoding *charset.Encoding) (rowEncoder, error) {
	if len(columns) != len(batch.Cols) {
		return rowEncoder{}, fmt.Errorf("a batch of %d columns came for a result of %d", len(batch.Cols), len(columns))
	}
	e := rowEncoder{columns: make([]appendValue, len(columns)), kinds: make([]column.Kind, len(columns)), texts: newTranslator(encoding)}
	for i, c := range columns {
		t := batch.Cols[i].Type
		var encode appendValue
		var err error
		if formatOf(formats, i) == pgproto3.BinaryFormat {
			encode, err = binaryEncoder(t, c, e.texts)
		} else if encode, err = textEncoder(t, c, style); t.Kind == column.Text || t.Kind == column.JSON || t.Kind == column.List || t.Kind == column.Record {
			encode = e.texts.wrap(encode)
		}
		if err != nil {
			return rowEncoder{}, fmt.Errorf("column %q: %w", c.Name, err)
		}
		e.columns[i], e.kinds[i] = encode, t.Kind
	}
	return e, nil
}

// check checks that batch has the columns of the encoder.
func (e *rowEncoder) check(batch *column.Batch) error {
	if len(batch.Cols) != len(e.columns) {
		return fmt.Errorf("a batch of %d columns came for a result of %d", len(batch.Cols), len(e.columns))
	}
	for i, kind := range e.kinds {
		if got := batch.Cols[i].Type.Kind; got != kind {
			return fmt.Errorf("column %d changed from %v to %v between batches", i, kind, got)
		}
	}
	return nil
}

// appendRow appends one DataRow. If the client's encoding lacks a character of the row, it appends
// nothing.
func (e *rowEncoder) appendRow(dst []byte, batch *column.Batch, row int) ([]byte, error) {
	start := len(dst)
	dst = append(dst, 'D', 0, 0, 0, 0, byte(len(e.columns)>>8), byte(len(e.columns)))
	for i, encode := range e.columns {
		dst = appendSized(dst, encode, &batch.Cols[i], row)
	}
	if err := e.texts.failed(); err != nil {
		return dst[:start], err
	}
	binary.BigEndian.PutUint32(dst[start+1:], uint32(len(dst)-start-1))
	return dst, nil
}

// appendSized appends the length of a value and the value. NULL has length -1.
func appendSized(dst []byte, encode appendValue, v *column.Vector, i int) []byte {
	if v.IsNull(i) {
		return append(dst, 0xff, 0xff, 0xff, 0xff)
	}
	at := len(dst)
	dst = encode(append(dst, 0, 0, 0, 0), v, i)
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

func errNoEncoder(t column.Type, oid uint32) error {
	return fmt.Errorf("values of kind %v cannot be sent as type %d (%s)", t, oid, typeName(oid))
}

func errNoBinary(oid uint32) error {
	return pgerr.New(pgerr.UndefinedFunction, "no binary output function available for type %s", typeName(oid))
}
