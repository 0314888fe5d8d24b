package rewrite

import (
	"errors"
	"fmt"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
)

// ScopedInsert is an INSERT whose names and types are resolved: a query of the
// rows, and one of what RETURNING shows of them. The session runs the first,
// keeps its rows, and lets the second read them. It is as immutable as Scoped.
type ScopedInsert struct {
	// Rows gives the rows to insert, in their order: one column for each of the
	// target's, in the target's order and of its engine type, NULL where the
	// statement gives no value. Needs has one element for each of Statement.Refs;
	// the references within RETURNING are among them.
	Rows *Scoped
	// Given tells for each column of the target whether the statement names it. A
	// named column may still be NULL, by NULL or DEFAULT.
	Given []bool
	// Returning is nil without RETURNING. Its Needs are those of Rows and one more
	// for the target: a source of the inserted rows with the target's columns.
	// An Output that is a column of the target has len(Statement.Refs) as Ref.
	Returning *Scoped

	insertion *insertion
}

// Params are the types of the statement's parameters (Scoped.Params), which
// both queries share; each has its own Used.
func (sc *ScopedInsert) Params() []uint32 { return sc.Rows.Params }

// BindColumn prints the query of the values of one column alone, by its
// position in the target. When the engine refuses a value it names no column:
// the session finds it by running the columns one by one. If all of them fail,
// or a column that is not Given, then it was no value that was refused. Used
// are the statement's parameters that the query contains, as Scoped.Used.
func (sc *ScopedInsert) BindColumn(i int, sources []string) (sql string, used []int, err error) {
	if i < 0 || i >= len(sc.Given) || len(sources) != len(sc.Rows.Needs) {
		return "", nil, fmt.Errorf("bind column: no column %d, or %d sources for %d references", i, len(sources), len(sc.Rows.Needs))
	}
	return sc.part(sc.insertion.text([]int{i}, sc.insertion.rows), sources)
}

// ScopeInsert resolves an INSERT as Scope does a SELECT. target is what
// Statement.Target is; that it can be written to is the session's to know. The
// values take the types of the target's columns by PostgreSQL's assignment
// casts; system columns cannot be given. A missing column and DEFAULT are NULL.
// ON CONFLICT and OVERRIDING are 0A000.
func (s *Statement) ScopeInsert(target Shape, shapes []Shape, paramOIDs []uint32, env Env) (sc *ScopedInsert, err error) {
	if s.Kind != Insert {
		return nil, fmt.Errorf("scope insert: the statement is %s", s.Tag)
	}
	if s.Target == nil {
		return nil, errors.New("scope insert: no target")
	}
	refs := append(slices.Clone(s.Refs), *s.Target)
	b, err := newBinder(s, refs, append(slices.Clone(shapes), target), paramOIDs, env)
	if err != nil {
		return nil, err
	}
	defer caught(&err)
	return b.insert(s.node.GetInsertStmt()), nil
}

func (b *binder) insert(n *pg.InsertStmt) *ScopedInsert {
	if c := n.OnConflictClause; c != nil {
		b.unsupported(c.Location, "ON CONFLICT is not supported yet")
	}
	switch n.Override {
	case pg.OverridingKind_OVERRIDING_KIND_UNDEFINED, pg.OverridingKind_OVERRIDING_NOT_SET:
	default:
		b.unsupported(-1, "OVERRIDING is not supported: no column is generated")
	}
	b.pointExprs()
	at := len(b.refs) - 1
	with, ctes := b.with(n.WithClause, nil, nil)
	in := &insertion{with: with, target: &b.shapes[at], tree: b.st.tree}
	in.columns(b, n.Cols)
	switch sel := n.SelectStmt.GetSelectStmt(); {
	case sel == nil:
		in.given, in.rows = nil, [][]expr{nil}
	case plainValues(sel):
		in.values(b, sel, ctes)
	default:
		in.query(b, sel, ctes)
	}
	rows := in.text(in.all(), in.rows)
	var returning string
	var shown []Output
	if len(n.ReturningList) > 0 {
		q := b.returning(n, at, ctes)
		returning, shown = b.finish(q), outputs(q)
	}
	sc := &ScopedInsert{Rows: b.scoped(rows, in.outputs(), at), Given: make([]bool, len(in.target.Columns)), insertion: in}
	for _, g := range in.given {
		sc.Given[g.column] = true
	}
	if len(n.ReturningList) > 0 {
		sc.Returning = b.scoped(returning, shown, at+1)
	}
	return sc
}

// returning resolves RETURNING over the reference at, the inserted rows.
func (b *binder) returning(n *pg.InsertStmt, at int, ctes *cteScope) *selectQuery {
	for c := ctes; c != nil; c = c.outer {
		c.past = true
	}
	source, ns := b.reference(at, n.Relation.Alias, n.Relation.Location)
	for _, f := range ns.rels[0].system {
		f.unborn = true
	}
	l := &level{ns: ns, ctes: ctes, clause: "RETURNING"}
	q := &selectQuery{rest: " FROM " + source}
	b.targetList(n.ReturningList, l, q, nil)
	return q
}

// given is one column that an INSERT names or has a value for.
type given struct {
	column int   // in the target
	loc    int32 // where it is named; -1 without a column list
}

