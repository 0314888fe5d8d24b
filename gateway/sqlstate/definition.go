package sqlstate

import (
	"errors"

	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/pgerr"
)

// OfDefinition is the client's error for a schema change that cannot be made, nil if err
// is about something else.
func OfDefinition(err error) *pgerr.Error {
	e := ofDefinition(err)
	if e == nil {
		return nil
	}
	return e.Because(err)
}

func ofDefinition(err error) *pgerr.Error {
	if e, ok := errors.AsType[*migration.ExistsError](err); ok {
		return pgerr.New(pgerr.DuplicateTable, "relation %q already exists", e.Type.Name)
	}
	if e, ok := errors.AsType[*migration.MissingError](err); ok {
		return pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", e.Type.Name)
	}
	if e, ok := errors.AsType[*migration.NoEndpointError](err); ok {
		return pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", e.Endpoint.Name)
	}
	if e, ok := errors.AsType[*migration.LinkedError](err); ok {
		return pgerr.New(pgerr.DependentObjectsStillExist, "%s", ClientText(e))
	}
	if e, ok := errors.AsType[*migration.VersionError](err); ok {
		return SchemaChanged().WithDetail("%s.", Sentence(e))
	}
	if e, ok := errors.AsType[*migration.DeclaredError](err); ok {
		return SchemaChanged().WithDetail("%s.", Sentence(e))
	}
	if errors.Is(err, migration.ErrEventGrants) {
		return SchemaChanged().WithDetail("%s.", Sentence(migration.ErrEventGrants))
	}
	if e, ok := errors.AsType[*migration.IdentityError](err); ok {
		return pgerr.Unsupported("changing the key of %s is not supported", e.Type).WithDetail("The key identifies the rows of the whole history.")
	}
	if e, ok := errors.AsType[*migration.ReservedError](err); ok {
		return pgerr.New(pgerr.DuplicateColumn, "column name %q conflicts with a system column name", e.Field)
	}
	if e, ok := errors.AsType[*migration.NameError](err); ok {
		return pgerr.New(pgerr.InvalidName, "invalid table name: %q", e.Type.Name).WithDetail("It begins with a dot, or holds a slash or a control character.")
	}
	return nil
}
