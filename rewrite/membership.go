package rewrite

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// in is x IN (a, b, c).
func (b *exprBinder) in(n *pg.A_Expr, not bool, l *level) expr {
	x := b.side(n.Lexpr, l)
	out := expr{t: types.Of(types.Bool), agg: x.agg}
	list := n.Rexpr.GetList().GetItems()
	items := make([]expr, len(list))
	for i, item := range list {
		items[i] = b.side(item, l)
	}
	if x.set || anySet(items) {
		b.fail(pgerr.New(pgerr.DatatypeMismatch, "argument of IN must not return a set"), syntax.Location(n.Lexpr))
	}
	if x.t.OID == types.Unknown { // typed by the list
		for _, it := range items {
			if it.t.OID != types.Unknown {
				x = b.coerce(x, comparable(it.t), types.ImplicitCast)
				break
			}
		}
		x = b.known(x)
	}
	var alone []string
	values := make([]string, 0, len(items))
	head := ""
	same := constants{in: l.clause == "WHERE" && b.filters[n] && len(items) >= longList}
	bound := parameterList{in: l.clause == "WHERE" && b.filters[n] && len(items) >= longParameters}
	for _, it := range items {
		out.agg = out.agg || it.agg
		if x.row != nil {
			alone = append(alone, b.operate("=", []expr{x, it}, n.Location).sql)
			continue
		}
		left, right := b.pair("=", withTypeOf(x, it), it, n.Location)
		if head == "" {
			head = left.sql
		}
		if left.sql == head {
			values = append(values, right.sql)
			same.add(left.t, it)
			bound.add(it, right, left.t)
		} else {
			alone = append(alone, "("+left.sql+" = "+right.sql+")")
		}
	}
	if len(values) > 0 {
		in := strings.Join(values, ", ")
		switch {
		case same.in:
			in = same.query()
		case bound.in:
			in = enginesql.ListPlaceholder(bound.of, bound.params)
		}
		alone = append([]string{"(" + head + " IN (" + in + "))"}, alone...)
	}
	out.sql = alone[0]
	if len(alone) > 1 {
		out.sql = conditions("OR", alone)
	}
	if not {
		out.sql = "(NOT " + out.sql + ")"
	}
	return out
}

// between is BETWEEN and its SYMMETRIC and NOT forms.
func (b *exprBinder) between(n *pg.A_Expr, l *level) expr {
	if onPages, ok := b.onPages(n, l); ok {
		return onPages
	}
	x := b.expr(n.Lexpr, l)
	items := n.Rexpr.GetList().GetItems()
	lo, hi := b.expr(items[0], l), b.expr(items[1], l)
	if x.t.OID == types.Unknown {
		if lo.t.OID != types.Unknown {
			x = b.coerce(x, comparable(lo.t), types.ImplicitCast)
		} else if hi.t.OID != types.Unknown {
			x = b.coerce(x, comparable(hi.t), types.ImplicitCast)
		}
	}
	in := func(lo, hi expr) string {
		return "(" + b.operate(">=", []expr{x, lo}, n.Location).sql + " AND " + b.operate("<=", []expr{x, hi}, n.Location).sql + ")"
	}
	out := expr{t: types.Of(types.Bool), agg: x.agg || lo.agg || hi.agg, sql: in(lo, hi)}
	switch n.Kind {
	case pg.A_Expr_Kind_AEXPR_NOT_BETWEEN:
		out.sql = "(NOT " + out.sql + ")"
	case pg.A_Expr_Kind_AEXPR_BETWEEN_SYM:
		out.sql = "(" + out.sql + " OR " + in(hi, lo) + ")"
	case pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		out.sql = "(NOT (" + out.sql + " OR " + in(hi, lo) + "))"
	}
	return out
}

