package expression

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/jsontext"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// checkNoAggregate refuses what stands around calls of aggregates and window functions
// only.
func (b *Binder) checkNoAggregate(name string, n *pg.FuncCall) {
	refuse := func(is bool, format string) {
		if is {
			b.Fail(pgerr.New(pgerr.WrongObjectType, format, name), n.Location)
		}
	}
	refuse(n.Over != nil, "OVER specified, but %s is not a window function nor an aggregate function")
	refuse(n.AggDistinct, "DISTINCT specified, but %s is not an aggregate function")
	refuse(len(n.AggOrder) > 0, "ORDER BY specified, but %s is not an aggregate function")
	refuse(n.AggFilter != nil, "FILTER specified, but %s is not an aggregate function")
}

// refuseWindows refuses a window function among the arguments of an aggregate.
func (b *Binder) refuseWindows(n *pg.FuncCall) {
	for _, a := range n.Args {
		syntax.Visit(a.ProtoReflect(), func(m any) bool {
			if call, ok := m.(*pg.FuncCall); ok && call.Over != nil {
				b.Fail(pgerr.New(pgerr.GroupingError, "aggregate function calls cannot contain window function calls"), call.Location)
			}
			_, within := m.(*pg.SubLink)
			return !within
		})
	}
}

// enterAggregate refuses an aggregate where PostgreSQL does.
func (b *Binder) enterAggregate(n *pg.FuncCall, l *scope.Level) {
	switch {
	case l.InAggregate:
		b.Fail(pgerr.New(pgerr.GroupingError, "aggregate function calls cannot be nested"), n.Location)
	case l.Clause != "" && l.Clause != "HAVING":
		b.Fail(pgerr.New(pgerr.GroupingError, "aggregate functions are not allowed in %s", l.Clause), n.Location)
	}
}

// aggregate prints a call of an aggregate or window function with all that may
// stand around it.
func (b *Binder) aggregate(n *pg.FuncCall, s functions.Signature, args []scope.Expr, l *scope.Level, mark int) scope.Expr {
	if s.Window && n.Over == nil {
		b.Fail(pgerr.New(pgerr.WrongObjectType, "window function %s requires an OVER clause", s.Name), n.Location)
	}
	if n.Over != nil && l.Clause != "" {
		b.Fail(pgerr.New(syntax.WindowingError, "window functions are not allowed in %s", l.Clause), n.Location)
	}
	if n.Over != nil && l.WindowRefusal != "" {
		b.Fail(pgerr.New(syntax.WindowingError, "%s", l.WindowRefusal), n.Location)
	}
	if n.Over != nil && n.AggDistinct {
		b.Fail(pgerr.New(pgerr.FeatureNotSupported, "DISTINCT is not implemented for window functions"), n.Location)
	}
	if n.Over != nil && len(n.AggOrder) > 0 {
		b.Fail(pgerr.New(pgerr.FeatureNotSupported, "aggregate ORDER BY is not implemented for window functions"), n.Location)
	}
	if n.AggDistinct && len(n.AggOrder) > 0 {
		b.distinctOrder(n, args, l)
	}
	if n.AggDistinct {
		s = b.distinctValues(s, args)
	}
	if s.Name == "json_agg" && args[0].Type.IsArray() {
		s.Wrap = strings.Replace(s.Wrap, ", '')", ", "+onItsLine+")", 1)
	}
	if strings.HasPrefix(s.Template, "ontosql_moments") && args[0].Type.OID == types.Numeric && !args[0].Type.Digits().Known() {
		args[0] = args[0].Scaled(types.ColumnDigits) // the engine may have computed it in floating point
	}
	call := CallText(&s, args)
	open := strings.IndexByte(call, '(') + 1
	inner := *l
	inner.InAggregate = true
	if n.Over == nil {
		inner.Grouped = nil
	}
	documents := n.AggDistinct && functions.Collecting[s.Name] && args[0].Type.OID == types.JSONB
	listed := n.AggDistinct && functions.Collecting[s.Name] && len(n.AggOrder) < 2 && !documents
	if pairs := strings.HasPrefix(s.Template, "list(["); listed && !pairs {
		call = "list(" + args[0].SQL + ")"
		open = len("list(")
	}
	if n.AggDistinct && !documents {
		call = call[:open] + "DISTINCT " + call[open:]
	}
	order, suffix := "", "" // of the call
	switch {
	case documents:
		s.Wrap = distinctDocuments(s.Wrap, n.AggOrder, b)
	case listed:
		s.Wrap = b.distinctListed(s, args, n.AggOrder)
	case len(n.AggOrder) > 0 && !n.AggWithinGroup:
		list, _ := b.orderList(n.AggOrder, &inner)
		order = " ORDER BY " + list
		call = call[:len(call)-1] + order + ")"
	}
	if n.AggFilter != nil {
		inner.Clause = "FILTER"
		suffix = " FILTER (WHERE " + b.Condition(n.AggFilter, &inner, "FILTER").SQL + ")"
	}
	out := scope.Expr{Type: coercion.ResultType(&s, args), Location: n.Location}
	if n.Over != nil {
		suffix += b.overClause(n.Over, l)
		out.HasAggs = coercion.AnyHasAggs(args)
		l.HasWindowFuncs = true
		b.refuseOuterWindow(b.ColumnUses[mark:], l, n.Location)
	} else {
		b.ForgetUses(mark, l)
		out.HasAggs = true
		l.HasAggs = true
	}
	call += suffix
	if !n.AggDistinct || s.Name == "min" || s.Name == "max" {
		out.Printed = b.printedAggregate(s, args, order, suffix)
	}
	if strings.Contains(s.Wrap, "{digits}") {
		digits := strconv.Itoa(args[0].Type.Digits().DisplayScale)
		if args[0].Printed != "" && args[0].Type.IsWide() && !n.AggDistinct {
			digits = "CAST(max(" + b.ScaleOf(args[0]) + ")" + suffix + " AS BIGINT)"
		}
		s.Wrap = strings.ReplaceAll(s.Wrap, "{digits}", digits)
	}
	counted := "count" + call[open-1:] // of the same rows
	if s.Name == "avg" && out.Type.OID == types.Numeric && args[0].Type.Digits().Known() {
		scale := strconv.Itoa(out.Type.Numeric.DisplayScale)
		if args[0].Printed != "" && !n.AggDistinct {
			scale = "max(" + b.ScaleOf(args[0]) + ")" + suffix
		}
		b.divide(&out, call, scale, counted, "0")
		return out
	}
	if s.Wrap != "" {
		shown := scope.Expr{SQL: call, Type: types.Type{OID: types.Numeric, Typmod: -1, Numeric: types.Digits{DisplayScale: out.Type.Numeric.DisplayScale}}}.NumericArgs()
		call = strings.NewReplacer("{agg}", call, "{count}", counted, "{shown}", shown).Replace(s.Wrap)
	}
	out.Printed = cmp.Or(out.Printed, coercion.PrintedByFunction(call, out.Type))
	out.SQL = call
	return out
}

