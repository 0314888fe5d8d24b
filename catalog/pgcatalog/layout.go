package pgcatalog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
)

// layout is which objects a catalog has, with their names and OIDs. These depend on
// all types together, and are given in an order that depends on the types alone.
type layout struct {
	in        Input
	oids      oids
	objects   []*object
	byTable   map[string]*object // public relations by name
	links     []link
	names     map[string]bool // relation names taken in public
	schemas   map[string]uint32
	databases map[string]uint32
	roles     map[string]uint32
	drawn     map[*catalog.Type]*drawn
}

// drawn are the relations of a type as far as they follow from it alone, and from whether grants are required.
type drawn struct {
	table, history, changes, blame object
	governed                       bool
}

func draw(t *catalog.Type, governed bool) *drawn {
	d := &drawn{*table(t), *history(t), *changes(t), *blame(t), governed}
	for _, o := range []*object{&d.table, &d.history, &d.changes, &d.blame} {
		o.holder = t.Owner
		if governed {
			o.governed = true
			o.grants, o.columnGrants = t.GrantsOn(o.schema)
		}
	}
	return d
}

func newLayout(in Input, earlier *Filled) *layout {
	if in.Roles == nil {
		in.Roles = roles.Initial()
	}
	l := &layout{
		in: in, oids: oids{taken: map[uint32]string{}}, byTable: map[string]*object{}, names: map[string]bool{},
		schemas: map[string]uint32{}, databases: map[string]uint32{},
		drawn: make(map[*catalog.Type]*drawn, len(in.Catalog.Types)),
	}
	for _, t := range in.Catalog.Types {
		if earlier != nil {
			l.drawn[t] = earlier.drawn[t]
		}
		if governed := in.Catalog.RequireGrants; l.drawn[t] == nil || l.drawn[t].governed != governed {
			l.drawn[t] = draw(t, governed)
		}
	}
	l.makeObjects()
	for _, schema := range l.schemaNames() {
		l.schemas[schema] = l.namespace(schema)
	}
	l.roles = l.roleOIDs()
	for _, o := range l.objects {
		o.holderOID = l.roles[o.ownerName()]
	}
	for _, name := range append([]string{in.Database}, in.Databases...) {
		l.databases[name] = l.oids.of("database", name)
	}
	return l
}

// makings are what the groups are made of: PostgreSQL's own relations, the tables one by
// one, the views of each type, what belongs to no type, the ordinary tables and their like one
// by one, and what is no relation's. So tables come before views where a client asks for no
// order. The first lasting ones do not change with ordinary tables.
func (l *layout) makings() (all []*making, lasting int) {
	own, free := &making{database: l.in.Database}, &making{database: l.in.Database}
	shared := &making{database: l.in.Database, shared: &shared{
		schemas: l.schemas, granted: l.granted(), grants: l.schemaGrants(), owners: l.schemaOwners(), defaults: l.defaultACLs(), comments: l.schemaComments(),
		databases: l.databases, all: l.in.Roles, roles: l.roles,
	}}
	all = []*making{own}
	var ordinary []*making
	tables, views := map[string]*making{}, map[*catalog.Type]*making{}
	for _, o := range l.objects {
		m := free
		switch {
		case o.builtin:
			m = own
		case o.ordinary:
			m = &making{database: l.in.Database}
			ordinary = append(ordinary, m)
		case o.source != nil && o.view:
			if m = views[o.source]; m == nil {
				m = &making{database: l.in.Database, asOf: l.schemas["as_of"], diff: l.schemas["diff"], table: l.byTable[o.source.Table]}
				all, views[o.source] = append(all, m), m
			}
		case o.source != nil:
			m = &making{database: l.in.Database, asOf: l.schemas["as_of"], diff: l.schemas["diff"]}
			all, tables[o.name] = append(all, m), m
		}
		m.objects = append(m.objects, *o)
	}
	for _, k := range l.links {
		tables[k.from].links = append(tables[k.from].links, k)
	}
	for _, v := range l.in.Virtual {
		if v.Arguments != nil {
			free.functions = append(free.functions, l.tableFunction(v))
		}
	}
	if len(free.objects) > 0 {
		all = append(all, free)
	}
	return slices.Concat(all, ordinary, []*making{shared}), len(all)
}

