package pgcatalog

import "sync"

// describedTypes are the facts of PostgreSQL's own types, behind format_type and
// regtype: the same in every catalog.
var describedTypes = sync.OnceValue(func() *facts {
	f := newFiller(nil)
	f.describeTypes()
	return f.facts
})

func (f *filler) describeTypes() {
	types := shape().types
	schemaOf := map[uint32]string{catalogNamespace: "pg_catalog", infoNamespace: "information_schema"}
	spelled := func(t *pgType) string {
		if t.namespace == catalogNamespace {
			return quoteIdent(t.name)
		}
		return qualifiedName(schemaOf[t.namespace], t.name)
	}
	for _, row := range shape().rows["pg_type"] {
		t := types.byOID[row[0].(uint32)]
		f.facts.addType(t.oid, nameOf(t, types.byOID[t.elem], spelled))
		f.name(classPgType, t.oid, schemaOf[t.namespace], t.name)
	}
}

// addRowTypes gives each relation its row type and that one's array, as PostgreSQL
// does. Those of its own are among its types.
func (f *filler) addRowTypes() {
	in, out, receive, send := procedure("record_in"), procedure("record_out"), procedure("record_recv"), procedure("record_send")
	for i := range f.objects {
		o := &f.objects[i]
		if o.builtin || o.sequence != nil {
			continue
		}
		array := o.parts.array
		common := Row{
			"typnamespace": o.namespace, "typowner": uint32(OwnerOID), "typlen": int16(-1), "typisdefined": true,
			"typdelim": ",", "typalign": "d", "typstorage": "x", "typtypmod": int32(-1),
		}
		f.add("pg_catalog.pg_type", common.with(Row{
			"oid": o.rowType, "typname": o.name, "typtype": "c", "typcategory": "C", "typrelid": o.oid, "typarray": array,
			"typinput": in, "typoutput": out, "typreceive": receive, "typsend": send,
		}))
		f.add("pg_catalog.pg_type", common.with(Row{
			"oid": array, "typname": "_" + o.name, "typtype": "b", "typcategory": "A", "typelem": o.rowType,
			"typinput": procedure("array_in"), "typoutput": procedure("array_out"), "typreceive": procedure("array_recv"),
			"typsend": procedure("array_send"), "typanalyze": procedure("array_typanalyze"),
			"typsubscript": procedure("array_subscript_handler"),
		}))
		f.facts.addType(o.rowType, typeName{row: o.rowType})
		f.facts.addType(array, typeName{row: o.rowType, suffix: "[]"})
		f.name(classPgType, o.rowType, o.schema, o.name)
		f.name(classPgType, array, o.schema, "_"+o.name)
	}
}

// with is r and the columns of more.
func (r Row) with(more Row) Row {
	out := Row{}
	for name, v := range r {
		out[name] = v
	}
	for name, v := range more {
		out[name] = v
	}
	return out
}

// procedure is the OID of a built-in function that is not overloaded.
func procedure(name string) uint32 { return procedures()[name] }

// procedures are the OIDs of the built-in functions, of overloaded ones the last.
var procedures = sync.OnceValue(func() map[string]uint32 {
	oids := map[string]uint32{}
	r := shape().byName["pg_catalog.pg_proc"]
	for _, row := range shape().rows["pg_proc"] {
		oids[row[r.index["proname"]].(string)] = row[r.index["oid"]].(uint32)
	}
	return oids
})
