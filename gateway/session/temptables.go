package session

import (
	"fmt"

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
		c := pgcatalog.Table{Name: t.Name, Comment: t.Comment, Columns: make([]pgcatalog.TableColumn, t.NextNumber()-1)}
		for _, k := range t.Columns {
			c.Columns[k.Number-1] = pgcatalog.TableColumn{
				Name: k.Name, Type: k.Type.OID, Typmod: k.Type.Typmod, NotNull: k.NotNull, Default: k.Default, Comment: k.Comment,
			}
		}
		for _, k := range t.Dropped {
			c.Columns[k.Number-1] = pgcatalog.TableColumn{Type: k.Type.OID, Typmod: k.Type.Typmod, Dropped: true}
		}
		if t.Key != nil {
			key := catalogKey(*t.Key)
			c.Key = &key
		}
		for _, u := range t.Uniques {
			c.Uniques = append(c.Uniques, catalogKey(u))
		}
		for _, k := range t.Checks {
			c.Checks = append(c.Checks, pgcatalog.TableCheck{Name: k.Name, Text: k.Text, Columns: numbers(k.Columns), NotValid: k.NotValid})
		}
		out.Tables = append(out.Tables, c)
	}
	return out
}

// catalogKey is a constraint as pg_catalog shows it.
func catalogKey(u workspace.Unique) pgcatalog.TableKey {
	return pgcatalog.TableKey{Name: u.Name, Columns: numbers(u.Columns)}
}

// numbers are the numbers of columns as pg_catalog has them.
func numbers(of []int) []int16 {
	var out []int16
	for _, n := range of {
		out = append(out, int16(n))
	}
	return out
}
