package roles

import (
	"maps"
	"slices"
	"strings"
)

// copied is a copy that can be changed. The slices in it are replaced, never modified.
func (r *Roles) copied() *Roles {
	return newRoles(maps.Clone(r.roles), maps.Clone(r.of), maps.Clone(r.settings))
}

// With are the roles with more of them, or with other attributes of some. Owner stays a superuser.
func (r *Roles) With(list ...Role) *Roles {
	out := r.copied()
	for _, role := range list {
		if role.Name == Owner {
			role.Superuser = true
		}
		out.roles[role.Name] = role
	}
	return out
}

// Without are the roles without one, its memberships and its settings.
func (r *Roles) Without(name string) *Roles {
	out := r.copied()
	delete(out.roles, name)
	delete(out.of, name)
	for member, list := range out.of {
		out.of[member] = slices.DeleteFunc(slices.Clone(list), func(m Membership) bool { return m.Role == name })
	}
	maps.DeleteFunc(out.settings, func(s Scope, _ []Setting) bool { return s.Role == name && name != "" })
	return out
}

// Renamed are the roles after one got another name, which no other has.
func (r *Roles) Renamed(name, to string) *Roles {
	out := r.copied()
	role := out.roles[name]
	role.Name = to
	delete(out.roles, name)
	out.roles[to] = role
	out.of = map[string][]Membership{}
	is := func(n string) string {
		if n == name {
			return to
		}
		return n
	}
	for member, list := range r.of {
		for _, m := range list {
			m.Role, m.Member, m.Grantor = is(m.Role), is(m.Member), is(m.Grantor)
			out.of[is(member)] = append(out.of[is(member)], m)
		}
	}
	for s, list := range r.settings {
		if s.Role == name {
			delete(out.settings, s)
			out.settings[Scope{to, s.Database}] = list
		}
	}
	return out
}

// Granted are the roles with one more membership, or with another form of one that there is.
func (r *Roles) Granted(m Membership) *Roles {
	out := r.copied()
	list := slices.Clone(out.of[m.Member])
	if i := slices.IndexFunc(list, func(have Membership) bool { return have.Role == m.Role }); i >= 0 {
		list[i] = m
	} else {
		list = append(list, m)
	}
	out.of[m.Member] = list
	return out
}

// Revoked are the roles without a membership.
func (r *Roles) Revoked(role, member string) *Roles {
	out := r.copied()
	out.of[member] = slices.DeleteFunc(slices.Clone(out.of[member]), func(m Membership) bool { return m.Role == role })
	return out
}

// WithSettings are the roles with other settings of a scope. Nil are none.
func (r *Roles) WithSettings(s Scope, list []Setting) *Roles {
	out := r.copied()
	if len(list) == 0 {
		delete(out.settings, s)
	} else {
		out.settings[s] = slices.Clone(list)
	}
	return out
}

// Set is a list of settings after one of them got a value. Names are compared without regard to case.
func Set(list []Setting, to Setting) []Setting {
	list = slices.Clone(list)
	if i := slices.IndexFunc(list, to.isNamed); i >= 0 {
		list[i] = to
		return list
	}
	return append(list, to)
}

// Reset is a list of settings without one.
func Reset(list []Setting, name string) []Setting {
	return slices.DeleteFunc(slices.Clone(list), Setting{Name: name}.isNamed)
}

func (s Setting) isNamed(other Setting) bool { return strings.EqualFold(s.Name, other.Name) }
