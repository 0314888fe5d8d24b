package enginesql_test

import (
	"testing"

	"github.com/ontosql/ontosql/rewrite/enginesql"
)

// TestRaised reads the texts of errors that macros raise.
func TestRaised(t *testing.T) {
	for _, c := range []struct{ text, code, message, detail, hint string }{
		{"[22012] division by zero", "22012", "division by zero", "", ""},
		{"[22003] numeric field overflow\x1fA field.", "22003", "numeric field overflow", "A field.", ""},
		{"[22025] invalid escape string\x1f\x1f\x1fOne character.", "22025", "invalid escape string", "", "One character."},
		{"[22P02] invalid input syntax for type json: \"a\nb\"", "22P02", "invalid input syntax for type json: \"a\nb\"", "", ""},
	} {
		err, ok := enginesql.Raised(c.text)
		if !ok || err.Code != c.code || err.Message != c.message || err.Detail != c.detail || err.Hint != c.hint {
			t.Errorf("%q: got %+v %t, want %+v", c.text, err, ok, c)
		}
	}
	if err, ok := enginesql.Raised("Conversion Error: [22012] no"); ok {
		t.Errorf("an error of the engine itself is read as %v", err)
	}
}
