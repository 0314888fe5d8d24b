package privileges

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// OwnSchema executes ALTER SCHEMA OWNER TO of a schema of the workspace. ours is false for
// another statement.
func OwnSchema(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	name := ddlstmt.OwnedSchema(st)
	if name == "" || slices.Contains(catalog.Schemas, name) {
		return false, nil
	}
	if err := s.CheckReadWrite("ALTER SCHEMA"); err != nil {
		return true, err
	}
	if err := namespace.CheckOwners(s, ddlstmt.NewOwners(st)); err != nil {
		return true, err
	}
	if err := namespace.LockSchema(ctx, s, name, database.ShareUpdateExclusive); err != nil {
		return true, err
	}
	d := s.Tables.Shared().Schema(name)
	if d == nil {
		return true, sqlstate.UndefinedSchema(name)
	}
	return true, namespace.CheckOwner(ctx, s, access.OfSchema(d, name))
}
