package rowjson

import (
	"strconv"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// Batch encodes the first n rows of a batch and appends them to dst. Their texts go to
// dst.Texts. On an error dst has the rows before the bad one.
func (m *Encoder) Batch(dst *writepath.Batch, b *column.Batch, n int) error {
	for range n {
		dst.Rows = append(dst.Rows, format.Row{SchemaVersionID: m.Type.SchemaID})
	}
	rows := dst.Rows[len(dst.Rows)-n:]
	plain := m.plainKeys(rows, b)
	for i := range rows {
		m.Rows++
		if plain {
			start := len(dst.Texts)
			var ok bool
			if dst.Texts, ok = m.appendFields(dst.Texts, b, i); ok {
				rows[i].Fields = dst.Texts[start:len(dst.Texts):len(dst.Texts)]
				continue
			}
			dst.Texts = dst.Texts[:start]
		}
		var err error
		if rows[i], err = m.checkedRow(b, i); err != nil {
			dst.Rows = dst.Rows[:len(dst.Rows)-n+i]
			return err
		}
	}
	return nil
}

// plainKeys sets the keys of rows, column by column. It returns false where a key is not
// plain, or an instance key is blank.
func (m *Encoder) plainKeys(rows []format.Row, b *column.Batch) bool {
	for _, k := range m.Type.Key {
		role := m.Type.Columns[k].Role
		if !m.appendKeys(&b.Cols[k], k, len(rows)) {
			return false
		}
		texts, start := string(m.Text), 0 // one piece of memory
		for i, end := range m.ends {
			if role == catalog.FromInstanceKey && blank(texts[start:end]) {
				return false
			}
			*keyPart(&rows[i], role) = texts[start:end]
			start = end
		}
	}
	return true
}

// appendKeys writes the texts of n keys to text, one after the other, and their ends to
// ends.
func (m *Encoder) appendKeys(v *column.Vector, k, n int) bool {
	m.Text, m.ends = m.Text[:0], m.ends[:0]
	for i := range n {
		switch {
		case v.IsNull(i):
			return false
		case v.Type.Kind == column.Int64:
			m.Text = strconv.AppendInt(m.Text, v.I64[i], 10)
		case v.Type.Kind == column.Text && !m.numbers[k] && (plainASCII(v.Str[i]) || storable(v.Str[i])):
			m.Text = append(m.Text, v.Str[i]...)
		default:
			return false
		}
		m.ends = append(m.ends, len(m.Text))
	}
	return true
}
