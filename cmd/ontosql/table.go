package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/format"
)

// printTable prints rows under a header and a dashed rule, columns two spaces
// apart, as the original's text output does; nothing for no rows.
func printTable(w io.Writer, header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	width := make([]int, len(header))
	for i, name := range header {
		width[i] = utf8.RuneCountInString(name)
		for _, row := range rows {
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
	}
	line := func(cells []string) {
		var b strings.Builder
		for i, cell := range cells {
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(cell)
			if i < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)))
			}
		}
		fmt.Fprintln(w, b.String())
	}
	rule := make([]string, len(header))
	for i := range rule {
		rule[i] = strings.Repeat("-", width[i])
	}
	line(header)
	line(rule)
	for _, row := range rows {
		line(row)
	}
}

// printJSON prints v indented by two, as the original's --json does.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printMembers prints an object: with --json as it is, else a line for each member.
func (p *program) printMembers(v any) error {
	if p.cfg.JSON {
		return printJSON(p.out, v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	object, err := format.ParseJSON(text)
	if err != nil {
		return err
	}
	for name, member := range object.Members() {
		shown := member.Text()
		if member.Kind() != format.JSONString {
			shown = string(member.Append(nil, format.SpacedInOrder))
		}
		fmt.Fprintf(p.out, "%s: %s\n", name, shown)
	}
	return nil
}
