package pgcatalog

import "sync"

// addTypes gives each relation its row type and that one's array, as PostgreSQL
// does, and fills the tables behind format_type and regtype.
func (f *filler) addTypes() {
	f.addAll(describedTypes())
	f.addRowTypes()
}

// describedTypes are the rows that describe PostgreSQL's own types: the same in every
// catalog.
var describedTypes = sync.OnceValue(func() *filler {
	f := &filler{rows: map[*Relation][][]any{}}
	f.describeTypes()
	return f
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
		f.addTypeName(t.oid, nameOf(t, types.byOID[t.elem], spelled))
		f.name(classPgType, t.oid, schemaOf[t.namespace], t.name)
	}
}

func (f *filler) addRowTypes() {
	in, out, receive, send := f.procedure("record_in"), f.procedure("record_out"), f.procedure("record_recv"), f.procedure("record_send")
	for _, o := range f.objects {
		if o.rowType == 0 {
			continue
		}
		array := f.oids.of("type", o.schema, "_"+o.name)
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
			"typinput": f.procedure("array_in"), "typoutput": f.procedure("array_out"), "typreceive": f.procedure("array_recv"),
			"typsend": f.procedure("array_send"), "typanalyze": f.procedure("array_typanalyze"),
			"typsubscript": f.procedure("array_subscript_handler"),
		}))
		name := quoteIdent(o.name)
		if o.schema != "public" {
			name = qualifiedName(o.schema, o.name)
		}
		f.addTypeName(o.rowType, typeName{plain: name, modified: name})
		f.addTypeName(array, typeName{plain: name, modified: name, suffix: "[]"})
		f.name(classPgType, o.rowType, o.schema, o.name)
		f.name(classPgType, array, o.schema, "_"+o.name)
	}
}

func (f *filler) addTypeName(oid uint32, n typeName) {
	f.add(".ontosql_type_names", Row{
		"oid": oid, "plain": n.plain, "modified": n.modified, "family": n.family, "array_suffix": n.suffix,
	})
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
func (f *filler) procedure(name string) uint32 {
	r := shape().byName["pg_catalog.pg_proc"]
	for _, row := range shape().rows["pg_proc"] {
		if row[r.index["proname"]] == name {
			return row[r.index["oid"]].(uint32)
		}
	}
	return 0
}
