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
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Grant executes GRANT and REVOKE of privileges on ordinary tables, views, sequences, and schemas
// of the workspace, and ALTER DEFAULT PRIVILEGES: the catalog shows them, and nothing enforces
// them. ours is false if the statement names none of them.
func Grant(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	if d, err := ddlstmt.ParseDefaultPrivileges(st); err != nil {
		return true, err
	} else if d != nil {
		return true, defaultPrivileges(ctx, s, st, d)
	}
	def, err := ddlstmt.ParseGrant(st)
	if err != nil {
		return false, err
	}
	if def.Grantor != nil && !def.Grantor.Current && def.Grantor.Name != s.CurrentUser() {
		if def.Grantor.Name != "" && !s.Roles().Exists(def.Grantor.Name) {
			return true, namespace.NoRole(def.Grantor.Name)
		}
		return true, pgerr.Unsupported("grantor must be current user")
	}
	g := &grant{session: s, st: st, grantor: s.CurrentUser(), Grant: def}
	if ours, err := g.find(ctx); !ours || err != nil {
		return ours, err
	}
	if def.OnColumns() {
		return true, pgerr.Unsupported("%s of privileges on columns of ordinary tables is not supported yet", st.Tag)
	}
	if g.governed, err = s.Governed(ctx); err != nil {
		return true, err
	}
	if err := g.readGrantees(); err != nil {
		return true, err
	}
	if err := g.check(); err != nil {
		return true, err
	}
	for _, t := range g.tables {
		next := *t
		if next.Grants, err = g.change(access.OfTable(t), ddlstmt.OnTable); err != nil {
			return true, err
		}
		s.Tables.Put(&next)
	}
	for _, v := range g.views {
		next := *v
		if next.Grants, err = g.change(access.OfView(v), ddlstmt.OnTable); err != nil {
			return true, err
		}
		s.Tables.PutView(&next)
	}
	for _, q := range g.sequences {
		next := *q
		if next.Grants, err = g.change(access.OfSequence(q), ddlstmt.OnSequence); err != nil {
			return true, err
		}
		s.Tables.PutSequence(&next)
	}
	for _, d := range g.schemas {
		next := *d
		if next.Grants, err = g.change(access.OfSchema(d, d.Name), ddlstmt.OnSchema); err != nil {
			return true, err
		}
		s.Tables.PutSchema(&next)
	}
	g.warn()
	return true, nil
}

// warn says that nothing enforces the privileges as long as grants are not required.
func (g *grant) warn() {
	if g.governed {
		return
	}
	g.session.Notice(sqlstate.Warning(pgerr.Warning, "privileges are recorded, but not enforced").
		WithDetail("Every user may read and write all tables."))
}

// grant is a GRANT or REVOKE, with what it names.
type grant struct {
	*ddlstmt.Grant
	session   *session.Session
	st        *syntax.Statement
	grantor   string
	governed  bool     // grants are required
	grantees  []string // "" for PUBLIC
	tables    []*workspace.Table
	views     []*workspace.View
	sequences []*workspace.Sequence
	schemas   []*workspace.Schema
}

// find finds what the statement names, and locks it. ours is false if nothing of it belongs to
// the workspace or to the session.
func (g *grant) find(ctx context.Context) (ours bool, err error) {
	s := g.session
	if err := s.CheckReadWrite(g.st.Tag); err != nil {
		return true, err
	}
	var others []syntax.Ref
	for _, ref := range g.Refs {
		found, err := g.findRelation(ctx, ref)
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
		if len(others) < len(g.Refs) {
			return true, namespace.Mixed(g.st)
		}
		return false, nil
	}
	for _, name := range slices.Concat(g.Schemas, g.All) {
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
		switch {
		case g.All == nil:
			g.schemas = append(g.schemas, d)
		case g.On == ddlstmt.OnSequence:
			err = g.findSequences(ctx, name)
		default:
			err = g.findTables(ctx, name)
		}
		if err != nil {
			return true, err
		}
	}
	return true, nil
}

// exist is the error of the first reference that names no relation or an index.
func (g *grant) exist(ctx context.Context, refs []syntax.Ref) error {
	for _, ref := range refs {
		if t, _ := namespace.FindIndex(g.session, ref); t != nil {
			return pgerr.New(pgerr.WrongObjectType, "%q is an index", ref.Name)
		}
		if _, err := namespace.Existing(ctx, g.session, ref); err != nil {
			return err
		}
	}
	return nil
}

