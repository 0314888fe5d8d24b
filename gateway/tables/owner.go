package tables

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
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// giveTable gives a table, which is locked, to another owner, and the sequences of its columns.
func giveTable(s *session.Session, t *workspace.Table, owner string, grants acl.Grants) {
	next := *t
	next.Owner, next.Grants = owner, grants
	s.Tables.Put(&next)
	for _, q := range s.Tables.Of(t.Schema).Owned(t, 0) {
		of := access.OfSequence(q).Given(owner)
		sequences.Give(s, q, of.Owner, of.Grants)
	}
}

// giveView gives a view, which is locked, to another owner.
func giveView(s *session.Session, v *workspace.View, owner string, grants acl.Grants) {
	next := *v
	next.Owner, next.Grants = owner, grants
	s.Tables.PutView(&next)
}

// giveSchema gives a schema, which is locked, to another owner.
func giveSchema(s *session.Session, d *workspace.Schema, owner string, grants acl.Grants) {
	next := *d
	next.Owner, next.Grants = owner, grants
	s.Tables.PutSchema(&next)
}

// OwnSchema executes ALTER SCHEMA OWNER TO of a schema of the workspace. ours is false for
// another statement.
func OwnSchema(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	name := ddlstmt.OwnedSchema(st)
	if name == "" || slices.Contains(catalog.Schemas, name) {
		return false, nil
	}
	if err := namespace.CheckShared(s, st.Tag); err != nil {
		return true, err
	}
	to := ddlstmt.NewOwners(st)
	if _, err := s.RoleNames(to); err != nil {
		return true, err
	}
	if err := namespace.LockSchema(ctx, s, name, database.ShareUpdateExclusive); err != nil {
		return true, err
	}
	d := s.Tables.Shared().Schema(name)
	if d == nil {
		return true, sqlstate.UndefinedSchema(name)
	}
	return true, ownSchema(ctx, s, d, to[0])
}

// ownSchema gives a schema to another owner. Whoever does that, and not the new owner, must be allowed to create
// schemas in the database (AlterSchemaOwner_internal of PostgreSQL).
func ownSchema(ctx context.Context, s *session.Session, d *workspace.Schema, to ddlstmt.Role) error {
	owner, err := s.RoleName(to)
	if err != nil {
		return err
	}
	o := access.OfSchema(d, d.Name)
	if o.Owned() != owner {
		if err := namespace.CheckOwner(ctx, s, o); err != nil {
			return err
		}
	}
	anyone := access.Object{Grants: acl.Grants{{Privileges: acl.Create}}}
	given, notice, err := s.Role().Give(o, owner, anyone)
	switch {
	case err != nil:
		return err
	case notice != nil:
		s.Notice(notice)
	case given && !s.Role().Owns(""):
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for database %s", s.DB.Name)
	case given:
		o = o.Given(owner)
		giveSchema(s, d, o.Owner, o.Grants)
	}
	return nil
}
