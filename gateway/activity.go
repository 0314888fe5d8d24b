package gateway

import (
	"sync"
	"time"
)

// activity is what pg_stat_activity shows of a session. It is written by the
// session and read by others.
type activity struct {
	mu      sync.Mutex
	query   string
	active  bool
	began   time.Time // of the current or last statement
	changed time.Time // of active
}

func (a *activity) statement(sql string) {
	const shown = 1024 // bytes, PostgreSQL's track_activity_query_size
	if len(sql) > shown {
		sql = sql[:shown]
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.query, a.began = sql, time.Now()
}

func (a *activity) running() { a.set(true) }
func (a *activity) idle()    { a.set(false) }

func (a *activity) set(active bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active != active {
		a.active, a.changed = active, time.Now()
	}
}

// since is when the current statement arrived.
func (a *activity) since() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.began
}

// text is the current statement.
func (a *activity) text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.query
}

// snapshot is what others see of the session.
func (a *activity) snapshot() (query string, active bool, began, changed time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.query, a.active, a.began, a.changed
}
