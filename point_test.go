package ontosql_test

import (
	"errors"
	"testing"

	"github.com/ontosql/ontosql"
)

func TestParsePoint(t *testing.T) {
	const head = ontosql.CommitID(50)
	for text, want := range map[string]ontosql.CommitID{
		"42": 42, " 42 ": 42, "0": 0, "-7": 0, "1000": 50, "9223372036854775807": 50,
		"HEAD": 50, "head": 50, "HEAD~0": 50, "HEAD~3": 47, "HEAD~100": 0,
	} {
		p, err := ontosql.ParsePoint(text)
		if err != nil {
			t.Errorf("ParsePoint(%q): %v", text, err)
			continue
		}
		if got, ok := p.Commit(head); !ok || got != want {
			t.Errorf("ParsePoint(%q) is commit %d of %d, want %d", text, got, head, want)
		}
		if again, err := ontosql.ParsePoint(p.String()); err != nil || again != p {
			t.Errorf("ParsePoint(%q) prints as %q, which is %v, %v", text, p, again, err)
		}
	}
	for _, text := range []string{"", "nonsense", "HEAD~", "HEAD~x", "HEAD~-1", "HEADER", "1.5", "2026-02-10", "99999999999999999999"} {
		var bad *ontosql.BadPointError
		if p, err := ontosql.ParsePoint(text); !errors.As(err, &bad) || bad.Text != text {
			t.Errorf("ParsePoint(%q) is %v, %v; want a BadPointError", text, p, err)
		}
	}
}
