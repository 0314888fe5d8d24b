package workspace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/rewrite/types"
)

// View is the definition of a view. It is immutable.
type View struct {
	// Number orders the views by their creation. A view that is replaced keeps it.
	Number int64
	Schema string
	Name   string
	// Text is the CREATE VIEW statement that defines the view.
	Text string
	// Definition is the query as pg_get_viewdef shows it.
	Definition string
	// Columns are fixed when the view is created.
	Columns []ViewColumn
	// Uses are the relations that the query names, in the order of its references.
	Uses    []Use
	Comment string
	// Materialized says that the query is that of a materialized view, whose rows are in the
	// table of its name.
	Materialized bool `json:",omitempty"`
	Grants       acl.Grants
	Owner        string `json:",omitempty"` // the role that owns it, "" for the owner of the database
	// Through says what is written where rows are written to the view, nil for a view that is not
	// updatable.
	Through *Through `json:",omitempty"`
	// Options are those of WITH, as pg_class.reloptions has them.
	Options []string `json:",omitempty"`
}

// Through is the relation that a view writes to.
type Through struct {
	Use     int      // its place in View.Uses
	Columns []string // its column that each column of the view is, under its name in Uses; "" for none
}

// ViewColumn is a column of a view.
type ViewColumn struct {
	Name    string
	Type    types.Type
	Comment string
	Default string `json:",omitempty"` // the SQL text of the expression, which INSERT into the view uses; "" for none
}

// Use is a relation that a view names, as it was when the view was created.
type Use struct {
	Schema, Name string
	// Columns are those that the relation had, in their order.
	Columns []UsedColumn
}

// UsedColumn is a column of a relation that a view names.
type UsedColumn struct {
	Name string
	// ID is the number of the column, which it keeps when it gets another name: Column.Number
	// of a table, the place of a column of a view, the id of the field of a type. It is 0 where
	// a column has none.
	ID   int64
	Read bool // the query reads it
}

// CheckOption is "local" or "cascaded" for a view WITH CHECK OPTION, "" for another one.
func (v *View) CheckOption() string {
	for _, o := range v.Options {
		if value, ok := strings.CutPrefix(o, "check_option="); ok {
			return strings.ToLower(value)
		}
	}
	return ""
}

// ReadsAsInvoker reports whether the relations of the view are read with the privileges of whoever reads
// the view (security_invoker), and not with its owner's.
func (v *View) ReadsAsInvoker() bool {
	for _, o := range v.Options {
		if value, ok := strings.CutPrefix(o, "security_invoker="); ok {
			return slices.Contains([]string{"true", "t", "on", "yes", "y", "1"}, strings.ToLower(value))
		}
	}
	return false
}

// View finds a view, nil for none.
func (o *Objects) View(schema, view string) *View {
	if o == nil {
		return nil
	}
	if v := o.query(schema, view); v != nil && !v.Materialized {
		return v
	}
	return nil
}

// Has reports whether there is a table or a view of a name.
func (o *Objects) Has(schema, relation string) bool {
	return o.Table(schema, relation) != nil || o.View(schema, relation) != nil
}

