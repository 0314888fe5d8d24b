package pgfunc

import (
	"testing"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// BenchmarkNumeric computes one row of the functions of numerics that statements call
// most.
func BenchmarkNumeric(b *testing.B) {
	for _, c := range []struct {
		name string
		args []fmgr.Value
	}{
		{"ontosql_numeric_div", []fmgr.Value{{Text: "12345.600000000000"}, {Int: 2}, {Text: "7.5"}, {Int: 1}}},
		{"ontosql_numeric_sqrt", []fmgr.Value{{Text: "12345.600000000000"}, {Int: 2}}},
		{"ontosql_numeric_ln", []fmgr.Value{{Text: "12345.600000000000"}, {Int: 2}}},
		{"ontosql_numeric_power", []fmgr.Value{{Text: "12345.600000000000"}, {Int: 2}, {Text: "2.5"}, {Int: 1}}},
	} {
		for _, f := range All() {
			if f.Name != c.name {
				continue
			}
			b.Run(c.name, func(b *testing.B) {
				call := f.New()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := call(c.args); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
