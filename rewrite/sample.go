package rewrite

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// sample is t TABLESAMPLE SYSTEM (percent) and BERNOULLI (percent). Both choose row by
// row: there are no pages here. With REPEATABLE a row's identity decides together with
// the seed, so that the same rows come again whatever reads them, in whatever order.
func (b *queryBinder) sample(n *pg.RangeTableSample, l *level) (string, namespace) {
	table := n.Relation.GetRangeVar()
	i, stored := b.st.RangeRefs[table]
	if !stored && l.ctes.find(table.Relname) != nil {
		b.fail(pgerr.New(pgerr.FeatureNotSupported, "TABLESAMPLE clause can only be applied to tables and materialized views"), table.Location)
	}
	if !stored {
		return b.table(table, l)
	}
	names := syntax.Strings(n.Method)
	method := names[len(names)-1]
	if method != "system" && method != "bernoulli" {
		b.fail(pgerr.New(pgerr.UndefinedObject, "tablesample method %s does not exist", method), n.Location)
	}
	if len(n.Args) != 1 {
		b.fail(pgerr.New("2202H", "tablesample method %s requires 1 argument, not %d", method, len(n.Args)), n.Location)
	}
	percent := enginesql.Macro("sample_percent") + "(" + b.sampleArgument(n.Args[0], types.Float4, "TABLESAMPLE") + ")"
	text, ns := b.reference(i, table.Alias, table.Location)
	r := ns.rels[0]
	draw := "random()"
	if n.Repeatable != nil {
		seed := enginesql.Macro("sample_seed") + "(" + b.sampleArgument(n.Repeatable, types.Float8, "REPEATABLE") + ")"
		draw = "(CAST(hash(" + seed + ", " + join(b.identity(r)) + ") >> 11 AS DOUBLE) / 9007199254740992)"
	}
	return "(SELECT * FROM " + text + " WHERE " + draw + " * 100 < " + percent + ") AS " + enginesql.Quote(r.out), ns
}

func (b *queryBinder) sampleArgument(n *pg.Node, oid uint32, clause string) string {
	if c := firstColumn(n); c != nil {
		b.unsupported(c.Location, "a column in %s is not supported", clause)
	}
	e := b.expr(n, &level{clause: "functions in FROM"})
	if e.t.OID != types.Unknown && !types.IsNumber(e.t.OID) {
		b.fail(pgerr.New(pgerr.DatatypeMismatch, "argument of %s must be type %s, not type %s", clause, types.Of(oid), e.t), e.loc)
	}
	return b.coerce(e, types.Of(oid), types.AssignmentCast).sql
}

// identity are the columns that tell the rows of a reference apart: its key, or all.
func (b *queryBinder) identity(r *relation) []expr {
	fields := slices.Concat(r.fields, r.system[:len(r.shape.System)])
	if r.shape.Unique {
		fields = slices.DeleteFunc(fields, func(f *field) bool { return f.system || !slices.Contains(r.shape.Key, f.source) })
	}
	var out []expr
	for _, f := range fields {
		out = append(out, b.fieldExpr(f, -1, nil))
	}
	return out
}
