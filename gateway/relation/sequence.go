package relation

import (
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// sequenceRelation is a sequence, which has one row with its value. A statement reads it as a
// view of functions of the sequence.
func sequenceRelation(ref syntax.Ref, q *workspace.Sequence) Relation {
	name := enginesql.Literal(str.QuoteIdent(q.Schema) + "." + str.QuoteIdent(q.Name))
	r := OfView(ref, &workspace.View{
		Schema: q.Schema, Name: q.Name,
		Text: "CREATE VIEW v AS SELECT ontosql_last_value(" + name + ") AS last_value, ontosql_log_cnt(" + name + ") AS log_cnt, ontosql_is_called(" + name + ") = 1 AS is_called",
		Columns: []workspace.ViewColumn{
			{Name: "last_value", Type: types.Of(types.Int8)}, {Name: "log_cnt", Type: types.Of(types.Int8)}, {Name: "is_called", Type: types.Of(types.Bool)},
		},
	})
	r.Sequence = q
	return r
}
