package expression

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// caseBranch resolves what is computed only where a condition holds.
func (b *Binder) caseBranch(n *pg.Node, l *scope.Level) scope.Expr {
	saved := l.InBranch
	l.InBranch = true
	e := b.Expr(n, l)
	l.InBranch = saved
	return e
}

// caseExpr is CASE.
func (b *Binder) caseExpr(n *pg.CaseExpr, l *scope.Level) scope.Expr {
	out := scope.Expr{}
	var arg scope.Expr
	if n.Arg != nil {
		arg = b.DefaultToText(b.Expr(n.Arg, l))
		out.HasAggs = arg.HasAggs
	}
	var whens []string
	var results []scope.Expr
	for _, w := range n.Args {
		c := w.GetCaseWhen()
		var when scope.Expr
		if n.Arg != nil {
			when = b.Operate("=", []scope.Expr{arg, b.Expr(c.Expr, l)}, c.Location)
		} else {
			when = b.Condition(c.Expr, l, "CASE/WHEN")
		}
		out.HasAggs = out.HasAggs || when.HasAggs
		whens = append(whens, when.SQL)
		results = append(results, b.caseBranch(c.Result, l))
	}
	if n.Defresult != nil {
		// PostgreSQL looks at ELSE first when it chooses the type.
		results = append([]scope.Expr{b.caseBranch(n.Defresult, l)}, results...)
	}
	for _, r := range results {
		out.HasAggs = out.HasAggs || r.HasAggs
	}
	b.refuseSetReturning(results, "set-returning functions are not allowed in CASE")
	texts := b.PrintedBranches(results)
	results, out.Type = b.Unify(results, "CASE")
	text := func(results []string) string {
		otherwise := ""
		if n.Defresult != nil {
			otherwise, results = " ELSE "+results[0], results[1:]
		}
		arms := make([]string, len(whens))
		for i, w := range whens {
			arms[i] = " WHEN " + w + " THEN " + results[i]
		}
		return "CASE" + strings.Join(arms, "") + otherwise + " END"
	}
	out.SQL = text(coercion.SQLTexts(results))
	if texts != nil && coercion.IsNumeric(out.Type) {
		out.Printed = text(texts)
		if scales := b.scalesOf(texts); scales != nil {
			b.Scales[out.Printed] = text(scales)
		}
	}
	return out
}

// variadic is COALESCE, GREATEST or LEAST.
func (b *Binder) variadic(name string, args []*pg.Node, l *scope.Level) scope.Expr {
	var es []scope.Expr
	out := scope.Expr{}
	for _, a := range args {
		e := b.Expr(a, l)
		out.HasAggs = out.HasAggs || e.HasAggs
		es = append(es, e)
	}
	if name == "coalesce" {
		b.refuseSetReturning(es, "set-returning functions are not allowed in COALESCE")
	}
	texts := b.PrintedBranches(es)
	es, out.Type = b.Unify(es, strings.ToUpper(name))
	if name != "coalesce" && (out.Type.OID == types.JSON || SortType(out.Type) != 0) {
		out.SQL = b.extreme(name, es, out.Type)
		return out
	}
	out.SQL = name + "(" + JoinSQL(es) + ")"
	if name == "coalesce" {
		out = out.Means(rowexpr.Coalesce(plainOperands(es)...))
	}
	if texts == nil || !coercion.IsNumeric(out.Type) {
		return out
	}
	if name == "coalesce" {
		out.Printed = "coalesce(" + strings.Join(texts, ", ") + ")"
		if scales := b.scalesOf(texts); scales != nil {
			b.Scales[out.Printed] = "coalesce(" + strings.Join(scales, ", ") + ")"
		}
		return out
	}
	beats := map[string]string{"greatest": " > ", "least": " < "}[name]
	out.Printed = texts[0]
	for i := 1; i < len(es); i++ { // of equals the first
		best := name + "(" + JoinSQL(es[:i]) + ")"
		out.Printed = "CASE WHEN " + best + " IS NULL OR " + es[i].SQL + beats + best + " THEN " + texts[i] + " ELSE " + out.Printed + " END"
	}
	return out
}

// plainOperands are operands as they are evaluated without the engine, nil those that are not.
func plainOperands(es []scope.Expr) []*rowexpr.Expr {
	plain := make([]*rowexpr.Expr, len(es))
	for i, e := range es {
		plain[i] = e.Plain()
	}
	return plain
}

// extreme is the greatest or least of values that the engine orders otherwise.
func (b *Binder) extreme(name string, es []scope.Expr, ty types.Type) string {
	if ty.OID == types.JSON {
		b.Fail(pgerr.New(pgerr.UndefinedFunction, "could not identify a comparison function for type json"), -1)
	}
	sort := map[string]string{"greatest": "list_reverse_sort", "least": "list_sort"}[name]
	return sort + "(list_transform(list_filter([" + JoinSQL(es) + "], lambda v: v IS NOT NULL), lambda v: {'key': " + b.ComparisonOperand(scope.Expr{SQL: "v"}, ty).SQL + ", 'v': v}))[1].v"
}
