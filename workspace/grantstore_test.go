package workspace_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/workspace"
)

// TestGrantsAreKept: the privileges on a table, a view and a schema, and default privileges,
// survive a crash.
func TestGrantsAreKept(t *testing.T) {
	h := openHouse(t, t.TempDir())
	s := h.session()
	grants := acl.Grants{{Grantee: "bob", Grantor: "ada", Privileges: "ar", Grantable: "r"}, {Grantor: "ada", Privileges: "r"}}
	table := *s.table()
	table.Grants = grants
	s.temp.Put(&table)
	s.temp.PutView(&workspace.View{Schema: "s", Name: "v", Grants: acl.Grants{}})
	s.temp.PutSchema(&workspace.Schema{Name: "s", Grants: grants[:1]})
	defaults := []workspace.DefaultGrants{{Role: "ada", Kind: 'r', Grants: grants}}
	for _, schema := range []string{"", "s"} {
		if err := s.temp.PutDefault(t.Context(), s.conn, schema, defaults[0]); err != nil {
			t.Fatal(err)
		}
	}
	s.end(true)
	s.conn.Close()
	after := openHouse(t, h.crash())
	defer after.close()
	h.close()
	again := after.session()
	defer again.conn.Close()
	shared := again.temp.Shared()
	got := []acl.Grants{shared.Table("s", "t").Grants, shared.View("s", "v").Grants, shared.Schema("s").Grants}
	if diff := cmp.Diff([]acl.Grants{grants, {}, grants[:1]}, got); diff != "" {
		t.Errorf("after a crash the grants are others (-want +got):\n%s", diff)
	}
	for _, schema := range []string{"", "s"} {
		if diff := cmp.Diff(defaults, shared.Defaults(schema)); diff != "" {
			t.Errorf("after a crash the default privileges in schema %q are others (-want +got):\n%s", schema, diff)
		}
	}
}
