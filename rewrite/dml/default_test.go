package dml_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// TestHostileDefault: the default comes from a store that another program may have written.
// Text that is not a valid default fails the statement, and none of it is executed.
func TestHostileDefault(t *testing.T) {
	st, err := syntax.Analyze("INSERT INTO account (id) VALUES (1)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"1) FROM customer --", "XX001"},
		{"'x'; DROP TABLE customer", "XX001"},
		{strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000), "XX001"},
		{"(SELECT name FROM customer)", "0A000"},
		{"code", "0A000"},
		{"$1", "42P02"},
		{"read_text('/etc/passwd')", "42501"},
		{"count(*)", "42803"},
		{"12345678901234567890123456789012345678901234567890", ""},
		{"now()", ""},
	} {
		shape, _ := rewritetest.ShapeOf(*st.Target)
		shape.Defaults = map[string]string{"owner": c.text}
		sc, err := dml.Scope(st, shape, nil, dml.ConflictError, nil, rewritetest.Env{})
		if err == nil {
			_, err = sc.Rows.Bind(nil)
		}
		got := ""
		if err != nil {
			got = rewritetest.ShowError(err)
		}
		if !strings.HasPrefix(got, c.want) || c.want != "" && !strings.HasPrefix(got, c.want+" at 0: ") || c.want == "" && got != "" {
			t.Errorf("DEFAULT %.60s: got %q, want %q without a position", c.text, got, c.want)
		}
	}
}
