package gateway

import (
	"context"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// foundSettings are those that set_config was called with for rows that a statement
// found. The engine calls it from threads of its own, and a session's settings belong to
// the session's goroutine, which changes them when the rows are there.
type foundSettings struct {
	mu   sync.Mutex
	list []foundSetting
}

type foundSetting struct {
	name, value  string
	reset, local bool
}

// take is what was found since it was asked for last.
func (f *foundSettings) take() []foundSetting {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.list
	f.list = nil
	return list
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
		value = s.settings.initial(key)
	case isIdentity(key):
		value = f.value
	default:
		value, err = s.settings.accept(key, f.name, f.value)
	}
	if err == nil {
		s.found.list = append(s.found.list, f)
	}
	return value, err
}

// setFound changes the settings that a statement found.
func (s *Session) setFound(ctx context.Context, found []foundSetting) (err error) {
	for _, f := range found {
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
