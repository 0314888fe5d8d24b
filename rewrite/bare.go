package rewrite

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// Blanks are the characters between tokens.
const Blanks = " \t\r\n\f\v"

// Bare is a text without the blanks around it, and without the comments and semicolons
// behind it: tools write there what is another with each execution of the same statement.
// A text that the scanner refuses stays as it is.
func Bare(sql string) string {
	if strings.Contains(sql, "--") || strings.Contains(sql, "/*") {
		scan, err := pg.Scan(sql)
		if err != nil {
			return sql
		}
		end := 0
		for _, token := range scan.Tokens {
			switch token.Token {
			case pg.Token_SQL_COMMENT, pg.Token_C_COMMENT, pg.Token_ASCII_59: // the semicolon
			default:
				end = int(token.End)
			}
		}
		return strings.TrimLeft(sql[:end], Blanks)
	}
	return strings.TrimLeft(strings.TrimRight(sql, Blanks+";"), Blanks)
}
