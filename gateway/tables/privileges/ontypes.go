package privileges

import (
	"context"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// OnTypes executes GRANT and REVOKE on types and on the schemas of the ontology.
func OnTypes(ctx context.Context, s *session.Session, ddl typeddl.Session, st *syntax.Statement) error {
	def, err := ddlstmt.ParseGrant(st)
	if err != nil {
		return err
	}
	g := &grant{session: s, st: st, Grant: def}
	if err := g.readGrantees(); err != nil {
		return err
	}
	return typeddl.Grant(ctx, ddl, def, g.grantees)
}
