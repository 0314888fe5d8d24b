package typeddl

import (
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// namesEvents reports whether a relation of the schema ontosql is ontosql.events, on which the privileges on the
// event bus are granted. The error is that of a GRANT on another one.
func namesEvents(r Relation) (bool, error) {
	if r.Schema != catalog.SchemaOntosql {
		return false, nil
	}
	of := introspect.Find(r.Name, false)
	if of == nil || of.Shows != introspect.Events {
		return false, nil
	}
	if r.Name != access.EventsTable {
		return false, pgerr.Unsupported("privileges on %q are not supported yet", r.Schema+"."+r.Name).
			WithHint("It has those on %s.%s.", r.Schema, access.EventsTable)
	}
	return true, nil
}

// applyToEvents changes the privileges on the event bus, as far as the role may grant them.
func (g *grant) applyToEvents(pin *resolver.Pin) error {
	if g.OnColumns() {
		return pgerr.Unsupported("privileges on columns of %q are not supported yet", catalog.SchemaOntosql+"."+access.EventsTable)
	}
	o := access.OfEvents(pin.Catalog.EventGrants, access.EventsTable)
	if o.Grants == nil {
		o.Grants = access.OwnGrants(o.Owner, o.All)
	}
	wanted, _ := g.Letters(ddlstmt.OnTable)
	grantor, allowed, warning, err := g.session.Role().Grantor(o, wanted, g.Revoke)
	switch {
	case err != nil:
		return err
	case warning != nil:
		g.session.Notice(warning)
	}
	letters := only(wanted, allowed)
	if letters == "" {
		g.onEvents = false
		return nil
	}
	g.events, err = g.changed(o, o.Grants, grantor, letters)
	return err
}

// dropFromEvents revokes the privileges of roles on the event bus, for DROP OWNED. It returns the step of the
// change, nil if they have none.
func dropFromEvents(s Session, pin *resolver.Pin, roles []string) (Step, error) {
	was := pin.Catalog.EventGrants
	if !slices.ContainsFunc(roles, was.Concern) {
		return nil, nil
	}
	_, letters, warning, err := s.Role().Grantor(access.OfEvents(was, access.EventsTable), access.TableLetters, true)
	switch {
	case err != nil:
		return nil, err
	case warning != nil:
		s.Notice(warning)
	}
	now := was
	for _, role := range roles {
		now = now.Without(role, letters)
	}
	return func(state *migration.State) error { return state.GrantEvents(was, now) }, nil
}
