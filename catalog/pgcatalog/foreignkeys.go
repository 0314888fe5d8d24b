package pgcatalog

import (
	"slices"
	"strings"
)

// TableForeignKey is a FOREIGN KEY constraint of an ordinary table. Columns are numbers from 1.
type TableForeignKey struct {
	Name, Comment      string
	Columns            []int16
	Schema, Table      string // that it leads to
	References         []int16
	Key                string // the constraint or index that makes them unique
	OnUpdate, OnDelete string // as pg_constraint has them
	Full               bool
	SetColumns         []int16 // of ON DELETE SET
	Timing
	NotValid bool
}

// foreignKey is a TableForeignKey of an object, with the OIDs of what it is about.
type foreignKey struct {
	*TableForeignKey
	oid, to, index uint32
	names          []string // of the referenced columns
	types          []uint32 // of them
	schema         string   // of the referenced table in information_schema
	constraint     bool     // Key is a constraint
}

// same reports whether two foreign keys are the same for a client.
func (k *foreignKey) same(o *foreignKey) bool {
	a, b := k.TableForeignKey, o.TableForeignKey
	return k.oid == o.oid && k.to == o.to && k.index == o.index && slices.Equal(k.names, o.names) && slices.Equal(k.types, o.types) &&
		k.schema == o.schema && k.constraint == o.constraint && a.Name == b.Name && slices.Equal(a.Columns, b.Columns) && a.Table == b.Table && slices.Equal(a.References, b.References) &&
		a.Key == b.Key && a.OnUpdate == b.OnUpdate && a.OnDelete == b.OnDelete && a.Full == b.Full && slices.Equal(a.SetColumns, b.SetColumns) &&
		a.Timing == b.Timing && a.NotValid == b.NotValid
}

// sameKeys reports whether two lists of foreign keys are the same.
func sameKeys(a, b []foreignKey) bool {
	return slices.EqualFunc(a, b, func(a, b foreignKey) bool { return a.same(&b) })
}

// findReferences finds what the foreign keys of ordinary tables lead to. The objects have their
// OIDs.
func (l *layout) findReferences() {
	at := map[string]*object{}
	for _, o := range l.objects {
		if o.ordinary && !o.view && o.sequence == nil {
			at[objectKey(o.schema, o.name)] = o
		}
	}
	for _, o := range l.objects {
		for i := range o.foreign {
			k := &o.foreign[i]
			schema := k.Schema
			if schema == "pg_temp" {
				schema = o.schema
			}
			to := at[objectKey(schema, k.Table)]
			if to == nil {
				continue
			}
			o.linked, to.linked = true, true
			k.oid, k.to, k.schema = l.oids.of("constraint", o.schema, o.name, k.Name), to.oid, to.schema
			for _, n := range k.References {
				k.names, k.types = append(k.names, to.attrs[n-1].name), append(k.types, to.attrs[n-1].typ)
			}
			if k.constraint = to.keyName == k.Key; k.constraint {
				k.index = to.parts.key
			}
			for _, u := range to.uniques {
				if u.name == k.Key {
					k.index, k.constraint = u.index, true
				}
			}
			for _, x := range to.indexes {
				if x.Name == k.Key {
					k.index = x.oid
				}
			}
		}
	}
}

