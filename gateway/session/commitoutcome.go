package session

import (
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/writepath"
)

// commitOutcome is ontosql.commit_outcome(attempt): the outcome of a commit whose client got
// 08007, as pg_xact_status of PostgreSQL spells it. It reads the newest head, in a transaction
// too, because the commit may be newer than the pin.
func (e *environment) commitOutcome(attempt string) (scope.SessionValue, error) {
	s := e.session
	if e.trial || s.Running.Ctx == nil {
		return scope.SessionValue{Null: true}, nil
	}
	if _, _, err := writepath.ParseAttempt(attempt); err != nil {
		return scope.SessionValue{}, pgerr.New(pgerr.InvalidParameterValue, "invalid attempt: %q", attempt).
			WithDetail("%s.", sqlstate.Sentence(writepath.ErrBadAttempt)).Because(err)
	}
	pin, err := s.DB.Storage.PinFresh(s.Running.Ctx) // others' commits decide it, too
	if err != nil {
		return scope.SessionValue{}, err
	}
	status, err := writepath.AttemptStatus(pin.View, attempt)
	return scope.SessionValue{Text: status}, err
}
