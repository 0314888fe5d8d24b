package introspect

import (
	"context"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

// Relation is a relation of the schema ontosql. Its rows are computed at the pin of the
// statement that reads it.
type Relation struct {
	Name    string
	About   string // its comment in the catalog
	Columns []Column
	// Narrowing are the columns by whose conditions Rows may leave out rows (Source.Asked).
	Narrowing []string
	// Arguments are the names of the arguments of a function, whose rows the room reading finds, or
	// actions; nil for a relation.
	Arguments []string
	// ArgumentTypes are the types of Arguments, nil for texts.
	ArgumentTypes []string
	// Optional is how many of the last arguments have a default.
	Optional int
	// Shows is what its rows tell of: who may read it follows from that where grants are required.
	Shows Shown
	// Writes says that it is a function that writes, which the room actions runs.
	Writes bool
	// Rows appends the rows.
	Rows func(ctx context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error
}

// Shown is what the rows of a Relation tell of.
type Shown uint8

// What is shown.
const (
	Facts  Shown = iota // of the database and the gateway, for everybody
	Rows                // what rows of types have, for those who may read everything
	Events              // what is on the event bus, for those who may read that
)

// Column is a column of a Relation.
type Column struct {
	Name  string
	Kind  column.Kind
	About string // its comment in the catalog
}

// Named are the columns with their types. The kind List is text[].
func (r *Relation) Named() []column.Named {
	cols := make([]column.Named, len(r.Columns))
	for i, c := range r.Columns {
		cols[i] = column.Named{Name: c.Name, Type: column.Type{Kind: c.Kind}}
		if c.Kind == column.List {
			cols[i].Type.Elem = &column.Type{Kind: column.Text}
		}
	}
	return cols
}

// Relations are the relations of the schema ontosql. A later version may add columns at
// the end, and renames none.
var Relations = []*Relation{
	commitsRelation, commitFilesRelation, typesRelation, schemaVersionsRelation,
	indexHealthRelation, writeLockRelation, storageInfoRelation, settingsRelation,
	statementsRelation, mirrorRelation, recoveriesRelation, progressRelation, lastChangeRelation, DiffStat,
	tagsRelation, tagAction, untagAction, revertAction, compactAction,
	eventsRelation, eventClaimsRelation, deadLettersRelation, eventSessionsRelation, eventNamespacesRelation,
	claimAction, ackAction, releaseAction, extendAction, replayAction, cleanupEventsAction,
	nameserviceRelation, nsCreateAction, nsPushAction, nsRetractAction, nsLockAction, nsUnlockAction, nsChangedSinceAction,
	branchesAction, branchDiffAction, mergeAction,
}

// Find is the relation of a name, or the function, nil for none.
func Find(name string, function bool) *Relation {
	for _, r := range Relations {
		if r.Name == name && function == (r.Arguments != nil) {
			return r
		}
	}
	return nil
}

// CatalogRelations are the Relations as pg_catalog lists them.
func CatalogRelations() []pgcatalog.Virtual {
	var list []pgcatalog.Virtual
	for _, r := range Relations {
		out := pgcatalog.Virtual{Events: r.Shows == Events, Schema: catalog.SchemaOntosql, Name: r.Name, Comment: r.About, Arguments: r.Arguments, ArgumentTypes: r.ArgumentTypes, Optional: r.Optional, Writes: r.Writes}
		for i, named := range r.Named() {
			out.Columns = append(out.Columns, pgcatalog.VirtualColumn{Named: named, Comment: r.Columns[i].About})
		}
		list = append(list, out)
	}
	return append(list, commitOutcome, enqueue)
}

// enqueue is a function that the engine calls for each row (functions.Enqueue).
var enqueue = pgcatalog.Virtual{
	Schema: catalog.SchemaOntosql, Name: "enqueue", Optional: 3,
	Arguments: []string{"type", "payload", "namespace", "priority", "parent"}, ArgumentTypes: []string{"text", "jsonb", "text", "int4", "uuid"},
	Value: true, Writes: true,
	Columns: []pgcatalog.VirtualColumn{{Named: column.Named{Name: "enqueue", Type: column.Type{Kind: column.UUID}}}},
	Comment: "Sends an event if the transaction commits, and returns its id.",
}

// commitOutcome is a function that the session answers itself (functions.Own).
var commitOutcome = pgcatalog.Virtual{
	Schema: catalog.SchemaOntosql, Name: "commit_outcome", Arguments: []string{"attempt"}, Value: true,
	Columns: []pgcatalog.VirtualColumn{{Named: column.Named{Name: "commit_outcome", Type: column.Type{Kind: column.Text}}}},
	Comment: "What became of a commit whose client got 08007, which names the attempt: committed, aborted or in progress.",
}
