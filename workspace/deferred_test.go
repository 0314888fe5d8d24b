package workspace_test

import (
	"slices"
	"testing"

	"github.com/ontosql/ontosql/workspace"
)

// TestConstraintsOfASavepoint checks that ROLLBACK TO takes back SET CONSTRAINTS, and what has
// been noted for a check and what has been checked since the savepoint.
func TestConstraintsOfASavepoint(t *testing.T) {
	s := newSession(t, newEngine(t), workspace.NewXacts(), "t")
	id := func(name string) workspace.ConstraintID {
		return workspace.ConstraintID{Schema: s.schema, Table: "t", Name: name}
	}
	c := &s.temp.Constraints
	want := func(when string, deferred bool, awaited ...string) {
		t.Helper()
		if got := c.Defers(id("one"), workspace.InitiallyImmediate); got != deferred {
			t.Errorf("%s: the constraint is deferred: %v, want %v", when, got, deferred)
		}
		var names []string
		for _, id := range c.Awaited() {
			names = append(names, id.Name)
		}
		if !slices.Equal(names, awaited) {
			t.Errorf("%s: %q are to be checked, want %q", when, names, awaited)
		}
	}
	one := s.temp.Savepoint()
	c.SetDeferred([]workspace.ConstraintID{id("one")}, true)
	c.Await(id("one"))
	two := s.temp.Savepoint()
	c.SetDeferred([]workspace.ConstraintID{id("one")}, false)
	c.Checked(id("one"))
	c.Await(id("two"))
	want("before", false, "two")
	s.rollbackTo(two)
	want("after the second savepoint", true, "one")
	c.SetAllDeferred(false)
	c.Await(id("three"))
	want("after SET CONSTRAINTS ALL", false, "one", "three")
	s.rollbackTo(two)
	want("after the second savepoint again", true, "one")
	s.rollbackTo(one)
	want("after the first savepoint", false)
	if c.Defers(id("one"), workspace.NotDeferrable) {
		t.Error("a constraint that is not deferrable is deferred")
	}
}
