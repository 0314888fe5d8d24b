package ddlstmt

import (
	"errors"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Grant is what GRANT or REVOKE asks for.
type Grant struct {
	Revoke bool
	// Option is WITH GRANT OPTION, or GRANT OPTION FOR.
	Option  bool
	Cascade bool // REVOKE ... CASCADE
	On      Granted
	Refs    []syntax.Ref // the relations that are named, without positions, as PostgreSQL's errors
	Schemas []string     // ON SCHEMA
	All     []string     // the schemas of ALL TABLES IN SCHEMA and ALL SEQUENCES IN SCHEMA
	Roles   []Role
	Grantor *Role // nil without GRANTED BY

	privileges []privilege // nil is ALL
}

// privilege is one that a statement names. With columns it is on these and not on the whole object.
type privilege struct {
	name    string // "" for ALL
	columns []string
}

// Granted is a kind of objects that privileges are on, by its name in errors.
type Granted string

// The kinds of objects. GRANT ON TABLE names a sequence, too.
const (
	OnTable    Granted = "relation"
	OnSequence Granted = "sequence"
	OnSchema   Granted = "schema"
)

// Privileges are all that an object of the kind has, by the letters of PostgreSQL's type aclitem.
func (on Granted) Privileges() string {
	switch on {
	case OnSequence:
		return "rwU"
	case OnSchema:
		return "UC"
	}
	return "arwdDxt"
}

// Kind is the kind as pg_default_acl.defaclobjtype has it.
func (on Granted) Kind() byte {
	switch on {
	case OnSequence:
		return 'S'
	case OnSchema:
		return 'n'
	}
	return 'r'
}

// grantedKinds are the kinds by their names in the grammar.
var grantedKinds = map[pg.ObjectType]Granted{
	pg.ObjectType_OBJECT_TABLE: OnTable, pg.ObjectType_OBJECT_SEQUENCE: OnSequence, pg.ObjectType_OBJECT_SCHEMA: OnSchema,
}

// Role is a role that a statement names.
type Role struct {
	Name    string // "" for PUBLIC
	Current bool   // CURRENT_ROLE, CURRENT_USER or SESSION_USER
	Session bool   // SESSION_USER
}

// ParseGrant reads a GRANT or REVOKE of privileges on tables, sequences or schemas. Anything else
// is 0A000.
func ParseGrant(s *syntax.Statement) (*Grant, error) {
	n := s.Node.GetGrantStmt()
	if n == nil {
		return nil, errors.New("grant: the statement is " + s.Tag)
	}
	g, err := newGrant(n, s.Tag)
	if err != nil {
		return nil, err
	}
	switch {
	case n.Targtype == pg.GrantTargetType_ACL_TARGET_ALL_IN_SCHEMA:
		g.All = syntax.Strings(n.Objects)
	case g.On == OnSchema:
		g.Schemas = syntax.Strings(n.Objects)
	default:
		for _, o := range n.Objects {
			ref := s.RefOf(o.GetRangeVar())
			ref.Position = 0
			g.Refs = append(g.Refs, ref)
		}
	}
	if n.Grantor != nil {
		grantor := role(n.Grantor)
		g.Grantor = &grantor
	}
	return g, nil
}

// newGrant is a GRANT or REVOKE without what it names.
func newGrant(n *pg.GrantStmt, tag string) (*Grant, error) {
	g := &Grant{Revoke: !n.IsGrant, Option: n.GrantOption, Cascade: n.Behavior == pg.DropBehavior_DROP_CASCADE, On: grantedKinds[n.Objtype]}
	if g.On == "" {
		return nil, pgerr.Unsupported("%s ON %s is not supported", tag, syntax.ObjectWords(n.Objtype))
	}
	for _, p := range n.Privileges {
		of := p.GetAccessPriv()
		g.privileges = append(g.privileges, privilege{of.PrivName, syntax.Strings(of.Cols)})
	}
	for _, r := range n.Grantees {
		g.Roles = append(g.Roles, role(r.GetRoleSpec()))
	}
	return g, nil
}

// DefaultPrivileges is what ALTER DEFAULT PRIVILEGES asks for.
type DefaultPrivileges struct {
	Grant
	For []Role   // nil for that of the session
	In  []string // schemas, nil for all
}

// ParseDefaultPrivileges reads an ALTER DEFAULT PRIVILEGES of tables, sequences or schemas, nil
// for another statement. Anything else is 0A000.
func ParseDefaultPrivileges(s *syntax.Statement) (*DefaultPrivileges, error) {
	n := s.Node.GetAlterDefaultPrivilegesStmt()
	if n == nil {
		return nil, nil
	}
	g, err := newGrant(n.Action, s.Tag)
	if err != nil {
		return nil, err
	}
	if g.OnColumns() {
		return nil, pgerr.New(pgerr.InvalidGrantOperation, "default privileges cannot be set for columns")
	}
	d := &DefaultPrivileges{Grant: *g}
	for _, o := range n.Options {
		items := o.GetDefElem().Arg.GetList().GetItems()
		if o.GetDefElem().Defname == "schemas" {
			d.In = syntax.Strings(items)
			continue
		}
		for _, r := range items {
			d.For = append(d.For, role(r.GetRoleSpec()))
		}
	}
	if d.On == OnSchema && d.In != nil {
		return nil, pgerr.New(pgerr.InvalidGrantOperation, "cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS")
	}
	return d, nil
}

func role(n *pg.RoleSpec) Role {
	switch n.Roletype {
	case pg.RoleSpecType_ROLESPEC_CSTRING:
		return Role{Name: n.Rolename}
	case pg.RoleSpecType_ROLESPEC_PUBLIC:
		return Role{}
	}
	return Role{Current: true, Session: n.Roletype == pg.RoleSpecType_ROLESPEC_SESSION_USER}
}

// privileges are the names of privileges, with their letters.
var privileges = map[string]string{
	"insert": "a", "select": "r", "update": "w", "delete": "d", "truncate": "D", "references": "x", "trigger": "t",
	"execute": "X", "usage": "U", "create": "C", "temporary": "T", "temp": "T", "connect": "c", "set": "s", "alter system": "A",
}

// Check is the error of a privilege that is unknown, or that objects of the kind do not have.
// others are privileges that are allowed all the same.
func (g *Grant) Check(others string) error {
	for _, p := range g.privileges {
		name, letter := p.name, privileges[p.name]
		switch {
		case name == "" && len(p.columns) > 0:
		case len(p.columns) > 0 && g.On != OnTable:
			return pgerr.New(pgerr.InvalidGrantOperation, "column privileges are only valid for relations")
		case len(p.columns) > 0 && letter != "" && !strings.Contains(ColumnPrivileges, letter):
			return invalidPrivilege(name, "column")
		case name == "rule": // PostgreSQL had it once, and ignores it
		case letter == "":
			return pgerr.New(pgerr.SyntaxError, "unrecognized privilege type %q", name)
		case !strings.Contains(g.On.Privileges()+others, letter):
			return invalidPrivilege(name, string(g.On))
		}
	}
	return nil
}

// Letters are the privileges on an object of a kind, as letters. all is false if the statement
// names others, which the object does not have.
func (g *Grant) Letters(on Granted) (letters string, all bool) {
	if g.privileges == nil {
		return on.Privileges(), true
	}
	all = true
	for _, p := range g.privileges {
		if len(p.columns) > 0 {
			continue
		}
		if letter := privileges[p.name]; strings.Contains(on.Privileges(), letter) {
			letters += letter
		} else {
			all = false
		}
	}
	return letters, all
}

// ColumnPrivileges are the letters of the privileges that columns have.
const ColumnPrivileges = "arwx"

// OnColumns reports whether the statement names privileges on columns.
func (g *Grant) OnColumns() bool {
	return slices.ContainsFunc(g.privileges, func(p privilege) bool { return len(p.columns) > 0 })
}

// ColumnLetters are the privileges on columns that the statement names, as letters by columns.
func (g *Grant) ColumnLetters() map[string]string {
	out := map[string]string{}
	for _, p := range g.privileges {
		letters := privileges[p.name]
		if p.name == "" {
			letters = ColumnPrivileges
		}
		for _, c := range p.columns {
			out[c] += letters
		}
	}
	return out
}

// NoUsage is the error of GRANT USAGE ON TABLE.
func NoUsage() error { return invalidPrivilege("usage", "table") }

func invalidPrivilege(name, on string) error {
	return pgerr.New(pgerr.InvalidGrantOperation, "invalid privilege type %s for %s", strings.Replace(strings.ToUpper(name), "TEMPORARY", "TEMP", 1), on)
}
