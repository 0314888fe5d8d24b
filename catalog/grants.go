package catalog

import (
	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/format"
)

// ThroughSchema is the schema whose privileges hold for a type that is seen through a schema. A window has
// those of public until something is granted or revoked on the window itself (decision A89).
func ThroughSchema(grants []format.TypeGrants, schema string) string {
	for _, g := range grants {
		if g.Schema == schema {
			return schema
		}
	}
	return SchemaPublic
}

// GrantsOn are the privileges on a type that is seen through a schema: on all of it, nil for those of its
// owner alone, and on single columns by their names.
func (t *Type) GrantsOn(schema string) (whole acl.Grants, columns map[string]acl.Grants) {
	through := ThroughSchema(t.Grants, schema)
	for _, g := range t.Grants {
		switch {
		case g.Schema != through:
		case g.Field == "":
			whole = g.Grants
		default:
			if columns == nil {
				columns = map[string]acl.Grants{}
			}
			for i := range t.Columns {
				if t.Columns[i].Field == g.Field {
					columns[t.Columns[i].Name] = g.Grants
				}
			}
		}
	}
	return whole, columns
}
