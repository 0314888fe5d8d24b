package database

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
)

// catalogs are the versions of pg_catalog that transactions read, each at its pin, and
// the engine's tables of them.
type catalogs struct {
	sync.Mutex
	versions map[string]*CatalogVersion
	newest   atomic.Pointer[CatalogVersion] // what a transaction at the head reads, nil before the first
	numbered atomic.Pointer[numbered]       // of the version asked for last
	tables   map[*pgcatalog.Relation][]*catalogTable
	made     int      // tables
	views    sync.Map // *pgcatalog.View by the number of a session
}

// numbered are the OIDs of the relations at a version of the catalog.
type numbered struct {
	version string
	pgcatalog.RelationOIDs
}

// CatalogVersion is pg_catalog at one version of the catalog. It exists as long as a
// session has acquired it; the newest exists until there is a newer one.
type CatalogVersion struct {
	*pgcatalog.Filled
	key     string
	holders int
	tables  map[*pgcatalog.Relation][]*catalogTable // of the parts of those that statements have read
}

// catalogTable is a table of the engine with rows of a relation. All versions with the same
// rows share it.
type catalogTable struct {
	name   string // as SQL needs it
	source string // its rows, the name where it has all columns
	rows   []*column.Batch
	uses   int // versions that have it
}

// OrdinaryTables are the ordinary tables that a session sees.
type OrdinaryTables struct {
	Schemas  []pgcatalog.TableSchema
	Defaults []pgcatalog.DefaultGrants // on what is created in any of them
	Version  string                    // tells them apart from those before and of other sessions
	Own      bool                      // no other session sees the same
}

// AcquireCatalog gives pg_catalog at a version of the catalog, with ordinary tables. The
// caller releases it.
func (db *Database) AcquireCatalog(ctx context.Context, c *catalog.Catalog, r *roles.Roles, ordinary OrdinaryTables) (*CatalogVersion, error) {
	all := &db.catalog
	all.Lock()
	defer all.Unlock()
	if ordinary.Own && all.newest.Load() == nil { // which defines the functions
		v, err := db.acquireCatalog(ctx, c, r, OrdinaryTables{})
		if err != nil {
			return nil, err
		}
		v.holders--
	}
	return db.acquireCatalog(ctx, c, r, ordinary)
}

// acquireCatalog is AcquireCatalog for a caller that holds the lock.
func (db *Database) acquireCatalog(ctx context.Context, c *catalog.Catalog, r *roles.Roles, ordinary OrdinaryTables) (*CatalogVersion, error) {
	all := &db.catalog
	_, others := db.Others()
	key := fmt.Sprintf("%s %x %d %s", c.Version, r.Version(), others, ordinary.Version)
	v := all.versions[key]
	if v == nil {
		newest := all.newest.Load()
		var earlier *pgcatalog.Filled
		if newest != nil {
			earlier = newest.Filled
		}
		in := db.catalogInput(c, r)
		in.Schemas, in.Defaults = ordinary.Schemas, ordinary.Defaults
		filled, err := pgcatalog.Fill(in, earlier)
		if err != nil {
			return nil, err
		}
		if newest == nil {
			if err := db.defineCatalog(ctx, filled); err != nil {
				return nil, err
			}
		}
		v = &CatalogVersion{Filled: filled, key: key, tables: map[*pgcatalog.Relation][]*catalogTable{}}
		v.share(newest)
		all.versions[key] = v
	}
	v.holders++
	// The version of a pin of the past, of an uncommitted change of the schema, or with
	// tables of one session is not what the next transaction reads.
	if newest, last := all.newest.Load(), db.LastPin(); !ordinary.Own && (newest == nil || newest != v && last != nil && last.Catalog.Version == c.Version) {
		all.newest.Store(v)
		if newest != nil && newest.holders == 0 {
			return v, db.drop(ctx, newest)
		}
	}
	return v, nil
}

// share takes over the tables of another version that have the same rows.
func (v *CatalogVersion) share(other *CatalogVersion) {
	if other == nil {
		return
	}
	for r, tables := range other.tables { // of information_schema only those that were read
		rows, err := v.Rows(r)
		if err != nil {
			continue
		}
		parts := parted(rows)
		for i := len(v.tables[r]); i < min(len(parts), len(tables)) && slices.Equal(parts[i], tables[i].rows); i++ {
			v.tables[r] = append(v.tables[r], tables[i])
			tables[i].uses++
		}
	}
}

// ReleaseCatalog ends what AcquireCatalog began.
func (db *Database) ReleaseCatalog(ctx context.Context, v *CatalogVersion) error {
	db.catalog.Lock()
	defer db.catalog.Unlock()
	if v.holders--; v.holders > 0 || v == db.catalog.newest.Load() {
		return nil
	}
	return db.drop(ctx, v)
}

// drop removes a version that no session has, and drops the tables that no other version
// has. The newest version keeps those with its rows, although no statement has read them there.
func (db *Database) drop(ctx context.Context, v *CatalogVersion) error {
	all := &db.catalog
	all.newest.Load().share(v)
	delete(all.versions, v.key)
	var gone []string
	for r, tables := range v.tables {
		for _, table := range tables {
			if table.uses--; table.uses == 0 {
				all.tables[r] = slices.DeleteFunc(all.tables[r], func(t *catalogTable) bool { return t == table })
				gone = append(gone, "DROP TABLE "+table.name)
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	conn, err := db.Engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.ExecTogether(ctx, gone); err != nil {
		return fmt.Errorf("drop a version of the catalog: %w", err)
	}
	return nil
}

// defineCatalog creates the functions of pg_catalog and the tables that they read.
func (db *Database) defineCatalog(ctx context.Context, filled *pgcatalog.Filled) error {
	conn, err := db.Engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, r := range pgcatalog.Tables() {
		if r.Schema != "" {
			continue
		}
		rows, err := filled.Rows(r)
		if err != nil {
			return err
		}
		if err := conn.Load(ctx, pgcatalog.Schema, r.Table(), r.Columns, rows.All()...); err != nil {
			return err
		}
	}
	for _, macro := range pgcatalog.Macros() {
		if err := conn.Exec(ctx, macro); err != nil {
			return fmt.Errorf("define catalog functions: %w", err)
		}
	}
	return nil
}
