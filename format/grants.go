package format

import "github.com/ontosql/ontosql/acl"

// TypeGrants are the privileges that roles have on a type through one schema: on the whole table, or
// on one of its columns (decision A89).
type TypeGrants struct {
	Schema string // "public", or the schema of a window: "history", "changes", ...
	Field  string // the field's name, "" for the whole table; "left_key" and "right_key" for endpoints
	Grants acl.Grants
}

// typeGrants reads a list of TypeGrants. A missing list is an empty one.
func (f objectReader) typeGrants(name string) []TypeGrants {
	var all []TypeGrants
	f.each(name, f.optionalItems(name), func(e objectReader) {
		all = append(all, TypeGrants{Schema: e.text("schema"), Field: e.optionalText("field"), Grants: e.grants("grants")})
	})
	return all
}

// grants reads the privileges on one object.
func (f objectReader) grants(name string) acl.Grants {
	all := acl.Grants{}
	items, _ := f.get(name, JSONArray)
	f.each(name, items.items, func(one objectReader) {
		all = append(all, acl.Grant{
			Grantee: one.optionalText("grantee"), Grantor: one.text("grantor"),
			Privileges: one.text("privileges"), Grantable: one.optionalText("grantable"),
		})
	})
	return all
}

func typeGrantsValue(list []TypeGrants) Value {
	items := make([]Value, len(list))
	for i, g := range list {
		members := appendText([]Member{{"schema", String(g.Schema)}}, "field", g.Field)
		items[i] = Object(append(members, Member{"grants", grantsValue(g.Grants)})...)
	}
	return Array(items...)
}

func grantsValue(list acl.Grants) Value {
	items := make([]Value, len(list))
	for i, of := range list {
		members := appendText(nil, "grantee", of.Grantee) // PUBLIC has none
		members = append(members, Member{"grantor", String(of.Grantor)}, Member{"privileges", String(of.Privileges)})
		items[i] = Object(appendText(members, "grantable", of.Grantable)...)
	}
	return Array(items...)
}
