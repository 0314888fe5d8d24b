package introspect

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

var recoveriesRelation = &Relation{
	Name:  "recoveries",
	About: "What was written for the original by a later writer, because the one of the commit did not come to the end.",
	Columns: []Column{
		{"actor", column.Text, "who did it: ontosql:recovery"},
		{"for_actor", column.Text, "who asked for the commit"},
		{"commit_id", column.Int64, "the commit that changed the schema"},
		{"projection", column.Text, "key of the object that follows from it"},
		{"outcome", column.Text, "written, already there, or foreign change kept"},
		{"at", column.TimestampTZ, "when it was done"},
	},
	Rows: func(ctx context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		all, err := src.Storage.Recoveries(ctx)
		for _, r := range all {
			if r.Commit <= src.Horizon(pin) {
				b.Append(r.Actor, textOrNull(r.ForActor), int64(r.Commit), r.Projection, r.Outcome, r.At.Time)
			}
		}
		return err
	},
}
