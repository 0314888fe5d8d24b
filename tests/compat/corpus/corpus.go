// Package corpus holds the statements that tests and benchmarks run on PostgreSQL and on
// ontosql.
package corpus

import (
	"embed"
	"strings"
)

// Tools has a folder below "bi" for each tool, with the statements that it sends at its
// start, to read the schema and to query. Each file is one session. {item}, {shelf}, {stands} and {owns}
// stand for the OIDs of these tables, {database} for that of the database.
//
//go:embed bi
var Tools embed.FS

// psql holds the queries of psql 15's commands, as psql -E shows them: each command is in
// a line that begins with "# ", above its queries.
//
//go:embed psql/queries.sql
var psql string

// Command is one of psql's.
type Command struct {
	Name    string
	Queries []Statement
}

// Psql are commands of psql with their queries. {customer} and the like stand for the
// OIDs of relations.
func Psql() []Command {
	var all []Command
	for _, section := range strings.Split("\n"+psql, "\n# \\")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		all = append(all, Command{`\` + name, Statements(text)})
	}
	return all
}

// Statement is one of a file.
type Statement struct {
	SQL     string
	Line    int    // of the file, from 1
	Differs string // why its answer is to differ from PostgreSQL's
	Held    string // what it is held to where it differs
}

const differs = "# differs: "

// Held begins the line that says what is still compared for the statements of a paragraph
// of differences.txt:
//
//	# held: numbers        answers are equal when numbers are compared by value
//	# held: 0A000          ontosql refuses them with this SQLSTATE
//
// Without this line nothing is compared.
const Held = "# held: "

// Statements reads a file: each statement ends with a semicolon at the end of a line,
// lines that begin with # are comments.
func Statements(text string) []Statement {
	var all []Statement
	var next Statement
	var lines []string
	for i, line := range strings.Split(text, "\n") {
		if reason, ok := strings.CutPrefix(line, differs); ok {
			next.Differs = reason
		}
		if to, ok := strings.CutPrefix(line, Held); ok {
			next.Held = to
		}
		if line == "" && len(lines) == 0 {
			next.Held = "" // it is that of a paragraph
		}
		if strings.HasPrefix(line, "#") || len(lines) == 0 && strings.TrimSpace(line) == "" {
			continue
		}
		if len(lines) == 0 {
			next.Line = i + 1
		}
		lines = append(lines, line)
		if sql, ok := strings.CutSuffix(line, ";"); ok {
			lines[len(lines)-1] = sql
			next.SQL = strings.Join(lines, "\n")
			all = append(all, next)
			next.Differs, lines = "", nil
		}
	}
	return all
}