// addForeignKeys adds the foreign keys of an ordinary table.
func (f *filler) addForeignKeys(o *object) {
	for i := range o.foreign {
		k := &o.foreign[i]
		if k.to == 0 {
			continue
		}
		row := Row{
			"oid": k.oid, "conname": k.Name, "connamespace": o.namespace, "contype": "f", "conrelid": o.oid, "convalidated": !k.NotValid,
			"condeferrable": k.Deferrable, "condeferred": k.Deferred,
			"conindid": k.index, "confrelid": k.to, "confupdtype": k.OnUpdate, "confdeltype": k.OnDelete, "confmatchtype": "s",
			"conislocal": true, "connoinherit": true, "conkey": numbers(k.Columns), "confkey": numbers(k.References),
		}
		if k.Full {
			row["confmatchtype"] = "f"
		}
		var operators []any
		for _, t := range k.types {
			operators = append(operators, equality(t))
		}
		row["conpfeqop"], row["conppeqop"], row["conffeqop"] = operators, operators, operators
		if k.SetColumns != nil {
			row["confdelsetcols"] = numbers(k.SetColumns)
		}
		f.add("pg_catalog.pg_constraint", row)
		f.define(classPgConstraint, k.oid, 0, k.text(o))
		f.describe(classPgConstraint, k.oid, 0, k.Comment)
		for _, n := range k.Columns {
			f.depend(classPgConstraint, k.oid, classPgClass, o.oid, int(n), "a")
		}
		f.depend(classPgConstraint, k.oid, classPgClass, k.index, 0, "n")
		for _, n := range k.References {
			f.depend(classPgConstraint, k.oid, classPgClass, k.to, int(n), "n")
		}
	}
}

// keyActions are the actions of pg_constraint as pg_get_constraintdef prints them.
var keyActions = map[string]string{"r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}

// text is the constraint as pg_get_constraintdef prints it.
func (k *foreignKey) text(o *object) string {
	quoted := make([]string, len(k.names))
	for i, name := range k.names {
		quoted[i] = quoteIdent(name)
	}
	text := "FOREIGN KEY (" + o.columnList(k.Columns) + ") REFERENCES " + mention(k.to) + "(" + strings.Join(quoted, ", ") + ")"
	if k.Full {
		text += " MATCH FULL"
	}
	if action := keyActions[k.OnUpdate]; action != "" {
		text += " ON UPDATE " + action
	}
	if action := keyActions[k.OnDelete]; action != "" {
		text += " ON DELETE " + action
		if k.SetColumns != nil {
			text += " (" + o.columnList(k.SetColumns) + ")"
		}
	}
	text += k.clause()
	if k.NotValid {
		text += " NOT VALID"
	}
	return text
}

// addInfoForeignKeys adds what information_schema shows of the foreign keys of an ordinary
// table.
func (f *filler) addInfoForeignKeys(o *object) {
	for i := range o.foreign {
		k := &o.foreign[i]
		if k.to == 0 {
			continue
		}
		row := f.constraintTimed(o, k.Name, "FOREIGN KEY", k.Timing)
		for i, n := range k.Columns {
			f.add("information_schema.key_column_usage", row.with(Row{
				"column_name": o.attrs[n-1].name, "ordinal_position": int32(i + 1), "position_in_unique_constraint": k.place(i),
			}))
		}
		used := row.with(Row{"table_schema": k.schema, "table_name": k.Table})
		f.add("information_schema.constraint_table_usage", used)
		for _, name := range k.names {
			f.add("information_schema.constraint_column_usage", used.with(Row{"column_name": name}))
		}
		match := "NONE"
		if k.Full {
			match = "FULL"
		}
		of := Row{
			"constraint_catalog": f.database, "constraint_schema": o.schema, "constraint_name": k.Name,
			"match_option": match, "update_rule": rule(k.OnUpdate), "delete_rule": rule(k.OnDelete),
		}
		if k.constraint {
			of["unique_constraint_catalog"], of["unique_constraint_schema"], of["unique_constraint_name"] = f.database, k.schema, k.Key
		}
		f.add("information_schema.referential_constraints", of)
	}
}

// place is the place of a referenced column among those of the key.
func (k *foreignKey) place(i int) int32 {
	sorted := slices.Sorted(slices.Values(k.References))
	return int32(1 + slices.Index(sorted, k.References[i]))
}

// rule is an action as information_schema names it.
func rule(action string) string {
	if text := keyActions[action]; text != "" {
		return text
	}
	return "NO ACTION"
}
