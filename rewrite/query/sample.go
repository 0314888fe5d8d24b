package query

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// tableSample is t TABLESAMPLE SYSTEM (percent) and BERNOULLI (percent). Both choose single
// rows, because there are no pages. With REPEATABLE the choice depends on a row's identity and
// the seed, so that every plan and every order returns the same rows.
func (b *Binder) tableSample(n *pg.RangeTableSample, l *scope.Level) (string, scope.Namespace) {
	table := n.Relation.GetRangeVar()
	i, stored := b.Stmt.RangeRefs[table]
	if !stored && l.CTEs.Find(table.Relname) != nil || stored && b.Shapes[i].Kind == scope.View {
		b.Fail(pgerr.New(pgerr.FeatureNotSupported, "TABLESAMPLE clause can only be applied to tables and materialized views"), table.Location)
	}
	if !stored {
		return b.rangeVar(table, l)
	}
	names := syntax.Strings(n.Method)
	method := names[len(names)-1]
	if method != "system" && method != "bernoulli" {
		b.Fail(pgerr.New(pgerr.UndefinedObject, "tablesample method %s does not exist", method), n.Location)
	}
	if len(n.Args) != 1 {
		b.Fail(pgerr.New("2202H", "tablesample method %s requires 1 argument, not %d", method, len(n.Args)), n.Location)
	}
	percent := enginesql.Macro("sample_percent") + "(" + b.sampleArgument(n.Args[0], types.Float4, "TABLESAMPLE") + ")"
	text, ns := b.Reference(i, table.Alias, table.Location)
	r := ns.Ranges[0]
	draw := "random()"
	if n.Repeatable != nil {
		seed := enginesql.Macro("sample_seed") + "(" + b.sampleArgument(n.Repeatable, types.Float8, "REPEATABLE") + ")"
		draw = "(CAST(hash(" + seed + ", " + expression.JoinSQL(b.identity(r)) + ") >> 11 AS DOUBLE) / 9007199254740992)"
	}
	return "(SELECT * FROM " + text + " WHERE " + draw + " * 100 < " + percent + ") AS " + enginesql.Quote(r.EngineAlias), ns
}

func (b *Binder) sampleArgument(n *pg.Node, oid uint32, clause string) string {
	if c := expression.FirstColumnRef(n); c != nil {
		b.Unsupported(c.Location, "a column in %s is not supported", clause)
	}
	e := b.Expr(n, &scope.Level{Clause: "functions in FROM"})
	if e.Type.OID != types.Unknown && !types.IsNumber(e.Type.OID) {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "argument of %s must be type %s, not type %s", clause, types.Of(oid), e.Type), e.Location)
	}
	return b.Coerce(e, types.Of(oid), types.AssignmentCast).SQL
}

// identity are the columns that tell the rows of a reference apart: its key, or all.
func (b *Binder) identity(r *scope.RangeEntry) []scope.Expr {
	fields := slices.Concat(r.Columns, r.SystemColumns[:len(r.Shape.System)])
	if r.Shape.Unique {
		fields = slices.DeleteFunc(fields, func(f *scope.Column) bool { return f.System || !slices.Contains(r.Shape.Key, f.Source) })
	}
	var out []scope.Expr
	for _, f := range fields {
		out = append(out, b.ColumnExpr(f, -1, nil))
	}
	return out
}
