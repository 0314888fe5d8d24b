package macros_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
)

// TestExpansion nests calls that print or expand to several times their argument: so many
// levels as a person writes are answered, and many refused before they fill the memory.
func TestExpansion(t *testing.T) {
	for _, call := range []string{
		"overlay(% placing 'b' from 1 for 1)", "substr(%, 1, 3)",
		"power(%, 1)", "exp(%)", "width_bucket(%, 1, 2, 3)", "quote_literal(%)", "split_part(%, ',', 1)",
		"array_to_string(string_to_array(%, ','), ',')",
	} {
		inner := "'a'"
		if strings.HasPrefix(call, "power") || strings.HasPrefix(call, "exp") || strings.HasPrefix(call, "width") {
			inner = "1"
		}
		nested := func(levels int) string {
			sql := inner
			for range levels {
				sql = strings.Replace(call, "%", sql, 1)
			}
			return "SELECT " + sql
		}
		if _, _, err := rewritetest.Bind(nested(30), nil); err != nil {
			t.Errorf("%s, 30 levels: %v", call, err)
		}
		_, _, err := rewritetest.Bind(nested(200), nil)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != pgerr.StatementTooComplex {
			t.Errorf("%s, 200 levels: %v, want %s", call, err, pgerr.StatementTooComplex)
		}
	}
	if _, _, err := rewritetest.Bind("SELECT "+strings.Repeat("replace(lpad(", 100)+"'a'"+strings.Repeat(", 3), 'a', 'b')", 100), nil); err != nil {
		t.Errorf("calls that do not grow: %v", err)
	}
	many := "SELECT 1 WHERE 'x' IN (quote_literal('a')" + strings.Repeat(", quote_literal('a')", 100_000) + ")"
	if _, _, err := rewritetest.Bind(many, nil); err != nil {
		t.Errorf("many calls in one list: %v", err)
	}
}
