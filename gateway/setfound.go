package gateway

import (
	"context"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// foundEffects are what set_config and pg_notify were called with for rows that a
// statement found. The engine calls them from threads of its own, and a session's settings
// and transaction belong to the session's goroutine, which sees to them when the rows are
// there.
type foundEffects struct {
	mu       sync.Mutex
	settings []foundSetting
	sends    []notification
}

type foundSetting struct {
	name, value  string
	reset, local bool
}

// take is what was found since it was asked for last.
func (f *foundEffects) take() ([]foundSetting, []notification) {
	f.mu.Lock()
	defer f.mu.Unlock()
	settings, sends := f.settings, f.sends
	f.settings, f.sends = nil, nil
	return settings, sends
}

// notifyCalls is pg_notify(channel, payload) of the engine, behind a session's number.
func (db *Database) notifyCalls() []pgfunc.Function {
	return []pgfunc.Function{{
		Name: "ontosql_notify", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Text}, Result: pgfunc.Text, Effect: true, Nulls: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
				of, ok := db.sessions.Load(uint64(args[0].Int))
				if !ok {
					return v, nil
				}
				n := notification{args[1].Text, args[2].Text}
				if err := n.check(); err != nil {
					return v, err
				}
				found := &of.(*Session).found
				found.mu.Lock()
				defer found.mu.Unlock()
				found.sends = append(found.sends, n)
				return v, nil
			}
		},
	}}
}

// setCalls is set_config(name, value, is_local) of the engine, behind a session's number.
func (db *Database) setCalls() []pgfunc.Function {
	return []pgfunc.Function{{
		Name: "ontosql_set", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Text, pgfunc.Int}, Result: pgfunc.Text, Effect: true, Nulls: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (pgfunc.Value, error) {
				of, ok := db.sessions.Load(uint64(args[0].Int))
				if !ok {
					return pgfunc.Value{Null: true}, nil
				}
				if args[1].Null {
					return pgfunc.Value{}, pgerr.New("22004", "SET requires parameter name")
				}
				value, err := of.(*Session).noteSetting(foundSetting{args[1].Text, args[2].Text, args[2].Null, args[3].Int != 0})
				return pgfunc.Value{Text: value}, err
			}
		},
	}}
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
func (s *Session) seeToFound(ctx context.Context, settings []foundSetting, sends []notification) (err error) {
	for _, n := range sends {
		s.send(n)
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
