package writepath

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// FirstVersion is the schema version id of a type that was never migrated.
const FirstVersion = 1

// TypeExistsError: a type that is to be registered is there already.
type TypeExistsError struct{ Type ontosql.TypeRef }

func (e *TypeExistsError) Error() string { return fmt.Sprintf("%s exists", e.Type) }

// NoEndpointError: a relation type is to link an entity type that is not there
// (COMPAT 1.4).
type NoEndpointError struct{ Relation, Endpoint ontosql.TypeRef }

func (e *NoEndpointError) Error() string {
	return fmt.Sprintf("%s links %s, which does not exist", e.Relation, e.Endpoint)
}

// Register commits the schemas of new types (decision A13): the commit carries
// the complete new schema, and versions, types and registry are then written for
// the original. at is as in Tx. Errors are *TypeExistsError,
// *NoEndpointError and those of Commit.
func (c *Committer) Register(ctx context.Context, at time.Time, schemas []format.Schema) (Outcome, error) {
	return c.Commit(ctx, Tx{At: at, Schema: func(state SchemaState) (*format.SchemaChange, error) {
		refs := make([]ontosql.TypeRef, len(schemas))
		for i := range schemas {
			s := &schemas[i]
			refs[i] = s.Ref
			if err := state.add(s); err != nil {
				return nil, err
			}
		}
		for i := range schemas {
			if err := state.linked(&schemas[i]); err != nil {
				return nil, err
			}
		}
		return state.Change(refs...), nil
	}})
}

// linked reports an endpoint of a relation type that does not exist.
func (s SchemaState) linked(schema *format.Schema) error {
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

// add makes a type of the state. A type that was dropped begins at its first
// version again.
func (s SchemaState) add(schema *format.Schema) error {
	if _, exists := s.Types[schema.Ref]; exists {
		return &TypeExistsError{schema.Ref}
	}
	if i := slices.IndexFunc(schema.Fields, func(f format.SchemaField) bool { return format.Reserved(schema.Ref.Kind, f.Name) }); i >= 0 {
		return fmt.Errorf("register %s: field name %q is reserved", schema.Ref, schema.Fields[i].Name)
	}
	body := format.EncodeSchema(schema)
	text, err := format.SchemaJSON(body)
	if err != nil {
		return fmt.Errorf("register %s: %w", schema.Ref, err)
	}
	hash, err := format.SchemaHash(body)
	if err != nil {
		return fmt.Errorf("register %s: %w", schema.Ref, err)
	}
	reason, runtime := "initial", s.Runtime
	s.Types[schema.Ref] = body
	s.Versions[schema.Ref] = []format.SchemaVersion{{
		CreatedAt: s.At, Reason: &reason, RuntimeID: &runtime,
		SchemaHash: hash, SchemaJSON: text, SchemaVersionID: FirstVersion,
	}}
	return nil
}
