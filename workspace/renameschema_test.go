package workspace_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/workspace"
)

// TestARenamedSchemaIsKept: a schema that got another name has its relations after a crash, and
// what names them follows.
func TestARenamedSchemaIsKept(t *testing.T) {
	h := openHouse(t, t.TempDir())
	s := h.session()
	table := *s.table()
	table.Columns[0].Default = "nextval('s.q')"
	table.ForeignKeys = []workspace.ForeignKey{{Name: "k", Schema: "s", Table: "t"}}
	s.temp.Put(&table)
	s.temp.PutView(&workspace.View{Schema: "s", Name: "v", Uses: []workspace.Use{{Schema: "s", Name: "t"}}})
	state, err := s.temp.NewState(t.Context(), s.conn, "s", 7, true)
	if err != nil {
		t.Fatal(err)
	}
	s.temp.PutSequence(&workspace.Sequence{Schema: "s", Name: "q", Increment: 1, Max: 100, State: state})
	s.end(true)
	s.temp.RenameSchema("s", "r", func(text string) string { return strings.ReplaceAll(text, "s.q", "r.q") })
	s.end(true)
	s.conn.Close()
	after := openHouse(t, h.crash())
	defer after.close()
	h.close()
	conn, err := after.engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	shared := workspace.NewSession(after.store, after.xacts, "main", "t").Shared()
	if got := shared.Schemas(); len(got) != 1 || got[0] != "r" {
		t.Fatalf("the schemas are %q", got)
	}
	if n := len(shared.All()) + len(shared.Views()) + len(shared.Sequences()); n != 3 {
		t.Fatalf("there are %d relations", n)
	}
	if got := shared.Table("r", "t"); got.Columns[0].Default != "nextval('r.q')" || got.ForeignKeys[0].Schema != "r" {
		t.Errorf("the table is %+v", got)
	}
	if got := shared.View("r", "v"); got.Uses[0].Schema != "r" {
		t.Errorf("the view is %+v", got)
	}
	if last, called, _ := shared.Sequence("r", "q").Last(); last != 7 || !called {
		t.Errorf("the sequence is at %d, called %t", last, called)
	}
}
