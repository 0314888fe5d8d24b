package database

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// CatalogSource is the FROM item of SQL for a relation of pg_catalog or
// information_schema. pg_timezone_names is the engine's own.
func (db *Database) CatalogSource(ctx context.Context, v *CatalogVersion, r *pgcatalog.Relation) (string, error) {
	if r.Schema == catalog.SchemaCatalog && r.Name == "pg_timezone_names" {
		return "(SELECT name, abbrev, utc_offset, is_dst FROM main.pg_timezone_names())", nil
	}
	derived, err := r.Derived(db.Name, func(of *pgcatalog.Relation) (string, error) { return db.CatalogSource(ctx, v, of) })
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
	parts := parted(rows)
	if len(parts) == 0 {
		return "(" + scan.Empty(r.Columns) + ")", nil
	}
	tables, err := db.catalogTables(ctx, v, r, parts)
	if err != nil || len(tables) == 1 {
		return strings.Join(tables, ""), err
	}
	return "(SELECT * FROM " + strings.Join(tables, " UNION ALL SELECT * FROM ") + ")", nil
}

// fewestLasting is the number of rows that are worth a table of the engine which stays when
// ordinary tables change.
const fewestLasting = 500

// parted are the rows of a relation as the engine has them: each part in a table.
func parted(rows pgcatalog.Rows) [][]*column.Batch {
	lasting := 0
	for _, b := range rows.Lasting {
		lasting += b.Len
	}
	switch {
	case len(rows.Others) == 0 && lasting == 0:
		return nil
	case len(rows.Others) > 0 && lasting >= fewestLasting:
		return [][]*column.Batch{rows.Lasting, rows.Others}
	}
	return [][]*column.Batch{rows.All()}
}

// catalogTables are the FROM items of the engine's tables of the parts of a relation. They are
// created when a statement first reads the relation.
func (db *Database) catalogTables(ctx context.Context, v *CatalogVersion, r *pgcatalog.Relation, parts [][]*column.Batch) (sources []string, err error) {
	all := &db.catalog
	all.Lock()
	defer all.Unlock()
	for _, part := range parts[len(v.tables[r]):] {
		table, err := db.catalogTable(ctx, r, part)
		if err != nil {
			return nil, err
		}
		table.uses++
		v.tables[r] = append(v.tables[r], table)
	}
	for _, table := range v.tables[r] {
		sources = append(sources, table.source)
	}
	return sources, nil
}

// catalogTable is the engine's table of rows of a relation. The caller holds the lock.
func (db *Database) catalogTable(ctx context.Context, r *pgcatalog.Relation, rows []*column.Batch) (*catalogTable, error) {
	all := &db.catalog
	if at := slices.IndexFunc(all.tables[r], func(t *catalogTable) bool { return slices.Equal(t.rows, rows) }); at >= 0 {
		return all.tables[r][at], nil
	}
	conn, err := db.Engine.Conn(ctx)
	if err != nil {
		return nil, err
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
		return nil, err
	}
	all.made++
	all.tables[r] = append(all.tables[r], table)
	return table, nil
}

// varying are the columns whose values differ between rows, which are stored in a table,
// and their values. query adds the others as constants: most columns of the views of
// information_schema have one text or NULL in all rows.
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

// constantOf is the value of column i as SQL, if it is one text or NULL in all rows.
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
