package pgcatalog

import (
	"strconv"

	"github.com/ontosql/ontosql/pgfunc"
)

// RelationNamed is the schema and the name of the relation that a name means, or an OID in decimal digits.
func (v *View) RelationNamed(text string) (oid uint32, schema, name string, known bool) {
	oid, known = v.objectOID(classPgClass, text)
	if !known {
		return 0, "", "", false
	}
	r, known := find(v.facts, oid, func(f *facts) map[uint32]relationFacts { return f.relations }, oid)
	return oid, r.schema, r.name, known
}

// SchemaNamed is the name of the schema that a name means, or an OID in decimal digits.
func (v *View) SchemaNamed(text string) (name string, known bool) {
	oid, known := v.objectOID(classPgNamespace, text)
	if !known {
		return "", false
	}
	n := v.facts.object(objectID{classPgNamespace, oid})
	if n == nil {
		return "", false
	}
	parts, known := splitName(n.quoted)
	if !known || len(parts) != 1 {
		return "", false
	}
	return parts[0], true
}

// ColumnNamed is the name of the column of a relation that a name means, or a number in decimal digits.
func (v *View) ColumnNamed(relation uint32, text string) (name string, known bool) {
	num, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return text, true
	}
	return find(v.facts, relation, func(f *facts) map[columnID]string { return f.columns }, columnID{relation, num})
}

// PrivilegeCall is a call of has_table_privilege or its like.
type PrivilegeCall struct {
	Session   int64
	Function  string // without "has_" and "_privilege": "table", "any_column", ...
	User      string // its name, or its OID in decimal digits; "" for the current one
	Object    string // its name, or its OID in decimal digits
	Column    string // of has_column_privilege: its name or number
	Privilege string // a list
}

// HasPrivilege is the engine's function for has_table_privilege and its like. null says that there is no such
// object.
func HasPrivilege(has func(PrivilegeCall) (yes, null bool, err error)) pgfunc.Function {
	return pgfunc.Function{
		Name: "ontosql_has_privilege", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Text, pgfunc.Text, pgfunc.Text, pgfunc.Text}, Result: pgfunc.Int, Effect: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
				yes, null, err := has(PrivilegeCall{args[0].Int, args[1].Text, args[2].Text, args[3].Text, args[4].Text, args[5].Text})
				if yes {
					v.Int = 1
				}
				v.Null = null
				return v, err
			}
		},
	}
}
