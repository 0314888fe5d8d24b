package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// Input is what a catalog is built of: the decoded schema objects of a store,
// as far as there are any (a missing object is nil: COMPAT 3.5 has it for an
// empty one), and what the commits say of the schema.
type Input struct {
	// Version becomes Catalog.Version.
	Version string
	// Head is the commit at which the objects are read.
	Head ontosql.CommitID

	Registry *format.Registry
	Types    *format.Types
	Dropped  *format.Dropped
	Versions map[ontosql.TypeRef]*format.Versions

	// Change is the newest schema change under the head, nil where no commit
	// has one; ChangedBy is its commit and ChangedAt the commit's created_at.
	// The objects above are projections of it (decision A13).
	Change    *format.SchemaChange
	ChangedBy ontosql.CommitID
	ChangedAt time.Time

	// Distrusted are the columns of data files that readers do not use.
	Distrusted []format.DistrustedColumn

	// Floor is the last commit that dropped a type, 0 for none (decision A14).
	Floor func(ontosql.TypeRef) ontosql.CommitID

	// Superseded reports whether the original migrated a type after Change without
	// knowing of it, so that the version list of the type counts; nil where the
	// objects are stored in one transaction with the commit.
	Superseded func(ontosql.TypeRef) bool
}

// Build makes the catalog of its input. A type whose schema cannot be read is left out with a
// warning, so that one damaged object does not hide the other types.
func Build(in Input) (*Catalog, []string) {
	c := &Catalog{Version: in.Version, in: in}
	if in.Change != nil {
		c.RequireGrants, c.EventGrants = in.Change.RequireGrants, in.Change.EventGrants
	}
	var warnings []string
	schemas, texts := map[ontosql.TypeRef]*format.Schema{}, map[ontosql.TypeRef]json.RawMessage{}
	versions := map[ontosql.TypeRef][]format.SchemaVersion{}
	for _, ref := range in.Refs() {
		stored, ok := in.stored(ref)
		if !ok {
			continue
		}
		schema, text, err := stored.schema(ref)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s is left out: %v", ref, err))
			continue
		}
		t := &Type{Ref: ref, SchemaID: stored.id, Versions: stored.shown(), Floor: in.Floor(ref), earlier: new(earlier)}
		if len(t.Versions) > 0 {
			t.CreatedAt = t.Versions[0].CreatedAt
		}
		for _, d := range in.Distrusted {
			if d.Type == ref {
				t.distrust(d)
			}
		}
		c.Types = append(c.Types, t)
		schemas[ref], texts[ref], versions[ref] = schema, text, stored.versions
	}
	endpoint := func(entity string) column.Type {
		if schema := schemas[ontosql.TypeRef{Kind: ontosql.Entity, Name: entity}]; schema != nil {
			return endpointType(schema)
		}
		return column.Type{Kind: column.Text}
	}
	extras := in.extras(texts)
	ids := in.fieldIDs(func(ref ontosql.TypeRef) []format.SchemaVersion { return versions[ref] })
	for _, t := range c.Types {
		warnings = append(warnings, t.setSchema(schemas[t.Ref], endpoint)...)
		if recorded, some := ids[t.Ref]; some {
			t.identify(recorded, versions[t.Ref])
		}
		t.declare(extras[t.Ref])
	}
	c.nameTables()
	return c, warnings
}

// endpointType is the type of the columns that point to an entity: that of its
// primary key where it is int, else text.
func endpointType(entity *format.Schema) column.Type {
	for _, f := range entity.Fields {
		if f.PrimaryKey && keyType(f).Kind == column.Int64 {
			return column.Type{Kind: column.Int64}
		}
	}
	return column.Type{Kind: column.Text}
}

// Refs are all types that any of the objects speaks of, dropped ones included, in the order of
// TypeRef.Compare.
func (in *Input) Refs() []ontosql.TypeRef {
	seen := map[ontosql.TypeRef]bool{}
	add := func(kind ontosql.Kind, name string) { seen[ontosql.TypeRef{Kind: kind, Name: name}] = true }
	if in.Registry != nil {
		for name := range in.Registry.Entity {
			add(ontosql.Entity, name)
		}
		for name := range in.Registry.Relation {
			add(ontosql.Relation, name)
		}
	}
	if in.Types != nil {
		for _, name := range in.Types.Entities {
			add(ontosql.Entity, name)
		}
		for _, name := range in.Types.Relations {
			add(ontosql.Relation, name)
		}
	}
	if in.Change != nil {
		for i := range in.Change.Types {
			if ref, ok := refOf(in.Change.Types[i].Kind, in.Change.Types[i].Type); ok {
				seen[ref] = true
			}
		}
	}
	refs := make([]ontosql.TypeRef, 0, len(seen))
	for ref := range seen {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, ontosql.TypeRef.Compare)
	return refs
}

func refOf(kind, name string) (ontosql.TypeRef, bool) {
	k, err := ontosql.ParseKind(kind)
	return ontosql.TypeRef{Kind: k, Name: name}, err == nil
}
