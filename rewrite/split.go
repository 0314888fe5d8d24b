package rewrite

import (
	"strings"
	"unicode/utf8"
)

// Text is one statement of a simple-query string.
type Text struct {
	SQL    string
	Offset int // characters of the string before SQL
}

// Split cuts a simple-query string into its statements, without the
// semicolons. It returns none for a string of blanks and comments. What the
// grammar refuses anywhere in the string is 42601 with a position in the whole
// string, before any statement runs, as in PostgreSQL.
func Split(sql string) ([]Text, error) {
	t, err := parse(sql)
	if err != nil {
		return nil, err
	}
	texts := make([]Text, 0, len(t.stmts))
	for _, s := range t.stmts {
		from, to := int(s.StmtLocation), len(sql)
		if s.StmtLen > 0 {
			to = from + int(s.StmtLen)
		}
		text := sql[from:to]
		trimmed := strings.TrimLeft(text, " \t\r\n\f\v")
		from += len(text) - len(trimmed)
		texts = append(texts, Text{SQL: trimmed, Offset: utf8.RuneCountInString(sql[:from])})
	}
	return texts, nil
}
