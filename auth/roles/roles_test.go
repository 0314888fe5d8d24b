package roles

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// family are roles of which alice inherits from writers, which inherits from readers; bob does
// not inherit; boss is a superuser.
func family() *Roles {
	r := Initial()
	for _, name := range []string{"alice", "bob", "readers", "writers", "boss"} {
		role := New(name)
		role.Inherit, role.Superuser = name != "bob", name == "boss"
		r = r.With(role)
	}
	for _, m := range []Membership{
		{Role: "readers", Member: "writers", Admin: true}, {Role: "writers", Member: "alice"}, {Role: "writers", Member: "bob"},
	} {
		r = r.Granted(m)
	}
	return r
}

func TestClosure(t *testing.T) {
	r := family()
	for _, c := range []struct {
		role, target               string
		has, member, set, administ bool
	}{
		{"alice", "alice", true, true, true, false},
		{"alice", "writers", true, true, true, false},
		{"alice", "readers", true, true, true, true}, // by writers
		{"readers", "alice", false, false, false, false},
		{"bob", "bob", true, true, true, false},
		{"bob", "readers", false, true, true, true},
		{"boss", "readers", true, false, true, true},
		{"boss", "boss", true, true, true, true},
		{"nobody", "nobody", false, false, false, false},
		{"alice", "nobody", false, false, false, false},
		{Owner, "pg_database_owner", true, true, true, true},
		{"pg_monitor", "pg_read_all_stats", true, true, true, false},
	} {
		got := [4]bool{r.Has(c.role, c.target), r.Member(c.role, c.target), r.CanSet(c.role, c.target), r.Administers(c.role, c.target)}
		if want := [4]bool{c.has, c.member, c.set, c.administ}; got != want {
			t.Errorf("%s and %s: has, member, set, administers: got %v, want %v", c.role, c.target, got, want)
		}
	}
}

// TestInheritEndsAtARole: a role without INHERIT on the way has what it is a member of only for itself.
func TestInheritEndsAtARole(t *testing.T) {
	r := family()
	writers, _ := r.Lookup("writers")
	writers.Inherit = false
	r = r.With(writers)
	if !r.Has("alice", "writers") || r.Has("alice", "readers") || !r.Member("alice", "readers") {
		t.Error("alice has the privileges of readers by writers, which does not inherit")
	}
}

func TestChangesMakeOthers(t *testing.T) {
	before := family()
	scope := Scope{Role: "writers", Database: "onto"}
	set := before.WithSettings(scope, Set(Set(nil, Setting{"a.b", "1"}), Setting{"A.B", "2"}))
	after := set.Renamed("writers", "authors")
	if !after.Has("alice", "readers") || after.Exists("writers") || !after.Administers("authors", "readers") {
		t.Error("memberships do not follow a rename")
	}
	if diff := cmp.Diff([]Setting{{"A.B", "2"}}, after.Settings(Scope{"authors", "onto"})); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	gone := after.Without("authors")
	if gone.Member("alice", "readers") || len(gone.Scopes()) > 0 || len(gone.Of("alice")) > 0 {
		t.Error("a role that was dropped leaves memberships or settings")
	}
	if before.Version() != family().Version() || before.Version() == set.Version() || set.Version() == after.Version() {
		t.Error("versions are not those of the roles")
	}
	if !before.Member("alice", "writers") || len(before.Scopes()) > 0 || before.Exists("authors") {
		t.Error("a change has changed the roles that there were before")
	}
	if owner, _ := before.With(New(Owner)).Lookup(Owner); !owner.Superuser {
		t.Error("the owner can lose SUPERUSER")
	}
}

func TestExpired(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]bool{
		"": false, "infinity": false, "-infinity": true, "2026-01-01T00:00:00Z": false, "2025-12-31T23:59:59.999999Z": true, "bad": true,
	} {
		if got := (Role{ValidUntil: text}).Expired(now); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// TestThousandRoles: a chain of a thousand memberships, and a role with a thousand, are answered at
// once.
func TestThousandRoles(t *testing.T) {
	r := Initial()
	for i := range 1000 {
		name := fmt.Sprintf("r%d", i)
		r = r.With(New(name)).Granted(Membership{Role: fmt.Sprintf("r%d", i+1), Member: name}).Granted(Membership{Role: name, Member: "all"})
	}
	r = r.With(New("all")).With(New("r1000"))
	began := time.Now()
	for range 100 {
		if !r.Has("r0", "r1000") || r.Has("r1000", "r0") || !r.Has("all", "r999") {
			t.Fatal("the closure of a thousand roles is wrong")
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("300 questions took %s", took)
	}
}
