package query

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Query resolves a SELECT, VALUES or set operation. outer is the level whose
// names it may use, nil at the top.
func (b *Binder) Query(s *pg.SelectStmt, outer *scope.Level, ctes *scope.CTE) expression.Query {
	if s.IntoClause != nil {
		b.Fail(pgerr.New(pgerr.SyntaxError, "SELECT ... INTO is not allowed here"), s.IntoClause.GetRel().GetLocation())
	}
	inherited := b.takeInherited()
	with, ctes := b.WithClause(s.WithClause, outer, ctes)
	var q expression.Query
	switch {
	case s.Op != pg.SetOperation_SETOP_NONE && s.Op != pg.SetOperation_SET_OPERATION_UNDEFINED:
		q = b.setOperation(s, outer, ctes, nil)
	case len(s.ValuesLists) > 0:
		q = b.values(s, outer, ctes)
		if len(s.LockingClause) > 0 {
			b.Unsupported(-1, "%s cannot be applied to VALUES", syntax.LockStrengthOf(s.LockingClause[0]))
		}
	default:
		b.inherited = inherited
		q = b.selectQuery(s, outer, ctes)
	}
	if with != "" {
		return &withQuery{Query: q, with: with}
	}
	return q
}

// withQuery is a query with its WITH clause.
type withQuery struct {
	expression.Query
	with string
}

func (q *withQuery) SQL() string { return q.with + " " + q.Query.SQL() }

// values is VALUES (...), (...).
type valuesQuery struct {
	cols  []scope.OutputColumn
	rows  [][]scope.Expr
	tail  string
	ties  *ties
	alias string
	textColumns[[]string]
}

func (b *Binder) values(s *pg.SelectStmt, outer *scope.Level, ctes *scope.CTE) expression.Query {
	l, mark := &scope.Level{Parent: outer, CTEs: ctes, Clause: "VALUES"}, len(b.ColumnUses)
	q := &valuesQuery{alias: b.UniqueAlias("values")}
	for _, row := range s.ValuesLists {
		items := row.GetList().GetItems()
		if len(q.rows) > 0 && len(items) != len(q.rows[0]) {
			b.Fail(pgerr.New(pgerr.SyntaxError, "VALUES lists must all be the same length"), syntax.Location(items[0]))
		}
		var es []scope.Expr
		for _, n := range items {
			es = append(es, b.Expr(n, l))
		}
		q.rows = append(q.rows, es)
	}
	for i := range q.rows[0] {
		column := make([]scope.Expr, len(q.rows))
		for r := range q.rows {
			column[r] = q.rows[r][i]
		}
		texts := b.PrintedBranches(column)
		column, ty := b.Unify(column, "VALUES")
		if texts != nil && coercion.IsNumeric(ty) {
			q.keepTexts(i, texts)
		}
		for r := range q.rows {
			q.rows[r][i] = column[r]
		}
		name := "column" + strconv.Itoa(i+1)
		q.cols = append(q.cols, scope.OutputColumn{Name: name, EngineName: name, Type: ty, Ref: -1})
	}
	by, limit, w := b.sortAndLimit(s, l, q, nil, mark)
	q.tail, q.ties = by+limit, w
	return q
}

// outNames are the engine's names of columns, and of their text columns.
func outNames(cols []scope.OutputColumn) []string {
	var names, beside []string
	for _, c := range cols {
		names = append(names, enginesql.Quote(c.EngineName))
		if c.TextColumn != "" {
			beside = append(beside, enginesql.Quote(c.TextColumn))
		}
	}
	return append(names, beside...)
}

func (q *valuesQuery) Columns() []scope.OutputColumn { return q.cols }
func (q *valuesQuery) Column(i int) scope.Expr       { return q.rows[0][i] }

func (q *valuesQuery) Coerce(b *expression.Binder, i int, to types.Type) {
	q.coerced(i, to)
	for _, row := range q.rows {
		row[i] = b.Coerce(row[i], to, types.ImplicitCast)
	}
	q.cols[i].Type = q.rows[0][i].Type
}

func (q *valuesQuery) Scale(i int, d types.Digits) {
	for _, row := range q.rows {
		row[i] = row[i].Scaled(d)
	}
	q.cols[i].Type.Numeric = d
}

func (q *valuesQuery) SQL() string {
	var s strings.Builder
	s.WriteString("SELECT * FROM (VALUES ")
	for r, row := range q.rows {
		if r > 0 {
			s.WriteString(", ")
		}
		s.WriteString("(" + expression.JoinSQL(row))
		for _, i := range q.exposed {
			s.WriteString(", " + q.texts[i][r])
		}
		s.WriteString(")")
	}
	s.WriteString(") AS " + enginesql.Quote(q.alias) + "(" + strings.Join(outNames(q.cols), ", ") + ")")
	if q.ties != nil {
		return q.ties.text(s.String(), q.cols)
	}
	return s.String() + q.tail
}

