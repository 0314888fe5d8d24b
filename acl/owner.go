package acl

// Given are the grants after the object got another owner: what the old one had and has granted is the new one's
// (aclnewowner of PostgreSQL). Nil stays nil.
func (g Grants) Given(from, to string) Grants {
	if g == nil {
		return nil
	}
	return Grants{}.And(g.Renamed(from, to))
}

// Without are the grants after privileges were revoked from a role, whoever granted them, with what others
// have because it granted them (REVOKE ... CASCADE).
func (g Grants) Without(role, privileges string) Grants {
	return g.Revoked("", role, privileges, false).founded(role)
}

// Concern reports whether a role has or has granted some of the privileges.
func (g Grants) Concern(role string) bool {
	for _, of := range g {
		if of.Grantee == role || of.Grantor == role {
			return true
		}
	}
	return false
}

// founded are the grants without those that a role has made and may not make any more.
func (g Grants) founded(grantor string) Grants {
	_, may := g.Held(func(role string) bool { return role == grantor })
	for _, of := range g {
		if unfounded := without(of.Privileges, may); of.Grantor == grantor && unfounded != "" {
			return g.take(of, unfounded).founded(of.Grantee).founded(grantor)
		}
	}
	return g
}

// take are the grants without privileges of one of them.
func (g Grants) take(from Grant, privileges string) Grants {
	next := make(Grants, 0, len(g))
	for _, of := range g {
		if of.Grantee == from.Grantee && of.Grantor == from.Grantor {
			of.Privileges, of.Grantable = without(of.Privileges, privileges), without(of.Grantable, privileges)
		}
		if of.Privileges != "" {
			next = append(next, of)
		}
	}
	return next
}
