package ontosql_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
)

func TestParsePoint(t *testing.T) {
	const head = ontosql.CommitID(50)
	for text, want := range map[string]ontosql.CommitID{
		"42": 42, " 42 ": 42, "0": 0, "-7": 0, "1000": 50, "9223372036854775807": 50,
		"HEAD": 50, "head": 50, "HEAD~0": 50, "HEAD~3": 47, "HEAD~100": 0,
	} {
		p, err := ontosql.ParsePoint(text, time.UTC)
		if err != nil {
			t.Errorf("ParsePoint(%q): %v", text, err)
			continue
		}
		if got, ok := p.Commit(head); !ok || got != want {
			t.Errorf("ParsePoint(%q) is commit %d of %d, want %d", text, got, head, want)
		}
		if again, err := ontosql.ParsePoint(p.String(), time.UTC); err != nil || again != p {
			t.Errorf("ParsePoint(%q) prints as %q, which is %v, %v", text, p, again, err)
		}
	}
	for _, text := range []string{"", "nonsense", "HEAD~", "HEAD~x", "HEAD~-1", "HEADER", "1.5", "2026-13-01", "99999999999999999999", "2026-02-10 25:00"} {
		var bad *ontosql.BadPointError
		if p, err := ontosql.ParsePoint(text, time.UTC); !errors.As(err, &bad) || bad.Text != text {
			t.Errorf("ParsePoint(%q) is %v, %v; want a BadPointError", text, p, err)
		}
	}
}

func TestParsePointReadsTimes(t *testing.T) {
	oslo := time.FixedZone("Oslo", 3600)
	for text, want := range map[string]string{
		"2026-02-10T12:00:00Z":             "2026-02-10T12:00:00Z",
		"2026-02-10 12:00:00.123456+02:00": "2026-02-10T10:00:00.123456Z",
		"2026-02-10 12:00:00+02":           "2026-02-10T10:00:00Z",
		"2026-02-10 12:00+00":              "2026-02-10T12:00:00Z",
		"2026-02-10T12:00Z":                "2026-02-10T12:00:00Z",
		"2026-02-10 12:00:00 +02:00":       "2026-02-10T10:00:00Z",
		"2026-02-10T12:00:00+0200":         "2026-02-10T10:00:00Z",
		"2026-02-10 12:00:00.5":            "2026-02-10T11:00:00.5Z",
		"2026-02-10 12:00":                 "2026-02-10T11:00:00Z",
		"2026-02-10":                       "2026-02-09T23:00:00Z",
	} {
		p, err := ontosql.ParsePoint(text, oslo)
		if err != nil {
			t.Errorf("ParsePoint(%q): %v", text, err)
			continue
		}
		if at, ok := p.Time(); !ok || p.String() != want {
			t.Errorf("ParsePoint(%q) is %v, want %s", text, at, want)
		}
		if _, ok := p.Commit(7); ok {
			t.Errorf("ParsePoint(%q) has a commit without a history", text)
		}
	}
}
