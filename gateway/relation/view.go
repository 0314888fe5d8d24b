package relation

import (
	"errors"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// OfView is a view. The statement reads its query.
func OfView(ref syntax.Ref, v *workspace.View) Relation {
	s := scope.Shape{Kind: scope.View, Schema: v.Schema, Table: v.Name}
	for _, c := range v.Columns {
		s.Columns = append(s.Columns, column.Named{Name: c.Name, Type: c.Type.Column()})
		s.Types = append(s.Types, c.Type)
	}
	return Relation{Ref: ref, View: v, Shape: s}
}

// ViewColumn is the type of a column of a view.
func (r *Relation) ViewColumn(name string) (ty types.Type, ok bool) {
	if r.View == nil {
		return ty, false
	}
	i := slices.IndexFunc(r.View.Columns, func(c workspace.ViewColumn) bool { return c.Name == name })
	if i < 0 {
		return ty, false
	}
	return r.View.Columns[i].Type, true
}

// UseOf is a relation that the query of a new view names. read are the names of the columns
// that the query reads.
func UseOf(r *Relation, read []string) workspace.Use {
	u := workspace.Use{Schema: r.Shape.Schema, Name: r.Shape.Table}
	for _, c := range r.Shape.Columns {
		u.Columns = append(u.Columns, workspace.UsedColumn{Name: c.Name, ID: r.columnID(c.Name), Read: slices.Contains(read, c.Name)})
	}
	return u
}

// columnID is the number of a column that it keeps when it gets another name, 0 for none.
func (r *Relation) columnID(name string) int64 {
	switch {
	case r.Stored != nil:
		if c := r.Stored.Column(name); c != nil {
			return int64(c.Number)
		}
	case r.View != nil:
		return int64(1 + slices.IndexFunc(r.View.Columns, func(c workspace.ViewColumn) bool { return c.Name == name }))
	case r.Type != nil:
		if i := r.Type.ColumnIndex(name); i >= 0 {
			return r.Type.Columns[i].ID
		}
	}
	return 0
}

// Used finds the relation that a reference in the query of a view means, with the columns that
// the view has been created with. A relation or a column that does not exist any more is an
// error.
func (n Resolver) Used(pin *resolver.Pin, v *workspace.View, u *workspace.Use, ref syntax.Ref) (Relation, error) {
	ref.Schema, ref.Name, ref.Catalog, ref.LaterWith = u.Schema, u.Name, "", false
	r, err := n.Resolve(pin, ref)
	if err != nil {
		var e *pgerr.Error
		if errors.As(err, &e) {
			err = e.WithDetail("The view %q reads it.", v.Name).WithHint("Use DROP VIEW to remove the view, or create it again.")
		}
		return Relation{}, err
	}
	named := map[int64]string{}
	for _, c := range r.Shape.Columns {
		if id := r.columnID(c.Name); id != 0 {
			named[id] = c.Name
		}
	}
	r.Shape.Shown = []scope.ShownColumn{}
	for _, c := range u.Columns {
		name, ok := named[c.ID]
		if c.ID == 0 {
			name, ok = c.Name, slices.ContainsFunc(r.Shape.Columns, func(have column.Named) bool { return have.Name == c.Name })
		}
		if ok {
			r.Shape.Shown = append(r.Shape.Shown, scope.ShownColumn{Name: c.Name, Column: name})
		} else if c.Read {
			return Relation{}, pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", c.Name, u.Name).
				WithDetail("The view %q reads it.", v.Name).WithHint("Use DROP VIEW to remove the view, or create it again.")
		}
	}
	return r, nil
}

// ShownName is the name of a view in errors: its schema is left out if it is pg_temp or public.
func ShownName(v *workspace.View) string {
	if v.Schema == workspace.TempSchema || v.Schema == catalog.SchemaPublic {
		return v.Name
	}
	return v.Schema + "." + v.Name
}
