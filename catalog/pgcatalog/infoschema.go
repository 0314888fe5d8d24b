package pgcatalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// addInformationSchema fills the views of the SQL standard. They are written
// from the same objects as pg_catalog, as PostgreSQL's are defined over it.
func (f *filler) addInformationSchema() {
	if f.shared != nil {
		f.addInfoShared()
	}
	for i := range f.objects {
		o := &f.objects[i]
		if o.sequence != nil {
			f.addInfoSequence(o)
			continue
		}
		if o.materialized { // the SQL standard has none
			continue
		}
		f.addInfoTable(o)
		for i, a := range o.attrs {
			if !a.dropped {
				f.addInfoColumn(o, a, i+1)
			}
		}
		if o.keyName != "" {
			f.addInfoKey(o, o.keyName, "PRIMARY KEY", o.key, o.keyDetails.Timing)
		}
		f.addInfoChecks(o)
	}
	for i := range f.links {
		f.addInfoForeignKey(&f.objects[0], &f.links[i])
	}
}

func (f *filler) addInfoShared() {
	db := f.database
	f.add("information_schema.information_schema_catalog_name", Row{"catalog_name": db})
	f.add("information_schema.character_sets", Row{
		"character_set_name": "UTF8", "character_repertoire": "UCS", "form_of_use": "UTF8", "default_collate_catalog": db,
		"default_collate_schema": "pg_catalog", "default_collate_name": "C",
	})
	for _, name := range slices.Sorted(maps.Keys(f.shared.schemas)) {
		f.add("information_schema.schemata", Row{"catalog_name": db, "schema_name": name, "schema_owner": cmp.Or(f.shared.owners[name], Owner)})
	}
	for _, name := range slices.Sorted(maps.Keys(f.shared.roles)) {
		f.add("information_schema.enabled_roles", Row{"role_name": name})
	}
}

func yesNo(b bool) string {
	if b {
		return "YES"
	}
	return "NO"
}

func (f *filler) addInfoTable(o *object) {
	writable, changes := o.updatable()&eventInsert != 0, o.updatable()&(eventUpdate|eventDelete) == eventUpdate|eventDelete
	kind := "BASE TABLE"
	if o.temporary {
		kind = "LOCAL TEMPORARY"
	}
	if o.view {
		if !o.temporary {
			kind = "VIEW"
		}
		row := Row{
			"table_catalog": f.database, "table_schema": o.schema, "table_name": o.name, "check_option": o.checkOption(),
			"is_updatable": yesNo(changes), "is_insertable_into": yesNo(writable), "is_trigger_updatable": "NO", "is_trigger_deletable": "NO",
			"is_trigger_insertable_into": "NO",
		}
		if o.definition != "" {
			row["view_definition"] = o.definition
		}
		f.add("information_schema.views", row)
	}
	if f.table != nil {
		f.add("information_schema.view_table_usage", Row{
			"view_catalog": f.database, "view_schema": o.schema, "view_name": o.name,
			"table_catalog": f.database, "table_schema": f.table.schema, "table_name": f.table.name,
		})
	}
	f.addInfoUses(o)
	f.add("information_schema.tables", Row{
		"table_catalog": f.database, "table_schema": o.schema, "table_name": o.name, "table_type": kind,
		"is_insertable_into": yesNo(writable), "is_typed": "NO",
	})
	if o.ordinary || o.governed {
		f.addInfoGrants(o)
		return
	}
	for _, grantee := range []string{Owner, "PUBLIC"} {
		for _, privilege := range o.privileges() {
			row := Row{
				"grantor": Owner, "grantee": grantee, "table_catalog": f.database, "table_schema": o.schema,
				"table_name": o.name, "privilege_type": privilege, "is_grantable": yesNo(grantee == Owner),
				"with_hierarchy": yesNo(privilege == "SELECT"),
			}
			f.add("information_schema.table_privileges", row)
		}
	}
}

// privileges are those of relacl, which the owner and everybody have.
func (o *object) privileges() []string {
	if o.view || o.builtin {
		return []string{"SELECT"}
	}
	return []string{"INSERT", "SELECT", "UPDATE"}
}

