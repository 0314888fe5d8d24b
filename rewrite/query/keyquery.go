package query

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// keyQuery is what a resolved SELECT asks for if it reads rows by their keys (scope.KeyQuery), but for
// its outputs; nil if the engine has to answer.
func (b *Binder) keyQuery(s *pg.SelectStmt, l *scope.Level, q *SelectQuery) *scope.KeyQuery {
	if s.Op != pg.SetOperation_SETOP_NONE || s.WithClause != nil || len(s.DistinctClause) > 0 || len(s.GroupClause) > 0 || s.HavingClause != nil ||
		len(s.WindowClause) > 0 || l.HasAggs || l.HasWindowFuncs || s.WhereClause == nil || q.ties != nil {
		return nil
	}
	joins := b.keyJoins(s)
	if joins == nil {
		return nil
	}
	k := &scope.KeyQuery{Columns: columnsOfLevel(l)}
	rest, ok := b.keySteps(k, joins, conjunctsOf(s.WhereClause, l))
	if !ok || !b.keyOrder(k, s, l, q) {
		return nil
	}
	if k.Where, ok = b.plainConditions(rest); !ok {
		return nil
	}
	var limited, skipped bool
	k.Limit, limited = b.keyLimit(s.LimitCount)
	k.Offset, skipped = b.keyLimit(s.LimitOffset)
	if !limited || !skipped {
		return nil
	}
	return k
}

// columnsOfLevel are the columns of references that expressions of a level may name.
func columnsOfLevel(l *scope.Level) map[string]scope.KeyQueryColumn {
	columns := map[string]scope.KeyQueryColumn{}
	for _, r := range l.Namespace.Ranges {
		for _, c := range slices.Concat(r.Columns, r.SystemColumns) {
			if of, ok := keyColumn(c); ok {
				columns[c.SQL] = of
			}
		}
	}
	return columns
}

// keyColumn is a column of a reference, false for any other.
func keyColumn(c *scope.Column) (scope.KeyQueryColumn, bool) {
	if c == nil || c.Range == nil || c.Range.Ref < 0 || c.Source == "" {
		return scope.KeyQueryColumn{}, false
	}
	return scope.KeyQueryColumn{Ref: c.Range.Ref, Name: c.Source, System: c.System}, true
}

// KeyConditions are the conditions on the key of a reference in a WHERE clause, which has been resolved
// once, and the others as they are evaluated without the engine. ok is false if only the engine can.
func (b *Binder) KeyConditions(where *pg.Node, ref int, l *scope.Level) (keys []scope.KeyCondition, rest []*rowexpr.Expr, ok bool) {
	var others []conjunct
	for _, n := range conjunctsOf(where, l) {
		if f, k, is := b.keyCondition(n); is && f.Range.Ref == ref {
			keys = append(keys, k)
		} else {
			others = append(others, n)
		}
	}
	rest, ok = b.plainConditions(others)
	return keys, rest, ok
}

// plainConditions are conditions as plainCondition has them; ok is false if only the engine can evaluate one.
func (b *Binder) plainConditions(conditions []conjunct) (plain []*rowexpr.Expr, ok bool) {
	for _, n := range conditions {
		condition := b.plainCondition(n.Node, n.level)
		if condition == nil {
			return nil, false
		}
		plain = append(plain, condition)
	}
	return plain, true
}

// plainCondition is a condition of a WHERE clause, which has been resolved once, as it is evaluated
// without the engine; nil if only the engine can.
func (b *Binder) plainCondition(n *pg.Node, l *scope.Level) *rowexpr.Expr {
	if !isPlain(n) {
		return nil
	}
	if x := n.GetAExpr(); x != nil {
		switch x.Kind {
		case pg.A_Expr_Kind_AEXPR_IN:
			return b.plainList(x, l)
		case pg.A_Expr_Kind_AEXPR_BETWEEN, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN:
			ends := x.Rexpr.GetList().GetItems()
			within := rowexpr.And(b.plainComparison(x, ">=", ends[0], l), b.plainComparison(x, "<=", ends[1], l))
			if x.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN {
				return rowexpr.Not(within)
			}
			return within
		}
	}
	mark := len(b.ColumnUses)
	defer func() { b.ColumnUses = b.ColumnUses[:mark] }()
	return b.Condition(n, l, "WHERE").Plain()
}

