package keyquery

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// Plan is how a statement is answered from the tables of the row store. It is immutable.
type Plan struct {
	tables        []*table // in the order in which they are read
	columns       []place  // of a joined row
	where         []rowexpr.Func
	outputs       []output
	order         []orderBy
	limit, offset *enginesql.Operand
	// direct says that the result is the rows of the one table, with the columns that are stored.
	direct bool
}

// place is a slot of a table.
type place struct{ table, slot int }

// output is a result column: a column of a joined row, or a value that is computed.
type output struct {
	column int
	kind   column.Kind
	value  rowexpr.Func // nil for a column
}

// Source is a reference of a statement: a type in a mode.
type Source struct {
	Type *catalog.Type
	Mode ontosql.Mode
}

// New plans a statement over its references. It is nil if the engine has to answer.
func New(q *scope.KeyQuery, of []Source) *Plan {
	p := &Plan{limit: q.Limit, offset: q.Offset}
	for i := range q.Steps {
		t := newTable(&q.Steps[i], of[q.Steps[i].Ref])
		if t == nil || !p.join(t) {
			return nil
		}
	}
	known := true
	for _, out := range q.Outputs {
		o := output{column: -1}
		if out.Value == nil {
			o.column = p.columnOf(out.KeyQueryColumn)
		} else if isComputed(out.Value.Type.Kind) {
			o.kind, o.value = out.Value.Type.Kind, p.compile(q, out.Value)
		}
		known = known && (o.column >= 0 || o.value != nil)
		p.outputs = append(p.outputs, o)
	}
	for _, e := range q.Where {
		f := p.compile(q, e)
		known = known && f != nil
		p.where = append(p.where, f)
	}
	for _, by := range q.Order {
		o := orderBy{column: p.columnOf(by.KeyQueryColumn), descending: by.Descending, nullsFirst: by.NullsFirst}
		known = known && o.column >= 0 && isOrdered(p.typeOf(o.column).Kind)
		p.order = append(p.order, o)
	}
	if !known {
		return nil
	}
	p.direct = p.isDirect()
	return p
}

// join adds a table, false if its keys cannot be taken from the tables before it.
func (p *Plan) join(t *table) bool {
	p.tables = append(p.tables, t)
	for _, k := range slices.Concat(slices.Concat(t.keys...), t.rest) {
		for _, v := range k.Values {
			if v.Column == nil {
				continue
			}
			at, ok := p.find(*v.Column)
			if !ok {
				return false
			}
			switch p.tables[at.table].slots[at.slot].typ.Kind {
			case column.Int64, column.Text, column.UUID:
			default:
				return false
			}
			t.from[*v.Column] = at
		}
	}
	return true
}

// find is the place of a column, which is made if need be; false if the column cannot be read.
func (p *Plan) find(c scope.KeyQueryColumn) (place, bool) {
	i := slices.IndexFunc(p.tables, func(t *table) bool { return t.ref == c.Ref })
	if i < 0 {
		return place{}, false
	}
	slot := p.tables[i].slotOf(c)
	return place{i, slot}, slot >= 0
}

// columnOf is the number of a column in a joined row, -1 if it cannot be read.
func (p *Plan) columnOf(c scope.KeyQueryColumn) int {
	at, ok := p.find(c)
	if !ok {
		return -1
	}
	i := slices.Index(p.columns, at)
	if i < 0 {
		i = len(p.columns)
		p.columns = append(p.columns, at)
	}
	return i
}

func (p *Plan) typeOf(column int) column.Type {
	at := p.columns[column]
	return p.tables[at.table].slots[at.slot].typ
}

// compile makes the function of an expression, nil if it names a column that cannot be read.
func (p *Plan) compile(q *scope.KeyQuery, e *rowexpr.Expr) rowexpr.Func {
	return rowexpr.Compile(e, func(name string) int {
		c, ok := q.Columns[name]
		if !ok {
			return -1
		}
		return p.columnOf(c)
	})
}

// isComputed reports whether an output that is computed may have values of a kind: those that have
// the same type with and without the engine.
func isComputed(k column.Kind) bool {
	switch k {
	case column.Bool, column.Int32, column.Int64, column.Float64, column.Text, column.Date, column.Timestamp, column.TimestampTZ:
		return true
	}
	return false
}

func (p *Plan) isDirect() bool {
	t := p.tables[0]
	if len(p.tables) > 1 || len(p.where)+len(p.order)+len(t.rest) > 0 || p.limit != nil || p.offset != nil || !t.isDirect() || len(p.outputs) != len(t.slots) {
		return false
	}
	for i, o := range p.outputs {
		if o.value != nil || p.columns[o.column].slot != i {
			return false
		}
	}
	return true
}

// KeyTexts are the texts that the statement looks for in a reference, by key column, the first
// columns first. An empty list means no row. Columns whose values rows give have no list, nor have those
// behind them.
func (p *Plan) KeyTexts(ref int, args [][]byte) [][]string {
	var texts [][]string
	for _, t := range p.tables {
		if t.ref != ref {
			continue
		}
		for _, of := range t.keys {
			if slices.ContainsFunc(of, func(k scope.KeyCondition) bool {
				return slices.ContainsFunc(k.Values, func(v scope.KeyValue) bool { return v.Column != nil })
			}) {
				break
			}
			texts = append(texts, textsOf(of, values{args: args}))
		}
	}
	return texts
}
