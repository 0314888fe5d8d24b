package planner

import (
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Demand is a privilege that a statement needs on a relation, or the right to call an action.
type Demand struct {
	Action    string // the name of the action (syntax.Actions), "" for a demand on a relation
	Relation  *relation.Relation
	By        *workspace.View // the view whose query names the relation, nil for the statement itself
	Privilege string          // a letter of acl
	// Columns are those that the statement reads or writes. Without any, the privilege on one
	// column is enough.
	Columns []string
}

// Demands are the privileges that the statement needs, in the order of its relations: those that it
// writes before those that it reads (PostgreSQL manual, 5.7).
func (p *Plan) Demands() []Demand {
	var all []Demand
	for _, q := range p.All() {
		all = append(all, q.demands()...)
	}
	return all
}

func (p *Plan) demands() (all []Demand) {
	if p.Action != "" {
		all = append(all, Demand{Action: p.Action})
	}
	if w := p.Write; w != nil {
		all = append(all, w.demands()...)
		if p = w.Rows; p == nil {
			return all
		}
		all = append(all, reads(p.Relations[:min(w.target, len(p.Relations))], p.Scoped)...)
	} else if p.Scoped != nil {
		all = append(all, reads(p.Relations, p.Scoped)...)
	}
	for _, of := range p.Points {
		all = append(all, of.Demands()...)
	}
	return all
}

// reads are the demands of a query that reads.
func reads(relations []relation.Relation, of *scope.Scoped) (all []Demand) {
	for i := range relations {
		r := &relations[i]
		if r.Ref.Part == 0 && !r.Written {
			columns := of.Needs[i].Columns
			for name := range of.Needs[i].System {
				columns = append(slices.Clip(columns), shownBy(r, name)...)
			}
			all = append(all, Demand{Relation: r, By: r.By, Privilege: acl.Select, Columns: columns})
		}
		if of.Needs[i].Locked {
			all = append(all, Demand{Relation: r, By: r.By, Privilege: acl.Update})
		}
	}
	return all
}

// demands are those on the target of the write, and on the views that it goes through.
func (w *Write) demands() (all []Demand) {
	columns := w.columns
	if w.Kind == syntax.Insert && !columns.Updates && w.Updates() { // the setting ontosql.on_conflict
		columns.Updates, columns.Updated = true, columns.Inserted
	}
	first := w.Target
	if len(w.Through) > 0 {
		first = relation.OfView(syntax.Ref{}, w.Through[0])
	}
	columns.Read.All = columns.Read.All || slices.Contains(columns.Read.Names, columns.Name) && !slices.Contains(columnNames(&first), columns.Name)
	var by *workspace.View
	for _, v := range w.Through {
		r := relation.OfView(syntax.Ref{}, v)
		all = append(all, demandsOn(&r, by, columns)...)
		columns, by = behind(v, columns), v
	}
	return append(all, demandsOn(&w.Target, by, columns)...)
}

func demandsOn(r *relation.Relation, by *workspace.View, c syntax.TargetColumns) (all []Demand) {
	for _, of := range []struct {
		is        bool
		privilege string
		columns   syntax.ColumnNames
	}{
		{c.Inserts, acl.Insert, c.Inserted},
		{c.Updates, acl.Update, c.Updated},
		{c.Deletes, acl.Delete, syntax.ColumnNames{}},
		{c.Reads, acl.Select, c.Read},
	} {
		if of.is {
			all = append(all, Demand{Relation: r, By: by, Privilege: of.privilege, Columns: named(r, of.columns)})
		}
	}
	return all
}

// named are the names that are columns of a relation, and the columns that its system columns show.
func named(r *relation.Relation, c syntax.ColumnNames) (names []string) {
	for _, name := range c.Names {
		names = append(names, shownBy(r, name)...)
	}
	for _, of := range r.Shape.Columns {
		if c.All || slices.Contains(c.Names, of.Name) {
			names = append(names, of.Name)
		}
	}
	return names
}

// shownBy are the columns of a type whose values a system column shows: fields_json has the whole row, and
// the stored identity is made of the key.
func shownBy(r *relation.Relation, system string) []string {
	if r.Type == nil || !slices.ContainsFunc(r.Shape.System, func(c column.Named) bool { return c.Name == system }) {
		return nil
	}
	switch system {
	case "fields_json":
		return columnNames(r)
	case "entity_key", "instance_key":
		return r.Shape.Key
	}
	return nil
}

func columnNames(r *relation.Relation) (names []string) {
	for _, c := range r.Shape.Columns {
		names = append(names, c.Name)
	}
	return names
}

// behind are the columns of the relation that a view writes to, in place of its own.
func behind(v *workspace.View, c syntax.TargetColumns) syntax.TargetColumns {
	name := func(of syntax.ColumnNames) (out syntax.ColumnNames) {
		for i, c := range v.Columns {
			if v.Through != nil && i < len(v.Through.Columns) && (of.All || slices.Contains(of.Names, c.Name)) {
				out.Names = append(out.Names, v.Through.Columns[i])
			}
		}
		return out
	}
	c.Inserted, c.Updated, c.Read = name(c.Inserted), name(c.Updated), name(c.Read)
	return c
}
