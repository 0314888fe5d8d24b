package sqlstate

import (
	"errors"

	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/pgerr"
)

// OfDefinition is the client's error for a schema change that cannot be made, nil if err
// is about something else.
func OfDefinition(err error) *pgerr.Error {
	var exists *migration.ExistsError
	var missing *migration.MissingError
	var endpoint *migration.NoEndpointError
	var linked *migration.LinkedError
	var version *migration.VersionError
	var declared *migration.DeclaredError
	var identity *migration.IdentityError
	var reserved *migration.ReservedError
	var name *migration.NameError
	var e *pgerr.Error
	switch {
	case errors.As(err, &exists):
		e = pgerr.New(pgerr.DuplicateTable, "relation %q already exists", exists.Type.Name)
	case errors.As(err, &missing):
		e = pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", missing.Type.Name)
	case errors.As(err, &endpoint):
		e = pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", endpoint.Endpoint.Name)
	case errors.As(err, &linked):
		e = pgerr.New(pgerr.DependentObjectsStillExist, "%s", ClientText(linked))
	case errors.As(err, &version):
		e = SchemaChanged().WithDetail("%s.", Sentence(version))
	case errors.As(err, &declared):
		e = SchemaChanged().WithDetail("%s.", Sentence(declared))
	case errors.As(err, &identity):
		e = pgerr.Unsupported("changing the key of %s is not supported", identity.Type).WithDetail("The key identifies the rows of the whole history.")
	case errors.As(err, &reserved):
		e = pgerr.New(pgerr.DuplicateColumn, "column name %q conflicts with a system column name", reserved.Field)
	case errors.As(err, &name):
		e = pgerr.New(pgerr.InvalidName, "invalid table name: %q", name.Type.Name).WithDetail("It begins with a dot, or holds a slash or a control character.")
	default:
		return nil
	}
	return e.Because(err)
}
