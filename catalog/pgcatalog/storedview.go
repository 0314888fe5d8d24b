package pgcatalog

import (
	"slices"

	"github.com/ontosql/ontosql/acl"
)

// StoredView is a view that a client has created.
type StoredView struct {
	Name       string
	Columns    []TableColumn
	Definition string // its query, as pg_get_viewdef shows it
	Comment    string
	Options    []string // pg_class.reloptions
	// Writes says that rows can be inserted and updated through the view, Deletes that they can
	// be deleted; Fixed are the columns that cannot be written.
	Writes, Deletes bool
	Fixed           []int16
	Uses            []ViewUse
	Owner           string // a role, "" for the owner of the database
	Grants          acl.Grants
}

// ViewUse is a relation that a view reads.
type ViewUse struct {
	Schema, Name string
	Columns      []int // that it reads, numbers from 1
}

// checkOption is views.check_option of information_schema.
func (o *object) checkOption() string {
	switch {
	case slices.Contains(o.options, "check_option=cascaded"):
		return "CASCADED"
	case slices.Contains(o.options, "check_option=local"):
		return "LOCAL"
	}
	return "NONE"
}

// The events of pg_relation_is_updatable: 1 << CmdType.
const (
	eventUpdate = 1 << 2
	eventInsert = 1 << 3
	eventDelete = 1 << 4
)

// updatable are the events that the relation allows. The latest rows of types are not deleted.
func (o *object) updatable() int64 {
	switch {
	case o.view:
		return o.events
	case o.builtin || o.materialized || o.sequence != nil:
		return 0
	case o.ordinary:
		return eventUpdate | eventInsert | eventDelete
	}
	return eventUpdate | eventInsert
}

// isUpdatable reports whether a column can be written.
func (r *relationFacts) isUpdatable(column int64) bool {
	return column > 0 && r.events&(eventUpdate|eventInsert) != 0 && !slices.Contains(unpacked(r.fixed), int16(column))
}

// use is a relation that the view of an object reads. columns are the pg_depend.refobjsubid of
// the rows that say so; 0 is the relation as a whole.
type use struct {
	schema, name string
	oid          uint32
	columns      []int
	materialized bool // it is a materialized view
}

func (u use) same(o use) bool {
	return u.schema == o.schema && u.name == o.name && u.oid == o.oid && u.materialized == o.materialized && slices.Equal(u.columns, o.columns)
}

// storedView is the object of a view that a client has created.
func storedView(s *TableSchema, v *StoredView) *object {
	o := &object{schema: s.Name, name: v.Name, view: true, ordinary: true, temporary: s.Temporary, definition: v.Definition, comment: v.Comment, options: v.Options, holder: v.Owner, grants: v.Grants, fixed: packed(v.Fixed)}
	if v.Writes {
		o.events |= eventUpdate | eventInsert
	}
	if v.Deletes {
		o.events |= eventDelete
	}
	for _, c := range v.Columns {
		o.attrs = append(o.attrs, attr{name: c.Name, typ: c.Type, typmod: c.Typmod, comment: c.Comment, defaultExpr: defaultText(c.Default, c.Type, c.Typmod)})
	}
	o.use(s, v.Uses)
	return o
}

// use says which relations the query of the object reads.
func (o *object) use(s *TableSchema, uses []ViewUse) {
	for _, u := range uses {
		switch {
		case isTemp(u.Schema):
			u.Schema = s.Name
		case u.Schema == "as_of", u.Schema == "diff": // a function, which reads the table
			u.Schema = "public"
		}
		i := slices.IndexFunc(o.uses, func(have use) bool { return have.schema == u.Schema && have.name == u.Name })
		if i < 0 {
			i = len(o.uses)
			o.uses = append(o.uses, use{schema: u.Schema, name: u.Name})
		}
		o.uses[i].columns = append(o.uses[i].columns, u.Columns...)
	}
	for i := range o.uses {
		columns := o.uses[i].columns
		slices.Sort(columns)
		if columns = slices.Compact(columns); len(columns) == 0 {
			columns = []int{0}
		}
		o.uses[i].columns = columns
	}
}

// findUses gives the relations that views read their OIDs. One that does not exist any more is
// left out.
func (l *layout) findUses() {
	byName := map[string]*object{}
	for _, o := range l.objects {
		byName[objectKey(o.schema, o.name)] = o
	}
	for _, o := range l.objects {
		o.uses = slices.DeleteFunc(o.uses, func(u use) bool { return byName[objectKey(u.schema, u.name)] == nil })
		for i := range o.uses {
			of := byName[objectKey(o.uses[i].schema, o.uses[i].name)]
			o.uses[i].oid, o.uses[i].materialized = of.oid, of.materialized
		}
	}
}

// addInfoUses adds what information_schema shows of the relations that a view reads.
func (f *filler) addInfoUses(o *object) {
	for _, u := range o.uses {
		if u.materialized { // the SQL standard has none
			continue
		}
		f.add("information_schema.view_table_usage", Row{
			"view_catalog": f.database, "view_schema": o.schema, "view_name": o.name,
			"table_catalog": f.database, "table_schema": u.schema, "table_name": u.name,
		})
	}
}
