package workspace

import (
	"slices"
	"testing"
)

// viewOf is a view of pg_temp that reads some relations.
func viewOf(name string, uses ...string) *View {
	v := &View{Schema: TempSchema, Name: name}
	for _, u := range uses {
		v.Uses = append(v.Uses, Use{Schema: TempSchema, Name: u, Columns: []UsedColumn{{Name: "a", ID: 1, Read: true}, {Name: "b", ID: 2}}})
	}
	return v
}

func viewNames(views []*View) (names []string) {
	for _, v := range views {
		names = append(names, v.Name)
	}
	return names
}

func dependentNames(all []Dependent) (names []string) {
	for _, d := range all {
		on := "-"
		if d.On != nil {
			on = d.On.Name
		}
		names = append(names, d.View.Name+" on "+on)
	}
	return names
}

// TestDependents checks the order of dependent views: PostgreSQL's, by creation, each followed
// by its own dependents.
func TestDependents(t *testing.T) {
	var o *Objects
	o = o.With(&Table{Schema: TempSchema, Name: "t"})
	o = o.WithView(viewOf("z", "t")).WithView(viewOf("b", "t", "t")).WithView(viewOf("a", "z", "t")).WithView(viewOf("other"))
	if got, want := viewNames(o.Views()), []string{"z", "b", "a", "other"}; !slices.Equal(got, want) {
		t.Errorf("views: got %q, want %q", got, want)
	}
	if got, want := dependentNames(o.Dependents(TempSchema, "t")), []string{"z on -", "b on -", "a on -"}; !slices.Equal(got, want) {
		t.Errorf("dependents: got %q, want %q", got, want)
	}
	left := o.WithoutDependents(TempSchema, "t")
	if got, want := viewNames(left.Views()), []string{"other"}; !slices.Equal(got, want) {
		t.Errorf("without dependents: got %q, want %q", got, want)
	}
	if len(o.Views()) != 4 {
		t.Error("the objects before the change have changed")
	}
}

// TestReplacedViewOrder checks that a view that was replaced comes after a newer view that it
// now reads, and that a loop is found.
func TestReplacedViewOrder(t *testing.T) {
	var o *Objects
	o = o.WithView(viewOf("first")).WithView(viewOf("second"))
	replaced := viewOf("first", "second")
	replaced.Number = o.View(TempSchema, "first").Number
	o = o.WithView(replaced)
	if got, want := viewNames(o.Views()), []string{"second", "first"}; !slices.Equal(got, want) {
		t.Errorf("views: got %q, want %q", got, want)
	}
	if o.Loops(replaced) {
		t.Error("a loop is reported where there is none")
	}
	if loop := viewOf("second", "first"); !o.WithView(loop).Loops(loop) {
		t.Error("a loop of two views is not found")
	}
	if self := viewOf("second", "second"); !o.WithView(self).Loops(self) {
		t.Error("a view that reads itself is not found")
	}
}

// TestRenamed checks that views follow a relation that is renamed.
func TestRenamed(t *testing.T) {
	var o *Objects
	o = o.WithView(viewOf("v", "t")).Renamed(TempSchema, "t", TempSchema, "u")
	if got := dependentNames(o.Dependents(TempSchema, "u")); !slices.Equal(got, []string{"v on -"}) {
		t.Errorf("dependents of the new name: %q", got)
	}
	if got := o.Dependents(TempSchema, "t"); got != nil {
		t.Errorf("dependents of the old name: %q", dependentNames(got))
	}
	v := o.View(TempSchema, "v")
	if !v.Reads(TempSchema, "u", 1) || v.Reads(TempSchema, "u", 2) {
		t.Error("the columns that the view reads are wrong")
	}
}
