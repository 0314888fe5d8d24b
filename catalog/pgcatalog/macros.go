package pgcatalog

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed macros.sql
var macroFile string

// Macros are the DuckDB statements that make the functions, in the order they
// must run in: after every one of Tables exists. Running them again replaces.
//
// A session's search path reaches them in the DuckDB variable
// ontosql_search_path, a list of schema names in which pg_catalog stands where
// PostgreSQL would look; without it names are looked up in pg_catalog, public.
// DuckDB reads a variable when it plans, so a plan does not outlive the path.
func Macros() []string {
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
}

// Functions are the names of the macros that a client may call or the rewriter
// may write, without Schema. Those that begin with "ontosql_" are the macros'
// own and are not among them.
func Functions() []string {
	var names []string
	for _, sql := range Macros() {
		name := macroName.FindStringSubmatch(sql)[1]
		if !strings.HasPrefix(name, "ontosql_") {
			names = append(names, name)
		}
	}
	return names
}

var macroName = regexp.MustCompile(`^CREATE OR REPLACE MACRO ` + Schema + `\.(\w+)\(`)
