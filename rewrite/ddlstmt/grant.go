package ddlstmt

import (
	"errors"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Grant is what GRANT or REVOKE asks for.
type Grant struct {
	Revoke bool
	// Option is WITH GRANT OPTION, or GRANT OPTION FOR.
	Option    bool
	Tables    []syntax.Ref // without positions, as PostgreSQL's errors
	Schemas   []string     // ON SCHEMA
	AllTables []string     // the schemas of ALL TABLES IN SCHEMA
	Roles     []Role
	Grantor   *Role // nil without GRANTED BY

	privileges []string // nil is ALL
}

// Role is a role that a statement names.
type Role struct {
	Name    string // "" for PUBLIC
	Current bool   // CURRENT_ROLE, CURRENT_USER or SESSION_USER
}

// ParseGrant reads a GRANT or REVOKE of privileges on tables or schemas. Anything else is
// 0A000.
func ParseGrant(s *syntax.Statement) (*Grant, error) {
	n := s.Node.GetGrantStmt()
	if n == nil {
		return nil, errors.New("grant: the statement is " + s.Tag)
	}
	g := &Grant{Revoke: !n.IsGrant, Option: n.GrantOption}
	switch {
	case n.Targtype == pg.GrantTargetType_ACL_TARGET_ALL_IN_SCHEMA && n.Objtype == pg.ObjectType_OBJECT_TABLE:
		g.AllTables = syntax.Strings(n.Objects)
	case n.Targtype == pg.GrantTargetType_ACL_TARGET_OBJECT && n.Objtype == pg.ObjectType_OBJECT_TABLE:
		for _, o := range n.Objects {
			ref := s.RefOf(o.GetRangeVar())
			ref.Position = 0
			g.Tables = append(g.Tables, ref)
		}
	case n.Targtype == pg.GrantTargetType_ACL_TARGET_OBJECT && n.Objtype == pg.ObjectType_OBJECT_SCHEMA:
		g.Schemas = syntax.Strings(n.Objects)
	default:
		return nil, pgerr.Unsupported("%s ON %s is not supported", s.Tag, syntax.ObjectWords(n.Objtype))
	}
	for _, p := range n.Privileges {
		privilege := p.GetAccessPriv()
		if len(privilege.Cols) > 0 {
			return nil, pgerr.Unsupported("%s of privileges on columns is not supported", s.Tag)
		}
		g.privileges = append(g.privileges, privilege.PrivName)
	}
	for _, r := range n.Grantees {
		g.Roles = append(g.Roles, role(r.GetRoleSpec()))
	}
	if n.Grantor != nil {
		grantor := role(n.Grantor)
		g.Grantor = &grantor
	}
	return g, nil
}

func role(n *pg.RoleSpec) Role {
	switch n.Roletype {
	case pg.RoleSpecType_ROLESPEC_CSTRING:
		return Role{Name: n.Rolename}
	case pg.RoleSpecType_ROLESPEC_PUBLIC:
		return Role{}
	}
	return Role{Current: true}
}

// The privileges that tables and schemas have, by the letters of PostgreSQL's type aclitem.
const (
	TablePrivileges  = "arwdDxt"
	SchemaPrivileges = "UC"
)

// privileges are the names of privileges, with their letters.
var privileges = map[string]string{
	"insert": "a", "select": "r", "update": "w", "delete": "d", "truncate": "D", "references": "x", "trigger": "t",
	"execute": "X", "usage": "U", "create": "C", "temporary": "T", "temp": "T", "connect": "c", "set": "s", "alter system": "A",
}

// Letters are the privileges as letters.
func (g *Grant) Letters() (string, error) {
	has, of := TablePrivileges, "relation"
	if g.Schemas != nil {
		has, of = SchemaPrivileges, "schema"
	}
	if g.privileges == nil {
		return has, nil
	}
	var letters strings.Builder
	for _, name := range g.privileges {
		letter := privileges[name]
		switch {
		case name == "rule": // PostgreSQL had it once, and ignores it
			continue
		case letter == "":
			return "", pgerr.New(pgerr.SyntaxError, "unrecognized privilege type %q", name)
		case !strings.Contains(has, letter):
			if of == "relation" && letter == "U" { // that a sequence has
				of = "table"
			}
			return "", pgerr.New(pgerr.InvalidGrantOperation, "invalid privilege type %s for %s", strings.Replace(strings.ToUpper(name), "TEMPORARY", "TEMP", 1), of)
		}
		letters.WriteString(letter)
	}
	return letters.String(), nil
}
