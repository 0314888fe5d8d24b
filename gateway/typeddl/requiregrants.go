package typeddl

import (
	"context"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
)

// RequireGrants executes ALTER DATABASE ... SET ontosql.require_grants (decision A89).
func RequireGrants(ctx context.Context, s Session, on bool) error {
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	if err := checkDatabaseOwner(s, "change whether grants are required"); err != nil {
		return err
	}
	if pin.Catalog.RequireGrants == on {
		return nil
	}
	if on {
		s.Notice(grantsRequired())
	} else {
		s.Notice(sqlstate.Notice("privileges are not checked any more").
			WithDetail("Every role may read and write everything in the database. Its grants are kept."))
	}
	return s.Change(ctx, func(state *migration.State) error {
		state.RequireGrants = on
		return nil
	})
}

// grantsRequired is the notice that every role hears of who begins to require grants.
func grantsRequired() *pgerr.Error {
	return sqlstate.Notice("privileges are checked from now on").
		WithDetail("Until now every role could read and write everything in the database.").
		WithHint("ALTER DATABASE ... SET ontosql.require_grants = off ends that.")
}

// checkDatabaseOwner is the error of a role that has not the rights of the owner of the database.
func checkDatabaseOwner(s Session, to string) error {
	if s.Role().Owns("") {
		return nil
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to %s", to).
		WithHint("A superuser, or a member of the role %q, can do that.", roles.Owner)
}
