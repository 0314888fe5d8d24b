package gateway

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// mostParameterRows is how many rows a statement has as its parameters: those of a
// look-up. Each number of rows is a statement of its own to the engine, which keeps
// some prepared. Over other windows than those of keys the rows are in a WITH query
// that is NOT MATERIALIZED, and named twice, of which the engine finds none then.
const mostParameterRows = 8

// rowParameters are rows as parameters of a statement, whose text is the same for the
// next rows: the engine need not plan it again.
type rowParameters struct {
	text  strings.Builder
	first int // number of the first
	args  []any
}

// parameters is a relation of rows like values, whose values are parameters from
// number first on, with typed columns beside fields_json where each row has values of
// their types. facts, those of ownColumns, then tell of them, and the engine need not
// look into the JSON.
func parameters(t *catalog.Type, rows []format.Row, first int, facts *format.Facts) (relation string, args []any) {
	names, reader := ownColumns(t), newTypedReader(t)
	typed := reader.fields
	fields := make([][]any, len(rows))
	for i := range rows {
		var ok bool
		if fields[i], ok = reader.values(rows[i].Fields); !ok {
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

// row begins a row with its ownColumns.
func (p *rowParameters) row(t *catalog.Type, r *format.Row) {
	keys := []string{r.Key}
	if t.Ref.Kind == ontosql.Relation {
		keys = []string{r.Left, r.Right, r.Instance}
	}
	before := "("
	for _, key := range keys {
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

// add adds a value behind a text. NULL is no parameter: the engine would plan anew
// for it.
func (p *rowParameters) add(before string, value any, typ string) {
	p.text.WriteString(before)
	if value == nil {
		p.text.WriteString("CAST(NULL AS " + typ + ")")
		return
	}
	fmt.Fprintf(&p.text, "CAST($%d AS %s)", p.first+len(p.args), typ)
	p.args = append(p.args, value)
}

// values are the values of the fields in a canonical text, as the engine binds them;
// false where that is the engine's to read.
func (r *typedReader) values(text []byte) (values []any, ok bool) {
	values, ok = make([]any, len(r.fields)), true
	err := format.EachMember(text, func(name, value format.Span) {
		if at, known := r.at[string(text[name.From:name.To])]; known && ok {
			values[at], ok = valueOf(text[value.From:value.To], r.fields[at].Type.Kind)
		}
	})
	return values, ok && err == nil
}

// valueOf is a JSON value that is plainly one of a kind's, nil for null.
func valueOf(text []byte, kind column.Kind) (value any, ok bool) {
	if string(text) == "null" {
		return nil, true
	}
	switch kind {
	case column.Text:
		s, plain := readString(text)
		value, ok = string(s), plain
	case column.Int64:
		value, ok = readWhole(text)
	case column.Float64:
		value, ok = readNumber(text)
	case column.Bool:
		value, ok = text[0] == 't', text[0] == 't' || text[0] == 'f'
	}
	return value, ok
}
