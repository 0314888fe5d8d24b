package gateway

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
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
	numbered atomic.Pointer[numbered]     // of the version that was asked for last
	tables   map[*pgcatalog.Relation][]*catalogTable
	made     int      // tables
	views    sync.Map // what each session sees, a *pgcatalog.View by its serial
}

// numbered are the OIDs of the relations at a version of the catalog.
type numbered struct {
	version string
	pgcatalog.RelationOIDs
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
	name   string // as SQL needs it
	source string // its rows, the name where it has all columns
	rows   []*column.Batch
	uses   int // versions that have it
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
	for r, table := range other.tables { // of information_schema only those that were asked for
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
	if r.Schema == catalog.SchemaCatalog && r.Name == "pg_timezone_names" {
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
		return table.source, nil
	}
	at := slices.IndexFunc(all.tables[r], func(t *catalogTable) bool { return slices.Equal(t.rows, rows) })
	if at < 0 {
		conn, err := db.engine.Conn(ctx)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		name := fmt.Sprintf("%s %d", r.Table(), all.made)
		table := &catalogTable{name: pgcatalog.Schema + "." + duckdb.Ident(name), rows: rows}
		table.source = table.name
		cols, stored := r.Columns, rows
		if r.Schema == catalog.SchemaInformation {
			cols, stored, table.source = varying(r.Columns, rows, table.name)
		}
		if err := conn.Load(ctx, pgcatalog.Schema, name, cols, stored...); err != nil {
			return "", err
		}
		all.made++
		at = len(all.tables[r])
		all.tables[r] = append(all.tables[r], table)
	}
	table := all.tables[r][at]
	table.uses++
	v.tables[r] = table
	return table.source, nil
}

// varying are the columns that a table of rows has to have, and their values. query says
// the others: of the views of information_schema most are one text or NULL throughout.
func varying(cols []column.Named, rows []*column.Batch, table string) (stored []column.Named, values []*column.Batch, query string) {
	values = make([]*column.Batch, len(rows))
	for i, b := range rows {
		values[i] = &column.Batch{Len: b.Len}
	}
	said := make([]string, len(cols))
	for i, c := range cols {
		said[i] = duckdb.Ident(c.Name)
		last := i == len(cols)-1 // a table has a column
		if text, ok := constantOf(rows, i); ok && !(last && len(stored) == 0) {
			said[i] = "CAST(" + text + " AS " + duckdb.TypeName(c.Type) + ") AS " + said[i]
			continue
		}
		stored = append(stored, c)
		for n, b := range rows {
			values[n].Cols = append(values[n].Cols, b.Cols[i])
		}
	}
	return stored, values, "(SELECT " + strings.Join(said, ", ") + " FROM " + table + ")"
}

// constantOf is what column i is in all rows, as SQL, if that is one text or NULL.
func constantOf(rows []*column.Batch, i int) (sql string, ok bool) {
	first := &rows[0].Cols[i]
	null := first.IsNull(0)
	if !null && first.Type.Kind != column.Text {
		return "", false
	}
	for _, b := range rows {
		c := &b.Cols[i]
		for n := range b.Len {
			if c.IsNull(n) != null || !null && !bytes.Equal(c.Str[n], first.Str[0]) {
				return "", false
			}
		}
	}
	if null {
		return "NULL", true
	}
	return duckdb.Literal(string(first.Str[0])), true
}
