package session

import (
	"time"

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
