package query

import (
	"cmp"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// SelectQuery is one SELECT ... FROM ... level.
type SelectQuery struct {
	TargetList []targetEntry
	distinct   string // "", "DISTINCT " or "DISTINCT ON (...) "
	rest       string // FROM and all that follows, but for LIMIT
	limit      string // LIMIT and OFFSET
	ties       *ties
	order      []string // the texts of the ORDER BY items
	bySet      bool     // ORDER BY or DISTINCT ON has a set-returning function
	textColumns[string]
	alias string // of the query whose rows the sets are expanded of, "" where they are expanded in it
	locks *lockedRows

	rowwise    bool   // each row is made of one row of its FROM, and no other decides whether it is there
	unlockable string // what FOR UPDATE does not allow in it or in a query of its FROM, or ""
}

// targetEntry is one output of a SELECT.
type targetEntry struct {
	node       *pg.Node
	Expr       scope.Expr
	name       string
	EngineName string
	constant   bool // it names no column
}

func (b *Binder) selectQuery(s *pg.SelectStmt, outer *scope.Level, ctes *scope.CTE) expression.Query {
	l := &scope.Level{Parent: outer, CTEs: ctes}
	outerUses := len(b.ColumnUses)
	defer b.beginLocking(s)()
	var from, filter string
	var items []string
	if len(s.FromClause) > 0 {
		items = append(items, b.FromClause(s.FromClause, l))
	}
	s, set := b.groupBySetReturning(s, l)
	if set != "" {
		items = append(items, set)
	}
	if len(items) > 0 {
		from = " FROM " + strings.Join(items, ", ")
	}
	if s.WhereClause != nil {
		where := b.Condition(s.WhereClause, l, "WHERE")
		b.CollectBounds(s.WhereClause, l)
		b.locking.filtered(b.ColumnUses[outerUses:])
		filter = b.KeyFilter(" WHERE "+where.SQL, s, l)
	}
	b.ForgetUses(outerUses, l)
	b.DefineWindows(s.WindowClause, l)
	q := &SelectQuery{}
	b.CheckTargets(max(len(s.GroupClause), len(s.SortClause)))
	group := b.groupBy(s, l)
	uses := len(b.ColumnUses)
	l.Limit = constantLimit(s)
	b.TargetList(s.TargetList, l, q, group.targets)
	var having scope.Expr
	if s.HavingClause != nil {
		having = b.Condition(s.HavingClause, l, "HAVING")
	}
	windows := b.WindowClause(s.WindowClause, l)
	var order string
	order, q.limit, q.ties = b.sortAndLimit(s, l, q, q, outerUses)
	q.distinct = b.distinct(s, l, q)
	b.projectSets(s, q)
	if len(s.GroupClause) > 0 || s.HavingClause != nil || l.HasAggs {
		b.checkGrouped(group, b.ColumnUses[uses:], l)
	}
	b.ForgetUses(uses, l)
	q.rest = from + withEffects(filter, l, q) + group.text()
	if s.HavingClause != nil {
		q.rest += " HAVING " + having.SQL
	}
	q.rest += windows + order
	q.rowwise = len(s.GroupClause) == 0 && s.HavingClause == nil && !l.HasAggs && !l.HasWindowFuncs && q.distinct == "" && q.limit == "" && q.ties == nil
	own := unlockableQuery(l, s, q)
	q.unlockable = cmp.Or(own, unlockableFrom(&l.Namespace))
	b.checkLocking(s.LockingClause, l, own)
	q.locks = b.rowLocks()
	if s == b.Stmt.Node.GetSelectStmt() {
		b.byKey = b.keyQuery(s, l, q)
	}
	return q
}

// TargetList resolves the outputs, except those of grouped, which has them by their numbers.
// It expands stars: what * means is known only here (decision A6).
func (b *Binder) TargetList(list []*pg.Node, l *scope.Level, q *SelectQuery, grouped map[int]scope.Expr) {
	taken, mark := map[string]bool{}, len(b.ColumnUses)
	add := func(n *pg.Node, e scope.Expr, name string) {
		constant := len(b.ColumnUses) == mark
		mark = len(b.ColumnUses)
		if resolved, ok := grouped[len(q.TargetList)]; ok {
			e = resolved
		}
		b.RefuseUnknownRows(e.Type, e.Location)
		b.CheckTargets(len(q.TargetList) + 1)
		q.TargetList = append(q.TargetList, targetEntry{node: n, Expr: e, name: name, EngineName: UniqueName(name, taken), constant: constant})
	}
	for _, n := range list {
		r := n.GetResTarget()
		if cr := r.Val.GetColumnRef(); cr != nil && cr.Fields[len(cr.Fields)-1].GetAStar() != nil {
			for _, f := range b.Star(cr, l) {
				e := b.ColumnExpr(f, cr.Location, l)
				if g, grouped := l.Grouped[e.SQL]; grouped {
					e.SQL, e.Printed = g.SQL, g.Printed
				}
				add(r.Val, e, f.Name)
			}
			continue
		}
		if all := r.Val.GetAIndirection(); all != nil && len(all.Indirection) == 1 && all.Indirection[0].GetAStar() != nil { // (f()).*
			row := b.Expr(all.Arg, l)
			if cols := types.RowFields(row.Type); cols != nil {
				for _, c := range cols {
					field, _ := coercion.FieldOf(row, c.Name)
					add(r.Val, field, c.Name)
				}
				continue
			}
		}
		name := r.Name
		if name == "" {
			name = columnName(r.Val)
		}
		if e, ok := grouped[len(q.TargetList)]; ok {
			add(r.Val, e, name)
			continue
		}
		add(r.Val, b.Expr(r.Val, l), name)
	}
}

// Columns are the columns of the query (expression.Query).
func (q *SelectQuery) Columns() []scope.OutputColumn {
	cols := make([]scope.OutputColumn, len(q.TargetList))
	for i, tg := range q.TargetList {
		cols[i] = scope.OutputColumn{Name: tg.name, EngineName: tg.EngineName, Type: tg.Expr.Type, Ref: -1, Plain: tg.Expr.Plain(), Effect: hasEffect(tg.Expr)}
		if f := tg.Expr.Column; f != nil && f.Range != nil && f.Range.Ref >= 0 && !f.System {
			cols[i].Ref, cols[i].Source = f.Range.Ref, f.Source
		}
		if q.rowwise {
			cols[i].Base = tg.Expr.Column.OfReference()
		}
		if slices.Contains(q.exposed, i) {
			cols[i].TextColumn = textColumnName(i)
		}
	}
	return cols
}

// Aggregates reports whether the first output is computed with an aggregate: without
// GROUP BY the query then has one row.
func (q *SelectQuery) Aggregates() bool { return q.TargetList[0].Expr.HasAggs }

// Column is column i as an expression (expression.Query).
func (q *SelectQuery) Column(i int) scope.Expr { return q.TargetList[i].Expr }

// Coerce gives column i a type (expression.Query).
func (q *SelectQuery) Coerce(b *expression.Binder, i int, to types.Type) {
	q.coerced(i, to)
	e := &q.TargetList[i].Expr
	*e = b.Coerce(*e, to, types.ImplicitCast)
}

// Scale gives column i, a numeric, the digits d (expression.Query).
func (q *SelectQuery) Scale(i int, d types.Digits) {
	q.TargetList[i].Expr = q.TargetList[i].Expr.Scaled(d)
}

// SQL prints the query (expression.Query).
func (q *SelectQuery) SQL() string {
	if text, ok := q.projectSetsLate(); ok {
		return text
	}
	var s strings.Builder
	s.WriteString("SELECT " + q.distinct)
	for i, tg := range q.TargetList {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(tg.Expr.SQL + " AS " + enginesql.Quote(tg.EngineName))
	}
	if len(q.TargetList) == 0 { // PostgreSQL allows it, the engine does not
		s.WriteString("NULL")
	}
	s.WriteString(q.locks.outputs())
	if q.ties != nil {
		return q.locks.around(q, q.ties.text(s.String()+q.ties.outputs()+q.rest, slices.Concat(q.Columns(), q.locks.columns())))
	}
	return q.locks.around(q, s.String()+q.textOutputs()+q.rest+q.limit)
}

// distinct prints DISTINCT or DISTINCT ON.
func (b *Binder) distinct(s *pg.SelectStmt, l *scope.Level, q *SelectQuery) string {
	if len(s.DistinctClause) == 0 {
		return ""
	}
	if s.DistinctClause[0] == nil || s.DistinctClause[0].Node == nil {
		return b.distinctRows(q)
	}
	var on, keys []string
	for _, n := range s.DistinctClause {
		e := b.sortKey(n, l, q, "DISTINCT ON")
		q.bySet = q.bySet || e.ReturnsSet
		e.Location = syntax.Location(n)
		on, keys = append(on, e.SQL), append(keys, expression.SortKey(b.EqualityOperand(e)))
	}
	for i, key := range q.order {
		if i < len(on) && !slices.Contains(on, key) {
			b.Fail(pgerr.New(pgerr.InvalidColumnReference, "SELECT DISTINCT ON expressions must match initial ORDER BY expressions"),
				syntax.Location(s.DistinctClause[0]))
		}
	}
	return distinctOn(keys)
}

func distinctOn(keys []string) string { return "DISTINCT ON (" + strings.Join(keys, ", ") + ") " }

// distinctRows is DISTINCT of whole rows.
func (b *Binder) distinctRows(q expression.Query) string {
	var keys []string
	asSpelled := true
	for i := range q.Columns() {
		e := q.Column(i)
		keys = append(keys, b.EqualityOperand(e).SQL)
		asSpelled = asSpelled && keys[i] == e.SQL && !e.HasPrinted()
		keys[i] = expression.SortKey(scope.Expr{SQL: keys[i], Type: e.Type})
	}
	if asSpelled {
		return "DISTINCT "
	}
	return distinctOn(keys)
}

// findTarget finds the output that a bare number or name means.
func (b *Binder) findTarget(n *pg.Node, q expression.Query, clause string) (int, bool) {
	cols := q.Columns()
	if c := n.GetAConst(); c != nil {
		v, ok := c.Val.(*pg.A_Const_Ival)
		if !ok {
			b.Fail(pgerr.New(pgerr.SyntaxError, "non-integer constant in %s", clause), c.Location)
		}
		i := int(v.Ival.GetIval())
		if i < 1 || i > len(cols) {
			b.Fail(pgerr.New(pgerr.InvalidColumnReference, "%s position %d is not in select list", clause, i), c.Location)
		}
		return i - 1, true
	}
	c := n.GetColumnRef()
	if c == nil || len(c.Fields) != 1 || c.Fields[0].GetString_() == nil {
		return 0, false
	}
	name, found := c.Fields[0].GetString_().Sval, -1
	for i, col := range cols {
		if col.Name != name {
			continue
		}
		if found >= 0 && q.Column(found).SQL != q.Column(i).SQL {
			b.Fail(pgerr.New(pgerr.AmbiguousColumn, "%s %q is ambiguous", clause, name), c.Location)
		}
		found = i
	}
	return found, found >= 0
}
