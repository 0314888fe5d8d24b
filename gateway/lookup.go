package gateway

import (
	"slices"
	"strconv"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/rewrite"
)

// A look-up by key in a database finds one row of an entity there or none. Its fields
// are read on the way, and where the statement does nothing with them, that is the
// answer: the engine would take several times as long to say it again.

// lone is the only row of a feed of which few has read all, with the columns that the
// engine would be given; nil where there are several, or the engine has to look into
// the row.
func (f *feed) lone() *column.Batch {
	if len(f.ahead) != 1 || f.ahead[0].batch.Len != 1 {
		return nil
	}
	b := &f.ahead[0].batch
	if read := &b.Cols[len(b.Cols)-1]; !read.Bool[0] {
		return nil
	}
	return b
}

// lookUp is how a look-up by key answers with the row that is found.
type lookUp struct {
	typ     *catalog.Type
	reader  *typedReader
	columns []int // of feed.lone; nil where it has not all that are asked for
	kinds   []column.Kind

	// What is used again for the next one, which begins when this has been read: no
	// answer lies in it.
	refine *refinery
	row    fed
}

// feed reads the rows that are found.
func (l *lookUp) feed(cursor Cursor) *feed {
	if l.refine == nil || l.refine.size > mostTextBytes { // that keeps as much memory
		l.refine = newRefinery(l.typ.Ref.Kind, l.reader)
	}
	l.refine.begin()
	l.row.leave()
	return &feed{cursor: cursor, refine: l.refine, spare: &l.row}
}

// lookUp is that of reference i of the plan, nil where the engine has to answer.
func (p *plan) lookUp(i int, t *catalog.Type) *lookUp {
	r := &p.relations[i]
	if !p.scoped.LookUp || r.mode != ontosql.Latest || r.ref.All || t.Ref.Kind != ontosql.Entity {
		return nil
	}
	if p.looksUp == nil || p.looksUp.typ != t {
		p.looksUp = newLookUp(t, p.scoped.Columns)
	}
	if p.looksUp.columns == nil {
		return nil
	}
	return p.looksUp
}

func newLookUp(t *catalog.Type, wanted []rewrite.Output) *lookUp {
	l := &lookUp{typ: t, reader: newTypedReader(t)}
	var columns []int
	fields := l.reader.fields
	for _, w := range wanted {
		at := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Name == w.Column })
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

// answer is what the statement answers where row was found, which has no rows if none
// was; nil where the engine has to tell, and where row is nil.
func (l *lookUp) answer(row *column.Batch) *column.Batch {
	if row == nil {
		return nil
	}
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
