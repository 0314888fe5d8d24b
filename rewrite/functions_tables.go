package rewrite

import (
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// The overloads that the tables of this room list, by name. catalogFunctions are macros
// of pg_catalog, which a session may lack.
var (
	functionsByName, catalogFunctions = parseFunctions()
	operators                         = parseSignatures(operatorTable)
)

// parseFunctions reads the tables of functions.
func parseFunctions() (all, catalog map[string][]signature) {
	all, catalog = parseSignatures(functionTable+jsonTable+aggregateTable), parseSignatures(catalogTable)
	for _, line := range strings.Split(strings.TrimSpace(rowFunctionTable), "\n") {
		s, isMacro := parseRowFunction(line)
		if isMacro {
			catalog[s.name] = append(catalog[s.name], s)
		} else {
			all[s.name] = append(all[s.name], s)
		}
	}
	return all, catalog
}

// parseRowFunction reads a line of rowFunctionTable. isMacro says that the function is a
// macro of the catalog.
func parseRowFunction(line string) (s signature, isMacro bool) {
	head, template, written := strings.Cut(line, " = ")
	end := strings.Index(head, ")") + 1
	s = parseSignature(head[:end] + " record")[0]
	s.row = &types.RowType{}
	for _, col := range strings.Split(head[end:], ",") {
		name, word, _ := strings.Cut(strings.TrimSpace(col), " ")
		s.row.Add(name, types.Of(typeByWord(word, line)))
	}
	s.template = template
	if s.set && !written {
		s.template = enginesql.MacroSchema + "." + s.name + "({*})"
	}
	return s, !written
}
