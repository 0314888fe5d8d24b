package dml

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// insertSource resolves what an INSERT inserts.
func (w *builder) insertSource(b *query.Binder, n *pg.InsertStmt) (ctes *scope.CTE) {
	if overrides(n.Override) && w.target.Kind != scope.StoredTable {
		b.Unsupported(-1, "OVERRIDING is not supported: no column is generated")
	}
	w.with, ctes = b.WithClause(n.WithClause, nil, nil)
	in := w.insertion
	in.override = n.Override
	in.hidden = hiddenTarget(in, n.Relation)
	in.columns(b, n.Cols)
	switch sel := n.SelectStmt.GetSelectStmt(); {
	case sel == nil:
		in.given, in.rows = nil, [][]scope.Expr{nil}
	case plainValues(sel):
		in.values(b, sel, ctes)
	default:
		in.query(b, sel, ctes)
	}
	in.omitted = make([]scope.Expr, len(in.target.Columns))
	for i := range in.omitted {
		if in.place(i) < 0 {
			in.omitted[i] = defaults.ValueOrNull(b.Binder, in.target, i)
		}
	}
	return ctes
}

// matchView is the error of values for columns of a view that are expressions, or one column of
// the table twice.
func (in *insertion) matchView(b *query.Binder, values int) {
	for i, g := range in.given[:values] {
		if g.column < 0 {
			b.Fail(g.named.notUpdatable("insert into"), -1)
		}
		if slices.ContainsFunc(in.given[:i], func(o given) bool { return o.column == g.column }) {
			b.Fail(pgerr.New(pgerr.SyntaxError, "multiple assignments to same column %q", in.target.Columns[g.column].Name), -1)
		}
	}
}

// hiddenTarget is the level around the source of an INSERT. It exists for error messages, which
// mention the target's columns.
func hiddenTarget(in *insertion, v *pg.RangeVar) *scope.Level {
	r := &scope.RangeEntry{Alias: in.relation, Ref: -1, Shape: in.target}
	if v.Alias != nil {
		r.Alias = v.Alias.Aliasname
	}
	for _, c := range in.names {
		r.Columns = append(r.Columns, &scope.Column{Name: c.name})
	}
	return &scope.Level{Hidden: []*scope.RangeEntry{r}}
}

// assigned reports for each of the target's columns whether it is given, has a default or is
// generated.
func (in *insertion) assigned() []bool {
	out := make([]bool, len(in.target.Columns))
	for i, c := range in.target.Columns {
		out[i] = in.place(i) >= 0 || in.target.Defaults[c.Name] != "" || in.target.Generated[c.Name] != ""
	}
	return out
}

// place is the index, in a row of the source, of the value for one of the target's columns, -1 if
// there is none.
func (in *insertion) place(column int) int {
	return slices.IndexFunc(in.given, func(g given) bool { return g.column == column })
}

// given is one column that an INSERT names or has a value for.
type given struct {
	column int   // in the target, -1 for a column of a view that is no column of a table
	loc    int32 // where it is named; -1 without a column list
	named  *named
}

// insertion is the source of an INSERT's rows: a list of values, or a query.
type insertion struct {
	target   *scope.Shape
	names    []named      // of the columns of the target, or of a view
	relation string       // the name of that
	tree     *syntax.Tree // of the statement
	given    []given      // one for each value of a row

	override pg.OverridingKind
	listed   bool         // by a column list
	hidden   *scope.Level // has the target, which the source of the rows cannot name
	rows     [][]scope.Expr
	// literals has the location of the string literal for each value of rows that is one; the
	// literal takes the type of its column. It is -1 for every other value.
	literals [][]int32
	from     string       // the query in parentheses with its alias
	cells    []scope.Expr // what each given column is of the query
	omitted  []scope.Expr // what each of the target's columns is that is not given
}

// columns reads the column list; without one the given columns are all.
func (in *insertion) columns(b *query.Binder, list []*pg.Node) {
	for i := range in.names {
		if len(list) == 0 {
			in.given = append(in.given, given{in.names[i].column, -1, &in.names[i]})
		}
	}
	in.listed = len(list) > 0
	for _, n := range list {
		r := n.GetResTarget()
		at := slices.IndexFunc(in.names, func(c named) bool { return c.name == r.Name })
		if at < 0 {
			err := pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", r.Name, in.relation)
			if slices.ContainsFunc(in.target.System, func(c column.Named) bool { return c.Name == r.Name }) {
				err = err.WithHint("It is a system column: the commit sets it.")
			}
			b.Fail(err, r.Location)
		}
		c := &in.names[at]
		if i := c.column; len(r.Indirection) > 0 && i >= 0 {
			refuseElement(b, r, in.target.Columns[i], -1) // PostgreSQL gives no position in the list
		}
		if slices.ContainsFunc(in.given, func(g given) bool { return g.named == c }) {
			b.Fail(pgerr.New(pgerr.DuplicateColumn, "column %q specified more than once", r.Name), r.Location)
		}
		in.given = append(in.given, given{c.column, r.Location, c})
	}
}

