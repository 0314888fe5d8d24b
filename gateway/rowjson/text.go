package rowjson

import (
	"strconv"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/textvalue"
	"github.com/ontosql/ontosql/pgfunc/textout"
	"github.com/ontosql/ontosql/wire"
)

// shownText is the text of value i of a vector as in a result. A value that cannot be
// printed counts as NULL, because the text is part of an error message.
func (m *Encoder) shownText(v *column.Vector, i int, c *catalog.Column) (text string, null bool) {
	style := &textout.Style{}
	if m.Style != nil {
		style = m.Style()
	}
	as := wire.Column{}
	as.OID, as.Typmod = pgcatalog.ColumnType(c)
	text, err := wire.Text(v, i, as, style)
	return text, err != nil
}

// storedText is shownText for a stored value of a column.
func (m *Encoder) storedText(stored format.Value, c *catalog.Column) (text string, null bool) {
	v := column.Vector{Type: c.Type}
	textvalue.Allocate(&v, 1)
	canonical := stored.Append(nil, format.Canonical)
	text = string(canonical)
	if stored.Kind() == format.JSONString {
		text = stored.Text()
	}
	ok, err := true, error(nil)
	switch c.Type.Kind { // these are stored in another text form than clients use
	case column.Float64:
		v.F64[0], err = strconv.ParseFloat(text, 64)
	case column.Date:
		v.I32[0], err = format.ParseDate(text)
	case column.TimestampTZ:
		v.I64[0], err = format.ParseDatetime(text)
	case column.Bytes:
		v.Str[0], err = format.ParseBytes(text)
	case column.JSON:
		v.Str[0] = canonical
	default:
		ok = textvalue.New(c.Type, nil)(new([]byte), &v, 0, []byte(text))
	}
	if stored.IsNull() || !ok || err != nil {
		return "", true
	}
	return m.shownText(&v, 0, c)
}
