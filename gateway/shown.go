package gateway

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// catalogs are the versions of pg_catalog that sessions see, each as its transaction is
// pinned, and the engine's tables of them.
type catalogs struct {
	sync.Mutex
	users    map[string]bool // who has opened a session: each is a role
	versions map[string]*shownCatalog
	newest   atomic.Pointer[shownCatalog] // what a session without a pin of its own sees, nil before the first
	tables   map[*pgcatalog.Relation][]*catalogTable
	made     int      // tables
	views    sync.Map // what each session sees, a *pgcatalog.View by its serial
}

// shownCatalog is pg_catalog at one version. It stays as long as a session holds it, the
// newest until there is another.
type shownCatalog struct {
	*pgcatalog.Filled
	key     string
	holders int
	tables  map[*pgcatalog.Relation]*catalogTable // those that somebody has asked for
}

// catalogTable is a table of the engine with the rows of a relation. All versions that
// have the same rows share it.
type catalogTable struct {
	name string // as SQL needs it
	rows []*column.Batch
	uses int // versions that have it
}

// show gives pg_catalog at a version of the catalog. The caller lets it go.
func (db *Database) show(ctx context.Context, c *catalog.Catalog, superuser bool) (*shownCatalog, error) {
	all := &db.catalog
	all.Lock()
	defer all.Unlock()
	key := fmt.Sprintf("%s %d", c.Version, len(all.users))
	v := all.versions[key]
	if v == nil {
		newest := all.newest.Load()
		var earlier *pgcatalog.Filled
		if newest != nil {
			earlier = newest.Filled
		}
		filled, err := pgcatalog.Fill(db.catalogInput(c, superuser), earlier)
		if err != nil {
			return nil, err
		}
		if newest == nil {
			if err := db.defineCatalog(ctx, filled); err != nil {
				return nil, err
			}
		}
		v = &shownCatalog{Filled: filled, key: key, tables: map[*pgcatalog.Relation]*catalogTable{}}
		v.share(newest)
		all.versions[key] = v
	}
	v.holders++
	// A version that only a transaction sees, of the past or of a change of its own, is
	// not what the next one asks for.
	if newest, last := all.newest.Load(), db.lastPin(); newest == nil || newest != v && last != nil && last.Catalog.Version == c.Version {
		all.newest.Store(v)
		if newest != nil && newest.holders == 0 {
			return v, db.drop(ctx, newest)
		}
	}
	return v, nil
}

// share takes over the tables of another version that hold the same rows.
func (v *shownCatalog) share(other *shownCatalog) {
	if other == nil {
		return
	}
	for r, table := range other.tables {
		if r.Schema == schemaInformation { // asking for its rows would make them
			continue
		}
		if rows, err := v.Rows(r); err == nil && slices.Equal(rows, table.rows) {
			v.tables[r] = table
			table.uses++
		}
	}
}

// letGo ends what show began.
func (db *Database) letGo(ctx context.Context, v *shownCatalog) error {
	db.catalog.Lock()
	defer db.catalog.Unlock()
	if v.holders--; v.holders > 0 || v == db.catalog.newest.Load() {
		return nil
	}
	return db.drop(ctx, v)
}

// drop forgets a version that nobody holds, and drops the tables that no other has.
func (db *Database) drop(ctx context.Context, v *shownCatalog) error {
	all := &db.catalog
	delete(all.versions, v.key)
	var gone []string
	for r, table := range v.tables {
		if table.uses--; table.uses == 0 {
			all.tables[r] = slices.DeleteFunc(all.tables[r], func(t *catalogTable) bool { return t == table })
			gone = append(gone, table.name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	conn, err := db.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, name := range gone {
		if err := conn.Exec(ctx, "DROP TABLE "+name); err != nil {
			return fmt.Errorf("drop a version of the catalog: %w", err)
		}
	}
	return nil
}

// defineCatalog makes the functions of pg_catalog, with the tables that they read.
func (db *Database) defineCatalog(ctx context.Context, filled *pgcatalog.Filled) error {
	conn, err := db.engine.Conn(ctx)
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
		if err := conn.Load(ctx, pgcatalog.Schema, r.Table(), r.Columns, rows...); err != nil {
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

// catalogSource is what stands for a relation of the catalog in a statement. The time
// zones are the engine's own.
func (db *Database) catalogSource(ctx context.Context, v *shownCatalog, r *pgcatalog.Relation) (string, error) {
	if r.Schema == schemaCatalog && r.Name == "pg_timezone_names" {
		return "(SELECT name, abbrev, utc_offset, is_dst FROM main.pg_timezone_names())", nil
	}
	derived, err := r.Derived(db.Name, func(of *pgcatalog.Relation) (string, error) { return db.catalogSource(ctx, v, of) })
	if derived != "" {
		return "(" + scan.Empty(r.Columns) + " UNION ALL BY NAME (" + derived + "))", err
	}
	if err != nil {
		return "", err
	}
	rows, err := v.Rows(r)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "(" + scan.Empty(r.Columns) + ")", nil
	}
	return db.catalogTable(ctx, v, r, rows)
}

// catalogTable is the engine's table of a relation, which is made when it is first asked
// for.
func (db *Database) catalogTable(ctx context.Context, v *shownCatalog, r *pgcatalog.Relation, rows []*column.Batch) (string, error) {
	all := &db.catalog
	all.Lock()
	defer all.Unlock()
	if table := v.tables[r]; table != nil {
		return table.name, nil
	}
	at := slices.IndexFunc(all.tables[r], func(t *catalogTable) bool { return slices.Equal(t.rows, rows) })
	if at < 0 {
		conn, err := db.engine.Conn(ctx)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		name := fmt.Sprintf("%s %d", r.Table(), all.made)
		if err := conn.Load(ctx, pgcatalog.Schema, name, r.Columns, rows...); err != nil {
			return "", err
		}
		all.made++
		at = len(all.tables[r])
		all.tables[r] = append(all.tables[r], &catalogTable{name: pgcatalog.Schema + "." + duckdb.Ident(name), rows: rows})
	}
	table := all.tables[r][at]
	table.uses++
	v.tables[r] = table
	return table.name, nil
}
