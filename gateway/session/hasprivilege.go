package session

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// HasPrivilege is has_table_privilege and its like (database.Caller, PostgreSQL manual, 9.26.2).
func (c caller) HasPrivilege(call pgcatalog.PrivilegeCall) (yes, null bool, err error) {
	s := c.session
	user, known := s.roleGiven(call.User)
	switch {
	case !known:
		return false, false, noSuchRole(pgerr.UndefinedObject, user)
	case user == "":
		user = s.CurrentUser()
	}
	pin := s.Tx.Pin
	if pin == nil {
		pin = s.DB.LastPin()
	}
	if pin == nil || !pin.Catalog.RequireGrants {
		return true, false, nil
	}
	who := access.Role{Name: user, Roles: s.Roles()}
	o, free, there := s.objectGiven(pin.Catalog, call)
	switch {
	case !there:
		return false, true, nil
	case free:
		return true, false, nil
	}
	column := ""
	if call.Function == "column" {
		oid, _, _, _ := s.view.RelationNamed(call.Object)
		if column, there = s.view.ColumnNamed(oid, call.Column); !there {
			return false, true, nil
		}
	}
	for _, one := range strings.Split(call.Privilege, ",") {
		if holds(who, o, call.Function, column, strings.ToUpper(strings.TrimSpace(one))) {
			return true, false, nil
		}
	}
	return false, false, nil
}

// holds reports whether a role has one privilege.
func holds(who access.Role, o access.Object, function, column, privilege string) bool {
	name, option := strings.CutSuffix(privilege, " WITH GRANT OPTION")
	letter := ""
	for l, n := range acl.Names {
		if n == name || n == "TEMPORARY" && name == "TEMP" {
			letter = l
		}
	}
	if letter == "" { // RULE, which nobody has
		return false
	}
	held, grantable := who.Privileges(o)
	if option {
		held = grantable
	}
	if acl.Has(held, letter) {
		return true
	}
	for name, grants := range o.Columns {
		held, grantable := grants.Held(func(of string) bool { return who.Roles.Has(who.Name, of) })
		if option {
			held = grantable
		}
		if (function == "any_column" || function == "column" && name == column) && acl.Has(held, letter) {
			return true
		}
	}
	return false
}

// objectGiven is the object that a call names. free says that everybody has every privilege on it that it has.
func (s *Session) objectGiven(c *catalog.Catalog, call pgcatalog.PrivilegeCall) (o access.Object, free, there bool) {
	switch call.Function {
	case "table", "any_column", "column", "sequence":
		_, schema, name, known := s.view.RelationNamed(call.Object)
		if !known {
			return o, false, false
		}
		return s.relationGiven(c, schema, name)
	case "schema":
		name, known := s.view.SchemaNamed(call.Object)
		if !known {
			return o, false, false
		}
		if d := s.Tables.Shared().Schema(name); d != nil {
			return access.OfSchema(d, name), false, true
		}
		o = access.Object{Kind: "schema", Name: name, All: access.SchemaLetters}
		o.Grants = access.OwnGrants("", o.All).Granted("", "", acl.Usage, false)
		return o, false, true
	case "database":
		o = access.Object{Kind: "database", All: acl.Create + acl.Temporary + acl.Connect}
		o.Grants = access.OwnGrants("", o.All).Granted("", "", acl.Temporary+acl.Connect, false)
		return o, false, true
	}
	return o, true, true
}

func (s *Session) relationGiven(c *catalog.Catalog, schema, name string) (o access.Object, free, there bool) {
	shared := s.Tables.Shared()
	if shared.HasSchema(schema) {
		if t := shared.Table(schema, name); t != nil {
			return access.OfTable(t), false, true
		}
		if v := shared.View(schema, name); v != nil {
			return access.OfView(v), false, true
		}
		if q := shared.Sequence(schema, name); q != nil {
			return access.OfSequence(q), false, true
		}
		return o, true, true
	}
	if t, ok := c.Lookup(name); ok && slices.Contains(catalog.Schemas, schema) && schema != catalog.SchemaOntosql && schema != workspace.TempSchema {
		return access.OfType(t, schema), false, true
	}
	if r := introspect.Find(name, false); schema == catalog.SchemaOntosql && r != nil && r.Shows == introspect.Events {
		return access.OfEvents(c.EventGrants, name), false, true
	}
	return o, true, true
}
