package pgcatalog

import "sync"

// ownIndexes are the indexes of PostgreSQL's own tables.
var ownIndexes = sync.OnceValue(func() *indexes {
	all := &indexes{of: map[uint32][]ownIndex{}}
	names, constraints := map[uint32][]any{}, map[uint32]string{}
	for _, row := range shape().rows["ontosql_indexes"] {
		names[row[0].(uint32)] = row
	}
	c := shape().byName["pg_catalog.pg_constraint"]
	for _, row := range shape().rows["pg_constraint"] {
		word := "UNIQUE"
		if row[c.index["contype"]] == "p" {
			word = "PRIMARY KEY"
		}
		constraints[row[c.index["conindid"]].(uint32)] = word
		all.constraints = append(all.constraints, ownConstraint{row[c.index["oid"]].(uint32), row[c.index["conindid"]].(uint32), word})
	}
	r := shape().byName["pg_catalog.pg_index"]
	for _, row := range shape().rows["pg_index"] {
		oid, table := row[r.index["indexrelid"]].(uint32), row[r.index["indrelid"]].(uint32)
		i := ownIndex{oid: oid, name: names[oid][1].(string), definition: names[oid][2].(string), pretty: names[oid][3].(string), primary: constraints[oid] == "PRIMARY KEY"}
		for _, k := range row[r.index["indkey"]].([]any) {
			i.key = append(i.key, k.(int16))
		}
		all.of[table] = append(all.of[table], i)
	}
	return all
})

type indexes struct {
	of          map[uint32][]ownIndex // by table
	constraints []ownConstraint
}

type ownIndex struct {
	oid                      uint32
	name, definition, pretty string
	primary                  bool
	key                      []int16
}

type ownConstraint struct {
	oid, index uint32
	word       string // PRIMARY KEY or UNIQUE
}

// addOwnIndexes adds the indexes of PostgreSQL's own tables to what pg_index and
// pg_constraint have of them.
func (f *filler) addOwnIndexes() {
	columns := map[uint32][]int16{}
	tables := map[uint32]*object{}
	for n := range f.objects {
		o := &f.objects[n]
		if !o.builtin {
			return
		}
		for _, i := range ownIndexes().of[o.oid] {
			columns[i.oid], tables[i.oid] = i.key, o
			f.addOwnIndex(o, &i)
		}
	}
	for _, c := range ownIndexes().constraints {
		f.define(classPgConstraint, c.oid, 0, c.word+" ("+tables[c.index].columnList(columns[c.index])+")")
	}
}

func (f *filler) addOwnIndex(o *object, i *ownIndex) {
	f.add("pg_catalog.pg_class", Row{
		"oid": i.oid, "relname": i.name, "relnamespace": o.namespace, "relowner": uint32(OwnerOID), "relam": uint32(btreeAM),
		"relfilenode": i.oid, "relpages": int32(1), "relpersistence": "p", "relkind": "i", "relnatts": int16(len(i.key)),
		"relispopulated": true, "relreplident": "n",
	})
	for n, k := range i.key {
		a := o.attrs[k-1].inIndex()
		if types := shape().types.byName; a.typ == types["name"].oid { // the operator class name_ops stores it so
			a.typ, a.inC = types["cstring"].oid, true
		}
		f.addAttribute(i.oid, a, n+1)
		f.define(classPgClass, i.oid, n+1, quoteIdent(o.attrs[k-1].name))
	}
	f.define(classPgClass, i.oid, 0, i.definition)
	f.define(classPgClass, i.oid, prettyPart, i.pretty)
	f.name(classPgClass, i.oid, o.schema, i.name)
	f.add("pg_catalog.pg_indexes", Row{"schemaname": o.schema, "tablename": o.name, "indexname": i.name, "indexdef": i.definition})
	if i.primary {
		f.facts.primary[o.oid] = i.oid
	}
}
