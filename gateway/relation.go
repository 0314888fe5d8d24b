package gateway

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// relation is what a reference resolved to: a window of a type, a relation of
// the schema ontosql, one of pg_catalog, or a table of the engine. Exactly one of
// the four is set.
type relation struct {
	ref     syntax.Ref
	shape   rewrite.Shape
	typ     *catalog.Type
	mode    ontosql.Mode
	virtual *introspect.Relation
	catalog *pgcatalog.Relation
	table   string // quoted for SQL
}

// resolve finds what a reference names. Nothing of that name is 42P01.
func (s *Session) resolve(pin *resolver.Pin, ref syntax.Ref) (relation, error) {
	if err := s.inDatabase(ref); err != nil {
		return relation{}, err
	}
	if ref.Schema != "" {
		r, ok := s.find(pin, ref.Schema, ref)
		if !ok {
			return relation{}, sqlstate.UndefinedTable(sqlstate.RelationName(ref), ref.Position)
		}
		return r, s.checkWindow(r)
	}
	for _, schema := range s.searchPath() {
		if r, ok := s.find(pin, schema, ref); ok {
			return r, s.checkWindow(r)
		}
	}
	return relation{}, sqlstate.UndefinedTable(ref.Name, ref.Position)
}

// named is resolve for a utility statement: what is wrong with a name has no position
// in it, and a schema that is not there is told.
func (s *Session) named(pin *resolver.Pin, ref syntax.Ref) (relation, error) {
	ref.Position = 0
	if err := s.inDatabase(ref); err != nil {
		return relation{}, err
	}
	if ref.Schema != "" && !slices.Contains(catalog.Schemas, ref.Schema) {
		return relation{}, sqlstate.UndefinedSchema(ref.Schema)
	}
	return s.resolve(pin, ref)
}

// inDatabase refuses a name of another database.
func (s *Session) inDatabase(ref syntax.Ref) error {
	if ref.Catalog != "" && ref.Catalog != s.db.Name && ref.Catalog != s.start.Database {
		return pgerr.Unsupported("cross-database references are not implemented: %q", sqlstate.RelationName(ref)).At(ref.Position)
	}
	return nil
}

// checkWindow refuses a point on something that has no past of its own.
func (s *Session) checkWindow(r relation) error {
	asked := r.ref.Point != nil || r.ref.All
	if !asked || r.ref.Function || r.typ != nil && r.mode == ontosql.Latest || r.ref.All && r.typ != nil {
		return nil
	}
	return pgerr.New(pgerr.WrongObjectType, "%q cannot be read FOR SYSTEM_TIME", sqlstate.RelationName(r.ref)).
		At(r.ref.Position).WithHint("Only the tables of types have a past; history and changes show it whole.")
}

// searchPath are the schemas that unqualified names are looked up in,
// pg_catalog first unless the path names it (PostgreSQL manual, 5.9.3).
func (s *Session) searchPath() []string {
	path := s.namedPath()
	if slices.Contains(path, catalog.SchemaCatalog) {
		return path
	}
	return append([]string{catalog.SchemaCatalog}, path...)
}

// namedPath are the schemas of search_path that there are. No user has one: "$user"
// is none of ours, whatever the user is called.
func (s *Session) namedPath() []string {
	var path []string
	names, _ := str.NameList(s.settings.Value("search_path"))
	for _, name := range names {
		if slices.Contains(catalog.Schemas, name) && !slices.Contains(path, name) {
			path = append(path, name)
		}
	}
	return path
}

