package ingest

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// A data file has typed columns beside fields_json. For rows of a cursor the fields are
// read here from the canonical text, if it is certain what the engine would read. The
// engine takes several times as long; it reads the other rows.

// completeColumn is the name of a boolean column. It is true for a row whose typed columns
// have everything that fields_json has.
const completeColumn = "__read"

// typedKinds are the kinds of columns that a data file has as typed columns.
var typedKinds = map[column.Kind]format.ColumnKind{
	column.Text: format.KindString, column.Int64: format.KindInt64, column.Float64: format.KindDouble, column.Bool: format.KindBool,
}

// typedFields are the columns of a type that a data file would have as typed columns. A
// column whose name differs from another's in case only is none.
func typedFields(t *catalog.Type) []catalog.Column {
	taken := RowFacts(t).Columns
	for _, name := range []string{completeColumn, nextColumn, orderColumn} {
		taken = append(taken, format.ColumnFact{Name: name})
	}
	var fields []catalog.Column
	for _, c := range t.Columns {
		kind, typed := typedKinds[c.Type.Kind]
		if c.Role != catalog.FromField || !typed || slices.ContainsFunc(taken, func(f format.ColumnFact) bool { return strings.EqualFold(f.Name, c.Field) }) {
			continue
		}
		taken = append(taken, format.ColumnFact{Name: c.Field, Kind: kind})
		fields = append(fields, c)
	}
	return fields
}

// typedFacts are RowFacts with the typed columns.
func typedFacts(t *catalog.Type) *format.Facts {
	facts := RowFacts(t)
	for _, c := range typedFields(t) {
		facts.Columns = append(facts.Columns, format.ColumnFact{Name: c.Field, Kind: typedKinds[c.Type.Kind]})
	}
	return facts
}

// typedTableColumns are the typed columns of a table of the engine, under names that no field
// has.
func typedTableColumns(t *catalog.Type) []column.Named {
	var cols []column.Named
	for i, c := range typedFields(t) {
		cols = append(cols, column.Named{Name: "__field" + strconv.Itoa(i), Type: column.Type{Kind: c.Type.Kind}})
	}
	return cols
}

// typedSelectList is the select list that gives the columns of such a table the names that they
// have in a data file.
func typedSelectList(t *catalog.Type) string {
	list, named := rowColumns(t), typedTableColumns(t)
	for i, c := range typedFields(t) {
		list = append(list, named[i].Name+" AS "+duckdb.Ident(c.Field))
	}
	return strings.Join(list, ", ")
}

// fieldReader reads the typedFields of canonical texts into columns.
type fieldReader struct {
	typ     *catalog.Type
	fields  []catalog.Column
	at      map[string]int // index into fields, by the name as canonical texts spell it
	shape   *format.Shape  // of the last text
	members []int          // the index into fields of each member of shape, -1 for none
}

func newFieldReader(t *catalog.Type) *fieldReader {
	r := &fieldReader{typ: t, fields: typedFields(t), at: map[string]int{}}
	for i, c := range r.fields {
		name := format.String(c.Field).Append(nil, format.Canonical)
		r.at[string(name[1:len(name)-1])] = i
	}
	return r
}

// reset prepares cols, which are the typed columns and the completeColumn, for n rows. All
// Values are NULL and false.
func (r *fieldReader) reset(cols []column.Vector, n int) {
	words := (n + 63) / 64
	for i := range r.fields {
		v := &cols[i]
		v.Type.Kind = r.fields[i].Type.Kind
		v.Valid = slices.Grow(v.Valid[:0], words)[:words]
		clear(v.Valid)
		switch v.Type.Kind {
		case column.Text:
			v.Str = slices.Grow(v.Str[:0], n)[:n]
		case column.Int64:
			v.I64 = slices.Grow(v.I64[:0], n)[:n]
		case column.Float64:
			v.F64 = slices.Grow(v.F64[:0], n)[:n]
		case column.Bool:
			v.Bool = slices.Grow(v.Bool[:0], n)[:n]
		}
	}
	read := &cols[len(r.fields)]
	read.Type.Kind = column.Bool
	read.Bool = slices.Grow(read.Bool[:0], n)[:n]
	clear(read.Bool)
}

// moved reports whether a row of a schema version stores fields under other names than the
// type has. The engine has to read such a row.
func (r *fieldReader) moved(version int64) bool {
	return len(r.typ.Renamings) > 0 && r.typ.Moved(version)
}

// read reads the fields of a text into row i of cols. shape is the shape of the text, nil
// if it is not known. It returns false, and leaves the row NULL, if the engine has to read
// the text.
func (r *fieldReader) read(text []byte, shape *format.Shape, cols []column.Vector, i int) bool {
	plain := true
	var err error
	if shape != nil {
		if shape != r.shape {
			r.setShape(shape)
		}
		for k, at := range r.members {
			if value := shape.Values[k]; at >= 0 && !readValue(text[value.From:value.To], &cols[at], i) {
				plain = false
				break
			}
		}
	} else {
		plain, err = r.readMembers(text, cols, i)
	}
	if err == nil && plain {
		cols[len(r.fields)].Bool[i] = true
		return true
	}
	for at := range r.fields {
		cols[at].Valid[i>>6] &^= 1 << (i & 63)
	}
	return false
}

// setShape finds the fields of a shape.
func (r *fieldReader) setShape(shape *format.Shape) {
	r.shape, r.members = shape, r.members[:0]
	for _, name := range shape.Names {
		at, known := r.at[name]
		if !known {
			at = -1
		}
		r.members = append(r.members, at)
	}
}

func (r *fieldReader) readMembers(text []byte, cols []column.Vector, i int) (plain bool, err error) {
	plain = true
	err = format.EachMember(text, func(name, value format.Span) {
		if at, known := r.at[string(text[name.From:name.To])]; known && plain {
			plain = readValue(text[value.From:value.To], &cols[at], i)
		}
	})
	return plain, err
}

// readValue reads a JSON value into row i of a column. It returns false if the value may
// not be one of the column's kind.
func readValue(text []byte, into *column.Vector, i int) bool {
	if string(text) == "null" {
		return true
	}
	ok := false
	switch into.Type.Kind {
	case column.Text:
		into.Str[i], ok = readString(text)
	case column.Int64:
		into.I64[i], ok = readInt(text)
	case column.Float64:
		into.F64[i], ok = readNumber(text)
	case column.Bool:
		into.Bool[i], ok = text[0] == 't', text[0] == 't' || text[0] == 'f'
	}
	if ok {
		into.Valid[i>>6] |= 1 << (i & 63)
	}
	return ok
}

// readString is the text of a JSON string. It returns false for any other value.
func readString(text []byte) ([]byte, bool) {
	if text[0] != '"' {
		return nil, false
	}
	inside := text[1 : len(text)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside, true
	}
	v, err := format.ParseJSON(text)
	return []byte(v.Text()), err == nil
}

// readInt reads an integer of at most maxIntLength bytes, written without fraction and
// exponent.
func readInt(text []byte) (n int64, ok bool) {
	digits := bytes.TrimPrefix(text, []byte{'-'})
	if len(digits) == 0 || len(text) > maxIntLength || len(digits) < len(text) && digits[0] == '0' {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}

// readNumber reads a number of at most maxNumberLength bytes. It leaves -0 to the engine,
// which reads it as an integer without a sign.
func readNumber(text []byte) (float64, bool) {
	if f, ok := format.PlainFloat(text); ok {
		return f, true
	}
	if !isNumber(text) || len(text) > maxNumberLength || string(text) == "-0" {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err == nil
}
