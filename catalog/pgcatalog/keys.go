package pgcatalog

import "strings"

// prettyPart is the number of the part that has the form of a definition that
// pg_get_indexdef(oid, 0, true) or pg_get_viewdef(oid, true) gives.
const prettyPart = -1

// link is a foreign key from a relation type to an endpoint's entity type. Both tables
// are in public.
type link struct {
	from   string
	column int16 // of from
	to     target
	name   string
	oid    uint32
}

// target is the table that a foreign key refers to.
type target struct {
	name    string
	oid     uint32
	keyName string // its primary key
	key     uint32 // the OID of that one's index
	num     int16  // the key's first column
	column  attr
}

func (f *filler) addKeys() {
	for i := range f.objects {
		o := &f.objects[i]
		if o.keyName != "" {
			f.addUniqueKey(o, o.keyName, o.key, o.parts.key, o.parts.primary, o.keyDetails, true)
		}
		for i := range o.uniques {
			u := &o.uniques[i]
			f.addUniqueKey(o, u.name, unpacked(u.columns), u.index, u.constraint, u.details, false)
		}
		for i := range o.indexes {
			f.addIndex(o, &o.indexes[i])
		}
	}
	for i := range f.links {
		f.addForeignKey(&f.objects[0], &f.links[i])
	}
}

// addUniqueKey adds a PRIMARY KEY or UNIQUE constraint, which has the OID oid, with its index.
func (f *filler) addUniqueKey(o *object, name string, key []int16, index, oid uint32, details keyDetails, primary bool) {
	names := o.columnNames(key)
	list := o.columnList(key)
	kind, clause := "u", "UNIQUE"
	if primary {
		kind, clause = "p", "PRIMARY KEY"
	}
	definition := func(table string) string {
		return "CREATE UNIQUE INDEX " + quoteIdent(name) + " ON " + table + " USING btree (" + list + ")" + printedOptions(details.storage())
	}

	f.add("pg_catalog.pg_class", Row{
		"oid": index, "relname": name, "relnamespace": o.namespace, "relowner": o.holderOID, "relam": uint32(btreeAM),
		"relfilenode": index, "relpages": int32(1), "relpersistence": o.persistence(), "relkind": "i", "relnatts": int16(len(key)),
		"relispopulated": true, "relreplident": "n", "reloptions": texts(details.storage()),
	})
	var classes, collations, options []any
	for i, k := range key {
		a := o.attrs[k-1]
		f.addAttribute(index, a.inIndex(), i+1, nil)
		f.define(classPgClass, index, i+1, names[i])
		classes = append(classes, btreeClass(a.typ))
		collations = append(collations, shape().types.byOID[a.typ].collation)
		options = append(options, int16(0))
	}
	f.add("pg_catalog.pg_index", Row{
		"indexrelid": index, "indrelid": o.oid, "indnatts": int16(len(key)), "indnkeyatts": int16(len(key)),
		"indisunique": true, "indisprimary": primary, "indimmediate": !details.Deferrable, "indisvalid": true, "indisready": true, "indislive": true,
		"indkey": numbers(key), "indclass": classes, "indcollation": collations, "indoption": options,
	})
	f.define(classPgClass, index, 0, definition(qualifiedName(shownSchema(o.schema), o.name)))
	f.define(classPgClass, index, prettyPart, definition(mention(o.oid)))
	f.add("pg_catalog.pg_indexes", Row{
		"schemaname": o.schema, "tablename": o.name, "indexname": name, "indexdef": definition(qualifiedName(shownSchema(o.schema), o.name)),
	})
	f.add("pg_catalog.pg_constraint", Row{
		"oid": oid, "conname": name, "connamespace": o.namespace, "contype": kind, "condeferrable": details.Deferrable, "condeferred": details.Deferred, "convalidated": true, "conrelid": o.oid,
		"conindid": index, "confupdtype": " ", "confdeltype": " ", "confmatchtype": " ", "conislocal": true, "connoinherit": true,
		"conkey": numbers(key),
	})
	f.define(classPgConstraint, oid, 0, clause+" ("+list+")"+details.clause())
	f.describe(classPgConstraint, oid, 0, details.constraint)
	f.describe(classPgClass, index, 0, details.index)
	for _, k := range key {
		f.depend(classPgConstraint, oid, classPgClass, o.oid, int(k), "a")
	}
	f.depend(classPgClass, index, classPgConstraint, oid, 0, "i")
}

func (f *filler) addForeignKey(from *object, l *link) {
	operators, key := []any{equality(l.to.column.typ)}, []any{l.to.num}
	f.add("pg_catalog.pg_constraint", Row{
		"oid": l.oid, "conname": l.name, "connamespace": from.namespace, "contype": "f", "conrelid": from.oid,
		"conindid": l.to.key, "confrelid": l.to.oid, "confupdtype": "a", "confdeltype": "a", "confmatchtype": "s",
		"conislocal": true, "connoinherit": true, "conkey": []any{l.column}, "confkey": key,
		"conpfeqop": operators, "conppeqop": operators, "conffeqop": operators,
	})
	// Dangling endpoints are legal, so the key is not valid (PRODUCT "Keys").
	f.define(classPgConstraint, l.oid, 0, "FOREIGN KEY ("+from.columnNames([]int16{l.column})[0]+") REFERENCES "+
		mention(l.to.oid)+"("+quoteIdent(l.to.column.name)+") NOT VALID")
	f.depend(classPgConstraint, l.oid, classPgClass, from.oid, int(l.column), "a")
	f.depend(classPgConstraint, l.oid, classPgClass, l.to.key, 0, "n")
	f.depend(classPgConstraint, l.oid, classPgClass, l.to.oid, int(l.to.num), "n")
}

// columnList are the columns' names in one text.
func (o *object) columnList(nums []int16) string { return strings.Join(o.columnNames(nums), ", ") }

// columnNames are the columns' names as SQL writes them.
func (o *object) columnNames(nums []int16) []string {
	var names []string
	for _, n := range nums {
		names = append(names, quoteIdent(o.attrs[n-1].name))
	}
	return names
}

// inIndex is a column as an index has it: the table's, without NOT NULL and
// DEFAULT.
func (a attr) inIndex() attr {
	a.notNull, a.defaultExpr, a.comment = false, "", ""
	return a
}

func numbers(nums []int16) []any {
	var list []any
	for _, n := range nums {
		list = append(list, n)
	}
	return list
}

// compared is the type whose operators compare values of a type: varchar has none
// of its own.
func compared(typ uint32) uint32 {
	types := shape().types
	if typ == types.byName["varchar"].oid {
		return types.byName["text"].oid
	}
	return typ
}

// btreeClass is the default operator class of a type for btree indexes.
func btreeClass(typ uint32) uint32 { return DefaultOperatorClass("btree", typ) }

// equality is pg_operator.oid of the type's "=", for the types a key can have
// (PRODUCT "Types"); 0 for another.
func equality(typ uint32) uint32 {
	return map[uint32]uint32{
		16: 91, 17: 1955, 20: 410, 25: 98, 701: 670, 1082: 1093, 1184: 1320, 1700: 1752, 2950: 2972, 3802: 3240,
	}[compared(typ)]
}
