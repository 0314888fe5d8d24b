package sqlstate

import (
	"errors"

	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
)

// ofBranch is the client's error for branches that cannot be made, compared or merged, nil if err
// is about something else.
func ofBranch(err error) *pgerr.Error {
	var e *pgerr.Error
	var unknown *branch.UnknownCommitError
	switch {
	case errors.Is(err, branch.ErrUnrelated), errors.Is(err, branch.ErrOtherKind):
		e = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "the databases are no branches of one ontology").WithDetail("%s.", Sentence(err))
	case errors.As(err, &unknown): // its text has the address of the store
		e = pgerr.New(pgerr.InvalidParameterValue, "there is no commit %d", unknown.Commit).WithDetail("The head is commit %d.", unknown.Head)
	case errors.Is(err, branch.ErrTaken):
		e = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "%s", ClientText(err))
	case errors.Is(err, branch.ErrPurged):
		e = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "the rows of the point are not all there any more").WithDetail("%s.", Sentence(err)).
			WithHint("Choose a later point.")
	case errors.As(err, new(*resolver.LostSchemaError)):
		e = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "%s", ClientText(err))
	default:
		return nil
	}
	return e.Because(err)
}
