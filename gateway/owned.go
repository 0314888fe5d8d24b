package gateway

import (
	"context"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// owned runs REASSIGN OWNED and DROP OWNED. What the roles have in the ontology and what they have in the workspace
// cannot be committed together: alone, the statement makes a commit of each, after both were
// worked out and the locks are held; in a transaction it is refused (decision A89).
func (p *statement) owned(ctx context.Context) error {
	s := p.session
	st := ddlstmt.ParseOwned(p.st)
	by, to, err := s.ownedBy(st)
	if err != nil {
		return err
	}
	if err := s.CheckReadWrite(p.st.Tag); err != nil {
		return err
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	drops := st.To == nil
	inOntology := typeddl.Concern(pin, by, drops)
	inWorkspace, err := tables.Concern(s.Session, by, drops)
	if err != nil {
		return err
	}
	if inOntology && inWorkspace && !s.Alone() {
		return sqlstate.TwoWorlds().WithDetail("The roles own objects, or have privileges, in both.").
			WithHint("%s outside of a transaction block makes a commit for each.", p.st.Tag)
	}
	if inWorkspace {
		if drops {
			err = tables.DropOwned(ctx, s.Session, by, st.Cascade, s.inUse)
		} else {
			err = tables.Reassign(ctx, s.Session, p.st.Tag, by, to)
		}
		if err != nil {
			return err
		}
	}
	if inOntology {
		check := s.CheckWrites
		if inWorkspace {
			check = s.CheckAtOnce
		}
		if err := check(p.st.Tag); err != nil {
			return err
		}
		ddl := writing.DDLSession{Session: s.Session}
		err := p.defineTypes(ctx, func() error {
			if drops {
				return typeddl.DropOwned(ctx, ddl, by, st.Cascade)
			}
			return typeddl.Reassign(ctx, ddl, by, to)
		})
		if err != nil {
			return err
		}
	}
	if !inWorkspace || !s.Alone() {
		return nil
	}
	err = modify.Commit(ctx, s.Session)
	switch {
	case !inOntology:
	case err != nil:
		s.Notice(sqlstate.Warning(pgerr.Warning, "%s has changed the ontology, and not the workspace", p.st.Tag).WithHint("Run it again for the workspace."))
	default:
		s.Notice(sqlstate.Notice("%s made two commits, one of the ontology and one of the workspace", p.st.Tag))
	}
	return err
}

// ownedBy are the roles that the statement names. Whoever runs it has the privileges of all of them
// (ReassignOwnedObjects and DropOwnedObjects of PostgreSQL).
func (s *Session) ownedBy(st *ddlstmt.Owned) (by []string, to string, err error) {
	what, pinned := "drop objects", "cannot drop objects owned by role %s because they are required by the database system"
	if st.To != nil {
		what, pinned = "reassign objects", "cannot reassign ownership of objects owned by role %s because they are required by the database system"
	}
	denied := pgerr.New(pgerr.InsufficientPrivilege, "permission denied to %s", what)
	if by, err = s.RoleNames(st.By); err != nil {
		return nil, "", err
	}
	for _, role := range by {
		if !s.Role().Owns(role) {
			return nil, "", denied
		}
	}
	if st.To != nil {
		if to, err = s.RoleName(*st.To); err != nil {
			return nil, "", err
		}
		if !s.Role().Owns(to) {
			return nil, "", denied
		}
	}
	for _, role := range by {
		if role == roles.Owner || roles.IsPredefined(role) {
			return nil, "", pgerr.New(pgerr.DependentObjectsStillExist, pinned, role)
		}
	}
	return by, to, nil
}
