package privileges

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// defaultPrivileges executes ALTER DEFAULT PRIVILEGES: what a role creates in the workspace from
// now on has these privileges.
func defaultPrivileges(ctx context.Context, s *session.Session, st *syntax.Statement, def *ddlstmt.DefaultPrivileges) error {
	g := &grant{session: s, st: st, Grant: &def.Grant}
	var err error
	if g.governed, err = s.Governed(ctx); err != nil {
		return err
	}
	if err := g.readGrantees(); err != nil {
		return err
	}
	if err := g.Check(""); err != nil {
		return err
	}
	roles := []string{s.CurrentUser()}
	if def.For != nil {
		roles = nil
	}
	for _, r := range def.For {
		name, err := roleName(s, r)
		if err != nil {
			return err
		}
		if g.governed && !s.Roles().Has(s.CurrentUser(), name) {
			return pgerr.New(pgerr.InsufficientPrivilege, "must be member of role %q", name)
		}
		roles = append(roles, name)
	}
	if err := namespace.CheckShared(s, st.Tag); err != nil {
		return err
	}
	schemas := def.In
	if schemas == nil {
		schemas = []string{""}
	}
	for _, schema := range schemas {
		if err := lockDefaults(ctx, s, schema); err != nil {
			return err
		}
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	for _, role := range roles {
		for _, schema := range schemas {
			g.grantor = role
			grants, err := g.changeDefault(schema)
			if err != nil {
				return err
			}
			d := workspace.DefaultGrants{Role: role, Kind: g.On.Kind(), Grants: grants}
			if err := s.Tables.PutDefault(ctx, conn, schema, d); err != nil {
				return namespace.Unavailable(err)
			}
		}
	}
	g.warn()
	return nil
}

// lockDefaults locks a schema whose default privileges a statement changes, "" for those of all.
func lockDefaults(ctx context.Context, s *session.Session, schema string) error {
	if slices.Contains(catalog.Schemas, schema) {
		return pgerr.Unsupported("default privileges in a schema of the ontology are not supported")
	}
	if err := namespace.LockSchema(ctx, s, schema, database.ShareUpdateExclusive); err != nil {
		return err
	}
	if schema != "" && !s.Tables.Shared().HasSchema(schema) {
		return sqlstate.UndefinedSchema(schema)
	}
	return nil
}

// changeDefault are the default privileges of the grantor in a schema after the statement, nil
// for those that are there without it.
func (g *grant) changeDefault(schema string) (acl.Grants, error) {
	own, owner := acl.Grants{}, "" // of what is created where grants are not required
	if g.governed {
		owner = g.grantor
	}
	if schema == "" {
		own = access.OwnGrants(owner, g.On.Privileges())
	}
	o := access.Object{Owner: owner, Grants: g.session.Tables.Shared().Default(schema, g.grantor, g.On.Kind())}
	if o.Grants == nil {
		o.Grants = own
	}
	letters, _ := g.Letters(g.On)
	grants, err := g.changed(o, g.grantor, letters)
	if err != nil || slices.Equal(grants, own) {
		return nil, err
	}
	return grants, nil
}
