package pgcatalog

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

// The parts of a function's definition.
const (
	functionResult = iota + 1
	functionArguments
	functionIdentity
	functionSource
)

// addFunctions adds as_of.<type>(point) and diff.<type>(since, point).
func (f *filler) addFunctions() {
	for i := range f.objects {
		if o := &f.objects[i]; o.parts.diff != 0 {
			f.addDiff(o)
		}
	}
	for i := range f.functions {
		if fn := &f.functions[i]; fn.value {
			f.addValueFunction(fn)
		} else {
			f.addTableFunction(fn)
		}
	}
	text := shape().types.byName["text"].oid
	for i := range f.objects {
		o := &f.objects[i]
		oid := o.parts.function
		if oid == 0 {
			continue
		}
		body := "SELECT * FROM " + quoteIdent(o.name) + " FOR SYSTEM_TIME AS OF point"
		f.add("pg_catalog.pg_proc", Row{
			"oid": oid, "proname": o.name, "pronamespace": f.asOf, "proowner": uint32(OwnerOID),
			"prolang": uint32(languageSQL), "procost": float32(100), "prorows": float32(1000), "prokind": "f", "proretset": true,
			"provolatile": "s", "proparallel": "u", "pronargs": int16(1), "prorettype": o.rowType,
			"proargtypes": []any{text}, "proargnames": []any{"point"}, "prosrc": body,
		})
		f.describe(classPgProc, oid, 0, o.source.Ref.Name+" as it was at a point of the past: a commit id, HEAD, HEAD~n or a time.")
		f.name(classPgProc, oid, "as_of", o.name)
		f.depend(classPgProc, oid, classPgType, o.rowType, 0, "n")
		f.facts.procedures[oid] = qualifiedName("as_of", o.name) + "(text)"
		f.define(classPgProc, oid, functionResult, "SETOF "+mention(o.oid))
		f.define(classPgProc, oid, functionArguments, "point text")
		f.define(classPgProc, oid, functionIdentity, "point text")
		f.define(classPgProc, oid, functionSource, "CREATE OR REPLACE FUNCTION "+qualifiedName("as_of", o.name)+
			"(point text)\n RETURNS SETOF "+mention(o.oid)+"\n LANGUAGE sql\n STABLE\nAS $function$"+body+"$function$\n")
	}
}

// addDiff adds diff.<type>(since, point).
func (f *filler) addDiff(o *object) {
	fn := tableFunction{
		oid: o.parts.diff, namespace: f.diff, schema: "diff", name: o.name, arguments: []string{"since", "point"},
		comment: "The rows of " + o.source.Ref.Name + " that differ between two points of the past, with their columns at both.",
	}
	fn.columns = catalog.VisibleColumns(o.source, ontosql.Diff)
	f.addTableFunction(&fn)
}

// tableFunction is a function that returns a table, or one value.
type tableFunction struct {
	oid, namespace        uint32
	schema, name, comment string
	arguments             []string
	argumentTypes         []string // nil for texts
	optional              int
	writes, value         bool
	columns               []column.Named
}

func (fn tableFunction) same(o tableFunction) bool { return reflect.DeepEqual(fn, o) }

// tableFunction is a function that the gateway answers itself.
func (l *layout) tableFunction(v Virtual) tableFunction {
	fn := tableFunction{
		oid: l.oids.of("function", v.Schema, v.Name), namespace: l.namespace(v.Schema),
		schema: v.Schema, name: v.Name, comment: v.Comment, arguments: v.Arguments, argumentTypes: v.ArgumentTypes, optional: v.Optional, writes: v.Writes, value: v.Value,
	}
	for _, c := range v.Columns {
		fn.columns = append(fn.columns, c.Named)
	}
	return fn
}

func (f *filler) addTableFunction(fn *tableFunction) {
	var ins, types, modes, names []any
	var arguments, argumentTypes, columns []string
	identity := []string{}
	for i, name := range fn.arguments {
		spelled, oid := fn.argumentType(i)
		ins, types, modes, names = append(ins, oid), append(types, oid), append(modes, "i"), append(names, name)
		identity, argumentTypes = append(identity, quoteIdent(name)+" "+spelled), append(argumentTypes, spelled)
		argument := identity[i]
		if i >= len(fn.arguments)-fn.optional {
			argument += " DEFAULT NULL::" + spelled
		}
		arguments = append(arguments, argument)
	}
	for _, c := range fn.columns {
		types, modes, names = append(types, TypeOID(c.Type)), append(modes, "t"), append(names, c.Name)
		columns = append(columns, quoteIdent(c.Name)+" "+formatType(TypeOID(c.Type)))
	}
	named := qualifiedName(fn.schema, fn.name)
	takes, result := strings.Join(arguments, ", "), "TABLE("+strings.Join(columns, ", ")+")"
	volatility := "STABLE"
	if fn.writes {
		volatility = "VOLATILE"
	}
	body := "SELECT * FROM " + named + "(" + strings.Join(fn.arguments, ", ") + ")"
	f.add("pg_catalog.pg_proc", Row{
		"oid": fn.oid, "proname": fn.name, "pronamespace": fn.namespace, "proowner": uint32(OwnerOID),
		"prolang": uint32(languageSQL), "procost": float32(100), "prorows": float32(1000), "prokind": "f", "proretset": true,
		"provolatile": strings.ToLower(volatility[:1]), "proparallel": "u", "pronargs": int16(len(ins)), "pronargdefaults": int16(fn.optional),
		"prorettype":  shape().types.byName["record"].oid,
		"proargtypes": ins, "proallargtypes": types, "proargmodes": modes, "proargnames": names, "prosrc": body,
	})
	f.facts.procedures[fn.oid] = named + "(" + strings.Join(argumentTypes, ",") + ")"
	f.defineFunction(fn, takes, strings.Join(identity, ", "), result, volatility, body)
}

