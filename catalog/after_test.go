package catalog

import (
	"testing"

	"github.com/ontosql/ontosql/column"
)

// TestAfter changes one of two types, or nothing, or leaves one out: what stays is the
// same *Type, by all its names, and only where everything stays the version does.
func TestAfter(t *testing.T) {
	two := func(version string, change func(t *Type)) *Catalog {
		a, b := &Type{Table: "a", Columns: []Column{{Name: "id", Type: column.Type{Kind: column.List, Elem: &column.Type{}}}}}, &Type{Table: "b"}
		a.Ref.Name, b.Ref.Name, a.earlier, b.earlier = "A", "B", new(earlier), new(earlier)
		change(b)
		return &Catalog{Version: version, Types: []*Type{a, b}, byName: map[string]*Type{"a": a, "A": a, "b": b}}
	}
	before := two("1", func(*Type) {})
	for name, c := range map[string]struct {
		change func(*Type)
		same   bool
	}{
		"nothing":           {func(*Type) {}, true},
		"a comment":         {func(t *Type) { t.Comment = "new" }, false},
		"a column":          {func(t *Type) { t.Columns = append(t.Columns, Column{Name: "n"}) }, false},
		"a schema version":  {func(t *Type) { t.Versions = append(t.Versions, Version{ID: 1}) }, false},
		"when it was made":  {func(t *Type) { t.CreatedAt = t.CreatedAt.AddDate(0, 0, 1) }, false},
		"it was dropped":    {func(t *Type) { t.Floor++ }, false},
		"its table's name":  {func(t *Type) { t.Table = "c" }, false},
		"the type's own":    {func(t *Type) { t.Ref.Name = "C" }, false},
		"what it points to": {func(t *Type) { t.Left = "A" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			after := two("2", c.change)
			after.After(before)
			if after.Types[0] != before.Types[0] || after.byName["a"] != before.Types[0] || after.byName["A"] != before.Types[0] {
				t.Error("the type that is as it was is another")
			}
			if same := after.Types[1] == before.Types[1]; same != c.same || after.byName["b"] != after.Types[1] {
				t.Errorf("the other one is the same: %t", same)
			}
			if same := after.Version == before.Version; same != c.same {
				t.Errorf("the version is the same: %t", same)
			}
		})
	}
	fewer := two("2", func(*Type) {})
	fewer.Types = fewer.Types[:1]
	if fewer.After(before); fewer.Version == before.Version {
		t.Error("a type has gone, and the version is the same")
	}
}
