package pgcatalog

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/column"
)

// Fill makes the rows of every relation but information_schema's, which are made when
// somebody asks for them. What earlier, nil for none, is made of alike is not made
// again. An error is a fault of this room: a row that does not fit the relation's shape.
func Fill(in Input, earlier *Filled) (*Filled, error) {
	l := newLayout(in, earlier)
	out := &Filled{RelationOIDs: l.relationOIDs(), databases: l.databases, roles: l.roles, drawn: l.drawn}
	if i := slices.IndexFunc(in.Schemas, func(s TableSchema) bool { return s.Temporary }); i >= 0 {
		out.temp = in.Schemas[i].Name
	}
	out.views.byPath = map[string]*View{}
	makings, lasting := l.makings()
	for _, makes := range makings {
		g := earlier.groupOf(makes)
		if g == nil || !g.made.same(makes) {
			var err error
			if g, err = newGroup(makes, g); err != nil {
				return nil, err
			}
		}
		out.groups = append(out.groups, g)
	}
	out.byKey = sync.OnceValue(out.keyedGroups)
	out.facts = gathered(in.Database, out.groups)
	out.rows = joined(shape().builtin(), out.groups, lasting, func(g *group) map[*Relation]*column.Batch { return g.rows })
	out.standard = sync.OnceValues(func() (map[*Relation]Rows, error) {
		for _, g := range out.groups {
			if _, err := g.standard.get(&g.made); err != nil {
				return nil, err
			}
		}
		return joined(shape().builtin(), out.groups, lasting, func(g *group) map[*Relation]*column.Batch {
			rows, _ := g.standard.get(&g.made)
			return rows
		}), nil
	})
	return out, nil
}

// group is what some objects add to the catalog. It never changes, and the catalogs
// that have the same objects share it.
type group struct {
	made     making
	rows     map[*Relation]*column.Batch // of pg_catalog
	facts    *facts
	standard standardRows
}

// making is what a group is made of.
type making struct {
	database  string          // its name
	shared    *shared         // what is no relation's, nil in all groups but one
	objects   []object        // relations that belong together
	links     []link          // foreign keys that lead from a table
	table     *object         // that the objects are views of, nil where they are of none
	functions []tableFunction // that are no type's
	asOf      uint32          // the schema of the functions as_of.<type>; 0 where the objects are no type's
	diff      uint32          // that of the functions diff.<type>
}

// same reports whether two groups are alike.
func (m *making) same(o *making) bool {
	return m.database == o.database && m.asOf == o.asOf && m.diff == o.diff && slices.EqualFunc(m.functions, o.functions, tableFunction.same) && slices.Equal(m.links, o.links) && m.shared.same(o.shared) &&
		(m.table == o.table || m.table != nil && o.table != nil && m.table.same(o.table)) &&
		slices.EqualFunc(m.objects, o.objects, func(a, b object) bool { return a.same(&b) })
}

// newGroup makes a group. Where it says of a relation what the same objects said
// earlier, which may be nil, it has the same rows: a table of the engine that holds them
// stays.
func newGroup(m *making, earlier *group) (*group, error) {
	f := newFiller(m)
	f.addShared()
	f.addRelations()
	f.addRowTypes()
	f.addFunctions()
	f.addKeys()
	f.addChecks()
	f.addOwnIndexes()
	f.addNames()
	rows, err := f.filled()
	if err != nil {
		return nil, err
	}
	g := &group{made: *m, rows: rows, facts: f.facts}
	if earlier != nil {
		keepEqual(rows, earlier.rows)
		g.standard.earlier = earlier.standard.newest()
	}
	return g, nil
}

// keepEqual puts the earlier batches into rows that are no other.
func keepEqual(rows, earlier map[*Relation]*column.Batch) {
	for r, b := range rows {
		if had := earlier[r]; had != nil && reflect.DeepEqual(had, b) {
			rows[r] = had
		}
	}
}

// standardRows are the rows of information_schema that a group adds, which are made when
// somebody asks for them.
type standardRows struct {
	mu      sync.Mutex
	earlier map[*Relation]*column.Batch // of the same objects, as they were last made
	made    map[*Relation]*column.Batch
	err     error
}

