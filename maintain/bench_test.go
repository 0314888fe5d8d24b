package maintain_test

import (
	"testing"

	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/objstore/mem"
)

// BenchmarkVerify reads the demo: 54 commits, 153 data files. It is the cost of Verify at the
// end of a test that wrote a whole history.
func BenchmarkVerify(b *testing.B) {
	bucket := mem.New("demo")
	if err := demo.Fill(b.Context(), bucket, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if report, err := maintain.Verify(b.Context(), bucket); err != nil || report.Err() != nil {
			b.Fatal(err, report)
		}
	}
}
