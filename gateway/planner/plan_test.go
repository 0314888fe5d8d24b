package planner

import (
	"testing"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/workspace"
)

func TestReadsFew(t *testing.T) {
	small, large := &workspace.Heap{}, &workspace.Heap{}
	small.Grew(smallTable)
	large.Grew(smallTable + 1)
	of := func(h *workspace.Heap) relation.Relation { return relation.Relation{Stored: &workspace.Table{Heap: h}} }
	known, typed := relation.Relation{Catalog: &pgcatalog.Relation{}}, relation.Relation{Type: &catalog.Type{}}
	for name, c := range map[string]struct {
		reads []relation.Relation
		few   bool
	}{
		"nothing":       {nil, true},
		"the catalog":   {[]relation.Relation{known}, true},
		"a small table": {[]relation.Relation{of(small), known}, true},
		"a large table": {[]relation.Relation{of(small), of(large)}, false},
		"a type":        {[]relation.Relation{of(small), typed}, false},
	} {
		p := &Plan{Relations: c.reads}
		if got := p.ReadsFew(); got != c.few {
			t.Errorf("a plan that reads %s: %t, want %t", name, got, c.few)
		}
	}
}