func (s *Session) find(pin *resolver.Pin, schema string, ref syntax.Ref) (relation, bool) {
	if schema == catalog.SchemaOntosql {
		if v := introspect.Find(ref.Name); v != nil {
			return virtualRelation(ref, v), true
		}
	}
	switch schema {
	case catalog.SchemaPublic, catalog.SchemaHistory, catalog.SchemaChanges, catalog.SchemaAsOf:
		if ref.Function != (schema == catalog.SchemaAsOf) {
			return relation{}, false
		}
		t, ok := pin.Catalog.Lookup(ref.Name)
		if !ok {
			return relation{}, false
		}
		return typeRelation(ref, schema, t), true
	case catalog.SchemaCatalog, catalog.SchemaInformation:
		if c := pgcatalog.Find(schema, ref.Name); c != nil {
			return catalogRelation(ref, schema, c), true
		}
	}
	return relation{}, false
}

// typeRelation is a window of a type. FOR SYSTEM_TIME ALL shows what history
// shows, with public's columns and the others nameable.
func typeRelation(ref syntax.Ref, schema string, t *catalog.Type) relation {
	r := relation{ref: ref, typ: t}
	switch {
	case schema == catalog.SchemaHistory || ref.All:
		r.mode = ontosql.History
	case schema == catalog.SchemaChanges:
		r.mode = ontosql.Changes
	}
	r.shape = rewrite.Shape{
		Kind:    rewrite.TypeTable,
		Schema:  schema,
		Table:   t.Table,
		Columns: catalog.VisibleColumns(t, r.mode),
		Unique:  r.mode == ontosql.Latest,

		Defaults: map[string]string{},
		Typmods:  map[string]int32{},
	}
	if schema != catalog.SchemaHistory && schema != catalog.SchemaChanges {
		r.shape.Columns = catalog.VisibleColumns(t, ontosql.Latest)
		r.shape.System = catalog.SystemColumns(t, r.mode)
	}
	for _, k := range t.Key {
		r.shape.Key = append(r.shape.Key, t.Columns[k].Name)
	}
	for _, c := range t.Columns {
		if c.NotNull && r.mode == ontosql.Latest {
			r.shape.Required = append(r.shape.Required, c.Name)
		}
		if c.Default != "" {
			r.shape.Defaults[c.Name] = c.Default
		}
		if c.Typmod != 0 {
			r.shape.Typmods[c.Name] = c.Typmod
		}
	}
	return r
}

// declared is a column of a type that was declared with a length or a precision, nil
// for every other.
func (r *relation) declared(name string) *catalog.Column {
	if r.typ == nil {
		return nil
	}
	if i := r.typ.ColumnIndex(name); i >= 0 && r.typ.Columns[i].Typmod != 0 {
		return &r.typ.Columns[i]
	}
	return nil
}

func virtualRelation(ref syntax.Ref, v *introspect.Relation) relation {
	return relation{ref: ref, virtual: v, shape: rewrite.Shape{
		Kind:    rewrite.Virtual,
		Schema:  catalog.SchemaOntosql,
		Table:   v.Name,
		Columns: v.Named(),
	}}
}

func catalogRelation(ref syntax.Ref, schema string, c *pgcatalog.Relation) relation {
	shape := rewrite.Shape{Kind: rewrite.CatalogRelation, Schema: schema, Table: c.Name}
	if !c.View {
		shape.OID = c.OID
	}
	for _, col := range c.Columns {
		shape.OIDs = append(shape.OIDs, pgcatalog.TypeOID(col.Type))
		shape.Columns = append(shape.Columns, col)
	}
	return relation{ref: ref, catalog: c, shape: shape}
}

// empty is a source of the right types without rows.
func (r *relation) empty(need rewrite.Need) string {
	cols := make([]column.Named, 0, len(r.shape.Columns)+len(need.System))
	cols = append(cols, r.shape.Columns...)
	for _, h := range r.hidden(need) {
		cols = append(cols, column.Named{Name: h.As, Type: scan.HiddenType(h.Name)})
	}
	return scan.Empty(cols)
}

// hidden are the columns that a statement needs besides the visible ones.
func (r *relation) hidden(need rewrite.Need) []scan.Hidden {
	names := slices.Clone(r.shape.Stored)
	for _, c := range r.shape.System {
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
