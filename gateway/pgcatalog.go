package gateway

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/resolver"
)

// prepareCatalog makes pg_catalog and its functions show pin's catalog to a plan that
// reads them.
func (s *Session) prepareCatalog(ctx context.Context, pin *resolver.Pin, p *plan) error {
	if !p.catalog {
		return nil
	}
	if err := s.applyPath(ctx); err != nil {
		return err
	}
	var draft *schemaDraft
	if s.drafted(pin) {
		draft = s.tx.schema
		pin = draft.base // what is not committed, nobody else sees
	}
	if err := s.refreshCatalog(ctx, pin); err != nil {
		return err
	}
	return s.applyDraft(ctx, draft)
}

// refreshCatalog fills the tables that all sessions read, when they show another
// catalog than pin's.
func (s *Session) refreshCatalog(ctx context.Context, pin *resolver.Pin) error {
	db := s.db
	db.catalog.Lock()
	defer db.catalog.Unlock()
	if db.catalog.version == pin.Catalog.Version && db.catalog.filled.Load() != nil {
		return nil
	}
	filled, err := db.fillCatalog(pin.Catalog, s.gateway.superuser)
	if err != nil {
		return err
	}
	conn, err := db.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	old := db.catalog.filled.Load()
	first := old == nil
	var tables []duckdb.Table
	for _, r := range pgcatalog.Tables() {
		t := duckdb.Table{Name: r.Table(), Columns: r.Columns}
		b := filled.Batches[r.Table()]
		if b != nil {
			t.Batches = append(t.Batches, b)
		}
		if first || b != nil && b != old.Batches[r.Table()] {
			tables = append(tables, t)
		}
	}
	if err := conn.LoadAll(ctx, pgcatalog.Schema, tables); err != nil {
		return err
	}
	if first {
		for _, macro := range pgcatalog.Macros() {
			if err := conn.Exec(ctx, macro); err != nil {
				return fmt.Errorf("define catalog functions: %w", err)
			}
		}
	}
	db.catalog.filled.Store(filled)
	db.catalog.version = pin.Catalog.Version
	return nil
}

// meet makes a role of a user who opens a session.
func (db *Database) meet(user string) {
	db.catalog.Lock()
	defer db.catalog.Unlock()
	if !db.catalog.users[user] {
		db.catalog.users[user] = true
		db.catalog.version = "" // the tables lack the role
	}
}

func (db *Database) fillCatalog(c *catalog.Catalog, superuser bool) (*pgcatalog.Filled, error) {
	in := pgcatalog.Input{Database: db.Name, Databases: db.peers, Catalog: c}
	for _, name := range slices.Sorted(maps.Keys(db.catalog.users)) {
		in.Users = append(in.Users, pgcatalog.User{Name: name, Superuser: superuser})
	}
	for _, v := range virtuals {
		out := pgcatalog.Virtual{Schema: v.schema, Name: v.name, Comment: v.about}
		for i, named := range v.named() {
			out.Columns = append(out.Columns, pgcatalog.VirtualColumn{Named: named, Comment: v.columns[i].about})
		}
		in.Virtual = append(in.Virtual, out)
	}
	return pgcatalog.Fill(in)
}

// attribute is the OID and attribute number of a relation's column, 0 while the
// catalog has not been asked for yet or does not have it.
func (db *Database) attribute(r *relation, name string) (table uint32, attnum int16) {
	filled := db.catalog.filled.Load()
	if filled == nil {
		return 0, 0
	}
	oid := filled.RelationOID(r.shape.Schema, r.shape.Table)
	for i, c := range r.shape.Columns {
		if c.Name == name && oid != 0 {
			return oid, int16(i + 1)
		}
	}
	return 0, 0
}

// catalogTable is the engine's table of a relation of the catalog. The time zones
// are the engine's own.
func catalogTable(r *pgcatalog.Relation) string {
	if r.Schema == schemaCatalog && r.Name == "pg_timezone_names" {
		return "(SELECT name, abbrev, utc_offset, is_dst FROM main.pg_timezone_names())"
	}
	return pgcatalog.Schema + "." + duckdb.Ident(r.Table())
}

// withPlaces numbers the rows of a relation of the catalog as if all lay in the
// first page of a heap.
func withPlaces(fragment, name string) string {
	return "SELECT *, '(0,' || row_number() OVER () || ')' AS " + duckdb.Ident(name) + " FROM (" + fragment + ")"
}
