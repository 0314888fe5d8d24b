package pgcatalog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

// Fill makes the rows of every relation. An error is a fault of this room: a
// row that does not fit the relation's shape.
func Fill(in Input) (*Filled, error) {
	f := &filler{
		in: in, rows: map[*Relation][][]any{}, oids: oids{taken: map[uint32]string{}}, names: map[string]bool{},
		databases: map[string]uint32{}, roles: map[string]uint32{},
	}
	for name, rows := range shape().rows {
		r := shape().byName["pg_catalog."+name]
		if r == nil {
			r = shape().byName["."+name]
		}
		f.rows[r] = slices.Clone(rows)
	}
	f.makeObjects()
	f.addNamespaces()
	f.addRoles()
	f.addDatabases()
	f.addRelations()
	f.addTypes()
	f.addFunctions()
	f.addKeys()
	f.addInformationSchema()
	f.addNames()
	if f.err != nil {
		return nil, fmt.Errorf("fill the catalog: %w", f.err)
	}
	return f.filled()
}

type filler struct {
	in      Input
	rows    map[*Relation][][]any
	oids    oids
	objects []*object
	byTable map[string]*object // public relations by name
	links   []*link            // foreign keys
	names   map[string]bool    // relation names taken in public
	err     error

	databases, roles map[string]uint32
}

// add puts a row into a relation of pg_catalog, information_schema ("schema.name")
// or, with a leading dot, of the macros.
func (f *filler) add(relation string, row Row) {
	r := shape().byName[relation]
	flat, err := r.flatten(row)
	if err != nil && f.err == nil {
		f.err = err
	}
	f.rows[r] = append(f.rows[r], flat)
}

// addAll adds the rows that another filler has made.
func (f *filler) addAll(of *filler) {
	for r, rows := range of.rows {
		f.rows[r] = append(f.rows[r], rows...)
	}
	if f.err == nil {
		f.err = of.err
	}
}

func (f *filler) filled() (*Filled, error) {
	out := &Filled{Batches: map[string]*column.Batch{}, byName: map[string]uint32{}, databases: f.databases, roles: f.roles}
	for r, rows := range f.rows {
		if len(rows) == len(shape().rows[r.Name]) && r.Schema != "information_schema" { // nothing was added
			out.Batches[r.Table()] = shape().builtin()[r]
			continue
		}
		b, err := r.batch(rows)
		if err != nil {
			return nil, fmt.Errorf("fill the catalog: %w", err)
		}
		out.Batches[r.Table()] = b
	}
	for _, o := range f.objects {
		if o.original != "" {
			out.byName[objectKey(o.schema, o.original)] = o.oid
		}
	}
	for _, o := range f.objects {
		out.byName[objectKey(o.schema, o.name)] = o.oid
		if o.keyName != "" {
			out.byName[objectKey(o.schema, o.keyName)] = f.keyOID(o)
		}
	}
	return out, nil
}

// makeObjects lists every relation and gives it its OIDs, in an order that
// depends on the types alone.
func (f *filler) makeObjects() {
	f.byTable = map[string]*object{}
	types := slices.Clone(f.in.Catalog.Types)
	slices.SortFunc(types, func(a, b *catalog.Type) int { return cmp.Compare(a.Table, b.Table) })
	f.objects = builtins()
	for _, t := range types {
		o := table(t)
		f.objects = append(f.objects, o)
		f.byTable[o.name] = o
		f.names[o.name] = true
	}
	for _, o := range f.byTable {
		if t, ok := f.in.Catalog.Lookup(o.original); f.byTable[o.original] != nil || ok && t != o.source {
			o.original = "" // it is another type's name
		}
	}
	for _, t := range types {
		f.objects = append(f.objects, history(t, f.byTable[t.Table].original), changes(t, f.byTable[t.Table].original))
	}
	for _, v := range f.in.Virtual {
		f.objects = append(f.objects, virtual(v))
	}
	for _, o := range f.objects {
		if o.builtin {
			continue
		}
		o.namespace = f.namespace(o.schema)
		o.oid = f.oids.of("relation", o.schema, o.name)
		o.rowType = f.oids.of("type", o.schema, o.name)
	}
	for _, t := range types {
		o := f.byTable[t.Table]
		o.keyName = f.uniqueName(o.name, "", "pkey")
	}
	for _, t := range types {
		if t.Ref.Kind == ontosql.Relation {
			f.link(t, 0, t.Left)
			f.link(t, 1, t.Right)
		}
	}
}

// uniqueName is the name PostgreSQL would choose for a constraint or index.
func (f *filler) uniqueName(table, col, label string) string {
	name := generatedName(table, col, label)
	for n := 1; f.names[name]; n++ {
		name = generatedName(table, col, fmt.Sprintf("%s%d", label, n))
	}
	f.names[name] = true
	return name
}

func (f *filler) namespace(schema string) uint32 {
	switch schema {
	case "pg_catalog":
		return catalogNamespace
	case "public":
		return publicNamespace
	case "information_schema":
		return infoNamespace
	case "pg_toast":
		return toastNamespace
	}
	return f.oids.of("schema", schema)
}

// entity is the table of an entity type, nil when the type does not exist.
func (f *filler) entity(name string) *object {
	for _, t := range f.in.Catalog.Types {
		if t.Ref.Kind == ontosql.Entity && t.Ref.Name == name {
			return f.byTable[t.Table]
		}
	}
	return nil
}
