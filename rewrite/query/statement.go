package query

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Scope resolves names, infers types and prints the engine's SQL with placeholders for
// the sources. shapes[i] is what Refs[i] resolved to; paramOIDs are the types
// the client gave its parameters, 0 for unknown. Only statements of kind Select
// can be scoped here, ScopeWrite is for INSERT, UPDATE and MERGE; EXPLAIN, PREPARE and DECLARE have theirs in Inner.
func Scope(s *syntax.Statement, shapes []scope.Shape, paramOIDs []uint32, env scope.Env) (sc *scope.Scoped, err error) {
	if s.Kind != syntax.Select {
		return nil, pgerr.Unsupported("%s is not supported", s.Tag)
	}
	b, err := New(s, s.Refs, shapes, paramOIDs, env)
	if err != nil {
		return nil, err
	}
	defer scope.Recover(&err)
	b.PointExprs()
	q := b.Query(s.Node.GetSelectStmt(), nil, nil)
	if n := b.Params.Unused(); n > 0 && !s.SharesParameters() {
		return nil, scope.IndeterminateType(n)
	}
	if s.With != nil && s.Action == "" { // the session reads arguments as a client does
		return b.scopePart(q), nil
	}
	sc = b.Scoped(b.finish(q), Outputs(q), len(s.Refs))
	sc.Repeatable = scope.IsRepeatable(s, sc)
	sc.Overflows = b.Overflows
	b.keyOutputs(q)
	sc.ByKey = b.byKey
	sc.LookUp = scope.IsLookUp(s.Node.GetSelectStmt(), sc)
	return sc, nil
}

// finish settles what is still open in a query whose rows a client gets, and
// prints it.
func (b *Binder) finish(q expression.Query) string {
	b.SettleUnknown(q)
	for _, c := range q.Columns() {
		b.RefuseUnknownRows(c.Type, -1)
	}
	ShowRegNames(q)
	if !b.Stmt.StoresRows {
		showNumericTexts(q)
	}
	return b.withRegNames(q)
}

// PointExprs prints the points that are expressions.
func (b *Binder) PointExprs() {
	for _, r := range b.Refs {
		for _, p := range r.Points() {
			if p.Expr && p.Query == nil {
				b.pointExpr(p)
			}
		}
	}
}

// pointExpr prints the expression that names a point. It may name no column.
func (b *Binder) pointExpr(p *syntax.Point) {
	e := b.Coerce(b.pointArgument(p.Argument), types.Of(types.Text), types.ExplicitCast)
	b.Points = append(b.Points, scope.PointExpr{Point: p, SQL: enginesql.Pieces("SELECT " + enginesql.InDefaultStyle(e.SQL))})
}

func (b *Binder) pointArgument(arg *pg.Node) scope.Expr {
	l := &scope.Level{Clause: "the point of a table"}
	if n := expression.FirstColumnRef(arg); n != nil {
		b.Unsupported(n.Location, "the point of a table cannot depend on a column")
	}
	return b.Expr(arg, l)
}