// argumentType is the type of an argument, as PostgreSQL spells it, and its OID.
func (fn *tableFunction) argumentType(i int) (spelled string, oid uint32) {
	name := "text"
	if fn.argumentTypes != nil {
		name = fn.argumentTypes[i]
	}
	if element, array := strings.CutSuffix(name, "[]"); array {
		oid = shape().types.byName["_"+element].oid
	} else {
		oid = shape().types.byName[name].oid
	}
	return formatType(oid), oid
}

// addValueFunction adds a function that returns the value of its only column, which may change at any
// time. The arguments of one that does not write have no names, so that they can only be given by
// place.
func (f *filler) addValueFunction(fn *tableFunction) {
	var ins, names []any
	var texts, places, arguments, identity []string
	for i, name := range fn.arguments {
		spelled, oid := fn.argumentType(i)
		ins, texts, places = append(ins, oid), append(texts, spelled), append(places, fmt.Sprintf("$%d", i+1))
		argument := spelled
		if fn.writes {
			argument, names = quoteIdent(name)+" "+argument, append(names, name)
		}
		if identity = append(identity, argument); i >= len(fn.arguments)-fn.optional {
			argument += " DEFAULT NULL::" + spelled
		}
		arguments = append(arguments, argument)
	}
	result := TypeOID(fn.columns[0].Type)
	named := qualifiedName(fn.schema, fn.name)
	body := "SELECT " + named + "(" + strings.Join(places, ", ") + ")"
	row := Row{
		"oid": fn.oid, "proname": fn.name, "pronamespace": fn.namespace, "proowner": uint32(OwnerOID),
		"prolang": uint32(languageSQL), "procost": float32(100), "prokind": "f", "proisstrict": !fn.writes,
		"provolatile": "v", "proparallel": "u", "pronargs": int16(len(ins)), "pronargdefaults": int16(fn.optional), "prorettype": result, "proargtypes": ins, "prosrc": body,
	}
	words := "VOLATILE STRICT"
	if fn.writes {
		row["proargnames"], words = names, "VOLATILE"
	}
	f.add("pg_catalog.pg_proc", row)
	f.facts.procedures[fn.oid] = named + "(" + strings.Join(texts, ",") + ")"
	f.defineFunction(fn, strings.Join(arguments, ", "), strings.Join(identity, ", "), formatType(result), words, body)
}

// defineFunction adds the name of a function, its comment and what pg_get_functiondef and its like say.
func (f *filler) defineFunction(fn *tableFunction, arguments, identity, result, words, body string) {
	f.describe(classPgProc, fn.oid, 0, fn.comment)
	f.name(classPgProc, fn.oid, fn.schema, fn.name)
	f.define(classPgProc, fn.oid, functionResult, result)
	f.define(classPgProc, fn.oid, functionArguments, arguments)
	f.define(classPgProc, fn.oid, functionIdentity, identity)
	f.define(classPgProc, fn.oid, functionSource, "CREATE OR REPLACE FUNCTION "+qualifiedName(fn.schema, fn.name)+"("+arguments+")\n RETURNS "+result+
		"\n LANGUAGE sql\n "+words+"\nAS $function$"+body+"$function$\n")
}

// describedFunctions are the facts of PostgreSQL's own functions: the same in every
// catalog.
var describedFunctions = sync.OnceValue(func() *facts {
	f := newFiller(nil)
	f.describeBuiltins()
	return f.facts
})

