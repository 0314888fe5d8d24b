package query

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// partReference is the name of a query of WITH that was run before (syntax.Statement.Parts).
// Its text is a placeholder that Bind fills with the source of the rows.
func (b *Binder) partReference(i int, v *pg.RangeVar) (string, scope.Namespace) {
	columns := b.Shapes[i].Outputs
	if columns == nil {
		b.Unsupported(v.Location, "WITH query %q does not have a RETURNING clause", v.Relname)
	}
	b.CountJoins(1, v.Location)
	r := &scope.RangeEntry{Alias: v.Relname, Ref: -1, MadeBy: "a WITH query"}
	ns := b.output(r, columns, v.Alias, v.Location)
	return enginesql.Placeholder(enginesql.Source, i) + " AS " + enginesql.Quote(r.EngineAlias), ns
}

// PartColumns are the columns of a query as those of a WITH query that is run apart, with the
// names that the clause gives to them.
func (b *Binder) PartColumns(cols []scope.OutputColumn, of *syntax.WithQuery) []scope.OutputColumn {
	out := b.renamed(cols, of.Columns, of.Name, of.Location)
	if out == nil {
		out = []scope.OutputColumn{}
	}
	return out
}

// scopePart finishes a SELECT that is a part of a statement: its rows become those of a table.
func (b *Binder) scopePart(q expression.Query) *scope.Scoped {
	b.SettleUnknown(q)
	q.ExposeTexts(q.TextColumns())
	sc := b.Scoped(q.SQL(), nil, len(b.Refs))
	sc.Outputs = b.PartColumns(q.Columns(), b.Stmt.With)
	return sc
}
