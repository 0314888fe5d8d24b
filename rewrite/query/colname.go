package query

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// columnName is the name PostgreSQL gives a target without an alias
// (FigureColname in parse_target.c).
func columnName(n *pg.Node) string {
	if name, strength := figure(n); strength > 0 {
		return name
	}
	return "?column?"
}

// figure returns a name and how good it is: 0 none, 1 of a type, 2 of something
// the client named.
func figure(n *pg.Node) (string, int) {
	switch v := n.GetNode().(type) {
	case *pg.Node_ColumnRef:
		for i := len(v.ColumnRef.Fields) - 1; i >= 0; i-- {
			if s := v.ColumnRef.Fields[i].GetString_(); s != nil {
				return s.Sval, 2
			}
		}
	case *pg.Node_AIndirection:
		ind := v.AIndirection.Indirection
		for i := len(ind) - 1; i >= 0; i-- {
			if s := ind[i].GetString_(); s != nil {
				return s.Sval, 2
			}
		}
		return figure(v.AIndirection.Arg)
	case *pg.Node_FuncCall:
		names := syntax.Strings(v.FuncCall.Funcname)
		return names[len(names)-1], 2
	case *pg.Node_AExpr:
		if v.AExpr.Kind == pg.A_Expr_Kind_AEXPR_NULLIF {
			return "nullif", 2
		}
	case *pg.Node_TypeCast:
		name, strength := figure(v.TypeCast.Arg)
		if strength <= 1 && v.TypeCast.TypeName != nil {
			names := syntax.Strings(v.TypeCast.TypeName.Names)
			return names[len(names)-1], 1
		}
		return name, strength
	case *pg.Node_CollateClause:
		return figure(v.CollateClause.Arg)
	case *pg.Node_GroupingFunc:
		return "grouping", 2
	case *pg.Node_MergeSupportFunc:
		return "merge_action", 2
	case *pg.Node_SubLink:
		return figureSubLink(v.SubLink)
	case *pg.Node_CaseExpr:
		name, strength := figure(v.CaseExpr.Defresult)
		if strength <= 1 {
			return "case", 1
		}
		return name, strength
	case *pg.Node_AArrayExpr:
		return "array", 2
	case *pg.Node_RowExpr:
		return "row", 2
	case *pg.Node_CoalesceExpr:
		return "coalesce", 2
	case *pg.Node_MinMaxExpr:
		if v.MinMaxExpr.Op == pg.MinMaxOp_IS_LEAST {
			return "least", 2
		}
		return "greatest", 2
	case *pg.Node_SqlvalueFunction:
		return functions.SQLValues[v.SqlvalueFunction.Op].Name, 2
	}
	return "", 0
}

func figureSubLink(s *pg.SubLink) (string, int) {
	switch s.SubLinkType {
	case pg.SubLinkType_EXISTS_SUBLINK:
		return "exists", 2
	case pg.SubLinkType_ARRAY_SUBLINK:
		return "array", 2
	case pg.SubLinkType_EXPR_SUBLINK:
		q := syntax.LeftmostSelect(s.Subselect.GetSelectStmt())
		if len(q.TargetList) > 0 {
			r := q.TargetList[0].GetResTarget()
			if r.Name != "" {
				return r.Name, 2
			}
			return columnName(r.Val), 2
		}
		if len(q.ValuesLists) > 0 {
			return "column1", 2
		}
	}
	return "", 0
}

// IndexColumnName is the name PostgreSQL gives the column of an index that is an expression,
// "" for one that the expression does not suggest (FigureIndexColname in parse_target.c).
func IndexColumnName(n *pg.Node) string {
	name, _ := figure(n)
	return name
}
