package gateway

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

// virtual is one relation of the schema ontosql, or a live one of pg_catalog:
// computed at the pin of the statement that names it.
type virtual struct {
	schema, name string
	about        string // its comment in the catalog
	columns      []virtualColumn
	// rows appends the relation's rows.
	rows func(ctx context.Context, s *Session, pin *resolver.Pin, b *column.Builder) error
}

type virtualColumn struct {
	name  string
	kind  column.Kind
	about string
}

// named are the columns as the engine and the rewriter need them. A text[] is
// written as the kind List.
func (v *virtual) named() []column.Named {
	cols := make([]column.Named, len(v.columns))
	for i, c := range v.columns {
		cols[i] = column.Named{Name: c.name, Type: column.Type{Kind: c.kind}}
		if c.kind == column.List {
			cols[i].Type.Elem = &column.Type{Kind: column.Text}
		}
	}
	return cols
}

// virtuals are the relations of PRODUCT's table of the ontosql schema that this
// version has. Columns may be added at the end, never renamed.
var virtuals = []*virtual{
	commitsRelation, commitFilesRelation, typesRelation, schemaVersionsRelation,
	indexHealthRelation, writeLockRelation, storageInfoRelation, settingsRelation,
	statementsRelation, mirrorRelation, recoveriesRelation, progressRelation,
}
