package session

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/database"
)

// caller is the session for the functions that the engine calls (database.Caller). They run
// in threads of the engine. The session's settings and its transaction belong to the
// session's goroutine, so changes of them are noted and made when the statement ends.
type caller struct{ session *Session }

var _ database.Caller = caller{}

func (c caller) Signal(name string, pid int64) (bool, error) { return c.session.signal(name, pid) }

func (c caller) SetConfig(name, value string, reset, local bool) (string, error) {
	return c.session.deferSetting(deferredSetting{name, value, reset, local})
}

func (c caller) Notify(n database.Notification) error {
	if err := n.Check(); err != nil {
		return err
	}
	found := &c.session.Deferred
	found.mu.Lock()
	defer found.mu.Unlock()
	found.sends = append(found.sends, n)
	return nil
}

func (c caller) Sleep(d time.Duration) error { return c.session.sleep(c.session.Running.Ctx, d) }

func (c caller) Advisory(name string, key database.LockTag) (bool, error) {
	return c.session.advisory(name, key)
}

// deferredCalls are the calls of set_config, pg_notify and ontosql.enqueue with values of rows. The engine
// makes them from threads of its own, but settings and transaction belong to the session's
// goroutine. It executes the calls when it has received the rows.
type deferredCalls struct {
	mu       sync.Mutex
	settings []deferredSetting
	sends    []database.Notification
	events   []format.Event
}

type deferredSetting struct {
	name, value  string
	reset, local bool
}

// Take removes and returns the calls.
func (f *deferredCalls) Take() ([]deferredSetting, []database.Notification) {
	f.mu.Lock()
	defer f.mu.Unlock()
	settings, sends := f.settings, f.sends
	f.settings, f.sends = nil, nil
	return settings, sends
}

// deferSetting defers a call of set_config, and returns the value that the setting will have.
func (s *Session) deferSetting(f deferredSetting) (value string, err error) {
	s.Deferred.mu.Lock()
	defer s.Deferred.mu.Unlock()
	switch key := strings.ToLower(f.name); {
	case f.reset:
		value = s.Settings.ResetValue(key)
	case isIdentity(key):
		value = f.value
	default:
		value, err = s.Settings.Check(f.name, f.value)
	}
	if err == nil {
		s.Deferred.settings = append(s.Deferred.settings, f)
	}
	return value, err
}

// RunDeferred executes deferred calls.
func (s *Session) RunDeferred(ctx context.Context, settings []deferredSetting, sends []database.Notification) (err error) {
	for _, n := range sends {
		s.Tx.Listening.Send(n)
	}
	for _, f := range settings {
		if f.reset {
			err = s.SetParameterDefault(ctx, f.name, f.local)
		} else {
			err = s.SetParameter(ctx, f.name, f.value, f.local)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rowsToLock are the rows that the running statement locks, by the number of the lock
// (scope.RowLock). The engine tells them from threads of its own.
type rowsToLock struct {
	mu   sync.Mutex
	rows map[int][]int64
}

// LockRow notes that the statement locks a row (database.Caller).
func (c caller) LockRow(lock int, row int64) {
	found := &c.session.toLock
	found.mu.Lock()
	defer found.mu.Unlock()
	if found.rows == nil {
		found.rows = map[int][]int64{}
	}
	found.rows[lock] = append(found.rows[lock], row)
}

// TakeRowsToLock removes and returns the rows that the statement locks.
func (s *Session) TakeRowsToLock() map[int][]int64 {
	s.toLock.mu.Lock()
	defer s.toLock.mu.Unlock()
	rows := s.toLock.rows
	s.toLock.rows = nil
	return rows
}
