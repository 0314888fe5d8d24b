package maintain_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain"
)

// TestDistrust notes the columns that contradict fields_json or cannot be read. The next check
// does not read them.
func TestDistrust(t *testing.T) {
	for name, first := range map[string]format.Value{"differs": format.String(`"elsewhere"`), "is damaged": format.String(`{`)} {
		t.Run(name, func(t *testing.T) {
			s := open(t, ours)
			native(first)(s)
			report := verify(t, s)
			want := []format.DistrustedColumn{{Type: shop, Path: s.find("2", "Store.parquet"), Column: "city:json"}}
			if !slices.Equal(report.Contradicting, want) {
				t.Fatalf("a column that %s: %v contradict, want %v\n%s", name, report.Contradicting, want, report)
			}
			for _, want := range []int{1, 0} {
				added, err := maintain.Distrust(t.Context(), s, report.Contradicting, time.Now())
				if err != nil || added != want {
					t.Errorf("%d columns noted (%v), want %d", added, err, want)
				}
			}
			report = verify(t, s)
			if len(report.Contradicting) > 0 || len(report.Problems) != 1 || report.Problems[0].Severity != maintain.Lag {
				t.Errorf("after the note: %v contradict; want one lag\n%s", report.Contradicting, report)
			}
		})
	}
}

// TestDistrustedForm checks the list of distrusted columns.
func TestDistrustedForm(t *testing.T) {
	for _, body := range []string{`{"columns":{},"updated_at":"2026-11-21T00:00:00.000000+00:00"}`, `{"columns":[{"column":"a:date","kind":"table","path":"x","type_name":"T"}],"updated_at":"2026-11-21T00:00:00.000000+00:00"}`} {
		s := open(t, v1)
		s.put(format.DistrustKey, []byte(body))
		if report := verify(t, s); len(report.Errors()) != 1 || report.Errors()[0].Rule != maintain.SchemaObjects {
			t.Errorf("%s: want one error of %s\n%s", body, maintain.SchemaObjects, report)
		}
	}
}
