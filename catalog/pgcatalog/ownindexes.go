package pgcatalog

import "sync"

// ownIndexes are the indexes of PostgreSQL's own tables, by table.
var ownIndexes = sync.OnceValue(func() map[uint32][]ownIndex {
	all := map[uint32][]ownIndex{}
	names := map[uint32][]any{}
	for _, row := range shape().rows["ontosql_indexes"] {
		names[row[0].(uint32)] = row
	}
	r := shape().byName["pg_catalog.pg_index"]
	for _, row := range shape().rows["pg_index"] {
		oid, table := row[r.index["indexrelid"]].(uint32), row[r.index["indrelid"]].(uint32)
		i := ownIndex{oid: oid, name: names[oid][1].(string), definition: names[oid][2].(string), pretty: names[oid][3].(string), primary: row[r.index["indisprimary"]] == true}
		for _, k := range row[r.index["indkey"]].([]any) {
			i.key = append(i.key, k.(int16))
		}
		all[table] = append(all[table], i)
	}
	return all
})

type ownIndex struct {
	oid                      uint32
	name, definition, pretty string
	primary                  bool
	key                      []int16
}

// addOwnIndexes adds the indexes of PostgreSQL's own tables to what pg_index has of
// them, and the definitions of its own constraints.
func (f *filler) addOwnIndexes() {
	for n := range f.objects {
		o := &f.objects[n]
		if !o.builtin {
			return
		}
		for _, i := range ownIndexes()[o.oid] {
			f.addOwnIndex(o, &i)
		}
	}
	for _, row := range shape().rows["ontosql_constraints"] {
		f.define(classPgConstraint, row[0].(uint32), 0, row[1].(string))
		f.define(classPgConstraint, row[0].(uint32), prettyPart, row[2].(string))
	}
}

func (f *filler) addOwnIndex(o *object, i *ownIndex) {
	f.add("pg_catalog.pg_class", Row{
		"oid": i.oid, "relname": i.name, "relnamespace": o.namespace, "relowner": uint32(OwnerOID), "relam": uint32(btreeAM),
		"relfilenode": i.oid, "relpages": int32(1), "relpersistence": "p", "relkind": "i", "relnatts": int16(len(i.key)),
		"relispopulated": true, "relreplident": "n", "relisshared": sharedCatalogs[o.oid], "reltablespace": o.tablespace(),
	})
	for n, k := range i.key {
		a := o.attrs[k-1].inIndex()
		if types := shape().types.byName; a.typ == types["name"].oid { // the operator class name_ops stores it so
			a.typ, a.inC = types["cstring"].oid, true
		}
		f.addAttribute(i.oid, a, n+1, nil)
		f.define(classPgClass, i.oid, n+1, quoteIdent(o.attrs[k-1].name))
	}
	f.define(classPgClass, i.oid, 0, i.definition)
	f.define(classPgClass, i.oid, prettyPart, i.pretty)
	f.name(classPgClass, i.oid, o.schema, i.name)
	row := Row{"schemaname": o.schema, "tablename": o.name, "indexname": i.name, "indexdef": i.definition}
	if sharedCatalogs[o.oid] {
		row["tablespace"] = "pg_global"
	}
	f.add("pg_catalog.pg_indexes", row)
	if i.primary {
		f.facts.primary[o.oid] = i.oid
	}
}
