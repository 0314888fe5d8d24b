package session

import (
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/workspace"
)

// catalogViews are the views of a schema as pg_catalog shows them.
func (s *Session) catalogViews(schema string) (out []pgcatalog.StoredView) {
	for _, v := range s.Tables.Of(schema).Views() {
		if v.Schema == schema && !v.Materialized {
			out = append(out, s.catalogView(v))
		}
	}
	return out
}

// catalogView is a view as pg_catalog shows it.
func (s *Session) catalogView(v *workspace.View) pgcatalog.StoredView {
	c := pgcatalog.StoredView{Name: v.Name, Definition: v.Definition, Comment: v.Comment, Options: v.Options, Grants: catalogGrants(v.Grants)}
	for _, k := range v.Columns {
		c.Columns = append(c.Columns, pgcatalog.TableColumn{Name: k.Name, Type: k.Type.OID, Typmod: k.Type.Typmod, Comment: k.Comment, Default: k.Default})
	}
	for _, u := range v.Uses {
		use := pgcatalog.ViewUse{Schema: u.Schema, Name: u.Name}
		stored := s.Tables.Table(u.Schema, u.Name) != nil
		for i, k := range u.Columns {
			number := i + 1
			if stored {
				number = int(k.ID)
			}
			if k.Read {
				use.Columns = append(use.Columns, number)
			}
		}
		c.Uses = append(c.Uses, use)
	}
	return c
}