// setQuery is UNION, INTERSECT or EXCEPT.
type setQuery struct {
	op          string
	alias       string // of its rows, where they are compared by the keys
	keys        []string
	left, right expression.Query
	cols        []scope.OutputColumn
	tail        string
	ties        *ties
	textColumns[bool]
}

// setOperation resolves a set operation. onLeft is called when the columns of
// the left side are known: a recursive CTE is defined there.
func (b *Binder) setOperation(s *pg.SelectStmt, outer *scope.Level, ctes *scope.CTE, onLeft func(expression.Query)) expression.Query {
	for _, part := range []*pg.SelectStmt{s, s.Larg, s.Rarg} {
		b.checkLocking(part.LockingClause, nil, setOperators)
	}
	q, mark := &setQuery{op: strings.TrimPrefix(s.Op.String(), "SETOP_")}, len(b.ColumnUses)
	if s.All {
		q.op += " ALL"
	}
	left := b.CountApart(func() { q.left = b.Query(s.Larg, outer, ctes) })
	if onLeft != nil {
		b.SettleUnknown(q.left)
		b.widenColumns(q.left)
		onLeft(q.left)
	}
	right := b.CountApart(func() { q.right = b.Query(s.Rarg, outer, ctes) })
	b.CountJoins(max(left, right), -1) // the sides are planned one after the other
	lc, rc := q.left.Columns(), q.right.Columns()
	word := strings.TrimSuffix(q.op, " ALL")
	if len(lc) != len(rc) {
		b.Fail(pgerr.New(pgerr.SyntaxError, "each %s query must have the same number of columns", word), firstLocation(s.Rarg))
	}
	for i := range lc {
		l, r := q.left.Column(i), q.right.Column(i)
		ty := b.CommonType([]scope.Expr{l, r}, word)
		if l.Literal != nil || r.Literal != nil {
			ty.Typmod = -1 // a literal is not cut
		}
		if coercion.IsNumeric(ty) && onLeft == nil {
			q.keepTextsOfArms(i, l, r)
		}
		q.left.Coerce(b.Binder, i, ty)
		q.right.Coerce(b.Binder, i, ty)
		if ty.IsArray() {
			ty.ExtraDims = q.left.Columns()[i].Type.ExtraDims
			if q.right.Columns()[i].Type.ExtraDims != ty.ExtraDims {
				b.Unsupported(r.Location, input.UnknownDimensions)
			}
		}
		if coercion.IsNumeric(ty) {
			var cut, wide bool
			if onLeft != nil {
				ty.Numeric = q.left.Columns()[i].Type.Numeric
				if ty.Numeric.Known() && ty.Typmod < 4 {
					q.right.Scale(i, ty.Numeric)
				}
			} else if ty.Numeric, cut, wide = b.ShareDecimal(q.left.Columns()[i].Type, q.right.Columns()[i].Type); wide {
				ty.OID, ty.Typmod = types.WideNumeric, -1
				q.left.Coerce(b.Binder, i, ty)
				q.right.Coerce(b.Binder, i, ty)
			} else if cut {
				q.left.Scale(i, ty.Numeric)
				q.right.Scale(i, ty.Numeric)
			}
		}
		c := lc[i]
		c.Type, c.Ref, c.Source, c.Base = ty, -1, "", nil
		c.Effect = c.Effect || q.right.Columns()[i].Effect
		if l.Type.OID == ty.OID && r.Type.OID == ty.OID && l.Type.Typmod == r.Type.Typmod {
			c.Type.Typmod = l.Type.Typmod
		} else {
			c.Type.Typmod = -1
		}
		q.cols = append(q.cols, c)
	}
	if onLeft == nil {
		b.compareRowsBy(q)
	}
	l := &scope.Level{Parent: outer, CTEs: ctes, Hidden: branches(q, nil)}
	by, limit, w := b.sortAndLimit(s, l, q, nil, mark)
	q.tail, q.ties = by+limit, w
	return q
}

// branches are the queries of a set operation as errors name them: "*SELECT* 1" and so on.
func branches(q *setQuery, before []*scope.RangeEntry) []*scope.RangeEntry {
	for _, side := range []expression.Query{q.left, q.right} {
		if inner, ok := side.(*setQuery); ok && inner.tail == "" {
			before = branches(inner, before)
			continue
		}
		r := &scope.RangeEntry{Alias: "*SELECT* " + strconv.Itoa(len(before)+1), Ref: -1}
		for _, c := range side.Columns() {
			r.Columns = append(r.Columns, &scope.Column{Name: c.Name})
		}
		before = append(before, r)
	}
	return before
}

