package ddlstmt

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// RoleOptions are the options of CREATE and ALTER ROLE. Nil ones were not given.
type RoleOptions struct {
	Superuser, Inherit, CreateRole, CreateDB, Login, Replication, BypassRLS *bool
	ConnectionLimit                                                         *int
	Password                                                                *string // "" also for NULL
	NullPassword                                                            bool    // PASSWORD NULL
	ValidUntil                                                              *string // as it was written
	SysID                                                                   bool
	In, Members, Admins                                                     []Role // IN ROLE, ROLE, ADMIN
}

// CreateRole is what CREATE ROLE, USER or GROUP asks for.
type CreateRole struct {
	Name string
	RoleOptions
}

// AlterRole is what ALTER ROLE or ALTER GROUP asks for.
type AlterRole struct {
	Role Role
	Drop bool // the members leave
	RoleOptions
}

// SetRole is what ALTER ROLE ... SET or RESET asks for.
type SetRole struct {
	Role     *Role  // nil for ALL
	Database string // "" for all
	Setting  *syntax.Statement
	Current  bool // FROM CURRENT
}

// RenameRole is what ALTER ROLE ... RENAME TO asks for.
type RenameRole struct{ Name, To string }

// DropRole is what DROP ROLE asks for.
type DropRole struct {
	Roles    []Role
	IfExists bool
}

// GrantRole is what GRANT or REVOKE of roles asks for.
type GrantRole struct {
	Revoke  bool
	Admin   bool // WITH ADMIN OPTION, or ADMIN OPTION FOR
	Roles   []string
	Members []Role
	Grantor *Role // nil without GRANTED BY
}

// ParseRole reads a statement of the kind OnRole: its result is one of *CreateRole, *AlterRole, *SetRole,
// *RenameRole, *DropRole and *GrantRole. An option that PostgreSQL does not know, or twice, is 42601.
func ParseRole(s *syntax.Statement) (any, error) {
	switch n := s.Node.Node.(type) {
	case *pg.Node_CreateRoleStmt:
		c := &CreateRole{Name: n.CreateRoleStmt.Role}
		if n.CreateRoleStmt.StmtType == pg.RoleStmtType_ROLESTMT_USER {
			login := true
			c.Login = &login
		}
		return c, c.read(s, n.CreateRoleStmt.Options)
	case *pg.Node_AlterRoleStmt:
		a := &AlterRole{Role: role(n.AlterRoleStmt.Role), Drop: n.AlterRoleStmt.Action < 0}
		return a, a.read(s, n.AlterRoleStmt.Options)
	case *pg.Node_AlterRoleSetStmt:
		set := &SetRole{
			Database: n.AlterRoleSetStmt.Database, Setting: s.Inner,
			Current: n.AlterRoleSetStmt.Setstmt.Kind == pg.VariableSetKind_VAR_SET_CURRENT,
		}
		if n.AlterRoleSetStmt.Role != nil {
			one := role(n.AlterRoleSetStmt.Role)
			set.Role = &one
		}
		return set, nil
	case *pg.Node_RenameStmt:
		return &RenameRole{n.RenameStmt.Subname, n.RenameStmt.Newname}, nil
	case *pg.Node_DropRoleStmt:
		d := &DropRole{IfExists: n.DropRoleStmt.MissingOk}
		for _, r := range n.DropRoleStmt.Roles {
			d.Roles = append(d.Roles, role(r.GetRoleSpec()))
		}
		return d, nil
	case *pg.Node_GrantRoleStmt:
		return parseGrantRole(n.GrantRoleStmt)
	}
	return nil, errors.New("role: the statement is " + s.Tag)
}

func parseGrantRole(n *pg.GrantRoleStmt) (*GrantRole, error) {
	g := &GrantRole{Revoke: !n.IsGrant}
	for _, o := range n.Opt {
		switch d := o.GetDefElem(); {
		case d.Defname != "admin": // of later versions
			return nil, pgerr.Unsupported("option %s of a membership is not supported", strings.ToUpper(d.Defname))
		default: // REVOKE says false
			g.Admin = g.Revoke || d.Arg.GetBoolean().GetBoolval()
		}
	}
	for _, p := range n.GrantedRoles {
		privilege := p.GetAccessPriv()
		if len(privilege.Cols) > 0 {
			return nil, pgerr.New(pgerr.InvalidGrantOperation, "column names cannot be included in GRANT/REVOKE ROLE")
		}
		g.Roles = append(g.Roles, privilege.PrivName)
	}
	for _, r := range n.GranteeRoles {
		g.Members = append(g.Members, role(r.GetRoleSpec()))
	}
	if n.Grantor != nil {
		grantor := role(n.Grantor)
		g.Grantor = &grantor
	}
	return g, nil
}

// read reads options.
func (o *RoleOptions) read(s *syntax.Statement, options []*pg.Node) error {
	flags := map[string]**bool{
		"superuser": &o.Superuser, "inherit": &o.Inherit, "createrole": &o.CreateRole, "createdb": &o.CreateDB, "canlogin": &o.Login,
		"isreplication": &o.Replication, "bypassrls": &o.BypassRLS,
	}
	lists := map[string]*[]Role{"addroleto": &o.In, "rolemembers": &o.Members, "adminmembers": &o.Admins}
	var seen []string
	for _, node := range options {
		d := node.GetDefElem()
		if slices.Contains(seen, d.Defname) {
			return pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").At(s.Tree.Position(d.Location))
		}
		seen = append(seen, d.Defname)
		value := syntax.OptionText(d.Arg)
		switch {
		case flags[d.Defname] != nil:
			on := value == "true"
			*flags[d.Defname] = &on
		case lists[d.Defname] != nil:
			for _, r := range d.Arg.GetList().GetItems() {
				*lists[d.Defname] = append(*lists[d.Defname], role(r.GetRoleSpec()))
			}
		case d.Defname == "password":
			o.Password, o.NullPassword = &value, d.Arg == nil
		case d.Defname == "validUntil":
			o.ValidUntil = &value
		case d.Defname == "sysid":
			o.SysID = true
		case d.Defname == "connectionlimit":
			limit, err := strconv.Atoi(value)
			if err != nil || limit < -1 {
				return pgerr.New(pgerr.InvalidParameterValue, "invalid connection limit: %s", value)
			}
			o.ConnectionLimit = &limit
		default:
			return pgerr.New(pgerr.SyntaxError, "option %q not recognized", d.Defname)
		}
	}
	return nil
}

// OnlyPassword reports whether no other option than PASSWORD was given.
func (o *RoleOptions) OnlyPassword() bool {
	for _, flag := range []*bool{o.Superuser, o.Inherit, o.CreateRole, o.CreateDB, o.Login, o.Replication, o.BypassRLS} {
		if flag != nil {
			return false
		}
	}
	return o.Password != nil && o.ConnectionLimit == nil && o.ValidUntil == nil && o.Members == nil
}
