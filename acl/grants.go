package acl

import (
	"slices"
	"strings"
)

// Grants are the privileges on one object, as pg_class.relacl and pg_namespace.nspacl list them.
// Nil is the default of its kind: the owner has all privileges, and PUBLIC those that it has on
// every object of that kind.
type Grants []Grant

// Grant is what one role has granted to another. A privilege is a letter of PostgreSQL's type
// aclitem.
type Grant struct {
	Grantee    string // "" for PUBLIC
	Grantor    string
	Privileges string // in the order of letters
	Grantable  string // those of Privileges that the grantee may grant
}

// letters are in the order of aclitem's text.
const letters = "arwdDxtXUCTcsA"

// The privileges, by their letters (PostgreSQL manual, table of ACL privilege abbreviations).
const (
	Select     = "r"
	Insert     = "a"
	Update     = "w"
	Delete     = "d"
	Truncate   = "D"
	References = "x"
	Trigger    = "t"
	Usage      = "U"
	Create     = "C"
	Connect    = "c"
	Temporary  = "T"
	Execute    = "X"
)

// Names are the privileges by their letters, as SQL writes them.
var Names = map[string]string{
	Select: "SELECT", Insert: "INSERT", Update: "UPDATE", Delete: "DELETE", Truncate: "TRUNCATE", References: "REFERENCES",
	Trigger: "TRIGGER", Usage: "USAGE", Create: "CREATE", Connect: "CONNECT", Temporary: "TEMPORARY", Execute: "EXECUTE",
}

// Held are the privileges that a role has by the grants, and those of them that it may grant: what
// is granted to PUBLIC, and to the roles whose privileges it has, which has tells.
func (g Grants) Held(has func(role string) bool) (privileges, grantable string) {
	for _, of := range g {
		if of.Grantee == "" || has(of.Grantee) {
			privileges += of.Privileges
			grantable += of.Grantable
		}
	}
	return ordered(privileges), ordered(grantable)
}

// Granted are the grants with privileges that a role grants to another. option adds the right
// to grant them.
func (g Grants) Granted(grantor, grantee, privileges string, option bool) Grants {
	i := slices.IndexFunc(g, func(have Grant) bool { return have.Grantee == grantee && have.Grantor == grantor })
	next := slices.Clone(g)
	if i < 0 {
		i = len(next)
		next = append(next, Grant{Grantee: grantee, Grantor: grantor})
	}
	next[i].Privileges = ordered(next[i].Privileges + privileges)
	if option {
		next[i].Grantable = ordered(next[i].Grantable + privileges)
	}
	return next
}

// Revoked are the grants without privileges that a grantor, "" for whoever it was, has granted to a role.
// With option the role keeps the privileges and loses the right to grant them.
func (g Grants) Revoked(grantor, grantee, privileges string, option bool) Grants {
	next := make(Grants, 0, len(g))
	for _, have := range g {
		if have.Grantee == grantee && (grantor == "" || have.Grantor == grantor) {
			have.Grantable = without(have.Grantable, privileges)
			if !option {
				have.Privileges = without(have.Privileges, privileges)
			}
		}
		if have.Privileges != "" {
			next = append(next, have)
		}
	}
	return next
}

// Dependent are the privileges that roles have granted who could do so by other grants before, and cannot by
// those after.
func (g Grants) Dependent(before, after Grants) (all Grants) {
	for _, of := range g {
		lost := without(before.grantable(of.Grantor), after.grantable(of.Grantor))
		if of.Privileges = without(of.Privileges, without(of.Privileges, lost)); of.Privileges != "" {
			all = append(all, of)
		}
	}
	return all
}

// grantable are the privileges that a role itself may grant.
func (g Grants) grantable(role string) (letters string) {
	for _, of := range g {
		if of.Grantee == role {
			letters += of.Grantable
		}
	}
	return ordered(letters)
}

// Except are the grants without privileges in others.
func (g Grants) Except(others Grants) Grants {
	for _, of := range others {
		g = g.Revoked(of.Grantor, of.Grantee, of.Privileges, false)
	}
	return g
}

// And are the grants with further ones.
func (g Grants) And(others Grants) Grants {
	for _, o := range others {
		g = g.Granted(o.Grantor, o.Grantee, o.Privileges, false)
		if o.Grantable != "" {
			g = g.Granted(o.Grantor, o.Grantee, o.Grantable, true)
		}
	}
	return g
}

// Renamed are the grants after a role got another name.
func (g Grants) Renamed(name, to string) Grants {
	next := slices.Clone(g)
	for i := range next {
		if next[i].Grantee == name && name != "" {
			next[i].Grantee = to
		}
		if next[i].Grantor == name {
			next[i].Grantor = to
		}
	}
	return next
}

// Same reports whether grants are equal. Nil, the default, is another than none.
func Same(a, b Grants) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }

// Has reports whether every letter of wanted is among those of privileges.
func Has(privileges, wanted string) bool { return without(wanted, privileges) == "" }

func ordered(of string) string {
	return keep(letters, func(r rune) bool { return strings.ContainsRune(of, r) })
}

func without(of, gone string) string {
	return keep(of, func(r rune) bool { return !strings.ContainsRune(gone, r) })
}

func keep(of string, which func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if which(r) {
			return r
		}
		return -1
	}, of)
}
