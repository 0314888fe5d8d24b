package defaults_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// environment has the settings that the constants of a DEFAULT are read by. The value of a
// session function is not read when a default is declared.
type environment struct{ scope.Env }

func (environment) Setting(string) string         { return "" }
func (environment) DateOrder() datetime.DateOrder { return datetime.MonthFirst }

// codeOf is the SQLSTATE of an error, "" for an error without one.
func codeOf(err error) string {
	var e *pgerr.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// TestExpressionText: the stored text of an expression is parsed as the same expression.
func TestExpressionText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1", "1"},
		{"-1.50", "-1.50"},
		{"'it''s'", "'it''s'"},
		{`E'a\\b'`, `E'a\\b'`},
		{"(1 + 2) * 3", "(1 + 2) * 3"},
		{"upper('x') || $$y$$", "upper('x') || 'y'"},
		{"CASE WHEN true THEN 1 ELSE 2 END", "CASE WHEN true THEN 1 ELSE 2 END"},
		{"'2020-01-01'::date", "'2020-01-01'::date"},
		{"CAST(1 AS numeric(10, 2))", "1::numeric(10, 2)"},
		{"CURRENT_TIMESTAMP", "current_timestamp"},
		{"ARRAY[1, 2]", "ARRAY[1, 2]"},
		{`a."B"`, `a."B"`},
	} {
		x, err := defaults.ParseExpression(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if x.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.text, x, c.want)
		}
		if again, err := defaults.ParseExpression(x.String()); err != nil || again.String() != x.String() {
			t.Errorf("%s: read again it is %v (%v)", x, again, err)
		}
	}
}

// TestOneExpression: a stored text with anything besides one expression is refused.
func TestOneExpression(t *testing.T) {
	for _, text := range []string{
		"", "1, DROP COLUMN a", "1; DROP TABLE t", "1 FROM customer", "1) FROM customer WHERE (1 = 1", "-- gone", "1 AS x", "*",
		"a FOR SYSTEM_TIME AS OF 3", "1 2", "'unclosed", "\x00", "\xff",
	} {
		if x, err := defaults.ParseExpression(text); err == nil {
			t.Errorf("%q is %s", text, x)
		} else if codeOf(err) == "" {
			t.Errorf("%q: %v is not a *pgerr.Error", text, err)
		}
	}
	if _, err := defaults.ParseExpression(strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000)); err == nil || !strings.Contains(err.Error(), "stack depth") {
		t.Errorf("5,000 brackets: %v", err)
	}
}

// TestExpressionIsWhatItWas prints expressions whose parentheses the parser's printer
// loses: an expression whose printed text would mean something else is refused.
func TestExpressionIsWhatItWas(t *testing.T) {
	for _, c := range []struct {
		text string
		kept bool
	}{
		{"(1 + 2) * 3", true},
		{"upper('a' || 'b')::text", true},
		{"CASE WHEN true THEN 1 ELSE 2 END", true},
		{"'2026-01-01'::date + 7", true},
		{"('a' = 'b' OR true) LIKE 't'", false},
		{"(true OR false) IN (true)", false},
	} {
		x, err := defaults.ParseExpression(c.text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Default(column.Named{Name: "c", Type: column.Type{Kind: column.Text}}, environment{})
		switch {
		case c.kept && err != nil:
			t.Errorf("%s: %v", c.text, err)
		case c.kept:
			if again, err := defaults.ParseExpression(x.String()); err != nil || again.String() != x.String() {
				t.Errorf("%s is written as %s, which is read as %v, %v", c.text, x, again, err)
			}
		case err == nil:
			t.Errorf("%s is kept as %s", c.text, x)
		case codeOf(err) != pgerr.FeatureNotSupported:
			t.Errorf("%s: %v, want 0A000", c.text, err)
		}
	}
}