func (f *filler) addInfoColumn(o *object, a attr, num int) {
	types := shape().types
	t := types.byOID[a.typ]
	row := Row{
		"table_catalog": f.database, "table_schema": o.schema, "table_name": o.name, "column_name": a.name,
		"ordinal_position": int32(num), "is_nullable": yesNo(!a.notNull), "udt_catalog": f.database,
		"dtd_identifier": strconv.Itoa(num), "is_self_referencing": "NO", "is_identity": "NO", "identity_cycle": "NO",
		"is_generated": "NEVER", "is_updatable": yesNo(o.updatable() != 0 && !slices.Contains(unpacked(o.fixed), int16(num))),
	}
	if t.base != 0 {
		row["domain_catalog"], row["domain_schema"], row["domain_name"] = f.database, "information_schema", t.name
		a.typmod = t.baseMod
		t = types.byOID[t.base]
	}
	switch {
	case a.generated:
		row["is_generated"], row["generation_expression"] = "ALWAYS", a.defaultExpr
		for _, read := range unpacked(a.reads) {
			f.add("information_schema.column_column_usage", Row{
				"table_catalog": f.database, "table_schema": o.schema, "table_name": o.name,
				"column_name": o.attrs[read-1].name, "dependent_column": a.name,
			})
		}
	case a.defaultExpr != "":
		row["column_default"] = a.defaultExpr
	}
	if a.identity != "" {
		row["is_identity"], row["identity_generation"] = "YES", map[string]string{"a": "ALWAYS", "d": "BY DEFAULT"}[a.identity]
		q := a.sequence
		row["identity_start"], row["identity_increment"], row["identity_maximum"], row["identity_minimum"] = int64Text(q.start), int64Text(q.increment), int64Text(q.max), int64Text(q.min)
		row["identity_cycle"] = yesNo(q.cycle)
	}
	row["udt_schema"], row["udt_name"] = "pg_catalog", t.name
	if t.elem != 0 {
		row["data_type"] = "ARRAY"
		f.add("information_schema.element_types", Row{
			"object_catalog": f.database, "object_schema": o.schema, "object_name": o.name, "object_type": "TABLE",
			"collection_type_identifier": strconv.Itoa(num), "data_type": plainName(types.byOID[t.elem]), "udt_catalog": f.database,
			"udt_schema": "pg_catalog", "udt_name": types.byOID[t.elem].name, "dtd_identifier": "a" + strconv.Itoa(num),
		})
	} else {
		row["data_type"] = plainName(t)
	}
	for name, v := range precision(t.name, a.typmod) {
		row[name] = v
	}
	f.add("information_schema.columns", row)
	if a.notNull && !o.view {
		f.constraint(o, fmt.Sprintf("%d_%d_%d_not_null", o.namespace, o.oid, num), "CHECK")
	}
}

// precision are the columns that say how much a column of the type holds.
func precision(typname string, typmod int32) Row {
	binary := map[string]int32{"int2": 16, "int4": 32, "int8": 64, "float4": 24, "float8": 53}
	row := Row{}
	switch typname {
	case "int2", "int4", "int8":
		row["numeric_scale"] = int32(0)
		fallthrough
	case "float4", "float8":
		row["numeric_precision"], row["numeric_precision_radix"] = binary[typname], int32(2)
	case "numeric":
		row["numeric_precision_radix"] = int32(10)
		if typmod >= 0 {
			row["numeric_precision"], row["numeric_scale"] = (typmod-4)>>16&0xffff, (typmod-4)&0xffff
		}
	case "text", "varchar", "bpchar":
		row["character_octet_length"] = int32(1 << 30)
		if typmod >= 0 {
			row["character_maximum_length"], row["character_octet_length"] = typmod-4, 4*(typmod-4)
		}
	case "date":
		row["datetime_precision"] = int32(0)
	case "time", "timetz", "timestamp", "timestamptz", "interval":
		row["datetime_precision"] = int32(6)
		if typmod >= 0 {
			row["datetime_precision"] = typmod
		}
	}
	return row
}

func (f *filler) constraint(o *object, name, kind string) Row {
	return f.constraintTimed(o, name, kind, Timing{})
}

// constraintTimed is constraint of one that may be deferrable.
func (f *filler) constraintTimed(o *object, name, kind string, t Timing) Row {
	row := Row{
		"constraint_catalog": f.database, "constraint_schema": o.schema, "constraint_name": name,
		"table_catalog": f.database, "table_schema": o.schema, "table_name": o.name,
	}
	f.add("information_schema.table_constraints", row.with(Row{
		"constraint_type": kind, "is_deferrable": yesNo(t.Deferrable), "initially_deferred": yesNo(t.Deferred), "enforced": "YES",
	}))
	return row
}

// addInfoKey adds a PRIMARY KEY or UNIQUE constraint.
func (f *filler) addInfoKey(o *object, name, kind string, key []int16, t Timing) {
	row := f.constraintTimed(o, name, kind, t)
	f.add("information_schema.constraint_table_usage", row)
	for i, k := range key {
		column := row.with(Row{"column_name": o.attrs[k-1].name})
		f.add("information_schema.constraint_column_usage", column)
		f.add("information_schema.key_column_usage", column.with(Row{"ordinal_position": int32(i + 1)}))
	}
}

func (f *filler) addInfoForeignKey(from *object, l *link) {
	row := f.constraint(from, l.name, "FOREIGN KEY")
	f.add("information_schema.key_column_usage", row.with(Row{
		"column_name": from.attrs[l.column-1].name, "ordinal_position": int32(1), "position_in_unique_constraint": int32(1),
	}))
	used := row.with(Row{"table_schema": "public", "table_name": l.to.name})
	f.add("information_schema.constraint_table_usage", used)
	f.add("information_schema.constraint_column_usage", used.with(Row{"column_name": l.to.column.name}))
	f.add("information_schema.referential_constraints", Row{
		"constraint_catalog": f.database, "constraint_schema": from.schema, "constraint_name": l.name,
		"unique_constraint_catalog": f.database, "unique_constraint_schema": "public",
		"unique_constraint_name": l.to.keyName, "match_option": "NONE", "update_rule": "NO ACTION", "delete_rule": "NO ACTION",
	})
}
