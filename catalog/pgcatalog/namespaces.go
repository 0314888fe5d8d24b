package pgcatalog

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ontosql/ontosql/acl"
)

// schemaComments explain the schemas that PostgreSQL has not.
var schemaComments = []struct{ name, comment string }{
	{"public", "The ontology's types: the latest version of every row."},
	{"history", "Every version of every row, one view per type."},
	{"changes", "What each commit changed, one view per type."},
	{"diff", "One function per type that shows the rows that differ between two points of the past."},
	{"blame", "Which commit set each value, one view per type."},
	{"as_of", "One function per type that shows its rows as they were at a point of the past: a commit id, HEAD~n or a time."},
	{"ontosql", "The ontology about itself: commits, files, schema versions, settings."},
}

// schemaGrants are the grants on the schemas of ordinary tables.
func (l *layout) schemaGrants() map[string]acl.Grants {
	out := map[string]acl.Grants{}
	for _, s := range l.in.Schemas {
		out[s.Name] = s.Grants
	}
	return out
}

// schemaOwners are the owners of the schemas of ordinary tables, "" for the owner of the database.
func (l *layout) schemaOwners() map[string]string {
	out := map[string]string{}
	for _, s := range l.in.Schemas {
		out[s.Name] = s.Owner
	}
	return out
}

// schemaComments are the comments on the schemas of ordinary tables.
func (l *layout) schemaComments() map[string]string {
	out := map[string]string{}
	for _, s := range l.in.Schemas {
		out[s.Name] = s.Comment
	}
	return out
}

// schemaNames are the names of all schemas, PostgreSQL's own first.
func (l *layout) schemaNames() []string {
	names := []string{"pg_toast", "pg_catalog", "information_schema"}
	for _, s := range schemaComments {
		names = append(names, s.name)
	}
	for _, v := range l.in.Virtual {
		if !slices.Contains(names, v.Schema) {
			names = append(names, v.Schema)
		}
	}
	for _, s := range l.in.Schemas {
		names = append(names, s.Name)
	}
	return names
}

// granted are the schemas that everybody may use: all but those of ordinary tables.
func (l *layout) granted() map[string]bool {
	out := map[string]bool{}
	for _, name := range l.schemaNames() {
		out[name] = name != "pg_toast"
	}
	for _, s := range l.in.Schemas {
		delete(out, s.Name)
	}
	return out
}

// addShared adds what is no relation's.
func (f *filler) addShared() {
	if f.shared == nil {
		return
	}
	f.addNamespaces()
	f.addDefaultACLs()
	f.addRoles()
	f.addDatabases()
}

func (f *filler) addNamespaces() {
	for _, name := range slices.Sorted(maps.Keys(f.shared.schemas)) {
		row := Row{"oid": f.shared.schemas[name], "nspname": name, "nspowner": f.shared.roleOID(cmp.Or(f.shared.owners[name], Owner))}
		if f.shared.granted[name] {
			row["nspacl"] = []any{Owner + "=UC/" + Owner, "=U/" + Owner}
		} else if grants := f.shared.grants[name]; grants != nil {
			row["nspacl"] = aclItems(grants)
		}
		f.add("pg_catalog.pg_namespace", row)
		f.name(classPgNamespace, f.shared.schemas[name], "", name)
	}
	for _, name := range slices.Sorted(maps.Keys(f.shared.comments)) {
		f.describe(classPgNamespace, f.shared.schemas[name], 0, f.shared.comments[name])
	}
	for _, s := range schemaComments {
		f.describe(classPgNamespace, f.shared.schemas[s.name], 0, s.comment)
	}
}

// describe puts a comment into pg_description.
func (f *filler) describe(class, oid uint32, column int, comment string) {
	if comment != "" {
		f.facts.describe(partID{objectID{class, oid}, column}, comment)
		f.add("pg_catalog.pg_description", Row{
			"objoid": oid, "classoid": class, "objsubid": int32(column), "description": comment,
		})
	}
}

func (f *filler) addDatabases() {
	for _, name := range slices.Sorted(maps.Keys(f.shared.databases)) {
		f.add("pg_catalog.pg_database", Row{
			"oid": f.shared.databases[name], "datname": name, "datdba": uint32(OwnerOID), "encoding": int32(encodingUTF8),
			"datlocprovider": "c", "datallowconn": true, "datconnlimit": int32(-1), "dattablespace": uint32(defaultTablespace),
			"datcollate": "C", "datctype": "C", "datfrozenxid": uint32(firstXID), "datminmxid": uint32(1),
		})
	}
}

// name enters an object that is known by one name alone, such as a role.
func (f *filler) name(class, oid uint32, schema, name string) {
	n := named{
		objectID: objectID{class, oid}, schema: schema, short: quoted(name), long: objectKey(schema, name),
		quoted: quoteIdent(name), qualified: quoteIdent(name),
	}
	if schema != "" {
		n.qualified = qualifiedName(shownSchema(schema), name)
	}
	f.facts.addName(n)
}

// addNames enters the names by which the functions turn OIDs into names and back.
func (f *filler) addNames() {
	for i := range f.objects {
		o := &f.objects[i]
		f.name(classPgClass, o.oid, o.schema, o.name)
		if o.keyName != "" {
			f.name(classPgClass, o.parts.key, o.schema, o.keyName)
		}
		for _, u := range o.uniques {
			f.name(classPgClass, u.index, o.schema, u.name)
		}
		for _, x := range o.indexes {
			f.name(classPgClass, x.oid, o.schema, x.Name)
		}
		if o.original != "" {
			f.facts.addName(named{
				objectID: objectID{classPgClass, o.oid}, schema: o.schema, short: quoted(o.original), long: objectKey(o.schema, o.original), alias: true,
			})
		}
	}
}

// define keeps a text that a pg_get_...def function answers with.
func (f *filler) define(class, oid uint32, part int, text string) {
	f.facts.definitions[partID{objectID{class, oid}, part}] = text
}
