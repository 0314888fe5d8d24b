package migration

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// SameIdentity makes sure that the rows of a type have the same identity under
// both schemas: it is what the whole history is kept by. Else the error is an
// *IdentityError.
func SameIdentity(before, after *format.Schema) error {
	key, was := identityOf(before)
	next, is := identityOf(after)
	if key != next || was != is {
		return &IdentityError{after.Ref}
	}
	return nil
}

// identityOf is the field of an entity's key, or of a relation's instance key, and
// the type that its values have.
func identityOf(s *format.Schema) (field string, of format.FieldType) {
	i := slices.IndexFunc(s.Fields, func(f format.SchemaField) bool {
		return f.PrimaryKey || s.Ref.Kind == ontosql.Relation && f.Name == s.InstanceKey
	})
	if i < 0 {
		return "", 0
	}
	of, _ = format.ParseSpelling(s.Fields[i].Type)
	return s.Fields[i].Name, of
}
