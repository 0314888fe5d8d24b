package session

import (
	"context"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// advisoryCall executes the functions of advisory locks. ok is false for another
// function.
func (e *environment) advisoryCall(name string, args []string) (v scope.SessionValue, ok bool, err error) {
	s := e.session
	if !strings.Contains(name, "_advisory_") {
		return v, false, nil
	}
	if e.trial || s.Running.Ctx == nil {
		return scope.SessionValue{Null: true}, true, nil
	}
	if name == "pg_advisory_unlock_all" {
		s.DB.Locks.Release(&s.Client, false)
		return v, true, nil
	}
	key, err := database.ParseAdvisoryKey(args)
	if err != nil {
		return v, true, err
	}
	done, err := s.advisory(name, key)
	if !done && err == nil && strings.HasPrefix(name, "pg_advisory_unlock") {
		mode := "ExclusiveLock"
		if strings.HasSuffix(name, "_shared") {
			mode = "ShareLock"
		}
		s.Notice(sqlstate.Warning(pgerr.Warning, "you don't own a lock of type %s", mode))
	}
	if !strings.Contains(name, "_try_") && !strings.Contains(name, "_unlock") {
		return v, true, err // of type void
	}
	return scope.SessionValue{Text: strconv.FormatBool(done)}, true, err
}

// advisory takes or releases a lock, as the function's name says, and reports whether it
// did.
func (s *Session) advisory(name string, key database.AdvisoryKey) (bool, error) {
	locks := &s.DB.Locks
	shared, transaction := strings.HasSuffix(name, "_shared"), strings.Contains(name, "_xact_")
	switch {
	case strings.HasPrefix(name, "pg_advisory_unlock"):
		return locks.Unlock(&s.Client, key, shared), nil
	case strings.HasPrefix(name, "pg_try_"):
		return locks.Try(&s.Client, key, shared, transaction), nil
	}
	ctx := s.Running.Ctx
	if limit := s.Settings.Timeout("lock_timeout"); limit > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeoutCause(ctx, limit, pgerr.New(pgerr.LockNotAvailable, "canceling statement due to lock timeout"))
		defer done()
	}
	err := locks.Lock(ctx, &s.Client, key, shared, transaction)
	return err == nil, err
}
