package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"
)

func TestBare(t *testing.T) {
	for sql, want := range map[string]string{
		"":                                  "",
		" ;; ":                              "",
		"-- nothing":                        "",
		"SELECT 1":                          "SELECT 1",
		"\n SELECT 1 ;\n":                   "SELECT 1",
		"SELECT 1 -- of 7":                  "SELECT 1",
		"SELECT 1 /* a */ ; -- b\n /* c */": "SELECT 1",
		"SELECT 1 /* /* within */ */":       "SELECT 1",
		"SELECT 1 /* not at its end */ + 1": "SELECT 1 /* not at its end */ + 1",
		"/* first */ SELECT 1":              "/* first */ SELECT 1",
		"SELECT '-- no comment'":            "SELECT '-- no comment'",
		"SELECT '/*' -- */'":                "SELECT '/*'",
		"SELECT $a$ /* ; -- $a$ ; --":       "SELECT $a$ /* ; -- $a$",
		`SELECT 1 AS "--" --`:               `SELECT 1 AS "--"`,
		"SELECT 'not closed -- ":            "SELECT 'not closed -- ",
		"SELECT 1; SELECT 2 -- two":         "SELECT 1; SELECT 2",
		"SELECT 'é' -- é":                   "SELECT 'é'",
		"SELECT E'\\'--' --":                "SELECT E'\\'--'",
		"SELECT date'\\' --'":               "SELECT date'\\'",
		"SELECT 1 /* not closed":            "SELECT 1 /* not closed",
		"SELECT 1 /* /* */ not closed":      "SELECT 1 /* /* */ not closed",
		"SELECT 1 -- one\r+ 2":              "SELECT 1 -- one\r+ 2",
		"SELECT a$b$ -- $b$":                "SELECT a$b$",
		"SELECT 1*/* two */2":               "SELECT 1*/* two */2",
	} {
		if got := Bare(sql); got != want {
			t.Errorf("Bare(%q) = %q, want %q", sql, got, want)
		}
	}
}

// FuzzBare holds the quick reading of a text against PostgreSQL's scanner.
func FuzzBare(f *testing.F) {
	files, err := filepath.Glob("../../tests/compat/corpus/*.sql")
	if err != nil || len(files) == 0 {
		f.Fatal("no corpus", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, sql := range strings.SplitAfter(string(text), ";\n") {
			f.Add(sql + " -- a comment")
		}
	}
	for _, sql := range []string{"SELECT $a$--$a$ --", "SELECT U&'\\0061--', u&\"--\" /* */", "SELECT x'--' || b'--' /**/", "SELECT 1$a$--$a$ --", "SELECT e'\\\\'--", "SELECT n'--' -- \v"} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		scan, err := pg.Scan(sql)
		if err != nil || strings.ContainsRune(sql, 0) {
			return
		}
		end := 0
		for _, token := range scan.Tokens {
			switch token.Token {
			case pg.Token_SQL_COMMENT, pg.Token_C_COMMENT, pg.Token_ASCII_59: // the semicolon
			default:
				end = int(token.End)
			}
		}
		if got, want := Bare(sql), strings.TrimLeft(sql[:end], Blanks); got != want {
			t.Errorf("Bare(%q) = %q, the scanner finds %q", sql, got, want)
		}
	})
}