// insertion is the source of an INSERT's rows: a list of values, or a query.
type insertion struct {
	with   string // the WITH clause of the statement
	target *Shape
	tree   *tree   // of the statement
	given  []given // one for each value of a row
	listed bool    // by a column list
	rows   [][]expr
	// literals are for each value of rows the place of the string literal that it
	// is, which takes the column's type as it stands; -1 for every other.
	literals [][]int32
	from     string // the query in parentheses with its alias
	cells    []expr // what each given column is of the query
}

// columns reads the column list; without one the given columns are all.
func (in *insertion) columns(b *binder, list []*pg.Node) {
	for i := range in.target.Columns {
		if len(list) == 0 {
			in.given = append(in.given, given{i, -1})
		}
	}
	in.listed = len(list) > 0
	for _, n := range list {
		r := n.GetResTarget()
		byName := func(c column.Named) bool { return c.Name == r.Name }
		i := slices.IndexFunc(in.target.Columns, byName)
		if i < 0 {
			err := pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", r.Name, in.target.Table)
			if slices.ContainsFunc(in.target.System, byName) {
				err = err.WithHint("It is a system column: the commit sets it.")
			}
			b.fail(err, r.Location)
		}
		if len(r.Indirection) > 0 {
			b.refuseElement(r, in.target.Columns[i])
		}
		if slices.ContainsFunc(in.given, func(g given) bool { return g.column == i }) {
			b.fail(pgerr.New("42701", "column %q specified more than once", r.Name), r.Location)
		}
		in.given = append(in.given, given{i, r.Location})
	}
}

// refuseElement refuses a column list that names a part of a column.
func (b *binder) refuseElement(r *pg.ResTarget, c column.Named) {
	ty := columnType(c.Type)
	if f := r.Indirection[0].GetString_(); f != nil {
		b.fail(pgerr.New(pgerr.DatatypeMismatch, "cannot assign to field %q of column %q because its type %s is not a composite type", f.Sval, c.Name, ty), r.Location)
	}
	if !ty.isArray() && !isJSON(ty.oid) {
		b.fail(pgerr.New(pgerr.DatatypeMismatch, "cannot subscript type %s because it does not support subscripting", ty), r.Location)
	}
	b.unsupported(r.Location, "an element of a column cannot be given alone")
}

// plainValues reports whether the source is a list of values whose items take
// the types of their columns one by one; anything behind or before it makes it
// a query, as in PostgreSQL's transformInsertStmt.
func plainValues(s *pg.SelectStmt) bool {
	return len(s.ValuesLists) > 0 && len(s.SortClause) == 0 && s.LimitCount == nil && s.LimitOffset == nil &&
		len(s.LockingClause) == 0 && s.WithClause == nil
}

// values resolves VALUES (...), (...).
func (in *insertion) values(b *binder, s *pg.SelectStmt, ctes *cteScope) {
	l := &level{ctes: ctes, clause: "VALUES", sets: len(s.ValuesLists) == 1}
	width := -1
	for _, row := range s.ValuesLists {
		items := row.GetList().GetItems()
		var es []expr
		places := make([]int32, len(items))
		for i, n := range items {
			places[i] = literalPlace(n)
			if d := n.GetSetToDefault(); d != nil {
				es = append(es, expr{sql: "NULL", t: t(unknownOID), null: true, loc: d.Location})
				continue
			}
			es = append(es, b.expr(n, l))
		}
		if width >= 0 && len(items) != width {
			b.fail(pgerr.New(pgerr.SyntaxError, "VALUES lists must all be the same length"), location(items[0]))
		}
		width = len(items)
		in.match(b, es)
		for i := range es {
			es[i] = in.cell(b, es[i], i)
		}
		in.rows, in.literals = append(in.rows, es), append(in.literals, places)
	}
	in.given = in.given[:width]
}

// query resolves any other source.
func (in *insertion) query(b *binder, s *pg.SelectStmt, ctes *cteScope) {
	q := b.query(s, nil, ctes)
	if len(s.DistinctClause) > 0 {
		q.settle(b) // what is compared has a type of its own
	}
	cols := q.columns()
	values := make([]expr, len(cols))
	for i := range cols {
		values[i] = q.column(i)
	}
	in.match(b, values)
	in.given = in.given[:len(cols)]
	for i, g := range in.given {
		if values[i].t.oid == unknownOID {
			q.coerce(b, i, columnType(in.target.Columns[g.column].Type))
		}
	}
	q.settle(b)
	alias := b.alias("rows")
	for i, c := range q.columns() {
		e := expr{sql: quote(alias) + "." + quote(c.out), t: c.t, loc: values[i].loc}
		in.cells = append(in.cells, b.assign(e, in.target.Columns[in.given[i].column]))
	}
	in.from = "(" + q.text() + ") AS " + quote(alias)
}

// match compares the number of values with that of the columns.
func (in *insertion) match(b *binder, values []expr) {
	if len(values) > len(in.given) {
		b.fail(pgerr.New(pgerr.SyntaxError, "INSERT has more expressions than target columns"), values[len(in.given)].loc)
	}
	if !in.listed || len(values) == len(in.given) {
		return
	}
	err := pgerr.New(pgerr.SyntaxError, "INSERT has more target columns than expressions")
	if len(values) == 1 && len(values[0].row) == len(in.given) {
		err = err.WithHint("The insertion source is a row expression containing the same number of columns expected by the INSERT. " +
			"Did you accidentally use extra parentheses?")
	}
	b.fail(err, in.given[len(values)].loc)
}