// refuseElement reports an error for a target that is an element or a field of a column. at is
// the position of the error for a column that is neither an array nor a row, -1 for none.
func refuseElement(b *query.Binder, r *pg.ResTarget, c column.Named, at int32) {
	ty := types.OfColumn(c.Type)
	if f := r.Indirection[0].GetString_(); f != nil {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "cannot assign to field %q of column %q because its type %s is not a composite type", f.Sval, c.Name, ty), r.Location)
	}
	if !ty.IsArray() && !types.IsJSON(ty.OID) {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", ty), at)
	}
	b.Unsupported(r.Location, "an element of a column cannot be given alone")
}

// plainValues reports whether the source is a list of values whose items take
// the types of their columns one by one; anything behind or before it makes it
// a query, as in PostgreSQL's transformInsertStmt.
func plainValues(s *pg.SelectStmt) bool {
	return len(s.ValuesLists) > 0 && len(s.SortClause) == 0 && s.LimitCount == nil && s.LimitOffset == nil &&
		len(s.LockingClause) == 0 && s.WithClause == nil
}

// values resolves VALUES (...), (...).
func (in *insertion) values(b *query.Binder, s *pg.SelectStmt, ctes *scope.CTE) {
	l := &scope.Level{Parent: in.hidden, CTEs: ctes, Clause: "VALUES", AllowsSets: len(s.ValuesLists) == 1}
	width := -1
	for _, row := range s.ValuesLists {
		items := row.GetList().GetItems()
		var es []scope.Expr
		places := make([]int32, len(items))
		for i, n := range items {
			places[i] = literalPlace(n)
			es = append(es, b.ValueOrDefault(n, l))
		}
		if width >= 0 && len(items) != width {
			b.Fail(pgerr.New(pgerr.SyntaxError, "VALUES lists must all be the same length"), syntax.Location(items[0]))
		}
		width = len(items)
		in.match(b, es)
		for i := range es {
			if items[i].GetSetToDefault() != nil {
				es[i] = defaults.Value(b.Binder, in.target, in.given[i].column)
			}
			es[i] = in.cell(b, es[i], i)
		}
		in.rows, in.literals = append(in.rows, es), append(in.literals, places)
	}
	in.given = in.given[:width]
	for r, row := range s.ValuesLists { // PostgreSQL's rewriter looks at them, behind the analysis
		for i, n := range row.GetList().GetItems() {
			if n.GetSetToDefault() == nil && in.generated(b, in.given[i].column) {
				in.rows[r][i] = in.cell(b, defaults.Value(b.Binder, in.target, in.given[i].column), i)
			}
		}
	}
}

// query resolves any other source.
func (in *insertion) query(b *query.Binder, s *pg.SelectStmt, ctes *scope.CTE) {
	q := b.Query(s, in.hidden, ctes)
	if len(s.DistinctClause) > 0 {
		b.SettleUnknown(q) // what is compared has a type of its own
	}
	cols := q.Columns()
	values := make([]scope.Expr, len(cols))
	for i := range cols {
		values[i] = q.Column(i)
	}
	in.match(b, values)
	in.given = in.given[:len(cols)]
	for i, g := range in.given {
		if values[i].Type.OID == types.Unknown {
			q.Coerce(b.Binder, i, coercion.InputType(in.target.Columns[g.column].Type))
		}
	}
	b.SettleUnknown(q)
	q.ExposeTexts(slices.DeleteFunc(q.TextColumns(), func(i int) bool { return !types.Finer(in.target.Columns[in.given[i].column].Type) }))
	alias := b.UniqueAlias("rows")
	for i, c := range q.Columns() {
		e := scope.Expr{SQL: enginesql.Quote(alias) + "." + enginesql.Quote(c.EngineName), Type: c.Type, Location: values[i].Location}
		if c.TextColumn != "" {
			e.Printed = enginesql.Quote(alias) + "." + enginesql.Quote(c.TextColumn)
		}
		if in.generated(b, in.given[i].column) {
			e = defaults.Value(b.Binder, in.target, in.given[i].column)
		}
		in.cells = append(in.cells, b.Assign(e, in.target, in.given[i].column))
	}
	in.from = "(" + q.SQL() + ") AS " + enginesql.Quote(alias)
}

// match compares the number of values with that of the columns.
func (in *insertion) match(b *query.Binder, values []scope.Expr) {
	if len(values) > len(in.given) {
		b.Fail(pgerr.New(pgerr.SyntaxError, "INSERT has more expressions than target columns"), values[len(in.given)].Location)
	}
	if !in.listed || len(values) == len(in.given) {
		in.matchView(b, len(values))
		return
	}
	err := pgerr.New(pgerr.SyntaxError, "INSERT has more target columns than expressions")
	if len(values) == 1 && len(values[0].Row) == len(in.given) {
		err = err.WithHint("The insertion source is a row expression containing the same number of columns expected by the INSERT. " +
			"Did you accidentally use extra parentheses?")
	}
	b.Fail(err, in.given[len(values)].loc)
}