// Views are the views and the queries of materialized views in the order of their creation, but
// each after those that it reads.
func (o *Objects) Views() []*View {
	if o == nil {
		return nil
	}
	all := values(o.views)
	slices.SortFunc(all, func(a, b *View) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
	var out []*View
	done := map[*View]bool{}
	var add func(v *View)
	add = func(v *View) {
		if done[v] {
			return
		}
		done[v] = true
		for _, u := range v.Uses {
			if used := o.query(u.Schema, u.Name); used != nil {
				add(used)
			}
		}
		out = append(out, v)
	}
	for _, v := range all {
		add(v)
	}
	return out
}

// WithView are the objects with a view, which takes the place of one of its name. A view
// without a number gets the next one.
func (o *Objects) WithView(v *View) *Objects {
	if v.Materialized {
		return o.withQuery(v)
	}
	next := o.clone()
	if v.Number == 0 {
		v = o.numbered(v)
	}
	next.putView(name{v.Schema, v.Name}, v)
	return next
}

// putView puts a view into objects that are being made.
func (o *Objects) putView(at name, v *View) {
	o.views = o.views.Set(at, v)
	o.lastView = max(o.lastView, v.Number)
}

// numbered is a view with the next number.
func (o *Objects) numbered(v *View) *View {
	next := *v
	next.Number = 1
	if o != nil {
		next.Number += o.lastView
	}
	return &next
}

// WithoutView are the objects without a view.
func (o *Objects) WithoutView(v *View) *Objects {
	at := name{v.Schema, v.Name}
	if v.Materialized {
		return o.replace(at, nil)
	}
	next := o.clone()
	next.views = next.views.Delete(at)
	return next
}

// UsedBy are the views that name a relation, in the order of Views.
func (o *Objects) UsedBy(schema, relation string) []*View {
	var out []*View
	for _, v := range o.Views() {
		if slices.ContainsFunc(v.Uses, func(u Use) bool { return u.Schema == schema && u.Name == relation }) {
			out = append(out, v)
		}
	}
	return out
}

// Dependents are the views that name a relation, and the views that name those, each once
// and after the view that it names, in the order of PostgreSQL's messages.
func (o *Objects) Dependents(schema, relation string) []Dependent {
	return o.dependents(schema, relation, func(*View) bool { return true })
}

// ColumnDependents are the Dependents that read a column, and the views that name those.
func (o *Objects) ColumnDependents(schema, relation string, number int) []Dependent {
	return o.dependents(schema, relation, func(v *View) bool { return v.Reads(schema, relation, number) })
}

func (o *Objects) dependents(schema, relation string, direct func(*View) bool) []Dependent {
	var out []Dependent // the newest first, each before the view that it names
	seen := map[*View]bool{}
	var add func(on *View, schema, relation string)
	add = func(on *View, schema, relation string) {
		for _, v := range slices.Backward(o.UsedBy(schema, relation)) {
			if !seen[v] && (on != nil || direct(v)) {
				seen[v] = true
				add(v, v.Schema, v.Name)
				out = append(out, Dependent{View: v, On: on})
			}
		}
	}
	add(nil, schema, relation)
	slices.Reverse(out)
	return out
}

// Loops reports whether a view reads itself, directly or by other views.
func (o *Objects) Loops(v *View) bool {
	return slices.ContainsFunc(o.Dependents(v.Schema, v.Name), func(d Dependent) bool { return d.View.Schema == v.Schema && d.View.Name == v.Name })
}

// Dependent is a view that cannot be without another relation.
type Dependent struct {
	View *View
	On   *View // the view that it names, nil where that is the relation itself
}

// WithoutDependents are the objects without the views that depend on a relation.
func (o *Objects) WithoutDependents(schema, relation string) *Objects {
	for _, d := range o.Dependents(schema, relation) {
		o = o.WithoutView(d.View)
	}
	return o
}

// Renamed are the objects in which the views that name a relation name it by another name.
func (o *Objects) Renamed(schema, relation, toSchema, to string) *Objects {
	for _, v := range o.UsedBy(schema, relation) {
		next := *v
		next.Uses = slices.Clone(v.Uses)
		for i := range next.Uses {
			if u := &next.Uses[i]; u.Schema == schema && u.Name == relation {
				u.Schema, u.Name = toSchema, to
			}
		}
		o = o.WithView(&next)
	}
	return o
}

// Reads reports whether a view reads the column of a relation that has a number.
func (v *View) Reads(schema, relation string, number int) bool {
	return slices.ContainsFunc(v.Uses, func(u Use) bool {
		return u.Schema == schema && u.Name == relation && slices.ContainsFunc(u.Columns, func(c UsedColumn) bool { return c.Read && c.ID == int64(number) })
	})
}
