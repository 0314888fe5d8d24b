package session

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/workspace"
)

// Role is the role whose privileges the session has.
func (s *Session) Role() access.Role { return access.Role{Name: s.CurrentUser(), Roles: s.Roles()} }

// Authorize is the error of a plan that needs what the session's role may not do, at a catalog.
func (s *Session) Authorize(c *catalog.Catalog, p *planner.Plan) error {
	if !c.RequireGrants {
		return s.Role().CheckAcross(p.Demands())
	}
	return s.Permitted(c, p.Demands())
}

// AuthorizeOwner is Authorize of the query of a materialized view, which is run with the privileges of the
// view's owner and not of whoever refreshes it.
func (s *Session) AuthorizeOwner(c *catalog.Catalog, p *planner.Plan, owner string) error {
	if !c.RequireGrants {
		return nil
	}
	return s.Role().As(owner).Check(p.Demands(), s.declared(c))
}

// Permitted is the error of the first demand that the session's role may not have, at a catalog.
func (s *Session) Permitted(c *catalog.Catalog, demands []planner.Demand) error {
	return s.Role().Check(demands, s.declared(c))
}

func (s *Session) declared(c *catalog.Catalog) access.Declared {
	return access.Declared{Schema: s.Tables.Shared().Schema, Events: c.EventGrants}
}

// known is the catalog as far as the session knows it: by the pin of its transaction, or the last one that
// any session has taken.
func (s *Session) known(ctx context.Context) (*catalog.Catalog, error) {
	pin := s.Tx.Pin
	if pin == nil {
		pin = s.DB.LastPin()
	}
	if pin == nil {
		var err error
		if pin, err = s.Pin(ctx); err != nil {
			return nil, err
		}
	}
	return pin.Catalog, nil
}

// Governed reports whether grants are required in the database, as far as the session knows.
func (s *Session) Governed(ctx context.Context) (bool, error) {
	c, err := s.known(ctx)
	return err == nil && c.RequireGrants, err
}

// sequencePrivileges are those of which a function of sequences needs one (PostgreSQL manual, 9.17).
var sequencePrivileges = map[string]string{
	"nextval": acl.Usage + acl.Update, "currval": acl.Usage + acl.Select, "lastval": acl.Usage + acl.Select, "setval": acl.Update,
	"pg_sequence_last_value": acl.Usage + acl.Select,
}

// maySequence reports whether the session's role may call a function with a sequence. The error is that of
// a role that may not; pg_sequence_last_value shows it nothing, as pg_sequences asks it for each sequence.
// The default of an identity column is free, as it is part of the table.
func (s *Session) maySequence(q *workspace.Sequence, call database.SequenceCall) (bool, error) {
	needs, named := sequencePrivileges[call.Function], call.Position > 0
	if needs == "" || q.Schema == workspace.TempSchema || q.Owner.Identity && call.Function == "nextval" && !named {
		return true, nil
	}
	if governed, err := s.Governed(s.Running.Ctx); err != nil || !governed {
		return err == nil, err
	}
	role := s.Role()
	if of := s.Tables.Shared().Schema(q.Schema); of != nil && named && !role.May(acl.Usage, access.OfSchema(of, of.Name), nil) {
		return false, access.OfSchema(of, of.Name).Denied().At(call.Position)
	}
	for _, privilege := range strings.Split(needs, "") {
		if role.May(privilege, access.OfSequence(q), nil) {
			return true, nil
		}
	}
	if call.Function == "pg_sequence_last_value" {
		return false, nil
	}
	return false, access.OfSequence(q).Denied()
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
