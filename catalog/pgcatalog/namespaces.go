package pgcatalog

import "slices"

// schemaComments explain the schemas that PostgreSQL has not.
var schemaComments = []struct{ name, comment string }{
	{"public", "The ontology's types: the latest version of every row."},
	{"history", "Every version of every row, one view per type."},
	{"changes", "What each commit changed, one view per type."},
	{"as_of", "One function per type that shows its rows as they were at a point of the past: a commit id, HEAD~n or a time."},
	{"ontosql", "The ontology about itself: commits, files, schema versions, settings."},
}

// schemas are the names of all schemas, PostgreSQL's own first.
func (f *filler) schemas() []string {
	names := []string{"pg_toast", "pg_catalog", "information_schema"}
	for _, s := range schemaComments {
		names = append(names, s.name)
	}
	for _, v := range f.in.Virtual {
		if !slices.Contains(names, v.Schema) {
			names = append(names, v.Schema)
		}
	}
	return names
}

func (f *filler) addNamespaces() {
	for _, name := range f.schemas() {
		row := Row{"oid": f.namespace(name), "nspname": name, "nspowner": uint32(OwnerOID)}
		if name != "pg_toast" {
			row["nspacl"] = []any{Owner + "=UC/" + Owner, "=U/" + Owner}
		}
		f.add("pg_catalog.pg_namespace", row)
		f.add("information_schema.schemata", Row{
			"catalog_name": f.in.Database, "schema_name": name, "schema_owner": Owner,
		})
	}
	for _, s := range schemaComments {
		f.describe(classPgNamespace, f.namespace(s.name), 0, s.comment)
	}
}

// describe puts a comment into pg_description.
func (f *filler) describe(class, oid uint32, column int, comment string) {
	if comment != "" {
		f.add("pg_catalog.pg_description", Row{
			"objoid": oid, "classoid": class, "objsubid": int32(column), "description": comment,
		})
	}
}

func (f *filler) addDatabases() {
	names := append([]string{f.in.Database}, f.in.Databases...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		oid := f.oids.of("database", name)
		f.databases[name] = oid
		f.add("pg_catalog.pg_database", Row{
			"oid": oid, "datname": name, "datdba": uint32(OwnerOID), "encoding": int32(encodingUTF8),
			"datlocprovider": "c", "datallowconn": true, "datconnlimit": int32(-1), "dattablespace": uint32(defaultTablespace),
			"datcollate": "C", "datctype": "C", "datfrozenxid": uint32(firstXID), "datminmxid": uint32(1),
		})
	}
}

// addRoles fills pg_roles and the views beside it. pg_authid stays empty: it
// holds password verifiers and PostgreSQL shows it to superusers only.
func (f *filler) addRoles() {
	f.addRole(User{Name: Owner, Superuser: true}, OwnerOID, false)
	for _, u := range f.in.Users {
		if u.Name != Owner {
			f.addRole(u, f.oids.of("role", u.Name), true)
		}
	}
}

func (f *filler) addRole(u User, oid uint32, login bool) {
	f.roles[u.Name] = oid
	for _, seen := range f.in.Users {
		login = login || seen.Name == u.Name
	}
	f.add("pg_catalog.pg_roles", Row{
		"rolname": u.Name, "rolsuper": u.Superuser, "rolinherit": true, "rolcreaterole": u.Superuser, "rolcreatedb": u.Superuser,
		"rolcanlogin": login, "rolreplication": u.Superuser, "rolconnlimit": int32(-1), "rolpassword": "********",
		"rolbypassrls": u.Superuser, "oid": oid,
	})
	if login {
		f.add("pg_catalog.pg_user", Row{
			"usename": u.Name, "usesysid": oid, "usecreatedb": u.Superuser, "usesuper": u.Superuser,
			"userepl": u.Superuser, "usebypassrls": u.Superuser, "passwd": "********",
		})
	}
	f.add("information_schema.enabled_roles", Row{"role_name": u.Name})
	f.name(classPgAuthID, oid, "", u.Name)
}

// name enters an object that is known by one name alone, such as a role.
func (f *filler) name(class, oid uint32, schema, name string) {
	row := Row{
		"classoid": class, "oid": oid, "schema": schema, "short_key": quoted(name), "long_key": objectKey(schema, name),
		"quoted": quoteIdent(name), "qualified": quoteIdent(name),
	}
	if schema != "" {
		row["qualified"] = qualifiedName(schema, name)
	}
	f.add(".ontosql_objects", row)
}

// addNames fills the table by which the macros turn OIDs into names and back.
func (f *filler) addNames() {
	for _, schema := range f.schemas() {
		f.name(classPgNamespace, f.namespace(schema), "", schema)
	}
	for _, o := range f.objects {
		f.name(classPgClass, o.oid, o.schema, o.name)
		if o.keyName != "" {
			f.name(classPgClass, f.keyOID(o), o.schema, o.keyName)
		}
		if o.original != "" {
			f.add(".ontosql_objects", Row{
				"classoid": uint32(classPgClass), "oid": o.oid, "schema": o.schema, "short_key": quoted(o.original),
				"long_key": objectKey(o.schema, o.original), "alias": true,
			})
		}
	}
}

// define keeps a text that a pg_get_...def function answers with.
func (f *filler) define(class, oid uint32, part int, text string) {
	f.add(".ontosql_definitions", Row{"classoid": class, "oid": oid, "subid": int64(part), "definition": text})
}
