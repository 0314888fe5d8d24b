package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// subLink resolves a subquery in an expression.
func (b *binder) subLink(n *pg.SubLink, l *level) expr {
	var q query
	// Not counted: what joins the engine makes of it, it does not order.
	b.apart(func() { q = b.query(n.Subselect.GetSelectStmt(), l, l.ctes) })
	cols := q.columns()
	switch n.SubLinkType {
	case pg.SubLinkType_EXISTS_SUBLINK:
		q.settle(b)
		return expr{sql: "EXISTS (" + q.text() + ")", t: t(boolOID), loc: n.Location}
	case pg.SubLinkType_EXPR_SUBLINK, pg.SubLinkType_ARRAY_SUBLINK:
		if len(cols) != 1 {
			b.fail(pgerr.New(pgerr.SyntaxError, "subquery must return only one column"), n.Location)
		}
		q.settle(b)
		ty := q.columns()[0].t
		if n.SubLinkType == pg.SubLinkType_ARRAY_SUBLINK {
			return expr{sql: "ARRAY(" + q.text() + ")", t: arrayOf(ty), loc: n.Location}
		}
		return expr{sql: "(" + q.text() + ")", t: ty, loc: n.Location}
	case pg.SubLinkType_ANY_SUBLINK, pg.SubLinkType_ALL_SUBLINK:
		return b.compareSubquery(n, q, l)
	}
	b.unsupported(n.Location, "this form of subquery is not supported")
	return expr{}
}

// compareSubquery is x IN (SELECT ...), x op ANY (SELECT ...) and x op ALL.
func (b *binder) compareSubquery(n *pg.SubLink, q query, l *level) expr {
	x := b.expr(n.Testexpr, l)
	op := "="
	if names := strs(n.OperName); len(names) > 0 {
		op = names[len(names)-1]
	}
	if op == "!=" {
		op = "<>"
	}
	if !comparisons[op] {
		b.unsupported(n.Location, "operator %s with ANY or ALL of a subquery is not supported", op)
	}
	cols := q.columns()
	left := []expr{x}
	if x.row != nil {
		left = x.row
	}
	switch {
	case len(cols) > len(left):
		b.fail(pgerr.New(pgerr.SyntaxError, "subquery has too many columns"), n.Location)
	case len(cols) < len(left):
		b.fail(pgerr.New(pgerr.SyntaxError, "subquery has too few columns"), n.Location)
	}
	for i := range left {
		side := q.column(i)
		lx, rx := b.pair(op, left[i], side, n.Location)
		left[i] = lx
		q.coerce(b, i, rx.t)
	}
	q.settle(b)
	sql := left[0].sql
	if x.row != nil {
		if op != "=" || n.SubLinkType == pg.SubLinkType_ALL_SUBLINK {
			b.unsupported(n.Location, "a row with %s ANY or ALL of a subquery is not supported", op)
		}
		sql = "(" + join(left) + ")"
	}
	switch {
	case n.SubLinkType == pg.SubLinkType_ANY_SUBLINK && op == "=":
		sql += " IN "
	case n.SubLinkType == pg.SubLinkType_ANY_SUBLINK:
		sql += " " + op + " ANY "
	default:
		sql += " " + op + " ALL "
	}
	return expr{sql: "(" + sql + "(" + q.text() + "))", t: t(boolOID), agg: x.agg, loc: n.Location}
}