// markFilters finds the terms of a condition that drop a row when they are NULL as
// they do when they are false: a quicker form may stand for them.
func (b *exprBinder) markFilters(n *pg.Node) {
	if e := n.GetAExpr(); e != nil {
		b.filters[e] = true
	}
	if s := n.GetSubLink(); s != nil {
		b.filterLinks[s] = true
	}
	if e := n.GetBoolExpr(); e != nil && e.Boolop != pg.BoolExprType_NOT_EXPR {
		for _, a := range e.Args {
			b.markFilters(a)
		}
	}
}

// overArray is x op ANY (array) and x op ALL (array). filter tells that it stands
// where NULL is as good as false.
func (b *exprBinder) overArray(op string, x, array expr, all, filter bool, loc int32) expr {
	if op == "!=" {
		op = "<>"
	}
	if array.t.OID == types.Unknown {
		array = b.coerce(array, types.ArrayOf(comparable(b.known(expr{t: x.t, sql: x.sql, lit: x.lit, null: x.null}).t)), types.ImplicitCast)
	}
	array = flat(array)
	elem, ok := array.t.Elem()
	if !ok {
		b.fail(pgerr.New(pgerr.WrongObjectType, "op ANY/ALL (array) requires array on right side"), loc)
	}
	agg := x.agg || array.agg
	if op == "<>" && all {
		same := b.overArray("=", x, array, false, false, loc)
		same.sql = "(NOT " + same.sql + ")"
		return same
	}
	if op == "=" && !all {
		left, right := b.pair("=", x, expr{sql: array.sql, t: elem}, loc)
		if left.t.OID == types.Numeric && elem.OID == types.Numeric {
			if d, cut := types.CommonDigits([]types.Type{left.t, elem}); cut {
				left, array = left.scaled(d), array.scaled(d)
				right.sql = array.sql
			}
		}
		items := array.sql
		switch {
		case sortType(elem) != 0:
			items = b.plain(array, array.t).sql
		case right.sql != array.sql: // the elements need a conversion
			items = "list_transform(" + array.sql + ", lambda v: " + b.elementCast(left, elem, "v") + ")"
		}
		sql := "list_contains(" + items + ", " + left.sql + ")"
		if !filter && !noNulls(array) {
			sql = enginesql.Macro("any_equal") + "(" + items + ", " + left.sql + ")"
		}
		return expr{sql: sql, t: types.Of(types.Bool), agg: agg}
	}
	// What the elements are compared with is brought into the lambda, which sees no query
	// and no column of a query around (as in expansion.bind). A macro is no field by itself.
	given := "'l': [" + array.sql + "][1]"
	if x.t.OID != types.Unknown && x.row == nil {
		given += ", 'x': [" + x.sql + "][1]"
		x = expr{sql: "given['x']", t: x.t, loc: x.loc}
	}
	// One element decides; a NULL among the others leaves the answer open.
	compared := b.operate(op, []expr{x, {sql: "each", t: elem}}, loc)
	if compared.t.OID != types.Bool {
		b.fail(pgerr.New(pgerr.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean"), loc)
	}
	test := compared.sql
	decides, answer, rest := test, "TRUE", "FALSE"
	if all {
		decides, answer, rest = "NOT "+test, "FALSE", "TRUE"
	}
	sql := "list_transform([{" + given + "}], lambda given: CASE WHEN given['l'] IS NULL THEN NULL" +
		" WHEN len(list_filter(given['l'], lambda each: " + decides + ")) > 0 THEN " + answer +
		" WHEN len(list_filter(given['l'], lambda each: " + test + " IS NULL)) > 0 THEN NULL ELSE " + rest + " END)[1]"
	return expr{sql: sql, t: types.Of(types.Bool), agg: agg}
}

// noNulls reports whether an array has elements, and all are constants.
func noNulls(array expr) bool {
	return strings.HasPrefix(array.sql, "CAST([") && !strings.HasPrefix(array.sql, "CAST([]") && !strings.Contains(array.sql, "NULL")
}

func (b *exprBinder) elementCast(x expr, elem types.Type, v string) string {
	return b.coerce(expr{sql: v, t: elem}, types.Of(x.t.OID), types.ExplicitCast).sql
}