// plainComparison compares the left operand of a condition with one of the values on its right.
func (b *Binder) plainComparison(x *pg.A_Expr, operator string, value *pg.Node, l *scope.Level) *rowexpr.Expr {
	comparison := &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_OP, Name: []*pg.Node{pg.MakeStrNode(operator)}, Lexpr: x.Lexpr, Rexpr: value, Location: x.Location}
	return b.plainCondition(&pg.Node{Node: &pg.Node_AExpr{AExpr: comparison}}, l)
}

// maxPlainList is the number of values up to which IN becomes comparisons.
const maxPlainList = 100

// plainList is x IN (a, b, ...) as x = a OR x = b OR ...
func (b *Binder) plainList(x *pg.A_Expr, l *scope.Level) *rowexpr.Expr {
	items := x.Rexpr.GetList().GetItems()
	if len(items) > maxPlainList {
		return nil
	}
	var equal []*rowexpr.Expr
	for _, item := range items {
		equal = append(equal, b.plainComparison(x, "=", item, l))
	}
	any := rowexpr.Or(equal...)
	if x.Name[len(x.Name)-1].GetString_().GetSval() == "<>" {
		return rowexpr.Not(any)
	}
	return any
}

// isPlain reports whether an expression is made of columns, constants, parameters, casts, operators and
// conditions alone, so that resolving it again has no effect.
func isPlain(n *pg.Node) bool {
	opaque := func(n *pg.Node) bool { return !isPlain(n) }
	switch v := n.GetNode().(type) {
	case nil, *pg.Node_AConst, *pg.Node_ParamRef, *pg.Node_ColumnRef:
		return true
	case *pg.Node_TypeCast:
		return isPlain(v.TypeCast.Arg)
	case *pg.Node_AExpr:
		return isPlain(v.AExpr.Lexpr) && isPlain(v.AExpr.Rexpr)
	case *pg.Node_BoolExpr:
		return !slices.ContainsFunc(v.BoolExpr.Args, opaque)
	case *pg.Node_CoalesceExpr:
		return !slices.ContainsFunc(v.CoalesceExpr.Args, opaque)
	case *pg.Node_List:
		return !slices.ContainsFunc(v.List.Items, opaque)
	case *pg.Node_NullTest:
		return isPlain(v.NullTest.Arg)
	case *pg.Node_BooleanTest:
		return isPlain(v.BooleanTest.Arg)
	}
	return false
}

// keyOrder adds the items of ORDER BY, false if one is no column of a reference.
func (b *Binder) keyOrder(k *scope.KeyQuery, s *pg.SelectStmt, l *scope.Level, q *SelectQuery) bool {
	for _, n := range s.SortClause {
		by := n.GetSortBy()
		var c *scope.Column
		if i, ok := b.findTarget(by.Node, q, "ORDER BY"); ok {
			c = q.TargetList[i].Expr.Column
		} else {
			c = b.BoundColumn(by.Node, l)
		}
		of, ok := keyColumn(c)
		if !ok || expression.SortType(c.Type) != 0 || types.IsReg(c.Type.OID) || by.SortbyDir == pg.SortByDir_SORTBY_USING {
			return false
		}
		o := scope.KeyQueryOrder{KeyQueryColumn: of, Descending: by.SortbyDir == pg.SortByDir_SORTBY_DESC}
		o.NullsFirst = o.Descending && by.SortbyNulls == pg.SortByNulls_SORTBY_NULLS_DEFAULT || by.SortbyNulls == pg.SortByNulls_SORTBY_NULLS_FIRST
		k.Order = append(k.Order, o)
	}
	return true
}

// keyLimit is the operand of LIMIT or OFFSET, nil for none; ok is false if only the engine can evaluate it.
func (b *Binder) keyLimit(n *pg.Node) (of *enginesql.Operand, ok bool) {
	if n == nil || n.GetAConst().GetIsnull() {
		return nil, true
	}
	o, ok := b.Operand(n, types.Of(types.Int8))
	return &o, ok
}

// keyOutputs adds the outputs of the finished query to b.byKey, or makes that nil.
func (b *Binder) keyOutputs(q expression.Query) {
	sel, ok := q.(*SelectQuery)
	if b.byKey == nil || !ok || len(sel.TargetList) == 0 {
		b.byKey = nil
		return
	}
	for i := range sel.TargetList {
		e := &sel.TargetList[i].Expr
		var out scope.KeyQueryOutput
		if out.KeyQueryColumn, ok = keyColumn(e.Column); !ok {
			if out.Value = e.Plain(); out.Value == nil {
				b.byKey = nil
				return
			}
		}
		b.byKey.Outputs = append(b.byKey.Outputs, out)
	}
}
