package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

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
	case workspace.TempSchema, catalog.SchemaCatalog, catalog.SchemaAsOf: // found without a schema, or functions
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
