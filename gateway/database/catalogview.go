package database

import (
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/introspect"
)

// SetView sets what the functions of pg_catalog answer from in a session.
func (db *Database) SetView(session uint64, v *pgcatalog.View) {
	db.catalog.views.Store(int64(session), v)
}

// view is what the functions of pg_catalog answer from in a session, nil before SetView.
func (db *Database) view(session int64) *pgcatalog.View {
	v, _ := db.catalog.views.Load(session)
	view, _ := v.(*pgcatalog.View)
	return view
}

// catalogInput is what the rows of pg_catalog are made from.
func (db *Database) catalogInput(c *catalog.Catalog, r *roles.Roles) pgcatalog.Input {
	others, _ := db.Others()
	return pgcatalog.Input{Database: db.Name, Databases: others, Catalog: c, Roles: r, Virtual: introspect.CatalogRelations()}
}

// Attribute is the OID of a relation and the number of its column at a version of the
// catalog, 0 if the catalog does not have it. columns are all columns of the relation.
func (db *Database) Attribute(c *catalog.Catalog, schema, relation string, columns []column.Named, name string) (table uint32, attnum int16) {
	oid := db.relationOIDs(c).RelationOID(schema, relation)
	for i, c := range columns {
		if c.Name == name && oid != 0 {
			return oid, int16(i + 1)
		}
	}
	return 0, 0
}

// relationOIDs are the OIDs of the relations at a version of the catalog. They do not
// depend on the rows of pg_catalog.
func (db *Database) relationOIDs(c *catalog.Catalog) pgcatalog.RelationOIDs {
	if last := db.catalog.numbered.Load(); last != nil && last.version == c.Version {
		return last.RelationOIDs
	}
	made := &numbered{c.Version, pgcatalog.RelationOIDsOf(db.catalogInput(c, roles.Initial()))}
	db.catalog.numbered.Store(made)
	return made.RelationOIDs
}
