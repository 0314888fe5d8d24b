package workspace

// usage is how many indexes and constraints have a name in a schema.
type usage struct{ relations, constraints int }

// RelationTaken reports whether a table, view, sequence or index of a schema has a name.
func (o *Objects) RelationTaken(schema, relation string) bool {
	return o != nil && (o.HasRelation(schema, relation) || o.usage(schema, relation).relations > 0)
}

// ConstraintTaken reports whether a constraint of a table of a schema has a name.
func (o *Objects) ConstraintTaken(schema, constraint string) bool {
	return o != nil && o.usage(schema, constraint).constraints > 0
}

func (o *Objects) usage(schema, of string) usage {
	u, _ := o.usages.Get(name{schema, of})
	return u
}

// count adds the names of the indexes and constraints of a table, which may be nil, to the
// usages of objects that are being made, so many times.
func (o *Objects) count(t *Table, times int) {
	if t == nil {
		return
	}
	add := func(n string, relations, constraints int) {
		u := o.usage(t.Schema, n)
		u.relations += relations * times
		u.constraints += constraints * times
		if u == (usage{}) {
			o.usages = o.usages.Delete(name{t.Schema, n})
		} else {
			o.usages = o.usages.Set(name{t.Schema, n}, u)
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
