package workspace_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ontosql/ontosql/workspace"
)

// materialized is a materialized view s.m of s.t with a row, which a session creates.
func materialized(s *session, row int) *workspace.Table {
	s.Helper()
	columns := s.table().Columns
	h, err := s.temp.CreateHeap(s.Context(), s.conn, "s", columns)
	if err != nil {
		s.Fatal(err)
	}
	err = s.conn.Exec(s.Context(), h.Insert(workspace.Frozen, columns, []string{fmt.Sprint(row)}, "(SELECT 1)", 1))
	if err != nil {
		s.Fatal(err)
	}
	v := &workspace.View{
		Schema: "s", Name: "m", Text: "CREATE MATERIALIZED VIEW m AS SELECT a FROM t", Materialized: true,
		Uses: []workspace.Use{{Schema: "s", Name: "t", Columns: []workspace.UsedColumn{{Name: "a", ID: 1, Read: true}}}},
	}
	m := &workspace.Table{Schema: "s", Name: "m", Columns: columns, Heap: h, View: v}
	s.temp.Put(m)
	return m
}

// TestTheFileKeepsMaterializedViews: with the rows of the last refresh that was committed.
func TestTheFileKeepsMaterializedViews(t *testing.T) {
	h := openHouse(t, t.TempDir())
	s := h.session()
	materialized(s, 7)
	s.temp.PutView(&workspace.View{Schema: "s", Name: "over", Uses: []workspace.Use{{Schema: "s", Name: "m"}}})
	s.end(true)
	refresh := func(row int) { // a heap with other rows, as REFRESH makes
		m := *s.temp.Table("s", "m")
		again := materialized(s, row)
		m.Heap = again.Heap
		s.temp.Put(&m)
	}
	refresh(8)
	s.end(true)
	refresh(9)
	dir := h.crash()
	s.end(false)
	s.conn.Close()
	h.close()

	for _, dir := range []string{h.dir, dir} {
		h := openHouse(t, dir)
		s := h.session()
		m := s.temp.Table("s", "m")
		if m == nil || m.View == nil || m.Kind() != "materialized view" || m.Unpopulated {
			t.Fatalf("the table is %+v", m)
		}
		if m.View.Number == 0 || m.View.Text != "CREATE MATERIALIZED VIEW m AS SELECT a FROM t" || len(m.View.Uses) != 1 {
			t.Errorf("its query is %+v", m.View)
		}
		if got := s.rowsOf(m.Heap, s.temp.Snapshot(false)); got != "8" {
			t.Errorf("it has the rows %q, want those of the last refresh that was committed", got)
		}
		if got, want := dependentsOf(s.temp.Everything(), "t"), []string{"m", "over"}; !slices.Equal(got, want) {
			t.Errorf("of the table depend %q, want %q", got, want)
		}
		s.conn.Close()
		h.close()
	}
}

func dependentsOf(o *workspace.Objects, table string) (names []string) {
	for _, d := range o.Dependents("s", table) {
		names = append(names, d.View.Name)
	}
	return names
}

// TestRenamedMaterializedViews: the query has the name of the table, and follows what it reads.
func TestRenamedMaterializedViews(t *testing.T) {
	h := openHouse(t, t.TempDir())
	defer h.close()
	s := h.session()
	defer s.conn.Close()
	m := materialized(s, 7)
	moved := *s.table()
	moved.Name = "t2"
	s.temp.Remove(s.table())
	s.temp.RenameUses("s", "t", "s", "t2")
	s.temp.Put(&moved)
	renamed := *s.temp.Table("s", "m")
	renamed.Name = "m2"
	s.temp.Remove(m)
	s.temp.Put(&renamed)
	v := s.temp.Table("s", "m2").View
	if v.Name != "m2" || v.Uses[0].Name != "t2" {
		t.Errorf("the query is %+v", v)
	}
	if got := dependentsOf(s.temp.Everything(), "t2"); !slices.Equal(got, []string{"m2"}) {
		t.Errorf("of the table depend %q", got)
	}
	s.temp.RemoveView(v)
	if s.temp.Table("s", "m2") != nil || len(s.temp.Everything().Views()) != 0 {
		t.Error("the materialized view is there after it was removed")
	}
	s.end(false)
}
