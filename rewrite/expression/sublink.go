package expression

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// subLink resolves a subquery in an expression.
func (b *Binder) subLink(n *pg.SubLink, l *scope.Level) scope.Expr {
	var q Query
	mark := len(b.ColumnUses)
	// Not counted: what joins the engine makes of it, it does not order.
	b.CountApart(func() { q = b.Subqueries.Query(n.Subselect.GetSelectStmt(), l, l.CTEs) })
	cols := q.Columns()
	switch n.SubLinkType {
	case pg.SubLinkType_EXISTS_SUBLINK:
		b.SettleUnknown(q)
		return scope.Expr{SQL: "EXISTS (" + q.SQL() + ")", Type: types.Of(types.Bool), Location: n.Location}
	case pg.SubLinkType_EXPR_SUBLINK, pg.SubLinkType_ARRAY_SUBLINK:
		if len(cols) != 1 {
			b.Fail(pgerr.New(pgerr.SyntaxError, "subquery must return only one column"), n.Location)
		}
		b.SettleUnknown(q)
		ty := q.Columns()[0].Type
		if n.SubLinkType == pg.SubLinkType_ARRAY_SUBLINK {
			return b.rowsInArray(q, ty, n.Location)
		}
		value := func(query string) string { return "(" + query + ")" }
		if l.InBranch && len(b.ColumnUses) > mark && !atMostOneRow(n.Subselect.GetSelectStmt(), q) {
			value = func(query string) string { return enginesql.Macro("only") + "(ARRAY(" + query + "))" }
		}
		out := scope.Expr{SQL: value(q.SQL()), Type: ty, Location: n.Location}
		if printed := b.printedSubquery(q); printed != "" {
			out.Printed = value(printed)
		}
		return out
	case pg.SubLinkType_ANY_SUBLINK, pg.SubLinkType_ALL_SUBLINK:
		return b.compareSubquery(n, q, l)
	}
	b.Unsupported(n.Location, "this form of subquery is not supported")
	return scope.Expr{}
}

// rowsInArray is ARRAY(SELECT ...), of a query of one column of a type.
func (b *Binder) rowsInArray(q Query, ty types.Type, loc int32) scope.Expr {
	of := func(query string) string {
		if ty.IsArray() {
			return accumulated("ARRAY("+query+")", ty)
		}
		return "ARRAY(" + query + ")"
	}
	out := scope.Expr{SQL: of(q.SQL()), Type: b.ArrayOf(ty, loc), Location: loc}
	if printed := b.printedSubquery(q); printed != "" {
		out.Printed = of(printed)
	}
	return out
}

// atMostOneRow reports whether a query returns at most one row for all data. The engine runs a
// correlated subquery for all rows, even in a branch of CASE for other rows. Only a query with
// at most one row cannot fail for those other rows.
func atMostOneRow(s *pg.SelectStmt, q Query) bool {
	if n := s.LimitCount.GetAConst().GetIval(); n != nil && n.Ival <= 1 {
		return true
	}
	sel, ok := q.(interface{ Aggregates() bool })
	return ok && len(s.GroupClause) == 0 && sel.Aggregates()
}

// compareSubquery is x IN (SELECT ...), x op ANY (SELECT ...) and x op ALL.
func (b *Binder) compareSubquery(n *pg.SubLink, q Query, l *scope.Level) scope.Expr {
	x := b.operand(n.Testexpr, l)
	op := "="
	if names := syntax.Strings(n.OperName); len(names) > 0 {
		op = names[len(names)-1]
	}
	if op == "!=" {
		op = "<>"
	}
	if !functions.Comparisons[op] {
		b.Unsupported(n.Location, "operator %s with ANY or ALL of a subquery is not supported", op)
	}
	left := b.besideQuery(op, x, q, n.Location)
	sql := left[0].SQL
	values := b.comparedText(q)
	if x.Row != nil {
		if op != "=" || n.SubLinkType == pg.SubLinkType_ALL_SUBLINK || !b.filterLinks[n] {
			return b.compareRowSubquery(n, op, x, q)
		}
		sql = "(" + JoinSQL(left) + ")"
	}
	switch {
	case n.SubLinkType == pg.SubLinkType_ANY_SUBLINK && op == "=":
		sql += " IN "
	case n.SubLinkType == pg.SubLinkType_ANY_SUBLINK:
		sql += " " + op + " ANY "
	default:
		sql += " " + op + " ALL "
	}
	return scope.Expr{SQL: "(" + sql + "(" + values + "))", Type: types.Of(types.Bool), HasAggs: x.HasAggs, Location: n.Location}
}