func (f *filler) describeBuiltins() {
	for _, row := range shape().rows["ontosql_functions"] {
		if name := row[1].(string); !strings.Contains(name, ".") {
			f.name(classPgProc, row[0].(uint32), "pg_catalog", unquoted(name))
		} else {
			f.facts.addName(named{objectID: objectID{classPgProc, row[0].(uint32)}, schema: "pg_catalog", short: "(" + name + ")", quoted: name, qualified: name})
		}
	}
	r := shape().byName["pg_catalog.pg_proc"]
	count := map[any]int{}
	for _, row := range shape().rows["pg_proc"] {
		count[row[r.index["proname"]]]++
	}
	for _, row := range shape().rows["pg_proc"] {
		oid, name := row[r.index["oid"]].(uint32), row[r.index["proname"]].(string)
		result := formatType(row[r.index["prorettype"]].(uint32))
		if row[r.index["proretset"]] == true {
			result = "SETOF " + result
		}
		arguments := builtinArguments(r, row)
		f.facts.procedures[oid] = quoteIdent(name) + "(" + argumentTypes(r, row) + ")"
		f.define(classPgProc, oid, functionResult, result)
		f.define(classPgProc, oid, functionArguments, arguments)
		f.define(classPgProc, oid, functionIdentity, arguments)
		if kind := row[r.index["prokind"]]; kind != "a" {
			f.define(classPgProc, oid, functionSource, builtinSource(r, row, qualifiedName("pg_catalog", name), arguments, result))
		}
		if count[name] == 1 {
			f.name(classPgProc, oid, "pg_catalog", name)
			continue
		}
		// regprocout qualifies the name of an overloaded function.
		f.facts.addName(named{
			objectID: objectID{classPgProc, oid}, schema: "pg_catalog", short: "(" + name + ")",
			quoted: qualifiedName("pg_catalog", name), qualified: qualifiedName("pg_catalog", name),
		})
	}
}

// builtinSource is a function as pg_get_functiondef writes it, but for SUPPORT.
func builtinSource(r *Relation, row []any, name, arguments, result string) string {
	at := func(column string) any { return row[r.index[column]] }
	language, cost := "internal", float32(1)
	if at("prolang") == uint32(languageSQL) {
		language, cost = "sql", 100
	}
	var words string
	add := func(is bool, word string) {
		if is {
			words += " " + word
		}
	}
	add(at("prokind") == "w", "WINDOW")
	add(at("provolatile") == "i", "IMMUTABLE")
	add(at("provolatile") == "s", "STABLE")
	add(at("proparallel") == "s", "PARALLEL SAFE")
	add(at("proparallel") == "r", "PARALLEL RESTRICTED")
	add(at("proisstrict") == true, "STRICT")
	add(at("prosecdef") == true, "SECURITY DEFINER")
	add(at("proleakproof") == true, "LEAKPROOF")
	add(at("procost") != cost, fmt.Sprintf("COST %g", at("procost")))
	add(at("proretset") == true && at("prorows") != float32(0) && at("prorows") != float32(1000), fmt.Sprintf("ROWS %g", at("prorows")))
	if words != "" {
		words += "\n"
	}
	return "CREATE OR REPLACE FUNCTION " + name + "(" + arguments + ")\n RETURNS " + result + "\n LANGUAGE " + language + "\n" + words +
		"AS $function$" + at("prosrc").(string) + "$function$\n"
}

// argumentTypes are the argument types that distinguish a function from others of its name.
func argumentTypes(r *Relation, row []any) string {
	types, _ := row[r.index["proargtypes"]].([]any)
	names := make([]string, len(types))
	for i, typ := range types {
		names[i] = formatType(typ.(uint32))
	}
	return strings.Join(names, ",")
}

// builtinArguments are a function's arguments as \df lists them.
func builtinArguments(r *Relation, row []any) string {
	types, _ := row[r.index["proargtypes"]].([]any)
	if all, ok := row[r.index["proallargtypes"]].([]any); ok {
		types = all
	}
	names, _ := row[r.index["proargnames"]].([]any)
	modes, _ := row[r.index["proargmodes"]].([]any)
	prefixes := map[any]string{"o": "OUT ", "b": "INOUT ", "v": "VARIADIC "}
	var parts []string
	for i, typ := range types {
		part := formatType(typ.(uint32))
		if i < len(names) && names[i] != "" {
			part = quoteIdent(names[i].(string)) + " " + part
		}
		if i < len(modes) {
			part = prefixes[modes[i]] + part
		}
		parts = append(parts, part)
	}
	direct := directArguments(row[r.index["oid"]])
	if direct < 0 {
		return strings.Join(parts, ", ")
	}
	ordered := parts[min(direct, len(parts)):]
	if len(ordered) == 0 { // of a hypothetical set, as its direct ones
		ordered = parts[len(parts)-1:]
	}
	return strings.TrimPrefix(strings.Join(parts[:direct], ", ")+" ORDER BY "+strings.Join(ordered, ", "), " ")
}

// directArguments is the number of arguments before WITHIN GROUP of an ordered-set aggregate,
// -1 for other functions.
func directArguments(oid any) int {
	r := shape().byName["pg_catalog.pg_aggregate"]
	for _, row := range shape().rows["pg_aggregate"] {
		if row[0] == oid && row[r.index["aggkind"]] != "n" {
			return int(row[r.index["aggnumdirectargs"]].(int16))
		}
	}
	return -1
}
