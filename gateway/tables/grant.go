package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Grant executes GRANT and REVOKE of privileges on ordinary tables, views, and schemas of the
// workspace: the catalog shows them, and nothing enforces them. ours is false if the statement
// names none of them.
func Grant(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	def, err := ddlstmt.ParseGrant(st)
	if err != nil {
		return false, err
	}
	if def.Grantor != nil && !def.Grantor.Current && def.Grantor.Name != s.Start.User {
		if def.Grantor.Name != "" && !s.DB.HasRole(def.Grantor.Name) {
			return true, namespace.NoRole(def.Grantor.Name)
		}
		return true, pgerr.Unsupported("grantor must be current user")
	}
	g := &grant{session: s, st: st, Grant: def}
	if ours, err := g.find(ctx); !ours || err != nil {
		return ours, err
	}
	grantees, err := g.grantees()
	if err != nil {
		return true, err
	}
	letters, err := def.Letters()
	if err != nil {
		return true, err
	}
	for _, t := range g.tables {
		next := *t
		next.Grants = g.change(t.Grants, grantees, letters)
		s.Tables.Put(&next)
	}
	for _, v := range g.views {
		next := *v
		next.Grants = g.change(v.Grants, grantees, letters)
		s.Tables.PutView(&next)
	}
	for _, d := range g.schemas {
		next := *d
		next.Grants = g.change(d.Grants, grantees, letters)
		s.Tables.PutSchema(&next)
	}
	s.Notice(sqlstate.Warning(pgerr.Warning, "privileges are recorded, but not enforced").
		WithDetail("Every user may read and write all tables."))
	return true, nil
}

// grant is a GRANT or REVOKE, with what it names.
type grant struct {
	*ddlstmt.Grant
	session *session.Session
	st      *syntax.Statement
	tables  []*workspace.Table
	views   []*workspace.View
	schemas []*workspace.Schema
}

// find finds what the statement names, and locks it. ours is false if nothing of it belongs to
// the workspace or to the session.
func (g *grant) find(ctx context.Context) (ours bool, err error) {
	s := g.session
	if err := s.CheckReadWrite(g.st.Tag); err != nil {
		return true, err
	}
	var others []syntax.Ref
	for _, ref := range g.Tables {
		found, err := g.findTable(ctx, ref)
		if err != nil {
			return true, err
		}
		if !found {
			others = append(others, ref)
		}
	}
	if len(others) > 0 {
		if err := g.exist(ctx, others); err != nil {
			return true, err
		}
		if len(others) < len(g.Tables) {
			return true, mixed(g.st)
		}
		return false, nil
	}
	for _, name := range slices.Concat(g.Schemas, g.AllTables) {
		if slices.Contains(catalog.Schemas, name) {
			return false, nil
		}
		if err := namespace.LockSchema(ctx, s, name, database.ShareUpdateExclusive); err != nil {
			return true, err
		}
		d := s.Tables.Shared().Schema(name)
		if d == nil {
			return true, sqlstate.UndefinedSchema(name)
		}
		if err := namespace.CheckShared(s, g.st.Tag); err != nil {
			return true, err
		}
		if g.AllTables == nil {
			g.schemas = append(g.schemas, d)
		} else if err := g.findAll(ctx, name); err != nil {
			return true, err
		}
	}
	return true, nil
}

// exist is the error of the first reference that names no relation or an index.
func (g *grant) exist(ctx context.Context, refs []syntax.Ref) error {
	for _, ref := range refs {
		if t, _ := findIndex(g.session, ref); t != nil {
			return pgerr.New(pgerr.WrongObjectType, "%q is an index", ref.Name)
		}
		if _, err := namespace.Existing(ctx, g.session, ref); err != nil {
			return err
		}
	}
	return nil
}

// findTable finds the table or view that a reference names.
func (g *grant) findTable(ctx context.Context, ref syntax.Ref) (found bool, err error) {
	s := g.session
	t, err := namespace.FindLocked(ctx, s, ref, database.ShareUpdateExclusive)
	if err != nil {
		return false, err
	}
	if t != nil {
		g.addTable(t)
		return true, namespace.CheckChange(s, g.st.Tag, t.Schema)
	}
	v, err := namespace.FindViewLocked(ctx, s, ref)
	if v == nil || err != nil {
		return false, err
	}
	g.addView(v)
	return true, namespace.CheckChange(s, g.st.Tag, v.Schema)
}

func (g *grant) addTable(t *workspace.Table) {
	if !slices.Contains(g.tables, t) {
		g.tables = append(g.tables, t)
	}
}

func (g *grant) addView(v *workspace.View) {
	if !slices.Contains(g.views, v) {
		g.views = append(g.views, v)
	}
}

// findAll finds the tables and views of a schema.
func (g *grant) findAll(ctx context.Context, schema string) error {
	s := g.session
	for _, t := range s.Tables.Shared().In(schema) {
		if err := namespace.Lock(ctx, s, t, database.ShareUpdateExclusive); err != nil {
			return err
		}
		if t = s.Tables.Shared().Table(schema, t.Name); t != nil { // after the wait
			g.addTable(t)
		}
	}
	for _, v := range s.Tables.Shared().Views() {
		if v.Schema != schema {
			continue
		}
		if err := namespace.LockView(ctx, s, v); err != nil {
			return err
		}
		if v = s.Tables.Shared().View(schema, v.Name); v != nil {
			g.addView(v)
		}
	}
	return nil
}

// grantees are the names of the roles, "" for PUBLIC.
func (g *grant) grantees() ([]string, error) {
	var names []string
	for _, r := range g.Roles {
		switch {
		case r.Current:
			r.Name = g.session.Start.User
		case r.Name != "" && !g.session.DB.HasRole(r.Name):
			return nil, namespace.NoRole(r.Name)
		case r.Name == "" && g.Option && !g.Revoke:
			return nil, pgerr.New(pgerr.InvalidGrantOperation, "grant options can only be granted to roles")
		}
		names = append(names, r.Name)
	}
	return names, nil
}

// change are grants after the statement. The first one that there are begins with the
// privileges of the owner.
func (g *grant) change(grants workspace.Grants, grantees []string, letters string) workspace.Grants {
	if grants == nil {
		all := ddlstmt.TablePrivileges
		if g.Schemas != nil {
			all = ddlstmt.SchemaPrivileges
		}
		grants = workspace.Grants{{Grantee: pgcatalog.Owner, Grantor: pgcatalog.Owner, Privileges: all}}
	}
	for _, name := range grantees {
		if g.Revoke {
			grants = grants.Revoked(name, letters, g.Option)
		} else {
			grants = grants.Granted(g.session.Start.User, name, letters, g.Option)
		}
	}
	return grants
}
