package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// readShape reads the existing tables and columns. A file with at least one of an ontology's
// tables is a damaged ontology.
func (c *checker) readShape() error {
	c.columns = dbschema.Tables{}
	err := c.query(`SELECT s.name, p.name FROM sqlite_schema s, pragma_table_info(s.name) p WHERE s.type = 'table'`, func(row *lite.Stmt) {
		table := row.ColumnText(0)
		if c.columns[table] == nil {
			c.columns[table] = map[string]bool{}
		}
		c.columns[table][row.ColumnText(1)] = true
	})
	switch {
	case err != nil || slices.ContainsFunc(dbschema.RequiredShapes, func(s dbschema.Shape) bool { return c.columns[s.Name] != nil }):
		return err
	case len(c.columns) > 0:
		return fmt.Errorf("%w: it has none of an ontology's tables", sqlconn.ErrForeign)
	}
	return fmt.Errorf("%w: it has no tables", ontosql.ErrNotInitialised)
}

// has reports whether a table has all columns of its shape except the later ones; checkShape
// reports missing ones.
func (c *checker) has(table string) bool {
	for _, s := range slices.Concat(dbschema.RequiredShapes, dbschema.LaterShapes, []dbschema.Shape{dbschema.LayoutShape}, dbschema.EventShapes) {
		if s.Name == table {
			return c.columns[table] != nil && len(c.missing(table, s.Columns)) == 0
		}
	}
	return c.columns[table] != nil
}

func (c *checker) missing(table string, columns []string) (missing []string) {
	for _, name := range columns {
		if !c.columns[table][name] {
			missing = append(missing, name)
		}
	}
	return missing
}

// checkShape compares the tables with those of a current writer.
func (c *checker) checkShape() error {
	const check = "tables"
	for _, s := range dbschema.RequiredShapes {
		c.checkTable(s, SeverityError, "does not exist")
	}
	for _, s := range dbschema.LaterShapes {
		c.checkTable(s, SeverityWarning, "does not exist; the next writer makes it")
	}
	there := func(s dbschema.Shape) bool { return c.columns[s.Name] != nil }
	if slices.ContainsFunc(dbschema.EventShapes, there) {
		for _, s := range dbschema.EventShapes {
			c.checkTable(s, SeverityWarning, "does not exist, and other tables of events do")
		}
	}
	indexes := map[string]bool{}
	err := c.query(`SELECT name FROM sqlite_schema WHERE type = 'index'`, func(row *lite.Stmt) { indexes[row.ColumnText(0)] = true })
	for _, s := range slices.Concat(dbschema.RequiredShapes, dbschema.EventShapes) {
		for _, name := range s.Indexes {
			if there(s) && !indexes[name] {
				c.add(check, SeverityWarning, s.Name, 0, "the index %s does not exist: look-ups read the whole table", name)
			}
		}
	}
	return err
}

// checkTable compares one table; absent is the message if it is missing.
func (c *checker) checkTable(s dbschema.Shape, without Severity, absent string) {
	const check = "tables"
	if c.columns[s.Name] == nil {
		c.add(check, without, s.Name, 0, "%s", absent)
		return
	}
	if missing := c.missing(s.Name, s.Columns); len(missing) > 0 {
		c.add(check, SeverityError, s.Name, 0, "lacks %s", strings.Join(missing, ", "))
	}
	if missing := c.missing(s.Name, s.LaterColumns); len(missing) > 0 {
		c.add(check, SeverityWarning, s.Name, 0, "lacks %s; the next writer adds it", strings.Join(missing, ", "))
	}
}

// checkEngine reads the engine's marker. A file without one is v1 (COMPAT 4.2).
func (c *checker) checkEngine() error {
	const check, table = "engine", "storage_meta"
	c.engine = format.EngineV1
	if c.columns[table] == nil {
		return nil
	}
	meta := map[string]string{}
	err := c.query(`SELECT key, value FROM storage_meta`, func(row *lite.Stmt) { meta[row.ColumnText(0)] = row.ColumnText(1) })
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		switch value := meta[key]; {
		case key == "engine_version":
			c.engine = value
			if value != format.EngineV1 && value != format.EngineV2 {
				c.add(check, SeverityError, table, 0, "engine_version is %q, which nobody knows", value)
			}
		case key == "backend" && value != "sqlite":
			c.add(check, SeverityError, table, 0, "backend is %q, want \"sqlite\"", value)
		}
	}
	if c.engine == format.EngineV2 {
		c.checkTable(dbschema.LayoutShape, SeverityError, "does not exist, and the engine is v2")
	}
	return err
}
