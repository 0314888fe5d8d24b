package session

import (
	"fmt"
	"slices"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/workspace"
)

// HasTempTables reports whether the session has temporary tables.
func (s *Session) HasTempTables() bool { return len(s.Tables.Objects.All()) > 0 }

// catalogTables are the session's temporary tables as pg_catalog shows them, nil for none.
func (s *Session) catalogTables() *pgcatalog.TempTables {
	tables := s.Tables.Objects.All()
	if len(tables) == 0 {
		return nil
	}
	out := &pgcatalog.TempTables{Schema: fmt.Sprintf("pg_temp_%d", s.Serial)}
	for _, t := range tables {
		c := pgcatalog.Table{Name: t.Name}
		for _, k := range t.Columns {
			c.Columns = append(c.Columns, pgcatalog.TableColumn{Name: k.Name, Type: k.Type.OID, Typmod: k.Type.Typmod, NotNull: k.NotNull, Default: k.Default})
		}
		if t.Key != nil {
			key := catalogKey(t, *t.Key)
			c.Key = &key
		}
		for _, u := range t.Uniques {
			c.Uniques = append(c.Uniques, catalogKey(t, u))
		}
		for _, k := range t.Checks {
			c.Checks = append(c.Checks, pgcatalog.TableCheck{Name: k.Name, Text: k.Text, Columns: places(t, k.Columns)})
		}
		out.Tables = append(out.Tables, c)
	}
	return out
}

// catalogKey is a constraint as pg_catalog shows it.
func catalogKey(t *workspace.Table, u workspace.Unique) pgcatalog.TableKey {
	return pgcatalog.TableKey{Name: u.Name, Columns: places(t, u.Columns)}
}

// places are the places of columns among those of a table, from 1.
func places(t *workspace.Table, numbers []int) []int16 {
	var out []int16
	for _, number := range numbers {
		out = append(out, int16(slices.IndexFunc(t.Columns, func(c workspace.Column) bool { return c.Number == number })+1))
	}
	return out
}
