package workspace_test

import (
	"testing"

	"github.com/ontosql/ontosql/workspace"
)

// TestTakenNames follows names of tables, indexes and constraints through changes, whether they
// are counted before or after.
func TestTakenNames(t *testing.T) {
	key := workspace.Unique{Name: "t_pkey"}
	table := &workspace.Table{Schema: "s", Name: "t", Key: &key, Indexes: []workspace.Index{{Name: "t_idx"}}, Checks: []workspace.Check{{Name: "t_check"}}}
	changed := *table
	changed.Key, changed.Uniques = nil, []workspace.Unique{{Name: "t_a_key"}}
	other := &workspace.Table{Schema: "s", Name: "u", Checks: []workspace.Check{{Name: "t_check"}}}
	var none *workspace.Objects
	for _, counted := range []bool{false, true} {
		next := func(o *workspace.Objects) *workspace.Objects {
			if counted {
				o.RelationTaken("s", "anything")
			}
			return o
		}
		for _, c := range []struct {
			objects               *workspace.Objects
			relations, constraint string // that are taken
		}{
			{none, "", ""},
			{next(none.With(table)), "t t_pkey t_idx", "t_pkey t_check"},
			{next(none.With(table)).With(&changed), "t t_a_key t_idx", "t_a_key t_check"},
			{next(none.With(table)).Without(table), "", ""},
			{next(none.With(table)).With(other), "t u t_pkey t_idx", "t_pkey t_check"},
			{next(next(none.With(table)).With(other)).Without(table), "u", "t_check"},
			{next(next(none.With(table)).With(other)).Without(table).Without(other), "", ""},
		} {
			var relations, constraints string
			for _, n := range []string{"t", "u", "t_pkey", "t_a_key", "t_idx", "t_check"} {
				if c.objects.RelationTaken("s", n) {
					relations += " " + n
				}
				if c.objects.ConstraintTaken("s", n) {
					constraints += " " + n
				}
				if c.objects.RelationTaken("other", n) || c.objects.ConstraintTaken("other", n) {
					t.Errorf("%s is taken in another schema", n)
				}
			}
			if relations != prefixed(c.relations) || constraints != prefixed(c.constraint) {
				t.Errorf("counted %t: relations%s, constraints%s; want %s and %s", counted, relations, constraints, c.relations, c.constraint)
			}
		}
	}
}

func prefixed(names string) string {
	if names == "" {
		return ""
	}
	return " " + names
}
