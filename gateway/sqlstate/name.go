package sqlstate

import (
	"errors"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
)

// OfRecord is the client's error of a record of the name service that cannot be read or written as
// asked, or err.
func OfRecord(err error) error {
	var name *nameservice.NameError
	var conflict *nameservice.ConflictError
	var e *pgerr.Error
	switch {
	case errors.As(err, &e):
		return err
	case errors.Is(err, ontosql.ErrOutcomeUnknown): // which is no commit here
		e = pgerr.New(pgerr.TransactionResolutionUnknown, "%s", ClientText(err)).
			WithHint("Look at the record in ontosql.nameservice before retrying.")
	case errors.As(err, &name):
		e = pgerr.New(pgerr.InvalidParameterValue, "invalid %s of a record: %.100q", name.What, name.Name).WithDetail("The %s %v.", name.What, name.Err)
	case errors.As(err, &conflict):
		e = serializationFailure("due to concurrent writes of a record").WithDetail("%s.", Sentence(conflict))
	case errors.Is(err, nameservice.ErrNotFound):
		e = pgerr.New(pgerr.UndefinedObject, "%s", ClientText(err))
	case errors.Is(err, nameservice.ErrExists):
		e = pgerr.New(pgerr.DuplicateObject, "%s", ClientText(err))
	case errors.Is(err, nameservice.ErrType), errors.Is(err, nameservice.ErrPayload), errors.Is(err, nameservice.ErrHolder):
		e = pgerr.New(pgerr.InvalidParameterValue, "%s", ClientText(err))
	default:
		return err
	}
	return e.Because(err)
}
