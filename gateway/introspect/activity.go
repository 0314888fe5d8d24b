package introspect

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ontosql/ontosql/wire"
)

// Activity is what pg_stat_activity shows of a session. The session writes it and others
// read it.
type Activity struct {
	mu sync.Mutex
	view
}

// view is an Activity at one moment.
type view struct {
	query       string
	application string
	state       string
	began       time.Time // of the current or last statement
	changed     time.Time // of state
	transaction time.Time // when the current one began, zero for none
	work        Work
	wait        WaitEvent
}

// WaitEvent is one of PostgreSQL's wait events. The zero value means that the statement
// does not wait.
type WaitEvent struct{ class, name string }

var (
	WaitAdvisory    = WaitEvent{"Lock", "advisory"}
	WaitObject      = WaitEvent{"Lock", "object"}
	WaitRelation    = WaitEvent{"Lock", "relation"}
	WaitTransaction = WaitEvent{"Lock", "transactionid"}
	WaitSleep       = WaitEvent{"Timeout", "PgSleep"}
	waitClient      = WaitEvent{"Client", "ClientRead"}
)

// The states of pg_stat_activity.
const (
	stateActive = "active"
	stateIdle   = "idle"
	stateInside = "idle in transaction"
	stateFailed = "idle in transaction (aborted)"
)

// maxShown is the number of bytes of a statement that others see: PostgreSQL's
// track_activity_query_size.
const maxShown = 1024

// ShownText is the text of a statement as others see it. It is cut between two
// characters, and before what may be the password of a role. It is a copy that does not keep the
// client's message in memory.
func ShownText(sql string) string {
	if i := passwordAt(sql); i >= 0 {
		return sql[:i] + " <not shown>"
	}
	if len(sql) <= maxShown {
		return strings.Clone(sql)
	}
	end := maxShown
	for end > maxShown-utf8.UTFMax && !utf8.RuneStart(sql[end]) {
		end--
	}
	return strings.Clone(sql[:end])
}

// Open begins the activity of a session.
func (a *Activity) Open(application string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.application, a.state, a.changed, a.wait = application, stateIdle, now, waitClient
}

// Statement records the statement that now runs, by its ShownText. It returns the
// application_name of the session.
func (a *Activity) Statement(query string, now time.Time) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.query, a.began = query, now
	a.state, a.changed, a.wait = stateActive, now, WaitEvent{}
	if a.transaction.IsZero() {
		a.transaction = now
	}
	return a.application
}

// Idle records that the session waits for its client in a transaction status.
func (a *Activity) Idle(status wire.TxStatus) {
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

// Wait records what the current statement waits for. The caller calls over when the wait
// ends.
func (a *Activity) Wait(e WaitEvent) (over func()) {
	set := func(e WaitEvent) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.wait = e
	}
	set(e)
	return func() { set(WaitEvent{}) }
}

// TransactionEnded records that no transaction is open.
func (a *Activity) TransactionEnded() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.transaction, a.work = time.Time{}, Work{}
}

// SetApplication records a new application_name.
func (a *Activity) SetApplication(application string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.application = application
}

// Since is the time at which the current statement arrived.
func (a *Activity) Since() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.began
}

// TransactionSince is the time at which the first statement of the transaction arrived,
// or now if there is no transaction.
func (a *Activity) TransactionSince() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.transaction.IsZero() {
		return time.Now()
	}
	return a.transaction
}

// Text is the ShownText of the current statement.
func (a *Activity) Text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.query
}

// snapshot is a copy of the current state.
func (a *Activity) snapshot() view {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.view
}