// get are the rows of a group that is made of m.
func (s *standardRows) get(m *making) (map[*Relation]*column.Batch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil && s.err == nil {
		f := newFiller(m)
		f.addInformationSchema()
		if s.made, s.err = f.filled(); s.err == nil {
			keepEqual(s.made, s.earlier)
		}
		s.earlier = nil
	}
	return s.made, s.err
}

// newest are the rows that were made last, nil for none.
func (s *standardRows) newest() map[*Relation]*column.Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made != nil {
		return s.made
	}
	return s.earlier
}

// filler makes the rows and the facts of one group.
type filler struct {
	*making
	rows  map[*Relation][][]any
	facts *facts
	err   error
}

func newFiller(m *making) *filler {
	return &filler{making: m, rows: map[*Relation][][]any{}, facts: newFacts()}
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
	switch relation {
	case "pg_catalog.pg_class":
		f.facts.relation(row)
	case "pg_catalog.pg_index":
		if row["indisprimary"] == true {
			f.facts.primary[row["indrelid"].(uint32)] = row["indexrelid"].(uint32)
		}
	}
}

// filled are the rows.
func (f *filler) filled() (map[*Relation]*column.Batch, error) {
	if f.err != nil {
		return nil, fmt.Errorf("fill the catalog: %w", f.err)
	}
	batches := make(map[*Relation]*column.Batch, len(f.rows))
	for r, rows := range f.rows {
		b, err := r.batch(rows)
		if err != nil {
			return nil, fmt.Errorf("fill the catalog: %w", err)
		}
		batches[r] = b
	}
	return batches, nil
}

// joined are the rows that PostgreSQL has itself and those of all groups, of which the first
// lasting ones do not change with ordinary tables.
func joined(builtin map[*Relation]*column.Batch, groups []*group, lasting int, rows func(*group) map[*Relation]*column.Batch) map[*Relation]Rows {
	all := make(map[*Relation]Rows, len(builtin))
	for r, b := range builtin {
		all[r] = Rows{Lasting: []*column.Batch{b}}
	}
	for i, g := range groups {
		for r, b := range rows(g) {
			has := all[r]
			if i < lasting {
				has.Lasting = append(has.Lasting, b)
			} else {
				has.Others = append(has.Others, b)
			}
			all[r] = has
		}
	}
	return all
}

// groupKey tells the groups of a catalog apart: the name of the first object, "" for the group
// that has none.
type groupKey struct{ schema, name string }

func (m *making) key() groupKey {
	if len(m.objects) == 0 {
		return groupKey{}
	}
	return groupKey{m.objects[0].schema, m.objects[0].name}
}

// groupOf is the group of the objects with the names of m, nil for none.
func (f *Filled) groupOf(m *making) *group {
	if f == nil {
		return nil
	}
	return f.byKey()[m.key()]
}

// keyedGroups are the groups by their keys.
func (f *Filled) keyedGroups() map[groupKey]*group {
	all := make(map[groupKey]*group, len(f.groups))
	for _, g := range f.groups {
		all[g.made.key()] = g
	}
	return all
}

// shared are the parts of a catalog that do not belong to relations.
type shared struct {
	schemas   map[string]uint32
	granted   map[string]bool       // the schemas that everybody may use
	grants    map[string]acl.Grants // on the schemas of ordinary tables
	owners    map[string]string     // of them
	comments  map[string]string     // on these
	defaults  []defaultACL
	databases map[string]uint32
	all       *roles.Roles
	roles     map[string]uint32
}

func (s *shared) same(o *shared) bool {
	if s == nil || o == nil {
		return s == o
	}
	return maps.Equal(s.schemas, o.schemas) && maps.Equal(s.granted, o.granted) && maps.EqualFunc(s.grants, o.grants, acl.Same) && maps.Equal(s.owners, o.owners) && maps.Equal(s.comments, o.comments) && slices.EqualFunc(s.defaults, o.defaults, sameDefaults) && maps.Equal(s.databases, o.databases) && s.all.Version() == o.all.Version() && maps.Equal(s.roles, o.roles)
}
