package pgcatalog

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed macros.sql
var macroFile string

// Macros are the DuckDB statements that make the functions, in the order they
// must run in: after every one of Tables exists. Running them again replaces.
//
// A session's search path reaches them in the DuckDB variable
// ontosql_search_path, a list of schema names in which pg_catalog stands where
// PostgreSQL would look; without it names are looked up in pg_catalog, public.
// What tells of types they read in AskedTables, which TablesVariable moves.
// DuckDB reads a variable when it plans, so a plan does not outlive it.
func Macros() []string { return slices.Clone(macros()) }

var macros = sync.OnceValue(func() []string {
	var statements []string
	for _, text := range strings.Split(macroFile, ";\n") {
		var kept []string
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "--") {
				kept = append(kept, line)
			}
		}
		if sql := strings.TrimSpace(strings.Join(kept, "")); sql != "" {
			statements = append(statements, sql)
		}
	}
	return statements
})

// TablesVariable is the DuckDB variable with what stands before the names of AskedTables,
// where a session reads others than those of Schema: a schema, a dot, and the beginning
// of a name.
const TablesVariable = "ontosql_catalog_tables"

// AskedTables are the tables that the functions read types in: those that macros.sql
// reads by ontosql_now.
func AskedTables() []*Relation {
	var asked []*Relation
	for _, r := range Tables() {
		if strings.Contains(macroFile, "ontosql_now('"+r.Table()+"')") {
			asked = append(asked, r)
		}
	}
	return asked
}

// Functions are the names of the macros that a client may call or the rewriter
// may write, without Schema. Those that begin with "ontosql_" are the macros'
// own and are not among them.
func Functions() []string {
	return slices.Clone(functionNames())
}

// HasFunction reports whether name is one of Functions.
func HasFunction(name string) bool {
	_, found := slices.BinarySearch(functionNames(), name)
	return found
}

var functionNames = sync.OnceValue(func() []string {
	var names []string
	for _, sql := range macros() {
		name := macroName.FindStringSubmatch(sql)[1]
		if !strings.HasPrefix(name, "ontosql_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
})

var macroName = regexp.MustCompile(`^CREATE OR REPLACE MACRO ` + Schema + `\.(\w+)\(`)
