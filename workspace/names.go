package workspace

import "maps"

// usage is how many indexes and constraints have a name in a schema.
type usage struct{ relations, constraints int }

// RelationTaken reports whether a table, view, sequence or index of a schema has a name.
func (o *Objects) RelationTaken(schema, relation string) bool {
	return o != nil && (o.HasRelation(schema, relation) || o.usages()[name{schema, relation}].relations > 0)
}

// ConstraintTaken reports whether a constraint of a table of a schema has a name.
func (o *Objects) ConstraintTaken(schema, constraint string) bool {
	return o != nil && o.usages()[name{schema, constraint}].constraints > 0
}

// usages are the names of all indexes and constraints. They are counted when they are first
// asked for; changes of the objects keep the count.
func (o *Objects) usages() map[name]usage {
	if counted := o.counted.Load(); counted != nil {
		return *counted
	}
	all := map[name]usage{}
	for _, t := range o.tables {
		count(all, t, 1)
	}
	o.counted.Store(&all)
	return all
}

// recount changes the count of objects that are being made: one table takes the place of
// another. Both may be nil.
func (o *Objects) recount(old, new *Table) {
	if counted := o.counted.Load(); counted != nil {
		count(*counted, old, -1)
		count(*counted, new, 1)
	}
}

// copyCount gives objects that are being made the count of others.
func (o *Objects) copyCount(from *Objects) {
	if counted := from.counted.Load(); counted != nil {
		all := maps.Clone(*counted)
		o.counted.Store(&all)
	}
}

// count adds the names of a table, which may be nil, so many times.
func count(all map[name]usage, t *Table, times int) {
	if t == nil {
		return
	}
	add := func(n string, relations, constraints int) {
		key := name{t.Schema, n}
		u := all[key]
		u.relations += relations * times
		u.constraints += constraints * times
		if all[key] = u; u == (usage{}) {
			delete(all, key)
		}
	}
	for _, u := range t.Uniques {
		add(u.Name, 1, 1)
	}
	if t.Key != nil {
		add(t.Key.Name, 1, 1)
	}
	for _, x := range t.Indexes {
		add(x.Name, 1, 0)
	}
	for _, c := range t.Checks {
		add(c.Name, 0, 1)
	}
	for _, k := range t.ForeignKeys {
		add(k.Name, 0, 1)
	}
}
