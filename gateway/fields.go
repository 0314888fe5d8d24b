package gateway

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

// A data file has typed columns beside fields_json. Of rows that have none the fields
// are read here, from the canonical text, where it is plain to see what the engine
// would make of them; the engine, which takes several times as long, reads the others.

// readColumn is the name of the column that is true where the typed columns say all
// that fields_json says.
const readColumn = "__read"

// typedKinds are the kinds of fields of which a data file has a typed column.
var typedKinds = map[column.Kind]format.ColumnKind{
	column.Text: format.KindString, column.Int64: format.KindInt64, column.Float64: format.KindDouble, column.Bool: format.KindBool,
}

// typedFields are the columns of a type that a data file would have as typed ones:
// those whose names are not taken.
func typedFields(t *catalog.Type) []catalog.Column {
	taken := ownFacts(t).Columns
	for _, name := range []string{readColumn, nextColumn, orderColumn} {
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

// typedFacts are ownFacts and those of typedFields.
func typedFacts(t *catalog.Type) *format.Facts {
	facts := ownFacts(t)
	for _, c := range typedFields(t) {
		facts.Columns = append(facts.Columns, format.ColumnFact{Name: c.Field, Kind: typedKinds[c.Type.Kind]})
	}
	return facts
}

// typedNamed are typedFields as columns of a table, by names that no field has.
func typedNamed(t *catalog.Type) []column.Named {
	var cols []column.Named
	for i, c := range typedFields(t) {
		cols = append(cols, column.Named{Name: "__field" + strconv.Itoa(i), Type: column.Type{Kind: c.Type.Kind}})
	}
	return cols
}

// typedList are the columns of a table that typedNamed names, as those of a data file.
func typedList(t *catalog.Type) string {
	list, named := ownColumns(t), typedNamed(t)
	for i, c := range typedFields(t) {
		list = append(list, named[i].Name+" AS "+duckdb.Ident(c.Field))
	}
	return strings.Join(list, ", ")
}

// typedReader reads typedFields from canonical texts.
type typedReader struct {
	fields []catalog.Column
	at     map[string]int // of fields, by their names in canonical texts
	shape  *format.Shape  // of the last text
	inside []int          // the fields of its members, -1 for none
}

func newTypedReader(t *catalog.Type) *typedReader {
	r := &typedReader{fields: typedFields(t), at: map[string]int{}}
	for i, c := range r.fields {
		name := format.String(c.Field).Append(nil, format.Canonical)
		r.at[string(name[1:len(name)-1])] = i
	}
	return r
}

// begin makes cols the columns of the fields and the readColumn, of n rows that are
// not read.
func (r *typedReader) begin(cols []column.Vector, n int) {
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

// read reads the fields of row i, which then stand in cols. shape is its text's, nil where
// it is not known. It reports false, and they are NULL, where that is the engine's to do.
func (r *typedReader) read(text []byte, shape *format.Shape, cols []column.Vector, i int) bool {
	plain := true
	var err error
	if shape != nil {
		if shape != r.shape {
			r.know(shape)
		}
		for k, at := range r.inside {
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

// know finds the fields of a shape.
func (r *typedReader) know(shape *format.Shape) {
	r.shape, r.inside = shape, r.inside[:0]
	for _, name := range shape.Names {
		at, known := r.at[name]
		if !known {
			at = -1
		}
		r.inside = append(r.inside, at)
	}
}

func (r *typedReader) readMembers(text []byte, cols []column.Vector, i int) (plain bool, err error) {
	plain = true
	err = format.EachMember(text, func(name, value format.Span) {
		if at, known := r.at[string(text[name.From:name.To])]; known && plain {
			plain = readValue(text[value.From:value.To], &cols[at], i)
		}
	})
	return plain, err
}

// readValue reads a JSON value that is plainly one of the column's kind.
func readValue(text []byte, into *column.Vector, i int) bool {
	if string(text) == "null" {
		return true
	}
	ok := false
	switch into.Type.Kind {
	case column.Text:
		into.Str[i], ok = readString(text)
	case column.Int64:
		into.I64[i], ok = readWhole(text)
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

// readString is the text of a JSON string that is not odd.
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

// readWhole is a number that is written as a whole one of plainWhole bytes at most.
func readWhole(text []byte) (n int64, ok bool) {
	digits := bytes.TrimPrefix(text, []byte{'-'})
	if len(digits) == 0 || len(text) > plainWhole || len(digits) < len(text) && digits[0] == '0' {
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

// readNumber is a number of plainNumber bytes at most. That of a whole one the engine
// knows no negative zero.
func readNumber(text []byte) (float64, bool) {
	if f, ok := format.PlainFloat(text); ok {
		return f, true
	}
	if !isNumber(text) || len(text) > plainNumber || string(text) == "-0" {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err == nil
}
