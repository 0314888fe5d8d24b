package rewrite

import (
	"errors"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/defaults"
)

// TestExpressionIsWhatItWas prints expressions whose parentheses the parser's printer
// loses: what would mean something else is refused and not kept.
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
		_, err = x.Default(column.Named{Name: "c", Type: column.Type{Kind: column.Text}}, testEnv{})
		var e *pgerr.Error
		switch {
		case c.kept && err != nil:
			t.Errorf("%s: %v", c.text, err)
		case c.kept:
			if again, err := defaults.ParseExpression(x.String()); err != nil || again.String() != x.String() {
				t.Errorf("%s is written as %s, which is read as %v, %v", c.text, x, again, err)
			}
		case err == nil:
			t.Errorf("%s is kept as %s", c.text, x)
		case !errors.As(err, &e) || e.Code != pgerr.FeatureNotSupported:
			t.Errorf("%s: %v, want 0A000", c.text, err)
		}
	}
}
