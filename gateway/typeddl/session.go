package typeddl

import (
	"context"
	"time"

	"github.com/ontosql/ontosql/gateway/access"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Session is what DDL needs of the session that runs it. Its changes are those of the
// session's transaction.
type Session interface {
	// Pin is the head that the transaction reads, with its own changes of the schema.
	Pin(ctx context.Context) (*resolver.Pin, error)
	// Resolve finds the relation of a name in a query, Named that of a name in a utility
	// statement, whose errors have no position. No such relation is 42P01, no such schema
	// 3F000.
	Resolve(pin *resolver.Pin, ref syntax.Ref) (Relation, error)
	Named(pin *resolver.Pin, ref syntax.Ref) (Relation, error)
	// InDatabase is the error of a name of another database.
	InDatabase(ref syntax.Ref) error
	// SearchPath are the schemas of search_path that exist.
	SearchPath() []string
	// Env answers rewrite's questions about the session.
	Env() scope.Env
	Notice(n *pgerr.Error)
	// Role is the role whose privileges the session has, RoleName the name of one that a statement
	// names. One that does not exist is 42704.
	Role() access.Role
	RoleName(r ddlstmt.Role) (string, error)
	// Started is the start of the transaction, what now() returns.
	Started() time.Time
	// PurgeHistory is the setting ontosql.purge_history.
	PurgeHistory() bool
	// HasRows reports whether a version of a row of a type is stored or staged.
	HasRows(pin *resolver.Pin, t *catalog.Type) bool
	// Change adds a step to the transaction's schema. A commit of another transaction
	// that writes rows of a type in dependsOn makes the transaction fail.
	Change(ctx context.Context, step Step, dependsOn ...ontosql.TypeRef) error
	// Drop drops a type and the rows that the transaction wrote of it. purge allows it
	// to have rows.
	Drop(ctx context.Context, t *catalog.Type, purge bool) error
	// Migrate changes the schema of a type and rewrites its rows. before is the encoded
	// schema before the change.
	Migrate(ctx context.Context, pin *resolver.Pin, m *Alteration, before string) error
}

// Relation is the relation that a name refers to.
type Relation struct {
	Type         *catalog.Type // nil for a relation that is not a window of a type
	Mode         ontosql.Mode  // of a window of a type
	Schema, Name string
	System       bool // a relation of pg_catalog or information_schema
}

// isTable reports whether the relation is the table of a type.
func (r *Relation) isTable() bool { return r.Type != nil && r.Mode == ontosql.Latest }

// mayCreate returns the error of a statement that may not create the table that it names.
// exists says that there is nothing to do: IF NOT EXISTS of a table that exists.
func mayCreate(s Session, pin *resolver.Pin, table syntax.Ref, ifNotExists bool) (exists bool, err error) {
	if err := s.InDatabase(table); err != nil {
		return false, err
	}
	schema := table.Schema
	if schema == "" {
		// An unqualified name is created in the first schema of the search path
		// (PostgreSQL manual, 5.9.3).
		if path := s.SearchPath(); len(path) > 0 {
			schema = path[0]
		} else {
			return false, pgerr.New(pgerr.InvalidSchemaName, "no schema has been selected to create in").At(table.Position)
		}
	}
	if err := creatable(schema, table.Position); err != nil {
		return false, err
	}
	if _, taken := pin.Catalog.Lookup(table.Name); !taken {
		return false, nil
	}
	if ifNotExists {
		s.Notice(sqlstate.Skipped(pgerr.DuplicateTable, "relation %q already exists, skipping", table.Name))
		return true, nil
	}
	return false, pgerr.New(pgerr.DuplicateTable, "relation %q already exists", table.Name)
}

// creatable is the error of a schema that tables cannot be created in.
func creatable(schema string, position int) error {
	switch schema {
	case catalog.SchemaPublic:
		return nil
	case catalog.SchemaHistory, catalog.SchemaChanges, catalog.SchemaDiff, catalog.SchemaBlame, catalog.SchemaAsOf, catalog.SchemaOntosql, catalog.SchemaCatalog, catalog.SchemaInformation:
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for schema %s", schema).
			WithDetail("What it shows follows from the tables of the schema public.").At(position)
	}
	return sqlstate.UndefinedSchema(schema).At(position)
}

// changeable is the table of a type that a statement changes, or the error of a relation that
// cannot be changed.
func changeable(s Session, pin *resolver.Pin, ref syntax.Ref) (*catalog.Type, error) {
	r, err := s.Named(pin, ref)
	if err != nil {
		return nil, err
	}
	switch {
	case r.System:
		return nil, pgerr.New(pgerr.InsufficientPrivilege, "permission denied: %q is a system catalog", r.Name)
	case r.Type == nil:
		return nil, pgerr.New(pgerr.WrongObjectType, "%q is not a table", r.Name)
	case r.Mode != ontosql.Latest:
		return nil, pgerr.New(pgerr.WrongObjectType, "%q is not a table", r.Schema+"."+r.Name).
			WithHint("It follows from %q: change that.", catalog.SchemaPublic+"."+r.Name)
	}
	if pin.Catalog.RequireGrants {
		return r.Type, s.Role().CheckOwner(access.OfType(r.Type, catalog.SchemaPublic))
	}
	return r.Type, nil
}
