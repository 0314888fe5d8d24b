package functions

import (
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ByName are the overloads of functions and aggregates, Catalog those that are macros of
// pg_catalog, which a session may lack, and Operators those of operators, each by name.
var (
	ByName, Catalog = parseFunctions()
	Operators       = parseSignatures(operatorTable)
)

// parseFunctions reads the tables of functions.
func parseFunctions() (all, catalog map[string][]Signature) {
	all, catalog = parseSignatures(functionTable+jsonTable+aggregateTable), parseSignatures(catalogTable)
	for _, line := range strings.Split(strings.TrimSpace(rowFunctionTable), "\n") {
		s, isMacro := parseRowFunction(line)
		if isMacro {
			catalog[s.Name] = append(catalog[s.Name], s)
		} else {
			all[s.Name] = append(all[s.Name], s)
		}
	}
	return all, catalog
}

// parseRowFunction reads a line of rowFunctionTable. isMacro says that the function is a
// macro of the catalog.
func parseRowFunction(line string) (s Signature, isMacro bool) {
	head, template, written := strings.Cut(line, " = ")
	end := strings.Index(head, ")") + 1
	s = parseSignature(head[:end] + " record")[0]
	s.Row = &types.RowType{}
	for _, col := range strings.Split(head[end:], ",") {
		name, word, _ := strings.Cut(strings.TrimSpace(col), " ")
		s.Row.Add(name, types.Of(typeByWord(word, line)))
	}
	s.Template = template
	if s.ReturnsSet && !written {
		s.Template = enginesql.MacroSchema + "." + s.Name + "({*})"
	}
	return s, !written
}