// compareRowsBy finds what the rows of a set operation are compared by, if there are
// columns whose equal values are not all spelled alike.
func (b *Binder) compareRowsBy(q *setQuery) {
	asSpelled := true
	for i, c := range q.cols {
		e := scope.Expr{SQL: enginesql.Quote(c.EngineName), Type: c.Type, Location: q.left.Column(i).Location}
		if q.op == "UNION ALL" {
			asSpelled = asSpelled && b.ComparisonOperand(e, c.Type).SQL == e.SQL // what the rows are sorted by, too
			continue
		}
		q.keys = append(q.keys, b.EqualityOperand(e).SQL)
		asSpelled = asSpelled && q.keys[i] == e.SQL && b.ComparisonOperand(e, c.Type).SQL == e.SQL
	}
	if !asSpelled || len(q.texts) > 0 && q.op == "UNION" {
		q.alias = b.UniqueAlias("sides")
	}
}

func (q *setQuery) Columns() []scope.OutputColumn { return q.cols }
func (q *setQuery) Column(i int) scope.Expr {
	e := q.left.Column(i)
	e.Type = q.cols[i].Type
	if e.Type.OID != types.Unknown {
		e.Literal, e.UntypedNull, e.UntypedParam = nil, false, 0
	}
	return e
}

func (q *setQuery) Coerce(b *expression.Binder, i int, to types.Type) {
	if q.cols[i].Type.OID == to.OID {
		return
	}
	q.coerced(i, to)
	q.left.Coerce(b, i, to)
	q.right.Coerce(b, i, to)
	q.cols[i].Type = to
}

func (q *setQuery) Scale(i int, d types.Digits) {
	q.left.Scale(i, d)
	q.right.Scale(i, d)
	q.cols[i].Type.Numeric = d
}

func (q *setQuery) SQL() string {
	rows := q.rowsText()
	if q.ties != nil {
		return q.ties.text(rows, q.cols)
	}
	return rows + q.tail
}

func (q *setQuery) rowsText() string {
	if q.alias != "" {
		return q.comparedText()
	}
	if arms := q.unionArms(); len(arms) > expression.MaxFlatConditions {
		return halved(arms)
	}
	return "(" + q.left.SQL() + ") " + q.op + " (" + q.right.SQL() + ")"
}

// unionArms are the queries that UNION ALL puts behind each other, from the first on.
func (q *setQuery) unionArms() []string {
	var arms []string
	for q.op == "UNION ALL" {
		arms = append(arms, q.right.SQL())
		left, ok := q.left.(*setQuery)
		if !ok || left.op != q.op || left.alias != "" || left.tail != "" || left.ties != nil {
			arms = append(arms, q.left.SQL())
			break
		}
		q = left
	}
	slices.Reverse(arms)
	return arms
}

// halved joins queries with UNION ALL so that they nest as little as can be: the engine
// takes a thousand levels.
func halved(arms []string) string {
	if len(arms) == 1 {
		return arms[0]
	}
	half := len(arms) / 2
	return "(" + halved(arms[:half]) + ") UNION ALL (" + halved(arms[half:]) + ")"
}

// comparedText prints a set operation that compares rows by the keys.
func (q *setQuery) comparedText() string {
	alias := " AS " + enginesql.Quote(q.alias) + "(" + strings.Join(outNames(q.cols), ", ") + ")"
	switch q.op {
	case "UNION":
		return "SELECT " + distinctOn(q.keys) + "* FROM ((" + q.left.SQL() + ") UNION ALL (" + q.right.SQL() + "))" + alias
	case "INTERSECT", "EXCEPT":
		in := " IN "
		if q.op == "EXCEPT" {
			in = " NOT IN "
		}
		fields := make([]string, len(q.keys))
		for i, key := range q.keys {
			fields[i] = "'c" + strconv.Itoa(i+1) + "': " + key
		}
		row := "{" + strings.Join(fields, ", ") + "}" // the row is not NULL, even if all its fields are
		return "SELECT " + distinctOn(q.keys) + "* FROM (" + q.left.SQL() + ")" + alias +
			" WHERE " + row + in + "(SELECT " + row + " FROM (" + q.right.SQL() + ")" + alias + ")"
	}
	return "SELECT * FROM ((" + q.left.SQL() + ") " + q.op + " (" + q.right.SQL() + "))" + alias
}

// firstLocation is the first place a SELECT names.
func firstLocation(s *pg.SelectStmt) int32 {
	s = syntax.LeftmostSelect(s)
	if len(s.TargetList) > 0 {
		return syntax.Location(s.TargetList[0])
	}
	if len(s.ValuesLists) > 0 {
		return syntax.Location(s.ValuesLists[0].GetList().GetItems()[0])
	}
	return -1
}
