package workspace

import (
	"slices"
	"strings"
)

// Grants are the privileges on a table, a view, a sequence or a schema, as pg_class.relacl and
// pg_namespace.nspacl list them. Nil is the default: only the owner has privileges. Privileges
// are stored and shown, but not enforced.
type Grants []Grant

// Grant is what one role has granted to another. A privilege is a letter of PostgreSQL's type
// aclitem.
type Grant struct {
	Grantee    string // "" for PUBLIC
	Grantor    string
	Privileges string // in the order of privilegeLetters
	Grantable  string // those of Privileges that the grantee may grant
}

// privilegeLetters are in the order of aclitem's text.
const privilegeLetters = "arwdDxtXUCTcsA"

// Schema is the definition of a schema. It is immutable.
type Schema struct {
	Name    string `json:"-"`
	Grants  Grants
	Comment string `json:",omitempty"`
	// Defaults are the privileges that relations get which are created in the schema.
	Defaults []DefaultGrants `json:",omitempty"`
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

// Revoked are the grants without privileges of a role, whoever granted them. With option the
// role keeps the privileges and loses the right to grant them.
func (g Grants) Revoked(grantee, privileges string, option bool) Grants {
	next := make(Grants, 0, len(g))
	for _, have := range g {
		if have.Grantee == grantee {
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

func ordered(letters string) string {
	return keep(privilegeLetters, func(r rune) bool { return strings.ContainsRune(letters, r) })
}

func without(letters, gone string) string {
	return keep(letters, func(r rune) bool { return !strings.ContainsRune(gone, r) })
}

func keep(letters string, which func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if which(r) {
			return r
		}
		return -1
	}, letters)
}

// Schema finds a schema, nil for none.
func (o *Objects) Schema(name string) *Schema {
	if o == nil {
		return nil
	}
	return find(o.schemas, name)
}

// PutSchema puts a schema into the place of the one of its name.
func (t *Session) PutSchema(schema *Schema) { t.edit(edit{putSchema: schema}) }
