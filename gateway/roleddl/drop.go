package roleddl

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// drop is DROP ROLE (DropRole of PostgreSQL).
func drop(s *session.Session, a actor, st *ddlstmt.DropRole) change {
	return func(r *roles.Roles, tell func(*pgerr.Error)) (*roles.Roles, error) {
		if !a.creates(r) {
			return nil, denied("permission denied to drop role")
		}
		before := r
		for _, spec := range st.Roles {
			if spec.Current || spec.Name == "" {
				return nil, pgerr.New(pgerr.InvalidParameterValue, "cannot use special role specifier in DROP ROLE")
			}
			role, err := a.existing(before, spec)
			switch {
			case err != nil && st.IfExists:
				tell(sqlstate.Notice("role %q does not exist, skipping", spec.Name))
				continue
			case err != nil:
				return nil, err
			case role.Name == a.current:
				return nil, pgerr.New(pgerr.ObjectInUse, "current user cannot be dropped")
			case role.Name == a.session:
				return nil, pgerr.New(pgerr.ObjectInUse, "session user cannot be dropped")
			case role.Superuser && !before.IsSuperuser(a.current):
				return nil, denied("must be superuser to drop superusers")
			case role.Name == roles.Owner || roles.IsPredefined(role.Name):
				return nil, pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop role %s because it is required by the database system", role.Name)
			}
			if found := dependents(s, role.Name); len(found) > 0 {
				return nil, pgerr.New(pgerr.DependentObjectsStillExist, "role %q cannot be dropped because some objects depend on it", role.Name).
					WithDetail("%s", strings.Join(found, "\n"))
			}
			r = r.Without(role.Name)
		}
		return r, nil
	}
}

// dependents are the objects of the session's database that a role owns, or on which it has or has granted
// privileges, as PostgreSQL describes them.
func dependents(s *session.Session, role string) (found []string) {
	add := func(owner string, grants acl.Grants, format string, args ...any) {
		switch {
		case owner == role:
			found = append(found, fmt.Sprintf("owner of "+format, args...))
		case grants.Concern(role):
			found = append(found, fmt.Sprintf("privileges for "+format, args...))
		}
	}
	defaults := func(schema string) {
		for _, d := range s.Tables.Shared().Defaults(schema) {
			where := map[byte]string{'r': "relations", 'S': "sequences", 'n': "schemas"}[d.Kind]
			if schema != "" {
				where += " belonging to role " + d.Role + " in schema " + schema
			} else {
				where += " belonging to role " + d.Role
			}
			if d.Role == role {
				found = append(found, "owner of default privileges on new "+where)
			} else {
				add("", d.Grants, "default privileges on new %s", where)
			}
		}
	}
	pin := s.Tx.Pin
	if pin == nil {
		pin = s.DB.LastPin()
	}
	if pin != nil {
		add("", pin.Catalog.EventGrants, "view %s.%s", catalog.SchemaOntosql, access.EventsTable)
		for _, t := range pin.Catalog.Types {
			add(t.Owner, nil, "table %s", t.Table)
			for _, g := range t.Grants {
				switch {
				case t.Owner == role:
				case g.Field != "":
					add("", g.Grants, "column %s of table %s", g.Field, t.Table)
				case g.Schema == catalog.SchemaPublic:
					add("", g.Grants, "table %s", t.Table)
				default:
					add("", g.Grants, "view %s.%s", g.Schema, t.Table)
				}
			}
		}
	}
	shared := s.Tables.Shared()
	for _, name := range shared.Schemas() {
		if d := shared.Schema(name); d != nil {
			add(d.Owner, d.Grants, "schema %s", name)
		}
	}
	for _, t := range shared.All() {
		add(t.Owner, t.Grants, "%s %s.%s", t.Kind(), t.Schema, t.Name)
	}
	for _, v := range shared.Views() {
		add(v.Owner, v.Grants, "%s %s.%s", v.Kind(), v.Schema, v.Name)
	}
	for _, q := range shared.Sequences() {
		add(q.Role, q.Grants, "sequence %s.%s", q.Schema, q.Name)
	}
	defaults("")
	for _, name := range shared.Schemas() {
		defaults(name)
	}
	return found
}
