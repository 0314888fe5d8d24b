package session

import (
	"context"

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
	return s.Permitted(p.Demands())
}

// Permitted is the error of the first demand that the session's role may not have.
func (s *Session) Permitted(demands []planner.Demand) error {
	return s.Role().Check(demands, s.Tables.Shared().Schema)
}

// Governed reports whether grants are required in the database, as far as the session knows: by the pin of
// its transaction, or the last one that any session has taken.
func (s *Session) Governed(ctx context.Context) (bool, error) {
	pin := s.Tx.Pin
	if pin == nil {
		pin = s.DB.LastPin()
	}
	if pin == nil {
		var err error
		if pin, err = s.Pin(ctx); err != nil {
			return false, err
		}
	}
	return pin.Catalog.RequireGrants, nil
}

// NewOwner is the owner of what the session creates in the workspace: its role where grants are required,
// else "", the owner of the database.
func (s *Session) NewOwner(ctx context.Context) (string, error) {
	governed, err := s.Governed(ctx)
	if err != nil || !governed {
		return "", err
	}
	return s.CurrentUser(), nil
}
