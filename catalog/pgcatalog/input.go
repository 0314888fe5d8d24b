package pgcatalog

import (
	"slices"
	"sync"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

// Input is what the rows are made from.
type Input struct {
	Database  string       // the name clients connected to
	Databases []string     // the others that this server serves
	Roles     *roles.Roles // nil for those that there are always
	Catalog   *catalog.Catalog
	// Virtual are the relations that are no type's, such as ontosql.commits.
	Virtual []Virtual
	// Schemas are the schemas of ordinary tables: those of the workspace, and the temporary
	// tables of the session that reads the catalog if it has any.
	Schemas []TableSchema
	// Defaults are the default privileges on what is created in any schema.
	Defaults []DefaultGrants
}

// Virtual is a view that the gateway answers itself, or a function that returns a table.
type Virtual struct {
	Schema, Name, Comment string
	Columns               []VirtualColumn
	Arguments             []string // the names of a function's arguments; nil for a view
	ArgumentTypes         []string // the names of their types, "text[]" for an array; nil for texts
	Optional              int      // how many of the last arguments have the default NULL
	Writes                bool     // the function writes
	Events                bool     // it shows the event bus, and has its privileges
	Value                 bool     // the function returns the value of its only column, and no table; it is strict unless it writes
}

// VirtualColumn is a column of a Virtual.
type VirtualColumn struct {
	column.Named
	Comment string
}

// Filled is the whole catalog of one database. It is immutable; a new Catalog gets a new
// Filled.
type Filled struct {
	RelationOIDs
	groups   []*group
	byKey    func() map[groupKey]*group
	rows     map[*Relation]Rows                 // but those of information_schema
	standard func() (map[*Relation]Rows, error) // those

	databases map[string]uint32
	roles     map[string]uint32
	temp      string                   // the schema of the session's temporary tables, "" for none
	drawn     map[*catalog.Type]*drawn // for the next catalog that has the type

	facts *known
	views struct {
		sync.Mutex
		byPath map[string]*View
	}
}

// Rows are the rows of a relation: those that ordinary tables and schemas do not change, and the
// others.
type Rows struct{ Lasting, Others []*column.Batch }

// All are the rows together.
func (r Rows) All() []*column.Batch { return slices.Concat(r.Lasting, r.Others) }

// Rows are the rows of one of Tables. Two catalogs that have the same rows give the same
// batches. An error is a fault of this room, as Fill's is.
func (f *Filled) Rows(r *Relation) (Rows, error) {
	if r.Schema != "information_schema" {
		return f.rows[r], nil
	}
	rows, err := f.standard()
	return rows[r], err
}

// DatabaseOID is pg_database.oid, 0 for a database that is not there.
func (f *Filled) DatabaseOID(name string) uint32 { return f.databases[name] }

// RoleOID is pg_roles.oid, 0 for a role that is not there.
func (f *Filled) RoleOID(name string) uint32 { return f.roles[name] }

// RelationOIDs are the OIDs of a catalog's relations.
type RelationOIDs struct {
	byName map[string]uint32 // `"schema"."relation"` to OID
}

// RelationOIDsOf are the OIDs that Fill gives, without the rows of the catalog.
func RelationOIDsOf(in Input) RelationOIDs {
	return newLayout(in, nil).relationOIDs()
}

// RelationOID is pg_class.oid of a relation, for RowDescription and for regclass constants; 0
// if the relation does not exist. A type's relations are also found under the quoted original
// of the type's name.
func (r RelationOIDs) RelationOID(schema, name string) uint32 {
	return r.byName[objectKey(schema, name)]
}
