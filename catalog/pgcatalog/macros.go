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
// must run in: after every one of Tables exists, and Calls are defined. Running
// them again replaces. A session tells them its number in SessionVariable.
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
