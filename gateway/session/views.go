package session

import (
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/workspace"
)

// catalogViews are the views of a schema as pg_catalog shows them.
func (s *Session) catalogViews(schema string) (out []pgcatalog.StoredView) {
	for _, v := range s.Tables.Of(schema).Views() {
		if v.Schema == schema && !v.Materialized {
			out = append(out, s.catalogView(v, v.ColumnNames()))
		}
	}
	return out
}

// catalogView is a view as pg_catalog shows it. columns are the names of its columns.
func (s *Session) catalogView(v *workspace.View, columns []string) pgcatalog.StoredView {
	c := pgcatalog.StoredView{Name: v.Name, Definition: s.viewText(v, columns), Comment: v.Comment, Options: v.Options, Grants: catalogGrants(v.Grants)}
	for _, k := range v.Columns {
		c.Columns = append(c.Columns, pgcatalog.TableColumn{Name: k.Name, Type: k.Type.OID, Typmod: k.Type.Typmod, Comment: k.Comment, Default: k.Default})
	}
	events, fixed := s.updatable(v, nil)
	c.Writes, c.Deletes, c.Fixed = events.writes, events.deletes, fixed
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

// events are the kinds of writes that a relation allows.
type events struct{ writes, deletes bool }

// updatable tells which writes a view allows, and which of its columns cannot be written.
// around are the views that are being looked at.
func (s *Session) updatable(v *workspace.View, around []*workspace.View) (allows events, fixed []int16) {
	if v.Through == nil || slices.Contains(around, v) {
		return allows, nil
	}
	u := v.Uses[v.Through.Use]
	var below []int16 // columns of a view that cannot be written
	of := s.Tables.Of(u.Schema).View(u.Schema, u.Name)
	switch t := s.Tables.Table(u.Schema, u.Name); {
	case of != nil:
		allows, below = s.updatable(of, append(around, v))
	case t != nil:
		allows = events{t.View == nil, t.View == nil}
	case u.Schema == catalog.SchemaPublic:
		allows.writes = true
	}
	for i, name := range v.Through.Columns {
		at := slices.IndexFunc(u.Columns, func(c workspace.UsedColumn) bool { return c.Name == name })
		if at < 0 || of != nil && slices.Contains(below, int16(u.Columns[at].ID)) {
			fixed = append(fixed, int16(i+1))
		}
	}
	allows.writes = allows.writes && len(fixed) < len(v.Through.Columns)
	return allows, fixed
}
