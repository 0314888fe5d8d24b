package gateway

import (
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/writepath"
)

// commitOutcome is ontosql.commit_outcome(attempt): what became of a commit
// whose client got no answer (08007), in the words of PostgreSQL's
// pg_xact_status. It looks at the store as it is now, within a transaction too,
// since what it is asked for is younger than any pin.
func (e *environment) commitOutcome(attempt string) (scope.SessionValue, error) {
	s := e.session
	if e.trial || s.running.ctx == nil {
		return scope.SessionValue{Null: true}, nil
	}
	if _, _, err := writepath.ParseAttempt(attempt); err != nil {
		return scope.SessionValue{}, pgerr.New(pgerr.InvalidParameterValue, "invalid attempt: %q", attempt).
			WithDetail("%s.", sqlstate.Sentence(writepath.ErrBadAttempt)).Because(err)
	}
	pin, err := s.db.Storage.PinFresh(s.running.ctx) // others' commits decide it, too
	if err != nil {
		return scope.SessionValue{}, err
	}
	status, err := writepath.AttemptStatus(pin.View, attempt)
	return scope.SessionValue{Text: status}, err
}