func (l *layout) makeObjects() {
	types := slices.Clone(l.in.Catalog.Types)
	slices.SortFunc(types, func(a, b *catalog.Type) int { return cmp.Compare(a.Table, b.Table) })
	for _, o := range builtins() {
		own := *o // of this layout, which gives it more
		l.objects = append(l.objects, &own)
	}
	for _, t := range types {
		o := l.drawn[t].table
		l.objects = append(l.objects, &o)
		l.byTable[o.name] = &o
		l.names[o.name] = true
	}
	for _, o := range l.byTable {
		if t, ok := l.in.Catalog.Lookup(o.original); l.byTable[o.original] != nil || ok && t != o.source {
			o.original = "" // it is another type's name
		}
	}
	for _, t := range types {
		past, changed, blamed := l.drawn[t].history, l.drawn[t].changes, l.drawn[t].blame
		for _, o := range []*object{&past, &changed, &blamed} {
			o.original = l.byTable[t.Table].original
			l.objects = append(l.objects, o)
		}
	}
	for _, v := range l.in.Virtual {
		if v.Arguments == nil {
			l.objects = append(l.objects, virtual(v, l.in.Catalog))
		}
	}
	for _, s := range l.in.Schemas {
		for i := range s.Tables {
			l.objects = append(l.objects, ordinary(&s, &s.Tables[i]))
		}
		for i := range s.Views {
			l.objects = append(l.objects, storedView(&s, &s.Views[i]))
		}
		for i := range s.Sequences {
			l.objects = append(l.objects, sequenceOf(&s, &s.Sequences[i]))
		}
	}
	for _, o := range l.objects {
		if o.builtin {
			continue
		}
		o.namespace = l.namespace(o.schema)
		o.oid = l.oids.of("relation", o.schema, o.name)
		o.rowType = l.oids.of("type", o.schema, o.name)
	}
	for _, t := range types {
		o := l.byTable[t.Table]
		o.keyName = l.uniqueName(o.name, "", "pkey")
	}
	for _, t := range types {
		if t.Ref.Kind == ontosql.Relation {
			l.link(t, 0, t.Left)
			l.link(t, 1, t.Right)
		}
	}
	l.giveOwners()
	for _, o := range l.objects {
		l.giveOIDs(o)
	}
	l.findUses()
	l.findReferences()
	for i := range l.links {
		k := &l.links[i]
		k.oid, k.to.key = l.oids.of("constraint", "public", k.from, k.name), l.byTable[k.to.name].parts.key
	}
}

// giveOwners finds the tables that own sequences.
func (l *layout) giveOwners() {
	ordinary := map[string]*object{}
	for _, o := range l.objects {
		if o.ordinary {
			ordinary[objectKey(o.schema, o.name)] = o
		}
	}
	for _, o := range ordinary {
		q := o.sequence
		if q == nil || q.Table == "" {
			continue
		}
		if t := ordinary[objectKey(o.schema, q.Table)]; t != nil {
			o.owner = t.oid
			if q.Identity {
				t.attrs[q.Column-1].sequence = sequenceRange{q.Start, q.Increment, q.Max, q.Min, q.Cycle}
			}
		}
	}
}

// giveOIDs gives OIDs to what belongs to a relation.
func (l *layout) giveOIDs(o *object) {
	if o.definition != "" {
		o.parts.rule = l.oids.of("rule", o.schema, o.name)
	}
	if !o.builtin {
		o.parts.array = l.oids.of("type", o.schema, "_"+o.name)
	}
	for _, a := range o.attrs {
		if a.defaultExpr != "" {
			o.defaults = append(o.defaults, l.oids.of("default", o.schema, o.name, a.name))
		}
	}
	if o.keyName != "" {
		o.parts.key = l.oids.of("relation", o.schema, o.keyName)
		o.parts.primary = l.oids.of("constraint", o.schema, o.name, o.keyName)
	}
	for i := range o.uniques {
		u := &o.uniques[i]
		u.index, u.constraint = l.oids.of("relation", o.schema, u.name), l.oids.of("constraint", o.schema, o.name, u.name)
	}
	for i := range o.indexes {
		o.indexes[i].oid = l.oids.of("relation", o.schema, o.indexes[i].Name)
	}
	for i := range o.checks {
		o.checks[i].oid = l.oids.of("constraint", o.schema, o.name, o.checks[i].name)
	}
	if o.source != nil && !o.view {
		o.parts.function, o.parts.diff = l.oids.of("function", "as_of", o.name), l.oids.of("function", "diff", o.name)
	}
}

// uniqueName is the name PostgreSQL would choose for a constraint or index.
func (l *layout) uniqueName(table, col, label string) string {
	name := GeneratedName(table, col, label)
	for n := 1; l.names[name]; n++ {
		name = GeneratedName(table, col, fmt.Sprintf("%s%d", label, n))
	}
	l.names[name] = true
	return name
}

func (l *layout) namespace(schema string) uint32 {
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
	return l.oids.of("schema", schema)
}

// entity is the table of an entity type, nil when the type does not exist.
func (l *layout) entity(name string) *object {
	t, ok := l.in.Catalog.Type(ontosql.TypeRef{Kind: ontosql.Entity, Name: name})
	if !ok {
		return nil
	}
	return l.byTable[t.Table]
}

// link adds the foreign key of a relation's endpoint, if its type exists.
func (l *layout) link(t *catalog.Type, at int, endpoint string) {
	to := l.entity(endpoint)
	if to == nil || len(to.key) == 0 {
		return
	}
	from := l.byTable[t.Table]
	l.links = append(l.links, link{
		from: from.name, name: l.uniqueName(from.name, from.attrs[at].name, "fkey"), column: int16(at + 1),
		to: target{name: to.name, oid: to.oid, keyName: to.keyName, num: to.key[0], column: to.attrs[to.key[0]-1]},
	})
	from.linked, to.linked = true, true
}

// relationOIDs are the OIDs of all relations by name.
func (l *layout) relationOIDs() RelationOIDs {
	oids := map[string]uint32{}
	for _, o := range l.objects {
		if o.original != "" {
			oids[objectKey(o.schema, o.original)] = o.oid
		}
	}
	for _, o := range l.objects {
		oids[objectKey(o.schema, o.name)] = o.oid
		if o.keyName != "" {
			oids[objectKey(o.schema, o.keyName)] = o.parts.key
		}
		for _, x := range o.indexes {
			oids[objectKey(o.schema, x.Name)] = x.oid
		}
		for _, u := range o.uniques {
			oids[objectKey(o.schema, u.name)] = u.index
		}
	}
	return RelationOIDs{oids}
}