// findRelation finds the table, view or sequence that a reference names.
func (g *grant) findRelation(ctx context.Context, ref syntax.Ref) (found bool, err error) {
	s := g.session
	q, err := sequences.FindLocked(ctx, s, g.st.Tag, ref, database.ShareUpdateExclusive)
	if err != nil {
		return false, err
	}
	if q != nil {
		g.addSequence(q)
		return true, nil
	}
	t, err := namespace.FindLocked(ctx, s, ref, database.ShareUpdateExclusive)
	if err != nil {
		return false, err
	}
	if t != nil {
		g.addTable(t)
		return true, g.checkTable(t.Schema, t.Name)
	}
	v, err := namespace.FindViewLocked(ctx, s, ref)
	if v == nil || err != nil {
		return false, err
	}
	g.addView(v)
	return true, g.checkTable(v.Schema, v.Name)
}

// checkTable is the error of a statement that may not change a table or view, or that does not
// mean one.
func (g *grant) checkTable(schema, name string) error {
	if g.On == ddlstmt.OnSequence {
		return namespace.NotA(name, "sequence")
	}
	return namespace.CheckDefinition(g.session, g.st.Tag, schema)
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

func (g *grant) addSequence(q *workspace.Sequence) {
	if !slices.Contains(g.sequences, q) {
		g.sequences = append(g.sequences, q)
	}
}

// findSequences finds the sequences of a schema.
func (g *grant) findSequences(ctx context.Context, schema string) error {
	s := g.session
	for _, q := range s.Tables.Shared().Sequences() {
		if q.Schema != schema {
			continue
		}
		q, err := sequences.FindLocked(ctx, s, g.st.Tag, syntax.Ref{Schema: schema, Name: q.Name}, database.ShareUpdateExclusive)
		if err != nil {
			return err
		}
		if q != nil { // after the wait
			g.addSequence(q)
		}
	}
	return nil
}

// findTables finds the tables and views of a schema.
func (g *grant) findTables(ctx context.Context, schema string) error {
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

// readGrantees reads the names of the roles.
func (g *grant) readGrantees() error {
	for _, r := range g.Roles {
		name, err := roleName(g.session, r)
		switch {
		case err != nil:
			return err
		case name == "" && g.Option && !g.Revoke:
			return pgerr.New(pgerr.InvalidGrantOperation, "grant options can only be granted to roles")
		}
		g.grantees = append(g.grantees, name)
	}
	return nil
}

// roleName is the name of a role, "" for PUBLIC.
func roleName(s *session.Session, r ddlstmt.Role) (string, error) {
	switch {
	case r.Current:
		return s.CurrentUser(), nil
	case r.Name != "" && !s.Roles().Exists(r.Name):
		return "", namespace.NoRole(r.Name)
	}
	return r.Name, nil
}

// check is the error of a privilege that the objects do not have. GRANT ON TABLE may name
// sequences, which ignore the privileges of tables with a warning.
func (g *grant) check() error {
	others := ""
	if g.On == ddlstmt.OnTable {
		others = "U"
	}
	if err := g.Check(others); err != nil {
		return err
	}
	if _, all := g.Letters(ddlstmt.OnTable); !all && len(g.tables)+len(g.views) > 0 {
		return ddlstmt.NoUsage()
	}
	if _, all := g.Letters(ddlstmt.OnSequence); !all {
		for _, q := range g.sequences {
			g.session.Notice(sqlstate.Warning(pgerr.InvalidGrantOperation, "sequence %q only supports USAGE, SELECT, and UPDATE privileges", q.Name))
		}
	}
	return nil
}

// change are the grants on an object of a kind after the statement. The first one that there are
// begins with the privileges of the owner. Where grants are required, a role changes those that it may.
func (g *grant) change(o access.Object, on ddlstmt.Granted) (acl.Grants, error) {
	letters, _ := g.Letters(on)
	grantor := g.grantor
	if g.governed {
		var warning *pgerr.Error
		var err error
		if grantor, letters, warning, err = g.session.Role().Grantor(o, letters, g.Revoke); err != nil {
			return nil, err
		}
		if warning != nil {
			g.session.Notice(warning)
		}
	}
	return g.changed(o, grantor, letters)
}

// changed are the grants on an object after the statement.
func (g *grant) changed(o access.Object, grantor, letters string) (acl.Grants, error) {
	grants := o.Grants
	if grants == nil {
		grants = access.OwnGrants(o.Owner, o.All)
	}
	switch {
	case letters == "":
		return grants, nil
	case g.Revoke && !g.governed:
		return g.session.Role().As("").Revoke(o, grants, "", g.grantees, letters, g.Option, g.Cascade)
	case g.Revoke:
		return g.session.Role().Revoke(o, grants, grantor, g.grantees, letters, g.Option, g.Cascade)
	}
	for _, name := range g.grantees {
		grants = grants.Granted(grantor, name, letters, g.Option)
	}
	return grants, nil
}
