package syntax

import "strings"

// Blanks are the characters between tokens.
const Blanks = " \t\r\n\f\v"

// Bare is a text without the blanks around it, and without the comments and semicolons
// behind it: tools write there what is another with each execution of the same statement.
// A text in which something does not end stays as it is.
func Bare(sql string) string {
	if !strings.Contains(sql, "--") && !strings.Contains(sql, "/*") {
		return strings.Trim(strings.TrimRight(sql, Blanks+";"), Blanks)
	}
	end := 0
	for i := 0; i < len(sql); {
		t := firstToken(sql[i:])
		if t.open {
			return sql
		}
		if i += t.length; t.kind == wordToken {
			end = i
		}
	}
	return strings.TrimLeft(sql[:end], Blanks)
}
