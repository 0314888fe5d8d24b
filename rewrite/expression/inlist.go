package expression

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// inList is x IN (a, b, c).
func (b *Binder) inList(n *pg.A_Expr, not bool, l *scope.Level) scope.Expr {
	x := b.operand(n.Lexpr, l)
	out := scope.Expr{Type: types.Of(types.Bool), HasAggs: x.HasAggs}
	list := n.Rexpr.GetList().GetItems()
	items := make([]scope.Expr, len(list))
	for i, item := range list {
		items[i] = b.operand(item, l)
	}
	if x.ReturnsSet || coercion.AnyReturnsSet(items) {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "argument of IN must not return a set"), syntax.Location(n.Lexpr))
	}
	if x.Type.OID == types.Unknown { // typed by the list
		for _, it := range items {
			if it.Type.OID != types.Unknown {
				x = b.Coerce(x, comparable(it.Type), types.ImplicitCast)
				break
			}
		}
		x = b.DefaultToText(x)
	}
	var alone []string
	values := make([]string, 0, len(items))
	head := ""
	same := coercion.Constants{In: l.Clause == "WHERE" && b.filters[n] && len(items) >= scope.MinListParams}
	bound := coercion.ParamList{In: l.Clause == "WHERE" && b.filters[n] && len(items) >= coercion.MinListParams}
	for _, it := range items {
		out.HasAggs = out.HasAggs || it.HasAggs
		if x.Row != nil {
			alone = append(alone, b.Operate("=", []scope.Expr{x, it}, n.Location).SQL)
			continue
		}
		left, right := b.coerceOperands("=", withTypeOf(x, it), it, n.Location)
		if head == "" {
			head = left.SQL
		}
		if left.SQL == head {
			values = append(values, right.SQL)
			same.Add(left.Type, it)
			bound.Add(it, right, left.Type)
		} else {
			alone = append(alone, "("+left.SQL+" = "+right.SQL+")")
		}
	}
	if len(values) > 0 {
		in := strings.Join(values, ", ")
		switch {
		case same.In:
			in = same.Query()
		case bound.In:
			in = enginesql.ListPlaceholder(bound.Type, bound.Params)
		}
		alone = append([]string{"(" + head + " IN (" + in + "))"}, alone...)
	}
	out.SQL = alone[0]
	if len(alone) > 1 {
		out.SQL = conditions("OR", alone)
	}
	if not {
		out.SQL = "(NOT " + out.SQL + ")"
	}
	return out
}

// between is BETWEEN and its SYMMETRIC and NOT forms.
func (b *Binder) between(n *pg.A_Expr, l *scope.Level) scope.Expr {
	if onPages, ok := b.onPages(n, l); ok {
		return onPages
	}
	x := b.Expr(n.Lexpr, l)
	items := n.Rexpr.GetList().GetItems()
	lo, hi := b.Expr(items[0], l), b.Expr(items[1], l)
	if x.Type.OID == types.Unknown {
		if lo.Type.OID != types.Unknown {
			x = b.Coerce(x, comparable(lo.Type), types.ImplicitCast)
		} else if hi.Type.OID != types.Unknown {
			x = b.Coerce(x, comparable(hi.Type), types.ImplicitCast)
		}
	}
	in := func(lo, hi scope.Expr) string {
		return "(" + b.Operate(">=", []scope.Expr{x, lo}, n.Location).SQL + " AND " + b.Operate("<=", []scope.Expr{x, hi}, n.Location).SQL + ")"
	}
	out := scope.Expr{Type: types.Of(types.Bool), HasAggs: x.HasAggs || lo.HasAggs || hi.HasAggs, SQL: in(lo, hi)}
	switch n.Kind {
	case pg.A_Expr_Kind_AEXPR_NOT_BETWEEN:
		out.SQL = "(NOT " + out.SQL + ")"
	case pg.A_Expr_Kind_AEXPR_BETWEEN_SYM:
		out.SQL = "(" + out.SQL + " OR " + in(hi, lo) + ")"
	case pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		out.SQL = "(NOT (" + out.SQL + " OR " + in(hi, lo) + "))"
	}
	return out
}

