package gateway

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/resolver"
)

// prepareCatalog makes pg_catalog and its functions show pin's catalog to a plan that
// reads them.
func (s *Session) prepareCatalog(ctx context.Context, pin *resolver.Pin, p *plan) error {
	if !p.catalog {
		return nil
	}
	shown, err := s.db.show(ctx, pin.Catalog, s.gateway.superuser)
	if err != nil {
		return err
	}
	s.letGoCatalog(ctx)
	s.shown = shown
	return s.see(ctx, shown.View(s.namedPath()))
}

// letGoCatalog gives back the version of pg_catalog that the transaction has read.
func (s *Session) letGoCatalog(ctx context.Context) {
	if s.shown == nil {
		return
	}
	if err := s.db.letGo(context.WithoutCancel(ctx), s.shown); err != nil {
		s.log.WarnContext(ctx, "tables of the catalog stay", "error", err)
	}
	s.shown = nil
}

// see lets the functions of the catalog answer from a view.
func (s *Session) see(ctx context.Context, v *pgcatalog.View) error {
	if s.view == v {
		return nil
	}
	conn, err := s.freeConn(ctx) // an open stream still asks the old view
	if err != nil {
		return err
	}
	if s.view == nil {
		if err := conn.Exec(ctx, fmt.Sprintf("SET VARIABLE %s = %d", pgcatalog.SessionVariable, s.serial)); err != nil {
			return err
		}
	}
	s.prepared.clear() // what the engine found when it planned
	s.db.catalog.views.Store(int64(s.serial), v)
	s.view = v
	return nil
}

// seen is what a session sees of the catalog, nil before it asks.
func (db *Database) seen(session int64) *pgcatalog.View {
	v, _ := db.catalog.views.Load(session)
	view, _ := v.(*pgcatalog.View)
	return view
}

// meet makes a role of a user who opens a session.
func (db *Database) meet(user string) {
	db.catalog.Lock()
	defer db.catalog.Unlock()
	db.catalog.users[user] = true
}

// roles is the number of users who have opened a session: each came as a role.
func (db *Database) roles() uint64 {
	db.catalog.Lock()
	defer db.catalog.Unlock()
	return uint64(len(db.catalog.users))
}

// catalogInput is what the rows of pg_catalog are made from.
func (db *Database) catalogInput(c *catalog.Catalog, superuser bool) pgcatalog.Input {
	in := pgcatalog.Input{Database: db.Name, Databases: db.peers, Catalog: c}
	for _, name := range slices.Sorted(maps.Keys(db.catalog.users)) {
		in.Users = append(in.Users, pgcatalog.User{Name: name, Superuser: superuser})
	}
	in.Virtual = introspect.CatalogRelations()
	return in
}

// attribute is the OID and attribute number of a relation's column at a version of the
// catalog, 0 where that does not have it.
func (db *Database) attribute(c *catalog.Catalog, r *relation, name string) (table uint32, attnum int16) {
	oid := db.relationOIDs(c).RelationOID(r.shape.Schema, r.shape.Table)
	for i, c := range r.shape.Columns {
		if c.Name == name && oid != 0 {
			return oid, int16(i + 1)
		}
	}
	return 0, 0
}

// relationOIDs are the OIDs of the relations at a version of the catalog. They are known
// before anybody has asked for the rows of pg_catalog.
func (db *Database) relationOIDs(c *catalog.Catalog) pgcatalog.RelationOIDs {
	if last := db.catalog.numbered.Load(); last != nil && last.version == c.Version {
		return last.RelationOIDs
	}
	db.catalog.Lock()
	in := db.catalogInput(c, false)
	db.catalog.Unlock()
	made := &numbered{c.Version, pgcatalog.RelationOIDsOf(in)}
	db.catalog.numbered.Store(made)
	return made.RelationOIDs
}

// withPlaces numbers the rows of a relation of the catalog as if all lay in the
// first page of a heap.
func withPlaces(source, name string) string {
	return "(SELECT *, '(0,' || row_number() OVER () || ')' AS " + duckdb.Ident(name) + " FROM " + source + ")"
}