// besideQuery are the fields of x, or x alone, as they are compared with the columns of a
// query.
func (b *Binder) besideQuery(op string, x scope.Expr, q Query, loc int32) []scope.Expr {
	b.SettleUnknown(q) // a literal in a query is a text before it is compared
	cols := q.Columns()
	left := []scope.Expr{x}
	if x.Row != nil {
		left = slices.Clone(x.Row)
	}
	switch {
	case len(cols) > len(left):
		b.Fail(pgerr.New(pgerr.SyntaxError, "subquery has too many columns"), loc)
	case len(cols) < len(left):
		b.Fail(pgerr.New(pgerr.SyntaxError, "subquery has too few columns"), loc)
	}
	for i := range left {
		side := q.Column(i)
		lx, rx := b.coerceOperands(op, left[i], side, loc)
		left[i] = lx
		q.Coerce(b, i, rx.Type)
	}
	return left
}

// rowSubquery is (a, b) op (SELECT ...), which is NULL where the query has no row.
func (b *Binder) rowSubquery(op string, row *pg.Node, n *pg.SubLink, loc int32, l *scope.Level) scope.Expr {
	if op == "!=" {
		op = "<>"
	}
	var q Query
	b.CountApart(func() { q = b.Subqueries.Query(n.Subselect.GetSelectStmt(), l, l.CTEs) })
	x := b.operand(row, l)
	b.besideQuery(op, x, q, loc)
	right, source := comparedRow(q)
	return scope.Expr{SQL: "(SELECT " + b.compareRows(op, x, right, loc).SQL + " FROM " + source + ")", Type: types.Of(types.Bool), HasAggs: x.HasAggs, Location: loc}
}

// comparedRow is a row of a query as it is compared, and the query as a source of it.
func comparedRow(q Query) (row scope.Expr, source string) {
	const alias = "ontosql compared" // which no query of a client has
	names := make([]string, len(q.Columns()))
	for i, c := range q.Columns() {
		names[i] = enginesql.Quote("c" + strconv.Itoa(i+1))
		row.Row = append(row.Row, scope.Expr{SQL: enginesql.Quote(alias) + "." + names[i], Type: c.Type})
	}
	return row, "(" + q.SQL() + ") AS " + enginesql.Quote(alias) + "(" + strings.Join(names, ", ") + ")"
}

// compareRowSubquery compares a row with the rows of a query. A match decides; otherwise an
// unknown comparison leaves the result NULL. The engine has only IN for rows, and returns NULL
// even if another field has decided.
func (b *Binder) compareRowSubquery(n *pg.SubLink, op string, x scope.Expr, q Query) scope.Expr {
	right, source := comparedRow(q)
	test := b.compareRows(op, x, right, n.Location).SQL
	decides, answer, rest := test, "TRUE", "FALSE"
	if n.SubLinkType == pg.SubLinkType_ALL_SUBLINK {
		decides, answer, rest = "NOT "+test, "FALSE", "TRUE"
	}
	exists := func(condition string) string {
		return "EXISTS (SELECT 1 FROM " + source + " WHERE " + condition + ")"
	}
	return scope.Expr{
		SQL:  "CASE WHEN " + exists(decides) + " THEN " + answer + " WHEN " + exists(test+" IS NULL") + " THEN NULL ELSE " + rest + " END",
		Type: types.Of(types.Bool), HasAggs: x.HasAggs, Location: n.Location,
	}
}

// comparedText prints a query whose values are compared: of a jsonb and a bpchar not as
// they are spelled.
func (b *Binder) comparedText(q Query) string {
	const alias = "ontosql compared" // which no query of a client has
	names, values := make([]string, len(q.Columns())), make([]string, len(q.Columns()))
	asSpelled := true
	for i, c := range q.Columns() {
		names[i] = enginesql.Quote("c" + strconv.Itoa(i+1))
		e := scope.Expr{SQL: enginesql.Quote(alias) + "." + names[i], Type: c.Type}
		values[i] = b.ComparisonOperand(e, c.Type).SQL
		asSpelled = asSpelled && values[i] == e.SQL
	}
	if asSpelled {
		return q.SQL()
	}
	return "SELECT " + strings.Join(values, ", ") + " FROM (" + q.SQL() + ") AS " + enginesql.Quote(alias) + "(" + strings.Join(names, ", ") + ")"
}

// Query is a resolved query: its columns may still be given a type by a set
// operation around it, then it is printed.
type Query interface {
	Columns() []scope.OutputColumn
	Column(i int) scope.Expr
	Coerce(b *Binder, i int, to types.Type)
	// Scale brings a column of numerics to the digits that it shares with another query's.
	Scale(i int, d types.Digits)
	// KeepText keeps the text of column i, a numeric, as PostgreSQL prints it now; false
	// where the query cannot have one.
	KeepText(i int) bool
	// TextColumns are the columns that have a text.
	TextColumns() []int
	// ExposeTexts makes the texts of the columns outputs behind all others.
	ExposeTexts(columns []int)
	SQL() string
}

// SettleUnknown gives the columns of a query that are still unknown the type text.
func (b *Binder) SettleUnknown(q Query) {
	for i, c := range q.Columns() {
		if c.Type.OID == types.Unknown {
			q.Coerce(b, i, types.Of(types.Text))
		}
	}
}
