package workspace_test

import (
	"testing"

	"github.com/ontosql/ontosql/workspace"
)

// TestNumbers checks that no number of a column is given twice, and that constraints come in
// the order of their creation.
func TestNumbers(t *testing.T) {
	table := &workspace.Table{
		Columns: []workspace.Column{{Number: 1, Name: "a"}, {Number: 3, Name: "c"}},
		Dropped: []workspace.Column{{Number: 4, Name: "d"}},
		Key:     &workspace.Unique{Number: 2, Name: "key"},
		Uniques: []workspace.Unique{{Number: 3, Name: "third"}, {Number: 1, Name: "first"}},
	}
	if got := table.NextNumber(); got != 5 {
		t.Errorf("the next column has number %d, want 5", got)
	}
	if got := table.NextUnique(); got != 4 {
		t.Errorf("the next constraint has number %d, want 4", got)
	}
	for i, u := range table.Constraints() {
		if want := []string{"first", "key", "third"}[i]; u.Name != want {
			t.Errorf("constraint %d is %q, want %q", i, u.Name, want)
		}
	}
	if got := (&workspace.Table{}).NextNumber(); got != 1 {
		t.Errorf("the first column has number %d", got)
	}
}
