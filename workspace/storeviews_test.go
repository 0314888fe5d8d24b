package workspace_test

import (
	"reflect"
	"testing"

	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// TestTheFileKeepsViews: as they were defined, until they are removed.
func TestTheFileKeepsViews(t *testing.T) {
	dir := t.TempDir()
	h := openHouse(t, dir)
	s := h.session()
	v := &workspace.View{
		Schema: "s", Name: "v", Text: "CREATE VIEW v AS SELECT 'it''s' AS a FROM t", Definition: " SELECT 'it''s' AS a FROM t;", Comment: "what it is",
		Columns: []workspace.ViewColumn{{Name: "a", Type: types.Type{OID: types.Varchar, Typmod: 7}, Comment: "a column"}},
		Uses:    []workspace.Use{{Schema: "s", Name: "t", Columns: []workspace.UsedColumn{{Name: "a", ID: 1, Read: true}}}},
	}
	s.temp.PutView(v)
	s.temp.PutView(&workspace.View{Schema: "s", Name: "gone"})
	s.end(true)
	s.temp.RemoveView(s.temp.Of("s").View("s", "gone"))
	s.end(true)
	s.temp.RemoveView(v)
	s.temp.PutView(&workspace.View{Schema: "s", Name: "never"})
	s.end(false)
	s.conn.Close()
	h.close()

	h = openHouse(t, dir)
	defer h.close()
	s = h.session()
	defer s.conn.Close()
	views := s.temp.Of("s").Views()
	if len(views) != 1 {
		t.Fatalf("there are %d views", len(views))
	}
	v.Number = 1
	if !reflect.DeepEqual(views[0], v) {
		t.Errorf("the view is %+v, want %+v", views[0], v)
	}
}
