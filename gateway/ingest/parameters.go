package ingest

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// MaxParameterRows bounds the rows that a statement has as parameters (ParameterFile):
// those of a look-up by key. Each number of rows is a different statement for the engine,
// which keeps few prepared. Windows that are not of keys cannot have parameters: their
// rows are in a WITH query that is NOT MATERIALIZED and read twice, and the engine does not
// find the parameters in it.
const MaxParameterRows = 8

// rowParameters writes rows as parameters of a statement. The text is the same for other
// rows, so that the engine does not plan it again.
type rowParameters struct {
	text  strings.Builder
	first int // number of the first
	args  []any
}

// parameters is a FROM item like Values, whose values are parameters with numbers from
// first on. If the fields of every row can be read here, it has the typed columns too, which
// are added to facts, so that the engine does not parse fields_json.
func parameters(t *catalog.Type, rows []format.Row, first int, facts *format.Facts) (relation string, args []any) {
	names, reader := rowColumns(t), newFieldReader(t)
	typed := reader.fields
	fields := make([][]any, len(rows))
	for i := range rows {
		var ok bool
		if fields[i], ok = reader.args(rows[i].Fields); !ok || reader.moved(rows[i].SchemaVersionID) {
			typed = nil
		}
	}
	for _, c := range typed {
		names = append(names, duckdb.Ident(c.Field))
		facts.Columns = append(facts.Columns, format.ColumnFact{Name: c.Field, Kind: typedKinds[c.Type.Kind]})
	}
	p := &rowParameters{first: first}
	p.text.WriteString("(VALUES ")
	for i := range rows {
		if i > 0 {
			p.text.WriteString(", ")
		}
		p.row(t, &rows[i])
		for k, c := range typed {
			p.add(", ", fields[i][k], duckdb.TypeName(c.Type))
		}
		p.text.WriteByte(')')
	}
	p.text.WriteString(") AS own (" + strings.Join(names, ", ") + ")")
	return p.text.String(), p.args
}

// row begins a row with its rowColumns.
func (p *rowParameters) row(t *catalog.Type, r *format.Row) {
	before := "("
	for _, key := range r.KeyTexts(t.Ref.Kind) {
		p.add(before, key, "VARCHAR")
		before = ", "
	}
	p.add(before, string(r.Fields), "VARCHAR")
	p.add(before, int64(r.Commit), "BIGINT")
	var version any
	if r.SchemaVersionID != 0 {
		version = r.SchemaVersionID
	}
	p.add(before, version, "BIGINT")
}

// add writes a text and a value. NULL is not a parameter, because the engine would plan
// the statement again for it.
func (p *rowParameters) add(before string, value any, typ string) {
	p.text.WriteString(before)
	if value == nil {
		p.text.WriteString("CAST(NULL AS " + typ + ")")
		return
	}
	fmt.Fprintf(&p.text, "CAST($%d AS %s)", p.first+len(p.args), typ)
	p.args = append(p.args, value)
}

// args are the values of the fields of a canonical text as parameters. It returns false if
// the engine has to read the text.
func (r *fieldReader) args(text []byte) (values []any, ok bool) {
	values, ok = make([]any, len(r.fields)), true
	err := format.EachMember(text, func(name, value format.Span) {
		if at, known := r.at[string(text[name.From:name.To])]; known && ok {
			values[at], ok = valueOf(text[value.From:value.To], r.fields[at].Type.Kind)
		}
	})
	return values, ok && err == nil
}

// valueOf reads a JSON value, nil for null. It returns false if the value may not be one of
// the kind.
func valueOf(text []byte, kind column.Kind) (value any, ok bool) {
	if string(text) == "null" {
		return nil, true
	}
	switch kind {
	case column.Text:
		s, plain := readString(text)
		value, ok = string(s), plain
	case column.Int64:
		value, ok = readInt(text)
	case column.Float64:
		value, ok = readNumber(text)
	case column.Bool:
		value, ok = text[0] == 't', text[0] == 't' || text[0] == 'f'
	}
	return value, ok
}
