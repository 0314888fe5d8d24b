package relation

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Resolver finds relations by the names that the statements of a session use.
type Resolver struct {
	Database string // the name of the database
	Startup  string // the name that the client has connected to, which may have a point
	Path     string // the setting search_path
	// Temp are the temporary tables of the session, Shared the schemas and tables of the
	// workspace.
	Temp, Shared *workspace.Objects
}

// Resolve finds the relation that a reference names. If there is none, it is 42P01.
func (n Resolver) Resolve(pin *resolver.Pin, ref syntax.Ref) (Relation, error) {
	if err := n.InDatabase(ref); err != nil {
		return Relation{}, err
	}
	if ref.Schema != "" {
		r, ok := n.find(pin, ref.Schema, ref)
		if !ok {
			return Relation{}, sqlstate.UndefinedTable(sqlstate.RelationName(ref), ref.Position)
		}
		return r, checkWindow(r)
	}
	for _, schema := range n.SearchPath() {
		if r, ok := n.find(pin, schema, ref); ok {
			return r, checkWindow(r)
		}
	}
	err := sqlstate.UndefinedTable(ref.Name, ref.Position)
	if ref.LaterWith {
		err = err.WithDetail("There is a WITH item named %q, but it cannot be referenced from this part of the query.", ref.Name).
			WithHint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references.")
	}
	return Relation{}, err
}

// Named is Resolve for a utility statement: errors have no position, and a schema that does
// not exist is 3F000.
func (n Resolver) Named(pin *resolver.Pin, ref syntax.Ref) (Relation, error) {
	ref.Position = 0
	if err := n.InDatabase(ref); err != nil {
		return Relation{}, err
	}
	if ref.Schema != "" && ref.Schema != workspace.TempSchema && !n.HasSchema(ref.Schema) {
		return Relation{}, sqlstate.UndefinedSchema(ref.Schema)
	}
	return n.Resolve(pin, ref)
}

// HasSchema reports whether there is a schema of a name.
func (n Resolver) HasSchema(name string) bool {
	return slices.Contains(catalog.Schemas, name) || n.Shared.HasSchema(name)
}

// InDatabase returns an error for the name of another database.
func (n Resolver) InDatabase(ref syntax.Ref) error {
	if ref.Catalog != "" && ref.Catalog != n.Database && ref.Catalog != n.Startup {
		return pgerr.Unsupported("cross-database references are not implemented: %q", sqlstate.RelationName(ref)).At(ref.Position)
	}
	return nil
}

// checkWindow returns an error for a point on a relation that has no past.
func checkWindow(r Relation) error {
	asked := r.Ref.Point != nil || r.Ref.All
	if !asked || r.Ref.Function || r.Type != nil && r.Mode == ontosql.Latest || r.Ref.All && r.Type != nil {
		return nil
	}
	return pgerr.New(pgerr.WrongObjectType, "%q cannot be read FOR SYSTEM_TIME", sqlstate.RelationName(r.Ref)).
		At(r.Ref.Position).WithHint("Only the tables of types have a past; history and changes show it whole.")
}

// SearchPath are the schemas in which an unqualified name is looked up: those of NamedPath,
// with pg_catalog first unless the path names it, and before it the session's temporary
// tables unless the path names pg_temp (PostgreSQL manual, 5.9.3 and 20.11.1).
func (n Resolver) SearchPath() []string {
	path := n.namedPath(true)
	if !slices.Contains(path, catalog.SchemaCatalog) {
		path = slices.Insert(path, 0, catalog.SchemaCatalog)
	}
	if !slices.Contains(path, workspace.TempSchema) {
		path = slices.Insert(path, 0, workspace.TempSchema)
	}
	return path
}

// NamedPath are the schemas of search_path that exist. "$user" is none of them: users have
// no schemas.
func (n Resolver) NamedPath() []string { return n.namedPath(false) }

// CatalogPath is NamedPath, with pg_temp if the path names it.
func (n Resolver) CatalogPath() []string { return n.namedPath(true) }

// namedPath is NamedPath, with pg_temp if the path names it and temp is set.
func (n Resolver) namedPath(temp bool) []string {
	var path []string
	names, _ := str.NameList(n.Path)
	for _, name := range names {
		if (n.HasSchema(name) || temp && name == workspace.TempSchema) && !slices.Contains(path, name) {
			path = append(path, name)
		}
	}
	return path
}

// find looks a name up in one schema.
func (n Resolver) find(pin *resolver.Pin, schema string, ref syntax.Ref) (Relation, bool) {
	if own := schema == workspace.TempSchema; own || n.Shared.HasSchema(schema) {
		objects := n.Shared
		if own {
			objects = n.Temp
		}
		if v := objects.View(schema, ref.Name); v != nil && !ref.Function {
			return OfView(ref, v), true
		}
		if q := objects.Sequence(schema, ref.Name); q != nil && !ref.Function {
			return sequenceRelation(ref, q), true
		}
		t := objects.Table(schema, ref.Name)
		if t == nil || ref.Function {
			return Relation{}, false
		}
		return storedRelation(ref, t), true
	}
	if schema == catalog.SchemaOntosql {
		if v := introspect.Find(ref.Name, ref.Function); v != nil {
			return virtualRelation(ref, v), true
		}
	}
	switch schema {
	case catalog.SchemaPublic, catalog.SchemaHistory, catalog.SchemaChanges, catalog.SchemaDiff, catalog.SchemaBlame, catalog.SchemaAsOf:
		if ref.Function != (schema == catalog.SchemaAsOf || schema == catalog.SchemaDiff) {
			return Relation{}, false
		}
		t, ok := pin.Catalog.Lookup(ref.Name)
		if !ok {
			return Relation{}, false
		}
		return TypeRelation(ref, schema, t), true
	case catalog.SchemaCatalog, catalog.SchemaInformation:
		if c := pgcatalog.Find(schema, ref.Name); c != nil {
			return catalogRelation(ref, schema, c), true
		}
	}
	return Relation{}, false
}
