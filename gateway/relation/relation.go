package relation

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// Relation is what a reference names: a window of a type, an ordinary table, a view, a
// relation of the schema ontosql, one of pg_catalog or information_schema, or a table of the
// engine. Exactly one of Type, Stored, View, Virtual, Catalog and Table is set, or
// Ref.Part.
type Relation struct {
	Ref   syntax.Ref
	Shape scope.Shape
	Type  *catalog.Type
	// Narrow is Type with the numerics of the shape, where these are narrower (decision A58).
	Narrow *catalog.Type
	Mode   ontosql.Mode
	Stored *workspace.Table
	View   *workspace.View
	// Sequence is a sequence, which is read as View.
	Sequence *workspace.Sequence
	Virtual  *introspect.Relation
	Catalog  *pgcatalog.Relation
	Table    string // quoted for SQL
	// Newest says of the target of an INSERT with ON CONFLICT that the rows are those that the
	// running statement itself has left so far.
	Newest bool
	// Written says that it is the relation of a view that a statement writes through. Its rows
	// are those of the target.
	Written bool
	// By is the view whose query names the relation, nil for one that the statement itself names.
	By *workspace.View
}

// TypeRelation is a window of a type, seen through a schema. FOR SYSTEM_TIME ALL reads
// the rows of history with the columns of public; the other columns of history are system
// columns.
func TypeRelation(ref syntax.Ref, schema string, t *catalog.Type) Relation {
	r := Relation{Ref: ref, Type: t}
	switch {
	case schema == catalog.SchemaHistory || ref.All:
		r.Mode = ontosql.History
	case schema == catalog.SchemaChanges:
		r.Mode = ontosql.Changes
	case schema == catalog.SchemaDiff:
		r.Mode = ontosql.Diff
	case schema == catalog.SchemaBlame:
		r.Mode = ontosql.Blame
	}
	r.Shape = scope.Shape{
		Kind:    scope.TypeTable,
		Schema:  schema,
		Table:   t.Table,
		Columns: catalog.VisibleColumns(t, r.Mode),
		Unique:  r.Mode == ontosql.Latest || r.Mode == ontosql.Diff,

		Defaults: map[string]string{},
		Typmods:  map[string]int32{},
	}
	if r.Mode == ontosql.Latest || ref.All {
		r.Shape.Columns = catalog.VisibleColumns(t, ontosql.Latest)
		r.Shape.System = catalog.SystemColumns(t, r.Mode)
	}
	for _, k := range t.Key {
		r.Shape.Key = append(r.Shape.Key, t.Columns[k].Name)
	}
	for _, c := range t.Columns {
		if c.NotNull && r.Mode == ontosql.Latest {
			r.Shape.Required = append(r.Shape.Required, c.Name)
		}
		if c.Default != "" {
			r.Shape.Defaults[c.Name] = c.Default
		}
		if c.Typmod != 0 {
			r.Shape.Typmods[c.Name] = c.Typmod
			if r.Mode == ontosql.Diff {
				r.Shape.Typmods[catalog.FromPrefix+c.Name], r.Shape.Typmods[catalog.ToPrefix+c.Name] = c.Typmod, c.Typmod
			}
		}
	}
	return r
}

// ReadAs makes the statement read the columns of a type with the types of narrow, which only has other
// numerics.
func (r *Relation) ReadAs(narrow *catalog.Type) {
	if narrow == r.Type || r.Mode == ontosql.Diff || r.Mode == ontosql.Blame { // whose columns are others
		return
	}
	r.Narrow, r.Shape.Columns = narrow, slices.Clone(r.Shape.Columns)
	for i := range narrow.Columns {
		r.Shape.Columns[i].Type = narrow.Columns[i].Type
	}
}

// DeclaredColumn is a column of a type that was declared with a length or a precision,
// nil for any other column.
func (r *Relation) DeclaredColumn(name string) *catalog.Column {
	if r.Type == nil {
		return nil
	}
	if r.Mode == ontosql.Diff && r.Type.ColumnIndex(name) < 0 {
		name = strings.TrimPrefix(strings.TrimPrefix(name, catalog.FromPrefix), catalog.ToPrefix)
	}
	if i := r.Type.ColumnIndex(name); i >= 0 && r.Type.Columns[i].Typmod != 0 {
		return &r.Type.Columns[i]
	}
	return nil
}

func virtualRelation(ref syntax.Ref, v *introspect.Relation) Relation {
	return Relation{Ref: ref, Virtual: v, Shape: scope.Shape{
		Kind:    scope.Virtual,
		Schema:  catalog.SchemaOntosql,
		Table:   v.Name,
		Columns: v.Named(),

		Narrowing: v.Narrowing,
	}}
}

func catalogRelation(ref syntax.Ref, schema string, c *pgcatalog.Relation) Relation {
	shape := scope.Shape{Kind: scope.CatalogRelation, Schema: schema, Table: c.Name}
	if !c.View {
		shape.OID = c.OID
	}
	for _, col := range c.Columns {
		shape.Types = append(shape.Types, types.Of(pgcatalog.TypeOID(col.Type)))
		shape.Columns = append(shape.Columns, col)
	}
	return Relation{Ref: ref, Catalog: c, Shape: shape}
}

// EmptySource is a FROM item with the columns that a statement needs and no rows.
func (r *Relation) EmptySource(need scope.Need) string {
	cols := make([]column.Named, 0, len(r.Shape.Columns)+len(need.System))
	cols = append(cols, r.Shape.Columns...)
	for _, h := range r.HiddenColumns(need) {
		cols = append(cols, column.Named{Name: h.As, Type: scan.HiddenType(h.Name)})
	}
	for _, c := range heapColumns {
		if alias, asked := need.System[c.name]; asked && r.Stored != nil {
			cols = append(cols, column.Named{Name: alias, Type: column.Type{Kind: c.kind}})
		}
	}
	return scan.Empty(cols)
}

// HiddenColumns are the columns that a statement needs beside the visible ones.
func (r *Relation) HiddenColumns(need scope.Need) []scan.Hidden {
	names := slices.Clone(r.Shape.Stored)
	if r.Stored != nil {
		names = []string{scope.RowID}
	}
	for _, c := range r.Shape.System {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	var out []scan.Hidden
	for _, name := range names {
		if alias, asked := need.System[name]; asked {
			out = append(out, scan.Hidden{Name: name, As: alias})
		}
	}
	return out
}
