package migration

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
)

// ExistsError: a type that is to be created is there already.
type ExistsError struct{ Type ontosql.TypeRef }

func (e *ExistsError) Error() string { return fmt.Sprintf("%s exists", e.Type) }

// MissingError: a type that is to be changed does not exist.
type MissingError struct{ Type ontosql.TypeRef }

func (e *MissingError) Error() string { return fmt.Sprintf("%s does not exist", e.Type) }

// NoEndpointError: a relation type is to link an entity type that is not there
// (COMPAT 1.4).
type NoEndpointError struct{ Relation, Endpoint ontosql.TypeRef }

func (e *NoEndpointError) Error() string {
	return fmt.Sprintf("%s links %s, which does not exist", e.Relation, e.Endpoint)
}

// LinkedError: an entity type is to be dropped that relation types still link.
type LinkedError struct {
	Type ontosql.TypeRef
	By   []ontosql.TypeRef // in the order of TypeRef.Compare
}

func (e *LinkedError) Error() string {
	names := make([]string, len(e.By))
	for i, ref := range e.By {
		names[i] = ref.String()
	}
	return fmt.Sprintf("%s is linked by %s", e.Type, strings.Join(names, ", "))
}

// VersionError: a type is not at the schema version that its migration starts
// from, because another one came first.
type VersionError struct {
	Type             ontosql.TypeRef
	Expected, Actual int64
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s is at schema version %d, not %d", e.Type, e.Actual, e.Expected)
}

// DeclaredError: what SQL declares of a type was changed since a change of it was
// worked out.
type DeclaredError struct{ Type ontosql.TypeRef }

func (e *DeclaredError) Error() string {
	return fmt.Sprintf("the defaults or comments of %s were changed", e.Type)
}

// ErrEventGrants is returned if the privileges on the event bus were changed since a change of them
// was worked out.
var ErrEventGrants = errors.New("the privileges on events were changed")

// IdentityError: a schema has another key than the one before it.
type IdentityError struct{ Type ontosql.TypeRef }

func (e *IdentityError) Error() string {
	return fmt.Sprintf("%s has another key than it had: its rows are known by that", e.Type)
}

// ReservedError: a field has the name of a system column (COMPAT rule 11).
type ReservedError struct {
	Type  ontosql.TypeRef
	Field string
}

func (e *ReservedError) Error() string {
	return fmt.Sprintf("field name %q of %s is reserved", e.Field, e.Type)
}

// NameError: the name of a type cannot be part of an object key.
type NameError struct{ Type ontosql.TypeRef }

func (e *NameError) Error() string {
	return fmt.Sprintf("%s cannot be the name of a type: it is empty, has more than %d bytes, begins with a dot, or holds a slash or a control character", e.Type, maxName)
}
