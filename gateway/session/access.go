package session

import (
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/planner"
)

// Role is the role whose privileges the session has.
func (s *Session) Role() access.Role { return access.Role{Name: s.CurrentUser(), Roles: s.Roles()} }

// Authorize is the error of a plan that needs what the session's role may not do, at a catalog.
func (s *Session) Authorize(c *catalog.Catalog, p *planner.Plan) error {
	if !c.RequireGrants {
		return nil
	}
	return s.Role().Check(p.Demands())
}

// CheckOwner is the error of a session whose role does not own an object, where grants are required.
func (s *Session) CheckOwner(c *catalog.Catalog, o access.Object) error {
	if !c.RequireGrants {
		return nil
	}
	return s.Role().CheckOwner(o)
}
