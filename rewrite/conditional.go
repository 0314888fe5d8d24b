package rewrite

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/types"
)

// The conditional expressions (PostgreSQL manual, 9.18) choose one of several values, which
// are brought to one type.

// branch resolves what is computed only where a condition holds.
func (b *exprBinder) branch(n *pg.Node, l *level) expr {
	saved := l.branch
	l.branch = true
	e := b.expr(n, l)
	l.branch = saved
	return e
}

// caseExpr is CASE.
func (b *exprBinder) caseExpr(n *pg.CaseExpr, l *level) expr {
	out := expr{}
	var arg expr
	if n.Arg != nil {
		arg = b.known(b.expr(n.Arg, l))
		out.agg = arg.agg
	}
	var whens []string
	var results []expr
	for _, w := range n.Args {
		c := w.GetCaseWhen()
		var when expr
		if n.Arg != nil {
			when = b.operate("=", []expr{arg, b.expr(c.Expr, l)}, c.Location)
		} else {
			when = b.condition(c.Expr, l, "CASE/WHEN")
		}
		out.agg = out.agg || when.agg
		whens = append(whens, when.sql)
		results = append(results, b.branch(c.Result, l))
	}
	if n.Defresult != nil {
		// PostgreSQL looks at ELSE first when it chooses the type.
		results = append([]expr{b.branch(n.Defresult, l)}, results...)
	}
	for _, r := range results {
		out.agg = out.agg || r.agg
	}
	b.refuseSet(results, "set-returning functions are not allowed in CASE")
	texts := printedBranches(results)
	results, out.t = b.unify(results, "CASE")
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
	out.sql = text(sqls(results))
	if texts != nil && out.t.OID == types.Numeric {
		out.printed = text(texts)
	}
	return out
}

// variadic is COALESCE, GREATEST or LEAST.
func (b *exprBinder) variadic(name string, args []*pg.Node, l *level) expr {
	var es []expr
	out := expr{}
	for _, a := range args {
		e := b.expr(a, l)
		out.agg = out.agg || e.agg
		es = append(es, e)
	}
	if name == "coalesce" {
		b.refuseSet(es, "set-returning functions are not allowed in COALESCE")
	}
	texts := printedBranches(es)
	es, out.t = b.unify(es, strings.ToUpper(name))
	if name != "coalesce" && (out.t.OID == types.JSON || sortType(out.t) != 0) {
		out.sql = b.extreme(name, es, out.t)
		return out
	}
	out.sql = name + "(" + join(es) + ")"
	if texts == nil || out.t.OID != types.Numeric {
		return out
	}
	if name == "coalesce" {
		out.printed = "coalesce(" + strings.Join(texts, ", ") + ")"
	} else if len(es) == 2 { // of equals the first
		beats := map[string]string{"greatest": " > ", "least": " < "}[name]
		out.printed = "CASE WHEN " + es[0].sql + " IS NULL OR " + es[1].sql + beats + es[0].sql + " THEN " + texts[1] + " ELSE " + texts[0] + " END"
	}
	return out
}

// extreme is the greatest or least of values that the engine orders otherwise.
func (b *exprBinder) extreme(name string, es []expr, ty types.Type) string {
	if ty.OID == types.JSON {
		b.fail(pgerr.New(pgerr.UndefinedFunction, "could not identify a comparison function for type json"), -1)
	}
	sort := map[string]string{"greatest": "list_reverse_sort", "least": "list_sort"}[name]
	return sort + "(list_transform(list_filter([" + join(es) + "], lambda v: v IS NOT NULL), lambda v: {'key': " + b.plain(expr{sql: "v"}, ty).sql + ", 'v': v}))[1].v"
}
