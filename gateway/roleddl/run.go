package roleddl

import (
	"context"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// actor is who runs a statement. Its methods answer by roles that may be newer than the session's.
type actor struct{ current, session string }

// name is the name of a role that a statement names; "" for PUBLIC.
func (a actor) name(r ddlstmt.Role) string {
	switch {
	case r.Session:
		return a.session
	case r.Current:
		return a.current
	}
	return r.Name
}

// existing is the role that a statement names.
func (a actor) existing(r *roles.Roles, spec ddlstmt.Role) (roles.Role, error) {
	name := a.name(spec)
	role, ok := r.Lookup(name)
	if !ok && name == "" {
		name = "public"
	}
	if !ok {
		return role, pgerr.New(pgerr.UndefinedObject, "role %q does not exist", name)
	}
	return role, nil
}

// creates reports whether the actor has CREATEROLE.
func (a actor) creates(r *roles.Roles) bool {
	role, _ := r.Lookup(a.current)
	return role.Superuser || role.CreateRole
}

// change is an edit of roles as one statement makes it. tell gets its notices.
type change func(r *roles.Roles, tell func(*pgerr.Error)) (*roles.Roles, error)

// Run runs a statement of the kind OnRole.
func Run(ctx context.Context, s *session.Session, st *syntax.Statement) error {
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return err
	}
	parsed, err := ddlstmt.ParseRole(st)
	if err != nil {
		return err
	}
	edit, err := changeOf(s, actor{s.CurrentUser(), s.SessionUser()}, parsed)
	if err != nil {
		return err
	}
	switch parsed.(type) {
	case *ddlstmt.DropRole, *ddlstmt.RenameRole: // what depends on the role is looked for in the newest types
		if _, err := s.Pin(ctx); err != nil {
			return err
		}
	}
	tell := s.Notice
	return s.EditRoles(func(r *roles.Roles) (*roles.Roles, error) {
		next, err := edit(r, tell)
		tell = func(*pgerr.Error) {} // the client has heard
		return next, err
	})
}

func changeOf(s *session.Session, a actor, parsed any) (change, error) {
	switch st := parsed.(type) {
	case *ddlstmt.CreateRole:
		return create(s, a, st)
	case *ddlstmt.AlterRole:
		return alter(s, a, st)
	case *ddlstmt.SetRole:
		return set(s, a, st)
	case *ddlstmt.RenameRole:
		return rename(s, a, st), nil
	case *ddlstmt.DropRole:
		return drop(s, a, st), nil
	}
	return grant(a, parsed.(*ddlstmt.GrantRole)), nil
}

func denied(format string, args ...any) *pgerr.Error {
	return pgerr.New(pgerr.InsufficientPrivilege, format, args...)
}

// reserved is the error of a name that no role may get.
func reserved(name, detail string) error {
	return pgerr.New(pgerr.ReservedName, "role name %q is reserved", name).WithDetail("%s", detail)
}

const startsReserved = `Role names starting with "pg_" are reserved.`
