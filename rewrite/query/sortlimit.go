package query

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// longestLimit bounds the LIMIT by which a set-returning function is cut short.
const longestLimit = 1_000_000

// constantLimit is the number of rows that a query needs from its target list, if constants
// give it: PostgreSQL computes no more elements of a set than LIMIT asks for. It is 0 if the
// number is unknown.
func constantLimit(s *pg.SelectStmt) int64 {
	if s.LimitCount == nil || len(s.SortClause)+len(s.DistinctClause)+len(s.GroupClause) > 0 || s.HavingClause != nil {
		return 0
	}
	rows := int64(s.LimitCount.GetAConst().GetIval().GetIval())
	if s.LimitOffset != nil {
		skipped := int64(s.LimitOffset.GetAConst().GetIval().GetIval())
		if skipped <= 0 {
			return 0
		}
		rows += skipped
	}
	if rows < 0 || rows > longestLimit {
		return 0
	}
	return rows
}

// sortKey resolves an item of ORDER BY, GROUP BY or DISTINCT ON: the position of
// an output, the name of an output, or an expression over the input
// (PostgreSQL manual, SELECT, "ORDER BY Clause").
func (b *Binder) sortKey(n *pg.Node, l *scope.Level, q expression.Query, clause string) scope.Expr {
	if i, ok := b.findTarget(n, q, clause); ok {
		e := q.Column(i)
		return e
	}
	return b.Expr(n, l)
}

// sortAndLimit prints ORDER BY, and LIMIT with OFFSET, or gives what takes ties, too. sel is nil
// for set operations and VALUES, which sort by their outputs only. The columns used from
// mark on are those of the query.
func (b *Binder) sortAndLimit(s *pg.SelectStmt, l *scope.Level, q expression.Query, sel *SelectQuery, mark int) (by, limit string, w *ties) {
	order := make([]string, len(s.SortClause))
	for i, n := range s.SortClause {
		order[i] = b.sortBy(n.GetSortBy(), s, l, q, sel)
	}
	if len(order) > 0 {
		by = " ORDER BY " + strings.Join(order, ", ")
	}
	offset, count := b.limitValue(s.LimitOffset, "OFFSET", l), b.limitValue(s.LimitCount, "LIMIT", l)
	if s.LimitOption == pg.LimitOption_LIMIT_OPTION_WITH_TIES || b.numbered(s, l, b.ColumnUses[mark:]) {
		w := b.ties(s, order, q, count, offset)
		if len(s.DistinctClause) == 0 {
			by = "" // of DISTINCT ON it chooses the rows
		}
		return by, "", w
	}
	if count != "" {
		limit = " LIMIT " + count
	}
	if offset != "" {
		limit += " OFFSET " + offset
	}
	return by, limit, nil
}

func (b *Binder) sortBy(s *pg.SortBy, stmt *pg.SelectStmt, l *scope.Level, q expression.Query, sel *SelectQuery) string {
	var sql string
	if i, ok := b.findTarget(s.Node, q, "ORDER BY"); ok {
		sql = strconv.Itoa(i + 1)
		e := scope.Expr{SQL: enginesql.Quote(q.Columns()[i].EngineName), Type: q.Columns()[i].Type, Location: syntax.Location(s.Node)}
		if sel != nil {
			e.SQL, e.Printed, e.Row = sel.TargetList[i].Expr.SQL, sel.TargetList[i].Expr.Printed, sel.TargetList[i].Expr.Row
			sel.bySet = sel.bySet || sel.TargetList[i].Expr.ReturnsSet
			sel.order = append(sel.order, e.SQL)
		}
		b.RequireOperator(e, "ordering")
		if set := sel != nil && sel.TargetList[i].Expr.ReturnsSet; expression.SortType(e.Type) != 0 || e.HasPrinted() && !set {
			sql = b.ComparisonOperand(e, e.Type).SQL
		} else if sel != nil && types.IsReg(e.Type.OID) && len(stmt.DistinctClause) == 0 {
			sql = e.SQL // the output is a name, the order that of numbers
		}
	} else {
		if sel == nil {
			if c := s.Node.GetColumnRef(); c != nil && len(c.Fields) == 1 {
				name := c.Fields[0].GetString_().GetSval()
				b.Fail(pgerr.New(pgerr.UndefinedColumn, "column %q does not exist", name).WithHint("%s", scope.ColumnHint(l, "", name)), c.Location)
			}
			b.Fail(pgerr.New(pgerr.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
				WithDetail("Only result column names can be used, not expressions or functions.").
				WithHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause."), syntax.Location(s.Node))
		}
		e := b.Expr(s.Node, l)
		if e.Type.OID == types.Unknown {
			e = b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
		}
		sql = e.SQL
		sel.bySet = sel.bySet || e.ReturnsSet
		sel.order = append(sel.order, sql)
		b.RequireOperator(e, "ordering")
		listed := false
		for i, tg := range sel.TargetList {
			if tg.Expr.SQL != e.SQL {
				continue
			}
			listed = true
			// What is a text as an output sorts otherwise. The texts of a set are another output.
			if (e.ReturnsSet || !tg.Expr.HasPrinted()) && (!types.IsReg(tg.Expr.Type.OID) || len(stmt.DistinctClause) > 0) {
				sql = strconv.Itoa(i + 1)
			}
		}
		if expression.SortType(e.Type) != 0 {
			sql = b.ComparisonOperand(e, e.Type).SQL
		}
		if sql == e.SQL {
			sql = expression.SortKey(e)
		}
		if !listed && len(stmt.DistinctClause) > 0 && (stmt.DistinctClause[0] == nil || stmt.DistinctClause[0].Node == nil) {
			b.Fail(pgerr.New(pgerr.InvalidColumnReference, "for SELECT DISTINCT, ORDER BY expressions must appear in select list"), syntax.Location(s.Node))
		}
	}
	return sql + expression.SortDirection(b.Binder, s)
}

// limitValue is the operand of LIMIT or OFFSET, a bigint without columns of the query's own; ""
// for none.
func (b *Binder) limitValue(n *pg.Node, clause string, l *scope.Level) string {
	if n == nil || n.GetAConst().GetIsnull() {
		return ""
	}
	at, mark := &scope.Level{Parent: l.Parent, Namespace: l.Namespace, CTEs: l.CTEs, Hidden: l.Hidden, Clause: clause}, len(b.ColumnUses)
	e := b.Expr(n, at)
	for _, u := range b.ColumnUses[mark:] {
		if u.Level == at {
			b.Fail(pgerr.New(pgerr.InvalidColumnReference, "argument of %s must not contain variables", clause), u.Location)
		}
		if u.OuterAggregate {
			b.Unsupported(syntax.Location(n), "%s of an aggregate of a query around is not supported", clause)
		}
	}
	if i := n.GetAConst(); i != nil && e.Type.OID != types.Unknown {
		if strings.HasPrefix(e.SQL, "-") {
			b.Fail(pgerr.New(map[string]string{"LIMIT": "2201W", "OFFSET": "2201X"}[clause], "%s must not be negative", clause), -1)
		}
		return b.Coerce(e, types.Of(types.Int8), types.AssignmentCast).SQL
	}
	return "(" + b.Coerce(e, types.Of(types.Int8), types.AssignmentCast).SQL + ")"
}
