package gateway

import (
	"context"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// advisoryKey names an advisory lock of a database: one bigint, or two integers
// (PostgreSQL manual, 13.3.5). The two key spaces do not overlap.
type advisoryKey struct {
	two         bool
	first, last int64 // the one key is last
}

// advisoryHold is what a session has of a lock, one for each way of holding it.
type advisoryHold struct {
	session     *Session
	shared      bool
	transaction bool // given back when the transaction ends
	times       int  // it was taken
}

// advisoryWait is a session that waits for a lock.
type advisoryWait struct {
	session     *Session
	key         advisoryKey
	shared      bool
	transaction bool
	since       time.Time
	granted     chan struct{}
}

// advisory are the advisory locks of one database at this gateway. Other gateways
// have their own: they keep programs apart that go through one gateway.
type advisory struct {
	mu    sync.Mutex
	held  map[advisoryKey][]*advisoryHold
	waits []*advisoryWait // the oldest first
}

// free reports whether nobody but s stands in the way. Those who came first are let
// go first, unless s holds the lock already.
func (a *advisory) free(s *Session, key advisoryKey, shared bool, before []*advisoryWait) bool {
	own := false
	for _, h := range a.held[key] {
		if h.session != s && !(shared && h.shared) {
			return false
		}
		own = own || h.session == s
	}
	return own || !slices.ContainsFunc(before, func(w *advisoryWait) bool { return w.key == key && w.session != s && !(shared && w.shared) })
}

// grant notes that s holds the lock once more.
func (a *advisory) grant(s *Session, key advisoryKey, shared, transaction bool) {
	for _, h := range a.held[key] {
		if h.session == s && h.shared == shared && h.transaction == transaction {
			h.times++
			return
		}
	}
	if a.held == nil {
		a.held = map[advisoryKey][]*advisoryHold{}
	}
	a.held[key] = append(a.held[key], &advisoryHold{s, shared, transaction, 1})
}

// try takes a lock that is free.
func (a *advisory) try(s *Session, key advisoryKey, shared, transaction bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.free(s, key, shared, nil) {
		return false
	}
	a.grant(s, key, shared, transaction)
	return true
}

// lock waits for a lock. The error is the cause with which ctx ended, or 40P01 where
// the sessions would wait for each other.
func (a *advisory) lock(ctx context.Context, s *Session, key advisoryKey, shared, transaction bool) error {
	a.mu.Lock()
	if a.free(s, key, shared, a.waits) {
		a.grant(s, key, shared, transaction)
		a.mu.Unlock()
		return nil
	}
	w := &advisoryWait{s, key, shared, transaction, time.Now(), make(chan struct{})}
	a.waits = append(a.waits, w)
	if a.waitsFor(s, s, map[*Session]bool{}) {
		a.leave(w)
		a.mu.Unlock()
		return pgerr.New(pgerr.DeadlockDetected, "deadlock detected").
			WithDetail("The session that holds the advisory lock waits for this one.")
	}
	a.mu.Unlock()
	defer s.activity.Wait(introspect.WaitAdvisory)()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-w.granted: // meanwhile
		return nil
	default:
		a.leave(w)
		return context.Cause(ctx)
	}
}

// waitsFor reports whether from waits, by way of others, for to.
func (a *advisory) waitsFor(from, to *Session, seen map[*Session]bool) bool {
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, w := range a.waits {
		if w.session != from {
			continue
		}
		for _, h := range a.held[w.key] {
			if h.session != from && !(w.shared && h.shared) && (h.session == to || a.waitsFor(h.session, to, seen)) {
				return true
			}
		}
	}
	return false
}

// leave ends a wait, and lets others through that it kept back.
func (a *advisory) leave(w *advisoryWait) {
	a.waits = slices.DeleteFunc(a.waits, func(o *advisoryWait) bool { return o == w })
	a.serve()
}

// serve grants what can be granted, in the order of arrival.
func (a *advisory) serve() {
	for i := 0; i < len(a.waits); {
		w := a.waits[i]
		if !a.free(w.session, w.key, w.shared, a.waits[:i]) {
			i++
			continue
		}
		a.waits = slices.Delete(a.waits, i, i+1)
		a.grant(w.session, w.key, w.shared, w.transaction)
		close(w.granted)
	}
}

func (a *advisory) drop(key advisoryKey, gone func(*advisoryHold) bool) {
	left := slices.DeleteFunc(slices.Clone(a.held[key]), gone)
	if a.held[key] = left; len(left) == 0 {
		delete(a.held, key)
	}
}

// unlock undoes one taking for the session, and reports whether there was one.
func (a *advisory) unlock(s *Session, key advisoryKey, shared bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.held[key], func(h *advisoryHold) bool {
		return h.session == s && h.shared == shared && !h.transaction
	})
	if i < 0 {
		return false
	}
	h := a.held[key][i]
	if h.times--; h.times == 0 {
		a.drop(key, func(o *advisoryHold) bool { return o == h })
		a.serve()
	}
	return true
}

// release gives back all that a session holds until the end of its transaction, or
// everything else that it holds.
func (a *advisory) release(s *Session, transaction bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.held) == 0 {
		return
	}
	for key := range a.held {
		a.drop(key, func(h *advisoryHold) bool { return h.session == s && h.transaction == transaction })
	}
	a.serve()
}

// advisoryCall answers the functions of advisory locks; ok is false for another one.
func (e *environment) advisoryCall(name string, args []string) (v scope.SessionValue, ok bool, err error) {
	s := e.session
	if !strings.Contains(name, "_advisory_") {
		return v, false, nil
	}
	if e.trial || s.running.ctx == nil {
		return scope.SessionValue{Null: true}, true, nil
	}
	if name == "pg_advisory_unlock_all" {
		s.db.Locks.Release(&s.client, false)
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
		s.notice(sqlstate.Warning(pgerr.Warning, "you don't own a lock of type %s", mode))
	}
	if !strings.Contains(name, "_try_") && !strings.Contains(name, "_unlock") {
		return v, true, err // of type void
	}
	return scope.SessionValue{Text: strconv.FormatBool(done)}, true, err
}

// advisory takes or releases a lock, as the function's name says, and reports whether it
// did.
func (s *Session) advisory(name string, key database.AdvisoryKey) (bool, error) {
	locks := &s.db.Locks
	shared, transaction := strings.HasSuffix(name, "_shared"), strings.Contains(name, "_xact_")
	switch {
	case strings.HasPrefix(name, "pg_advisory_unlock"):
		return locks.Unlock(&s.client, key, shared), nil
	case strings.HasPrefix(name, "pg_try_"):
		return locks.Try(&s.client, key, shared, transaction), nil
	}
	ctx := s.running.ctx
	if limit := s.settings.Timeout("lock_timeout"); limit > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeoutCause(ctx, limit, pgerr.New(pgerr.LockNotAvailable, "canceling statement due to lock timeout"))
		defer done()
	}
	err := locks.Lock(ctx, &s.client, key, shared, transaction)
	return err == nil, err
}
