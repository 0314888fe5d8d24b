package ingest

import (
	"slices"
	"strconv"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// Lookup answers a look-up by key without the engine. Such a statement finds at most one
// row of an entity in the database. The Reader converts the row anyway; if the statement
// only returns columns of it, the converted row is the answer. The engine would take
// several times as long.
type Lookup struct {
	typ     *catalog.Type
	reader  *fieldReader
	columns []int // of Reader.single; nil if it does not have all columns of the statement
	kinds   []column.Kind

	// Memory that the next look-up uses again. Answers do not refer to it.
	conv *converter
	row  rowBatch
}

// Reader reads the rows of a cursor for the look-up. It ends the Reader before it.
func (l *Lookup) Reader(cursor Cursor) *Reader {
	if l.conv == nil || l.conv.size > maxTextBytes { // it would keep as much memory
		l.conv = newConverter(l.typ.Ref.Kind, l.reader)
	}
	l.conv.reset()
	l.row.release()
	return &Reader{typ: l.typ, cursor: cursor, conv: l.conv, spare: &l.row}
}

// Type is the type whose rows are looked up.
func (l *Lookup) Type() *catalog.Type { return l.typ }

// Possible reports whether rows of the type can answer the statement. If not, Answer must
// not be called.
func (l *Lookup) Possible() bool { return l.columns != nil }

// NewLookup is for statements that return these columns of a type, by their names in SQL.
func NewLookup(t *catalog.Type, names []string) *Lookup {
	l := &Lookup{typ: t, reader: newFieldReader(t)}
	var columns []int
	fields := l.reader.fields
	for _, name := range names {
		at := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Name == name })
		if at < 0 {
			return l
		}
		c := &t.Columns[at]
		field := slices.IndexFunc(fields, func(f catalog.Column) bool { return f.Name == c.Name })
		switch {
		case c.Role == catalog.FromEntityKey && (c.Type.Kind == column.Text || c.Type.Kind == column.Int64):
			columns = append(columns, 0)
		case field >= 0:
			columns = append(columns, len(scan.KeyColumns(t.Ref.Kind))+3+field)
		default:
			return l
		}
		l.kinds = append(l.kinds, c.Type.Kind)
	}
	l.columns = columns
	return l
}

// Answer is the result of the statement if the row that r has read is the only one. It is
// nil if the engine has to answer.
func (l *Lookup) Answer(r *Reader) *column.Batch {
	row := r.single()
	if row == nil {
		return nil
	}
	return l.answer(row)
}

// AnswerNone is the result of the statement if there is no row.
func (l *Lookup) AnswerNone() *column.Batch { return l.answer(&column.Batch{}) }

func (l *Lookup) answer(row *column.Batch) *column.Batch {
	out := &column.Batch{Len: row.Len, Cols: make([]column.Vector, len(l.columns))}
	for i, at := range l.columns {
		switch {
		case row.Len == 0:
			out.Cols[i].Type.Kind = l.kinds[i]
		case at == 0 && l.kinds[i] == column.Int64:
			n, err := strconv.ParseInt(string(row.Cols[0].Str[0]), 10, 64)
			if err != nil {
				return nil
			}
			out.Cols[i] = column.Vector{Type: column.Type{Kind: column.Int64}, I64: []int64{n}}
		default:
			out.Cols[i] = row.Cols[at]
		}
	}
	return out
}
