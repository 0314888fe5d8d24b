package sqlstate

import (
	"errors"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/pgerr"
)

// OfEvent is the client's error of an event that cannot be sent, or err.
func OfEvent(err error) error {
	var name *eventbus.NameError
	var e *pgerr.Error
	switch {
	case errors.As(err, &name):
		e = pgerr.New(pgerr.InvalidParameterValue, "invalid %s of an event: %.100q", name.What, name.Name).WithDetail("The %s %v.", name.What, name.Err)
	case errors.Is(err, eventbus.ErrTooDeep):
		e = pgerr.New(pgerr.StatementTooComplex, "the chain of events is too long").
			WithDetail("An event is at most %d steps from the root of its chain.", eventbus.MaxDepth).
			WithHint("Handlers that cause each other's events would never end. Send the event without a parent to begin a new chain.")
	case errors.Is(err, eventbus.ErrNotStrict):
		e = pgerr.New(pgerr.UntranslatableCharacter, "unsupported Unicode escape sequence").
			WithDetail("The payload of an event cannot have U+0000, lone surrogates, or numbers that are not finite.")
	case errors.Is(err, eventbus.ErrPayload):
		e = pgerr.New(pgerr.InvalidParameterValue, "the payload of an event must be a JSON object").WithDetail("%s.", Sentence(err))
	default:
		return err
	}
	return e.Because(err)
}
