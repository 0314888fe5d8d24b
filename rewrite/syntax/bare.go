package syntax

import "strings"

// Blanks are the characters between tokens.
const Blanks = " \t\r\n\f\v"

// Bare is a text without surrounding blanks and without comments and semicolons at its end,
// where tools write what differs between executions of one statement. A text with an
// unterminated comment or literal is not changed.
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
