package rewrite

import "testing"

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
	} {
		if got := Bare(sql); got != want {
			t.Errorf("Bare(%q) = %q, want %q", sql, got, want)
		}
	}
}
