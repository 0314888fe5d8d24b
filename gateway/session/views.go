package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/syntax"
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
	c := pgcatalog.StoredView{Name: v.Name, Definition: s.viewText(v, columns), Comment: v.Comment, Options: v.Options, Owner: v.Owner, Grants: v.Grants}
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

// shownView is the text of a view's query, and what it was made with.
type shownView struct{ names, text string }

// mostShown are the views whose texts a session keeps.
const mostShown = 1000

// viewText is the query of a view as pg_get_viewdef shows it. columns are the names of its
// columns.
func (s *Session) viewText(v *workspace.View, columns []string) string {
	uses := make([]usedRelation, len(v.Uses))
	for i := range v.Uses {
		uses[i] = s.usedRelation(&v.Uses[i])
	}
	names := fmt.Sprint(columns, uses)
	if have, ok := s.views[v]; ok && have.names == names {
		return have.text
	}
	text, err := syntax.ViewText(v.Text, syntax.ViewNames{
		Columns: columns, Quote: str.QuoteIdent,
		Relation: func(ref int) (name string, columns, shown []string) {
			return uses[ref].name, uses[ref].columns, uses[ref].shown
		},
	})
	if text = " " + text + ";"; err != nil {
		text = v.Definition
	}
	if s.views == nil || len(s.views) >= mostShown {
		s.views = map[*workspace.View]shownView{}
	}
	s.views[v] = shownView{names, text}
	return text
}

// usedRelation is a relation that a view reads, as ViewText shows it.
type usedRelation struct {
	name           string
	columns, shown []string
}

func (s *Session) usedRelation(u *workspace.Use) (out usedRelation) {
	switch u.Schema {
	case workspace.TempSchema, catalog.SchemaCatalog, catalog.SchemaAsOf, catalog.SchemaDiff: // found without a schema, or functions
		if s.Tables.Table(u.Schema, u.Name) == nil && s.Tables.Of(u.Schema).View(u.Schema, u.Name) == nil {
			return out
		}
		out.name = str.QuoteIdent(u.Name)
	default:
		out.name = str.QuoteIdent(u.Schema) + "." + str.QuoteIdent(u.Name)
	}
	for _, c := range u.Columns {
		out.shown = append(out.shown, str.QuoteIdent(c.Name))
	}
	renamed := false
	var now []string
	add := func(id int64, name string) {
		at := slices.IndexFunc(u.Columns, func(c workspace.UsedColumn) bool { return c.ID == id })
		if at >= 0 && u.Columns[at].Name != name {
			renamed, name = true, u.Columns[at].Name
		}
		now = append(now, str.QuoteIdent(name))
	}
	if t := s.Tables.Table(u.Schema, u.Name); t != nil {
		for _, c := range t.Columns {
			add(int64(c.Number), c.Name)
		}
	} else if of := s.Tables.Of(u.Schema).View(u.Schema, u.Name); of != nil {
		for i, c := range of.Columns {
			add(int64(i+1), c.Name)
		}
	}
	if renamed {
		out.columns = now
	}
	return out
}

// String tells apart what ViewText shows.
func (u usedRelation) String() string {
	return u.name + "(" + strings.Join(u.columns, ",") + ")" + strings.Join(u.shown, ",")
}
