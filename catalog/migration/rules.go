package migration

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// check holds a schema against what the original and data files can hold.
func (s *State) check(schema *format.Schema) error {
	if !canName(schema.Ref.Name) {
		return &NameError{schema.Ref}
	}
	for _, f := range schema.Fields {
		if format.Reserved(schema.Ref.Kind, f.Name) {
			return &ReservedError{schema.Ref, f.Name}
		}
	}
	if schema.Ref.Kind != ontosql.Relation {
		return nil
	}
	for _, name := range []string{schema.Left, schema.Right} {
		end := ontosql.TypeRef{Kind: ontosql.Entity, Name: name}
		if _, exists := s.Types[end]; !exists {
			return &NoEndpointError{schema.Ref, end}
		}
	}
	return nil
}

// maxName is how many bytes a type's name can have: with what keys put around it,
// a file can still be called so.
const maxName = 200

// canName reports whether a name can be one segment of an object key without escaping, in every
// store.
func canName(name string) bool {
	if name == "" || len(name) > maxName || name[0] == '.' || !utf8.ValidString(name) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r < ' ' || r == 0x7F })
}

// linking are the relation types that link an entity type. One whose schema
// cannot be read links nothing.
func (s *State) linking(ref ontosql.TypeRef) (by []ontosql.TypeRef) {
	if ref.Kind != ontosql.Entity {
		return nil
	}
	for relation, text := range s.Types {
		if relation.Kind != ontosql.Relation {
			continue
		}
		if schema := schemaOf(relation, text); schema.Left == ref.Name || schema.Right == ref.Name {
			by = append(by, relation)
		}
	}
	slices.SortFunc(by, ontosql.TypeRef.Compare)
	return by
}
