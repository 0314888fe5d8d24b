package roles

// Has reports whether a role has the privileges of target without SET ROLE: it is target or a
// superuser, or a member of it, directly or by others, where every role on the way has INHERIT
// (has_privs_of_role of PostgreSQL). A role that does not exist has none.
func (r *Roles) Has(role, target string) bool {
	if r.IsSuperuser(role) {
		return true
	}
	return r.reaches(role, target, func(member string) bool { return r.roles[member].Inherit })
}

// Member reports whether a role is target or a member of it, directly or by others, with INHERIT or
// without. A superuser is not a member of every role (is_member_of_role_nosuper of PostgreSQL, which
// pg_hba.conf asks for +role).
func (r *Roles) Member(role, target string) bool {
	return r.reaches(role, target, func(string) bool { return true })
}

// CanSet reports whether a session of a role may SET ROLE to target (is_member_of_role of PostgreSQL).
func (r *Roles) CanSet(role, target string) bool {
	return r.IsSuperuser(role) || r.Member(role, target)
}

// Administers reports whether a role may grant and revoke memberships of target: it is a superuser,
// or has ADMIN OPTION itself or by a role that it is a member of. No other role has it on itself
// (is_admin_of_role of PostgreSQL).
func (r *Roles) Administers(role, target string) bool {
	switch {
	case r.IsSuperuser(role):
		return true
	case role == target:
		return false
	}
	found := false
	r.walk(role, func(m Membership) bool {
		found = found || m.Role == target && m.Admin
		return !found
	})
	return found
}

// Administered reports whether roles say who administers databases: one of them is a superuser, may create
// databases, or is a member of Owner. Where none does, as in a users file of the first form, every role may.
func (r *Roles) Administered() bool {
	for name, role := range r.roles {
		if name != Owner && (role.Superuser || role.CreateDB || r.Member(name, Owner)) {
			return true
		}
	}
	return false
}

// IsSuperuser reports whether a role exists and is a superuser.
func (r *Roles) IsSuperuser(role string) bool { return r.roles[role].Superuser }

// reaches reports whether memberships lead from a role to target. They are followed from roles that
// passes admits.
func (r *Roles) reaches(role, target string, passes func(member string) bool) bool {
	if !r.Exists(role) {
		return false
	}
	found := role == target
	r.walk(role, func(m Membership) bool {
		if !passes(m.Member) {
			return false
		}
		found = found || m.Role == target
		return !found
	})
	return found
}

// walk visits the memberships of a role and of the roles that it is a member of. Those of a role that
// was reached by a membership for which follow is false are left out.
func (r *Roles) walk(role string, follow func(Membership) bool) {
	seen, queue := map[string]bool{role: true}, []string{role}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		for _, m := range r.of[next] {
			if follow(m) && !seen[m.Role] {
				seen[m.Role] = true
				queue = append(queue, m.Role)
			}
		}
	}
}
