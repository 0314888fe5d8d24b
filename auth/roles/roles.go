package roles

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Roles are all roles of a gateway at one moment. They are immutable: a change makes others.
type Roles struct {
	roles    map[string]Role
	of       map[string][]Membership // by member, in the order in which they were granted
	settings map[Scope][]Setting     // in the order in which they were set
	version  func() string
}

// newRoles makes roles of maps that nobody changes after the caller has.
func newRoles(byName map[string]Role, of map[string][]Membership, settings map[Scope][]Setting) *Roles {
	r := &Roles{roles: byName, of: of, settings: settings}
	r.version = sync.OnceValue(r.digest)
	return r
}

// Initial are the roles that there are always: Owner and the predefined ones.
func Initial() *Roles {
	r := newRoles(map[string]Role{}, map[string][]Membership{}, map[Scope][]Setting{})
	for _, name := range predefined {
		r.roles[name] = New(name)
	}
	for _, role := range []string{"pg_read_all_settings", "pg_read_all_stats", "pg_stat_scan_tables"} {
		r.of["pg_monitor"] = append(r.of["pg_monitor"], Membership{Role: role, Member: "pg_monitor", Grantor: Owner})
	}
	r.of[Owner] = []Membership{{Role: "pg_database_owner", Member: Owner, Grantor: Owner}}
	r.roles[Owner] = Role{
		Name: Owner, Superuser: true, Inherit: true, CreateRole: true, CreateDB: true, Replication: true, BypassRLS: true, ConnectionLimit: -1,
	}
	return r
}

// Lookup finds a role by its name.
func (r *Roles) Lookup(name string) (Role, bool) {
	role, ok := r.roles[name]
	return role, ok
}

// Exists reports whether there is a role of a name.
func (r *Roles) Exists(name string) bool { _, ok := r.roles[name]; return ok }

// All are the roles in the order of their names.
func (r *Roles) All() []Role {
	return slices.SortedFunc(maps.Values(r.roles), func(a, b Role) int { return strings.Compare(a.Name, b.Name) })
}

// Of are the memberships that a role has in others, as they were granted to it.
func (r *Roles) Of(member string) []Membership { return slices.Clone(r.of[member]) }

// Memberships are all memberships that were granted, in the order of their members. That of Owner in
// pg_database_owner is not among them, because PostgreSQL does not store it.
func (r *Roles) Memberships() (all []Membership) {
	for _, member := range slices.Sorted(maps.Keys(r.of)) {
		for _, m := range r.of[member] {
			if m.Role != "pg_database_owner" {
				all = append(all, m)
			}
		}
	}
	return all
}

// Scopes are the scopes that have settings, in an order of their own.
func (r *Roles) Scopes() []Scope {
	return slices.SortedFunc(maps.Keys(r.settings), func(a, b Scope) int {
		if byRole := strings.Compare(a.Role, b.Role); byRole != 0 {
			return byRole
		}
		return strings.Compare(a.Database, b.Database)
	})
}

// Settings are the settings of a scope, in the order in which they were set.
func (r *Roles) Settings(s Scope) []Setting { return slices.Clone(r.settings[s]) }

// Version is equal for equal roles, and differs for others.
func (r *Roles) Version() string { return r.version() }

// digest is computed when somebody asks for the version.
func (r *Roles) digest() string {
	h := sha256.New()
	for _, role := range r.All() {
		fmt.Fprintf(h, "%#v\n", role)
	}
	fmt.Fprintf(h, "%#v\n", r.Memberships())
	for _, s := range r.Scopes() {
		fmt.Fprintf(h, "%#v %#v\n", s, r.settings[s])
	}
	return string(h.Sum(nil))
}
