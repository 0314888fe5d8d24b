package session

import (
	"context"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/gateway/database"
)

// deferredCalls are the calls of set_config and pg_notify with values of rows. The engine
// makes them from threads of its own, but settings and transaction belong to the session's
// goroutine. It executes the calls when it has received the rows.
type deferredCalls struct {
	mu       sync.Mutex
	settings []deferredSetting
	sends    []database.Notification
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
