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
	tag, err := database.ParseAdvisoryKey(args)
	if err != nil {
		return v, true, err
	}
	done, err := s.advisory(name, tag)
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
func (s *Session) advisory(name string, tag database.LockTag) (bool, error) {
	locks := &s.DB.Locks
	mode, transaction := database.Exclusive, strings.Contains(name, "_xact_")
	if strings.HasSuffix(name, "_shared") {
		mode = database.Share
	}
	switch {
	case strings.HasPrefix(name, "pg_advisory_unlock"):
		return locks.Unlock(&s.Client, tag, mode), nil
	case strings.HasPrefix(name, "pg_try_"):
		return locks.Try(&s.Client, tag, mode, transaction), nil
	}
	err := s.Lock(s.Running.Ctx, tag, mode, transaction)
	return err == nil, err
}

// Lock takes a lock, and waits for it as long as lock_timeout allows.
func (s *Session) Lock(ctx context.Context, tag database.LockTag, mode database.LockMode, transaction bool) error {
	if limit := s.Settings.Timeout("lock_timeout"); limit > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeoutCause(ctx, limit, pgerr.New(pgerr.LockNotAvailable, "canceling statement due to lock timeout"))
		defer done()
	}
	return s.DB.Locks.Lock(ctx, &s.Client, tag, mode, transaction)
}
