package pgcatalog

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// unknown is the error of a cast of a name that nothing has to one of the types that
// are named after objects (PostgreSQL manual, 8.19).
func (v *View) unknown(typ, text string) *pgerr.Error {
	if fault := v.nameFault(typ, text); fault != nil {
		return fault
	}
	parts, _ := splitName(text)
	schema := ""
	if n := len(parts); n > 1 {
		schema = parts[n-2]
	}
	switch typ {
	case "regprocedure", "regoper", "regoperator": // an operator's name, or one with arguments
		parts = []string{text}
		ok := false
		schema, _, ok = strings.Cut(text, ".")
		if !ok || strings.ContainsAny(schema, `"(`) || typ == "regoperator" {
			schema = ""
		}
	case "regtype":
		if parts == nil {
			parts = []string{text}
		}
	}
	if _, known := v.found[classPgNamespace]().oids[quoted(schema)]; schema != "" && !known {
		return pgerr.New(pgerr.InvalidSchemaName, "schema %q does not exist", schema)
	}
	name := strings.Join(parts, ".")
	if typ == "regproc" && v.overloaded(parts[len(parts)-1]) {
		return pgerr.New(pgerr.AmbiguousFunction, "more than one function named %q", name)
	}
	switch typ {
	case "regclass":
		return pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", name)
	case "regproc", "regprocedure":
		return pgerr.New(pgerr.UndefinedFunction, "function %q does not exist", name)
	case "regoper", "regoperator":
		return pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s", name)
	case "regcollation":
		return pgerr.New(pgerr.UndefinedObject, "collation %q for encoding \"UTF8\" does not exist", name)
	case "regnamespace":
		return pgerr.New(pgerr.InvalidSchemaName, "schema %q does not exist", name)
	}
	return pgerr.New(pgerr.UndefinedObject, "%s %q does not exist", kindNames[typ], name)
}

// overloaded reports whether PostgreSQL has several functions of a name.
func (v *View) overloaded(name string) bool {
	functions := v.found[classPgProc]().oids
	_, called := functions["("+name+")"]
	_, named := functions["("+qualifiedName("pg_catalog", name)+")"]
	return called || named
}

// kindNames are what messages call objects.
var kindNames = map[string]string{
	"regtype": "type", "regrole": "role", "regconfig": "text search configuration", "regdictionary": "text search dictionary",
}
