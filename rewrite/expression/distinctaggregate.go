package expression

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// distinctDocuments wraps a list of jsonb: equal ones may be spelled otherwise, so that
// they are told apart and sorted when all are there.
func distinctDocuments(wrap string, order []*pg.Node, b *Binder) string {
	direction := " NULLS LAST"
	if len(order) > 0 {
		direction = SortDirection(b, order[0].GetSortBy())
	}
	list := "CAST(ontosql_jsonb_distinct(CAST({agg} AS VARCHAR[]), '" + direction + "') AS JSON[])"
	if wrap == "" {
		return list
	}
	return strings.Replace(wrap, "{agg}", list, 1)
}

// distinctListed wraps a list of distinct values, which PostgreSQL finds by sorting. The
// engine sorts within the aggregate only by what it takes for the same expression, which
// the call of a macro is not.
func (b *Binder) distinctListed(s functions.Signature, args []scope.Expr, order []*pg.Node) string {
	direction := "'ASC', 'NULLS LAST'"
	if len(order) > 0 {
		words := strings.Fields(SortDirection(b, order[0].GetSortBy()))
		direction = "'ASC', 'NULLS " + words[len(words)-1] + "'"
		if words[0] == "DESC" {
			direction = "'DESC', 'NULLS " + words[len(words)-1] + "'"
		}
	}
	sorted := "list_sort({agg}, " + direction + ")"
	switch {
	case s.Name == "string_agg" && s.Wrap == "":
		return "array_to_string(nullif(list_filter(" + sorted + ", lambda v: v IS NOT NULL), []), coalesce(" + args[1].SQL + ", ''))"
	case s.Wrap == "":
		return sorted
	}
	return strings.Replace(s.Wrap, "{agg}", sorted, 1)
}

// distinctValues is an aggregate of DISTINCT values: they are told apart before they
// become JSON, and counted by what makes them equal.
func (b *Binder) distinctValues(s functions.Signature, args []scope.Expr) functions.Signature {
	for i, a := range args {
		if key := b.EqualityOperand(a); s.Name == "count" {
			args[i].SQL = key.SQL
		}
	}
	if e := args[0]; (s.Name == "json_agg" || s.Name == "jsonb_agg") && !types.IsJSON(e.Type.OID) && e.Row == nil {
		s.Wrap = strings.Replace(s.Wrap, "{agg}", "list_transform({agg}, lambda v: "+jsonValue("v", e.Type, s.Result)+")", 1)
		s.RawJSONArgs = true
	}
	return s
}

// distinctOrder refuses an ORDER BY that names what a DISTINCT aggregate has not
// among its arguments.
func (b *Binder) distinctOrder(n *pg.FuncCall, args []scope.Expr, l *scope.Level) {
	inner := *l
	inner.InAggregate, inner.Grouped = true, nil
	mark := len(b.ColumnUses)
	for _, o := range n.AggOrder {
		by := o.GetSortBy().Node
		sql := b.Expr(by, &inner).SQL
		if !slices.ContainsFunc(args, func(a scope.Expr) bool { return a.SQL == sql }) {
			b.Fail(pgerr.New("42P10", "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list"), syntax.Location(by))
		}
	}
	b.ColumnUses = b.ColumnUses[:mark]
}
