package syntax

import (
	"strings"
	"unicode/utf8"
)

// Text is one statement of a simple-query string.
type Text struct {
	SQL    string
	Offset int // characters of the string before SQL

	tree *Tree // where the string is this statement alone, else nil
}

// Analyze is Analyze of the text. It may be called once.
func (t *Text) Analyze() (*Statement, error) {
	if t.tree == nil {
		return Analyze(t.SQL)
	}
	return analyze(t.tree)
}

// Split cuts a simple-query string into its statements, without the
// semicolons. It returns none for a string of blanks and comments. What the
// grammar refuses anywhere in the string is 42601 with a position in the whole
// string, before any statement runs, as in PostgreSQL.
func Split(sql string) ([]Text, error) {
	t, err := Parse(sql)
	if err != nil {
		return nil, err
	}
	texts := make([]Text, 0, len(t.Stmts))
	counted, characters := 0, 0
	for _, s := range t.Stmts {
		from, to := int(s.StmtLocation), len(sql)
		if s.StmtLen > 0 {
			to = from + int(s.StmtLen)
		}
		text := sql[from:to]
		trimmed := strings.TrimLeft(text, Blanks)
		from += len(text) - len(trimmed)
		characters += utf8.RuneCountInString(sql[counted:from])
		counted = from
		texts = append(texts, Text{SQL: trimmed, Offset: characters})
	}
	if len(texts) == 1 && texts[0].Offset == 0 {
		t.SQL = texts[0].SQL
		texts[0].tree = t
	}
	return texts, nil
}
