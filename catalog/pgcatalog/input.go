package pgcatalog

import (
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

// Input is what the rows are made from.
type Input struct {
	Database  string   // the name clients connected to
	Databases []string // the others that this server serves
	Users     []User   // the roles beside Owner
	Catalog   *catalog.Catalog
	// Virtual are the relations that are no type's, such as ontosql.commits.
	Virtual []Virtual
}

// User is a role that can log in.
type User struct {
	Name      string
	Superuser bool
}

// Virtual is a view that the gateway answers itself.
type Virtual struct {
	Schema, Name, Comment string
	Columns               []VirtualColumn
}

// VirtualColumn is a column of a Virtual.
type VirtualColumn struct {
	column.Named
	Comment string
}

// Filled is the whole catalog of one database. It never changes; a new Catalog
// is filled anew.
type Filled struct {
	// Batches are the rows by Relation.Table. A relation that has none is
	// absent: its table stays empty.
	Batches map[string]*column.Batch

	byName    map[string]uint32 // `"schema"."relation"` to OID
	databases map[string]uint32
	roles     map[string]uint32
}

// DatabaseOID is pg_database.oid, 0 for a database that is not there.
func (f *Filled) DatabaseOID(name string) uint32 { return f.databases[name] }

// RoleOID is pg_roles.oid, 0 for a role that is not there.
func (f *Filled) RoleOID(name string) uint32 { return f.roles[name] }

// RelationOID is pg_class.oid of a relation, for RowDescription and for
// regclass constants; 0 when there is none. A type's relations are found under
// the quoted original of the type's name too.
func (f *Filled) RelationOID(schema, name string) uint32 {
	return f.byName[objectKey(schema, name)]
}

// Regclass resolves the text of a 'name'::regclass: a relation's name, quoted
// as in SQL, qualified or found along path, or digits. pg_catalog is searched
// first unless path names it. It reports false where PostgreSQL answers 42P01.
func (f *Filled) Regclass(text string, path []string) (oid uint32, ok bool) {
	if oid, ok := parseOID(text); ok {
		return oid, true
	}
	parts, ok := splitName(text)
	if !ok {
		return 0, false
	}
	if n := len(parts); n > 1 {
		oid = f.RelationOID(parts[n-2], parts[n-1])
		return oid, oid != 0
	}
	for _, schema := range withCatalog(path) {
		if oid = f.RelationOID(schema, parts[0]); oid != 0 {
			return oid, true
		}
	}
	return 0, false
}
