package gateway

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ontosql/ontosql/wire"
)

// activity is what pg_stat_activity shows of a session. It is written by the
// session and read by others.
type activity struct {
	mu sync.Mutex
	activityView
}

// activityView is an activity at one moment.
type activityView struct {
	query       string
	application string
	state       string
	began       time.Time // of the current or last statement
	changed     time.Time // of state
	transaction time.Time // when the current one began, zero for none
	progress    progress
	wait        waitEvent
}

// waitEvent is what the current statement waits for, of PostgreSQL's wait events; the
// zero one is none.
type waitEvent struct{ class, name string }

var (
	waitAdvisory = waitEvent{"Lock", "advisory"}
	waitSleep    = waitEvent{"Timeout", "PgSleep"}
	waitClient   = waitEvent{"Client", "ClientRead"}
)

// The states of pg_stat_activity.
const (
	stateActive = "active"
	stateIdle   = "idle"
	stateInside = "idle in transaction"
	stateFailed = "idle in transaction (aborted)"
)

// longestShown is the length in bytes to which a statement is shown to others,
// PostgreSQL's track_activity_query_size.
const longestShown = 1024

// shown is the text of a statement as others see it: cut between two characters,
// and without a hold on the message that it came in.
func shown(sql string) string {
	if len(sql) <= longestShown {
		return strings.Clone(sql)
	}
	end := longestShown
	for end > longestShown-utf8.UTFMax && !utf8.RuneStart(sql[end]) {
		end--
	}
	return strings.Clone(sql[:end])
}

// open is the state of a session that has just begun.
func (a *activity) open(application string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.application, a.state, a.changed, a.wait = application, stateIdle, now, waitClient
}

// statement is told of a statement that arrives, as others see its text. It
// returns the application_name it came under.
func (a *activity) statement(query string, now time.Time) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.query, a.began = query, now
	a.state, a.changed, a.wait = stateActive, now, waitEvent{}
	if a.transaction.IsZero() {
		a.transaction = now
	}
	return a.application
}

// waits is told that the session waits for its client.
func (a *activity) waits(status wire.TxStatus) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changed, a.wait = time.Now(), waitClient
	switch status {
	case wire.InTransaction:
		a.state = stateInside
	case wire.Failed:
		a.state = stateFailed
	default:
		a.state = stateIdle
	}
}

// waiting is told what the current statement waits for. over is called when it goes on.
func (a *activity) waiting(e waitEvent) (over func()) {
	set := func(e waitEvent) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.wait = e
	}
	set(e)
	return func() { set(waitEvent{}) }
}

// transactionEnded is told that a transaction has ended.
func (a *activity) transactionEnded() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.transaction, a.progress = time.Time{}, progress{}
}

// named is told of a new application_name.
func (a *activity) named(application string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.application = application
}

// since is when the current statement arrived.
func (a *activity) since() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.began
}

// transactionSince is when the first statement of the transaction arrived, or now.
func (a *activity) transactionSince() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.transaction.IsZero() {
		return time.Now()
	}
	return a.transaction
}

// text is the current statement.
func (a *activity) text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.query
}

// snapshot is what others see of the session.
func (a *activity) snapshot() activityView {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.activityView
}
