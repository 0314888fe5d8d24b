package workspace_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/workspace"
)

// TestSequenceValues takes values from sequences up to their ends.
func TestSequenceValues(t *testing.T) {
	for _, c := range []struct {
		q    workspace.Sequence
		want string
	}{
		{workspace.Sequence{Start: 1, Increment: 1, Min: 1, Max: 3}, "1 2 3 end end"},
		{workspace.Sequence{Start: 1, Increment: 2, Min: 1, Max: 4, Cycle: true}, "1 3 1 3 1"},
		{workspace.Sequence{Start: -1, Increment: -1, Min: -3, Max: -1}, "-1 -2 -3 end end"},
		{workspace.Sequence{Start: 2, Increment: -3, Min: -2, Max: 2, Cycle: true}, "2 -1 2 -1 2"},
		{workspace.Sequence{Start: 5, Increment: 100, Min: 1, Max: 9}, "5 end end end end"},
		{workspace.Sequence{Start: math.MaxInt64 - 1, Increment: 1, Min: 1, Max: math.MaxInt64}, "9223372036854775806 9223372036854775807 end end end"},
		{workspace.Sequence{Start: math.MinInt64, Increment: math.MaxInt64, Min: math.MinInt64, Max: math.MaxInt64}, "-9223372036854775808 -1 9223372036854775806 end end"},
		{workspace.Sequence{Start: 0, Increment: math.MinInt64, Min: math.MinInt64, Max: 0}, "0 -9223372036854775808 end end end"},
	} {
		var err error
		if c.q.State, err = workspace.NewSession(nil, nil, "", "").NewState(t.Context(), nil, workspace.TempSchema, c.q.Start, false); err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 5 {
			if v, ok, _ := c.q.Next(t.Context(), nil, 1); ok {
				got = append(got, fmt.Sprint(v.First))
			} else {
				got = append(got, "end")
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v gives %s, want %s", c.q, s, c.want)
		}
	}
}
