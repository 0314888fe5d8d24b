package pgcatalog

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/acl"
)

// TableSchema is a schema of ordinary tables.
type TableSchema struct {
	Name      string // of temporary tables such as "pg_temp_7"; the session calls it pg_temp, too
	Temporary bool
	Comment   string
	Owner     string // a role, "" for the owner of the database
	Grants    acl.Grants
	Defaults  []DefaultGrants // on what is created in the schema
	Tables    []Table
	Views     []StoredView
	Sequences []TableSequence
}

// Table is an ordinary table, which is no type of the ontology.
type Table struct {
	Name    string
	Comment string
	Options []string      // the storage parameters, as pg_class.reloptions has them
	Columns []TableColumn // by their numbers, from 1
	Key     *TableKey     // the PRIMARY KEY, nil for none
	Uniques []TableKey
	Checks  []TableCheck
	Foreign []TableForeignKey
	Indexes []TableIndex // that no constraint has made
	// Query is that of a materialized view, nil of a table. Its columns are not read.
	Query       *StoredView
	Unpopulated bool
	Owner       string // a role, "" for the owner of the database
	Grants      acl.Grants
}

// TableColumn is a column of an ordinary table.
type TableColumn struct {
	Name    string
	Type    uint32 // its OID
	Typmod  int32  // as pg_attribute.atttypmod has it
	NotNull bool
	Default string // the SQL text of the DEFAULT expression, "" for none
	Comment string
	Dropped bool // the table had the column
	// Identity is pg_attribute.attidentity, "" for another column.
	Identity string
	// Generated says that Default is the expression of a generated column. Reads are the numbers
	// of the columns that it names.
	Generated bool
	Reads     []int16
}

// TableKey is a PRIMARY KEY or UNIQUE constraint. Columns are numbers from 1.
type TableKey struct {
	Name    string
	Columns []int16
	Timing
	Comment string
	// IndexComment is that of the index, Options are its storage parameters.
	IndexComment string
	Options      []string
}

// TableCheck is a CHECK constraint.
type TableCheck struct {
	Name, Text string  // its name and condition
	Columns    []int16 // that the condition names, numbers from 1
	NotValid   bool
	Comment    string
}

// uniqueKey is a PRIMARY KEY or UNIQUE constraint of an object, with the OIDs of its index and
// of the constraint.
type uniqueKey struct {
	name              string
	columns           string // their numbers, each a character, so that keys can be compared
	index, constraint uint32
	details           keyDetails
}

// keyDetails are the comments of a PRIMARY KEY or UNIQUE constraint and of its index, and when
// it is checked.
type keyDetails struct {
	constraint, index string
	Timing
	options string // the storage parameters of the index, a line each, so that details can be compared
}

func (k *TableKey) details() keyDetails {
	return keyDetails{k.Comment, k.IndexComment, k.Timing, strings.Join(k.Options, "\n")}
}

// storage are the storage parameters of the index.
func (d *keyDetails) storage() []string {
	if d.options == "" {
		return nil
	}
	return strings.Split(d.options, "\n")
}

// Timing is when a constraint is checked.
type Timing struct{ Deferrable, Deferred bool }

// clause is how pg_get_constraintdef ends.
func (t Timing) clause() (text string) {
	if t.Deferrable {
		text += " DEFERRABLE"
	}
	if t.Deferred {
		text += " INITIALLY DEFERRED"
	}
	return text
}

// check is a CHECK constraint of an object.
type check struct {
	name, text string
	columns    string // as uniqueKey has them
	oid        uint32
	notValid   bool
	comment    string
}

// ordinary is the object of an ordinary table.
func ordinary(s *TableSchema, t *Table) *object {
	o := &object{schema: s.Name, name: t.Name, ordinary: true, temporary: s.Temporary, comment: t.Comment, options: t.Options, holder: t.Owner, grants: t.Grants}
	for i, c := range t.Columns {
		if c.Dropped {
			o.attrs = append(o.attrs, attr{name: fmt.Sprintf("........pg.dropped.%d........", i+1), typ: c.Type, typmod: c.Typmod, dropped: true})
			continue
		}
		o.attrs = append(o.attrs, attr{name: c.Name, typ: c.Type, typmod: c.Typmod, notNull: c.NotNull, defaultExpr: defaultText(c.Default, c.Type, c.Typmod), comment: c.Comment, identity: c.Identity, generated: c.Generated, reads: packed(c.Reads)})
	}
	if t.Key != nil {
		o.keyName, o.key, o.keyDetails = t.Key.Name, t.Key.Columns, t.Key.details()
	}
	for _, u := range t.Uniques {
		o.uniques = append(o.uniques, uniqueKey{name: u.Name, columns: packed(u.Columns), details: u.details()})
	}
	for i := range t.Indexes {
		o.indexes = append(o.indexes, index{TableIndex: &t.Indexes[i]})
	}
	if t.Query != nil {
		o.materialized, o.unpopulated, o.definition = true, t.Unpopulated, t.Query.Definition
		o.use(s, t.Query.Uses)
	}
	for i := range t.Foreign {
		o.foreign = append(o.foreign, foreignKey{TableForeignKey: &t.Foreign[i]})
	}
	for _, c := range t.Checks {
		o.checks = append(o.checks, check{name: c.Name, text: c.Text, columns: packed(c.Columns), notValid: c.NotValid, comment: c.Comment})
	}
	return o
}

// packed are numbers as a text, a character each, which can be compared.
func packed(numbers []int16) string {
	var s strings.Builder
	for _, n := range numbers {
		s.WriteRune(rune(n))
	}
	return s.String()
}

// unpacked are the numbers that packed was given.
func unpacked(text string) []int16 {
	var out []int16
	for _, r := range text {
		out = append(out, int16(r))
	}
	return out
}

// addChecks adds the CHECK constraints of the group's tables.
func (f *filler) addChecks() {
	for i := range f.objects {
		o := &f.objects[i]
		f.addForeignKeys(o)
		for _, c := range o.checks {
			f.add("pg_catalog.pg_constraint", Row{
				"oid": c.oid, "conname": c.name, "connamespace": o.namespace, "contype": "c", "convalidated": !c.notValid, "conrelid": o.oid,
				"confupdtype": " ", "confdeltype": " ", "confmatchtype": " ", "conislocal": true,
				"conkey": numbers(unpacked(c.columns)),
			})
			text := "CHECK ((" + c.text + "))"
			if c.notValid {
				text += " NOT VALID"
			}
			f.define(classPgConstraint, c.oid, 0, text)
			f.describe(classPgConstraint, c.oid, 0, c.comment)
			f.depend(classPgConstraint, c.oid, classPgClass, o.oid, 0, "a")
		}
	}
}

// addInfoChecks adds what information_schema shows of UNIQUE and CHECK constraints.
func (f *filler) addInfoChecks(o *object) {
	f.addInfoForeignKeys(o)
	for i := range o.uniques {
		u := &o.uniques[i]
		f.addInfoKey(o, u.name, "UNIQUE", unpacked(u.columns), u.details.Timing)
	}
	for _, c := range o.checks {
		row := f.constraint(o, c.name, "CHECK")
		for i, k := range unpacked(c.columns) {
			if i == 0 {
				f.add("information_schema.constraint_table_usage", row)
			}
			f.add("information_schema.constraint_column_usage", row.with(Row{"column_name": o.attrs[k-1].name}))
		}
	}
}