// mergeAction is merge_action(), which a RETURNING list of MERGE may call, also
// within subqueries.
func (b *Binder) mergeAction(n *pg.MergeSupportFunc, l *scope.Level) scope.Expr {
	for x := l; x != nil; x = x.Parent {
		if x.MergeAction != "" {
			return scope.Expr{SQL: x.MergeAction, Type: types.Of(types.Text), Location: n.Location}
		}
	}
	b.Fail(pgerr.New(pgerr.SyntaxError, "MERGE_ACTION() can only be used in the RETURNING list of a MERGE command"), n.Location)
	return scope.Expr{}
}

// ForgetUses drops the uses of l's own columns since mark, because their clause comes before
// grouping or has been checked. Uses of outer levels stay.
func (b *Binder) ForgetUses(mark int, l *scope.Level) {
	kept := b.ColumnUses[:mark]
	for _, u := range b.ColumnUses[mark:] {
		if u.Level != l {
			kept = append(kept, u)
		}
	}
	b.ColumnUses = kept
}

// distinctDocuments wraps a list of jsonb. Equal documents may have different texts, so
// duplicates are removed and the list is sorted when it is complete.
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

// distinctValues is an aggregate of DISTINCT values: duplicates are removed before the values
// become JSON, compared by their sort keys.
func (b *Binder) distinctValues(s functions.Signature, args []scope.Expr) functions.Signature {
	for i, a := range args {
		if key := b.EqualityOperand(a); s.Name == "count" {
			args[i].SQL = key.SQL
		}
	}
	if e := args[0]; (s.Name == "json_agg" || s.Name == "jsonb_agg") && !types.IsJSON(e.Type.OID) && e.Row == nil {
		s.Wrap = strings.Replace(s.Wrap, "{agg}", "list_transform({agg}, lambda v: "+jsontext.Value("v", e.Type, s.Result)+")", 1)
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
