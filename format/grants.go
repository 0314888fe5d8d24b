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
		g := TypeGrants{Schema: e.text("schema"), Field: e.optionalText("field"), Grants: acl.Grants{}}
		items, _ := e.get("grants", JSONArray)
		e.each("grants", items.items, func(one objectReader) {
			g.Grants = append(g.Grants, acl.Grant{
				Grantee: one.optionalText("grantee"), Grantor: one.text("grantor"),
				Privileges: one.text("privileges"), Grantable: one.optionalText("grantable"),
			})
		})
		all = append(all, g)
	})
	return all
}

func typeGrantsValue(list []TypeGrants) Value {
	items := make([]Value, len(list))
	for i, g := range list {
		grants := make([]Value, len(g.Grants))
		for k, of := range g.Grants {
			members := appendText(nil, "grantee", of.Grantee) // PUBLIC has none
			members = append(members, Member{"grantor", String(of.Grantor)}, Member{"privileges", String(of.Privileges)})
			grants[k] = Object(appendText(members, "grantable", of.Grantable)...)
		}
		members := appendText([]Member{{"schema", String(g.Schema)}}, "field", g.Field)
		items[i] = Object(append(members, Member{"grants", Array(grants...)})...)
	}
	return Array(items...)
}
