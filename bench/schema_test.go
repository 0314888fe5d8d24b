package main

import (
	"io"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestSchemaChangesAreMeasured runs P10 at the smallest size. No statement can be
// acknowledged before its manifest and then the head were put.
func TestSchemaChangesAreMeasured(t *testing.T) {
	testenv.Postgres(t)
	testenv.S3(t) // the measure starts a server of its own
	r, err := measured(t.Context(), options{size: "S", only: "P10", laps: 1}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Measures) != 1 {
		t.Fatalf("%d measures were run, want 1", len(r.Measures))
	}
	counted := 0
	for _, f := range r.Measures[0].Figures {
		least := 0.0
		if strings.HasSuffix(f.Name, "requests until its answer") || strings.HasSuffix(f.Name, "round trips that fit into it") {
			counted++
			least = 2
		}
		if f.Value < least {
			t.Errorf("%s is %v, want at least %v", f.Name, f.Value, least)
		}
	}
	if counted != 6 {
		t.Errorf("requests and round trips are %d figures, want two of each of three statements", counted)
	}
	for _, timing := range r.Measures[0].Timings {
		if timing.Count == 0 || timing.Median <= 0 {
			t.Errorf("%s was timed %d times, its median is %v ms", timing.Name, timing.Count, timing.Median)
		}
	}
}
