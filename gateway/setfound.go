package gateway

import (
	"context"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/gateway/database"
)

// foundEffects are what set_config and pg_notify were called with for rows that a
// statement found. The engine calls them from threads of its own, and a session's settings
// and transaction belong to the session's goroutine, which sees to them when the rows are
// there.
type foundEffects struct {
	mu       sync.Mutex
	settings []foundSetting
	sends    []database.Notification
}

type foundSetting struct {
	name, value  string
	reset, local bool
}

// take is what was found since it was asked for last.
func (f *foundEffects) take() ([]foundSetting, []database.Notification) {
	f.mu.Lock()
	defer f.mu.Unlock()
	settings, sends := f.settings, f.sends
	f.settings, f.sends = nil, nil
	return settings, sends
}

// noteSetting notes a setting that is to be changed, and returns the value that it will
// have.
func (s *Session) noteSetting(f foundSetting) (value string, err error) {
	s.found.mu.Lock()
	defer s.found.mu.Unlock()
	switch key := strings.ToLower(f.name); {
	case f.reset:
		value = s.settings.ResetValue(key)
	case isIdentity(key):
		value = f.value
	default:
		value, err = s.settings.Check(f.name, f.value)
	}
	if err == nil {
		s.found.settings = append(s.found.settings, f)
	}
	return value, err
}

// seeToFound changes the settings and sends the notifications that a statement found.
func (s *Session) seeToFound(ctx context.Context, settings []foundSetting, sends []database.Notification) (err error) {
	for _, n := range sends {
		s.tx.listening.Send(n)
	}
	for _, f := range settings {
		if f.reset {
			err = s.setDefault(ctx, f.name, f.local)
		} else {
			err = s.set(ctx, f.name, f.value, f.local)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
