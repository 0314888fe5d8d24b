package query

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// WithClause resolves a WITH clause and returns its text and the names it adds. Each CTE gets a
// unique name in the engine's SQL, so that it hides no other relation.
func (b *Binder) WithClause(w *pg.WithClause, outer *scope.Level, ctes *scope.CTE) (string, *scope.CTE) {
	if w == nil {
		return "", ctes
	}
	texts, ctes := b.withQueries(w, outer, ctes)
	if texts == "" {
		return "", ctes
	}
	words := "WITH "
	if w.Recursive {
		words = "WITH RECURSIVE "
	}
	return words + texts, ctes
}

// withQueries is with, but for the word.
func (b *Binder) withQueries(w *pg.WithClause, outer *scope.Level, ctes *scope.CTE) (string, *scope.CTE) {
	seen := map[string]bool{}
	for _, n := range w.Ctes {
		c := n.GetCommonTableExpr()
		if seen[c.Ctename] {
			b.Fail(pgerr.New(pgerr.DuplicateAlias, "WITH query name %q specified more than once", c.Ctename), c.Location)
		}
		seen[c.Ctename] = true
	}
	list := w.Ctes
	if w.Recursive {
		list = b.inOrder(list)
	}
	var parts []string
	for _, n := range list {
		if b.Stmt.IsPart(n.GetCommonTableExpr()) {
			continue // a mention is a reference
		}
		text, cte := b.cte(n.GetCommonTableExpr(), w.Recursive, outer, ctes)
		parts = append(parts, text)
		ctes = cte
	}
	return strings.Join(parts, ", "), ctes
}

func (b *Binder) cte(c *pg.CommonTableExpr, recursive bool, outer *scope.Level, ctes *scope.CTE) (string, *scope.CTE) {
	s := c.Ctequery.GetSelectStmt()
	if s == nil {
		b.Unsupported(c.Location, "WITH clause containing a data-modifying statement must be at the top level")
	}
	searches := c.SearchClause != nil || c.CycleClause != nil
	me := &scope.CTE{Outer: ctes, Name: c.Ctename, EngineAlias: b.UniqueAlias(c.Ctename)}
	define := func(q expression.Query) {
		me.Columns = b.renamed(q.Columns(), syntax.Strings(c.Aliascolnames), c.Ctename, c.Location)
	}
	var q expression.Query
	var first []types.Type // of the columns of the non-recursive term
	var with string        // the queries of its own WITH clause, which the engine wants before it
	me.Joined = b.CountApart(func() {
		if !recursive || !b.checkRecursion(c, s) {
			q = b.Query(s, outer, ctes)
			if searches {
				b.failNotRecursive(c.Location)
			}
			return
		}
		if s.WithClause != nil {
			with, me.Outer = b.withQueries(s.WithClause, outer, ctes)
			with += ", "
		}
		union := s
		if searches {
			union = b.searched(s, c, outer, me)
		}
		counted := b.recursiveDigits(union, outer, me, define)
		q = b.setOperation(union, outer, me, func(left expression.Query) {
			for i, d := range counted {
				left.Scale(i, d)
			}
			define(left)
			first = typesOf(left)
		})
		b.checkRecursiveTypes(c.Ctename, first, q, s)
		me.Outer = ctes
	})
	if searches {
		me.UnlistedColumns = 1 // the depth
	}
	b.SettleUnknown(q)
	q.ExposeTexts(q.TextColumns())
	define(q)
	names := outNames(me.Columns)
	text := with + enginesql.Quote(me.EngineAlias)
	if len(names) > 0 {
		text += "(" + strings.Join(names, ", ") + ")"
	}
	text += " AS "
	switch materialize := c.Ctematerialized; {
	case materialize == pg.CTEMaterialize_CTEMaterializeAlways, len(s.LockingClause) > 0: // as PostgreSQL
		text += "MATERIALIZED "
	case materialize == pg.CTEMaterialize_CTEMaterializeNever:
		text += "NOT MATERIALIZED "
	}
	return text + "(" + q.SQL() + ")", me
}

// renamed applies a column alias list and makes the engine's names unique.
func (b *Binder) renamed(cols []scope.OutputColumn, names []string, table string, loc int32) []scope.OutputColumn {
	if len(names) > len(cols) {
		b.Fail(pgerr.New(pgerr.InvalidColumnReference, "WITH query %q has %d columns available but %d columns specified", table, len(cols), len(names)), loc)
	}
	out := make([]scope.OutputColumn, len(cols))
	copy(out, cols)
	for i, n := range names {
		out[i].Name = n
	}
	taken := map[string]bool{}
	for i := range out {
		out[i].EngineName = UniqueName(out[i].Name, taken)
		out[i].Ref, out[i].Source, out[i].Base = -1, "", nil
	}
	return out
}

// UniqueName picks a name that the engine tells from all before it.
func UniqueName(name string, taken map[string]bool) string { return column.Aliases(taken).Pick(name) }

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
