package introspect

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/resolver"
)

var mirrorRelation = &Relation{
	Name:  "mirror",
	About: "The native copy of each type that this gateway keeps, and how far its building is; answers do not depend on it.",
	Columns: []Column{
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the type"},
		{"state", column.Text, "ready, building, extending, compacting, dropping, or none where there is no copy"},
		{"through_commit_id", column.Int64, "the copy has every row up to this commit"},
		{"head_commit_id", column.Int64, "the commit that it is brought up to"},
		{"row_count", column.Int64, "rows in the copy: every version of every identity"},
		{"bytes", column.Int64, "about what it fills"},
		{"rows_done", column.Int64, "of the building or extending that goes on: about how many rows are done with"},
		{"rows_total", column.Int64, "of how many"},
		{"started_at", column.TimestampTZ, "when that began"},
		{"last_used_at", column.TimestampTZ, "when a statement asked for the type last, since the gateway was started"},
		{"reason", column.Text, "why there is no copy, or why it could not be extended"},
	},
	Rows: func(_ context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		known := map[ontosql.TypeRef]mirror.TypeStatus{}
		unknown := "it was not read"
		if m := src.Mirror; m != nil && m.Enabled() {
			for _, st := range m.Status() {
				known[st.Type] = st
			}
		} else {
			unknown = "there is no mirror"
		}
		for _, t := range pin.Catalog.Types {
			st, met := known[t.Ref]
			if !met {
				b.Append(t.Ref.Kind.String(), t.Ref.Name, "none", nil, nil, nil, nil, nil, nil, nil, nil, unknown)
				continue
			}
			var rows, bytes, done, total any
			if st.Through > 0 {
				rows, bytes = st.Rows, st.Bytes
			}
			if !st.Began.IsZero() {
				done, total = st.Done, st.Total
			}
			b.Append(t.Ref.Kind.String(), t.Ref.Name, st.State, commitOrNull(st.Through), commitOrNull(st.Target), rows, bytes,
				done, total, timeOrNull(st.Began), timeOrNull(st.Used), reasonOrNull(st.Reason))
		}
		return nil
	},
}

// reasonOrNull is the text of an error of the mirror without paths of this
// machine.
func reasonOrNull(err error) any {
	var engine *duckdb.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &engine):
		return sqlstate.EngineMessage(engine)
	}
	return sqlstate.ClientText(err)
}