// markFilters marks the terms of a condition that drop a row if they are NULL as well as if
// they are false, so that a quicker form is allowed.
func (b *Binder) markFilters(n *pg.Node) {
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
func (b *Binder) overArray(op string, x, array scope.Expr, all, filter bool, loc int32) scope.Expr {
	if op == "!=" {
		op = "<>"
	}
	if array.Type.OID == types.Unknown {
		array = b.Coerce(array, types.ArrayOf(comparable(b.DefaultToText(scope.Expr{Type: x.Type, SQL: x.SQL, Literal: x.Literal, UntypedNull: x.UntypedNull}).Type)), types.ImplicitCast)
	}
	array = coercion.Flatten(array)
	elem, ok := array.Type.Elem()
	if !ok {
		b.Fail(pgerr.New(pgerr.WrongObjectType, "op ANY/ALL (array) requires array on right side"), loc)
	}
	agg := x.HasAggs || array.HasAggs
	if op == "<>" && all {
		same := b.overArray("=", x, array, false, false, loc)
		same.SQL = "(NOT " + same.SQL + ")"
		return same
	}
	if op == "=" && !all {
		left, right := b.coerceOperands("=", x, scope.Expr{SQL: array.SQL, Type: elem}, loc)
		if left.Type.OID == types.Numeric && elem.OID == types.Numeric {
			if d, cut, wide := b.ShareDecimal(left.Type, elem); wide {
				left = b.Coerce(left, types.Of(types.WideNumeric), types.ImplicitCast)
				array = b.Coerce(array, types.ArrayOf(types.Of(types.WideNumeric)), types.ExplicitCast)
				right.SQL, elem = array.SQL, types.Of(types.WideNumeric)
			} else if cut {
				left, array = left.Scaled(d), array.Scaled(d)
				right.SQL = array.SQL
			}
		}
		items := array.SQL
		switch {
		case SortType(elem) != 0:
			items = b.ComparisonOperand(array, array.Type).SQL
		case right.SQL != array.SQL: // the elements need a conversion
			items = "list_transform(" + array.SQL + ", lambda v: " + b.elementCast(left, elem, "v") + ")"
		}
		sql := "list_contains(" + items + ", " + left.SQL + ")"
		if !filter && !noNulls(array) {
			sql = enginesql.Macro("any_equal") + "(" + items + ", " + left.SQL + ")"
		}
		return scope.Expr{SQL: sql, Type: types.Of(types.Bool), HasAggs: agg}
	}
	// What the elements are compared with is brought into the lambda, which sees no query
	// and no column of a query around (as in expansion.bind). A macro is no field by itself.
	given := "'l': [" + array.SQL + "][1]"
	if x.Type.OID != types.Unknown && x.Row == nil {
		given += ", 'x': [" + x.SQL + "][1]"
		x = scope.Expr{SQL: "given['x']", Type: x.Type, Location: x.Location}
	}
	// One element decides; a NULL among the others leaves the answer open.
	compared := b.Operate(op, []scope.Expr{x, {SQL: "each", Type: elem}}, loc)
	if compared.Type.OID != types.Bool {
		b.Fail(pgerr.New(pgerr.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean"), loc)
	}
	test := compared.SQL
	decides, answer, rest := test, "TRUE", "FALSE"
	if all {
		decides, answer, rest = "NOT "+test, "FALSE", "TRUE"
	}
	sql := "list_transform([{" + given + "}], lambda given: CASE WHEN given['l'] IS NULL THEN NULL" +
		" WHEN len(list_filter(given['l'], lambda each: " + decides + ")) > 0 THEN " + answer +
		" WHEN len(list_filter(given['l'], lambda each: " + test + " IS NULL)) > 0 THEN NULL ELSE " + rest + " END)[1]"
	return scope.Expr{SQL: sql, Type: types.Of(types.Bool), HasAggs: agg}
}

// noNulls reports whether an array has elements, and all are constants.
func noNulls(array scope.Expr) bool {
	return strings.HasPrefix(array.SQL, "CAST([") && !strings.HasPrefix(array.SQL, "CAST([]") && !strings.Contains(array.SQL, "NULL")
}

func (b *Binder) elementCast(x scope.Expr, elem types.Type, v string) string {
	return b.Coerce(scope.Expr{SQL: v, Type: elem}, types.Of(x.Type.OID), types.ExplicitCast).SQL
}
