package introspect

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/pgerr"
)

// Account measures a statement and enters it into the StatementLog when it ends.
type Account struct {
	statement
	log      *StatementLog
	activity *Activity
	counter  *metered.Counter
	resumed  time.Time // when the gateway began or went on to work for the statement; zero while it does not
	err      error
	settled  bool
	defines  string // the command tag, if the statement defines something
}

// NewAccount begins the account of a statement that a client has sent. query is its
// ShownText.
func NewAccount(log *StatementLog, c *Client, query string) *Account {
	now := time.Now()
	return &Account{log: log, activity: c.Activity, resumed: now, statement: statement{
		pid: c.PID, user: c.User, application: c.Activity.Statement(query, now),
		query: query, started: now, source: SourceNone,
	}}
}

// Query is the ShownText of the statement.
func (a *Account) Query() string { return a.query }

// Fail records the error that the statement ends with.
func (a *Account) Fail(err error) { a.err = err }

// Failed is the error that the statement has failed with, nil for none.
func (a *Account) Failed() error { return a.err }

// Defines records that the statement defines objects, roles or privileges. tag is its command tag.
func (a *Account) Defines(tag string) { a.defines = tag }

// SetSource records where the rows come from.
func (a *Account) SetSource(source string) { a.source = source }

// FromCache records that the result cache had the rows.
func (a *Account) FromCache() { a.cached, a.source = true, sourceResults }

// Sent records what was sent to the client in answer to an Execute. err is that of sending.
func (a *Account) Sent(rows uint64, bytes int64, err error) {
	a.rows += int64(rows)
	a.bytes += bytes
	a.Pause()
	if a.err == nil {
		a.err = err
	}
}

// SetTag records the number of rows that the command tag of a statement without result
// columns names.
func (a *Account) SetTag(tag string) { a.rows = taggedRows(tag) }

// Counting is ctx for a step of the statement. Requests to the store under it are
// counted.
func (a *Account) Counting(ctx context.Context) context.Context {
	a.addRequests()
	ctx, a.counter = metered.WithCounter(ctx)
	return ctx
}

// OnRequest calls f after each request of the step that Counting has begun, with all requests of the statement so
// far. It comes before the first of them.
func (a *Account) OnRequest(f func(metered.Count)) {
	before, counter := a.requests, a.counter
	counter.OnRequest(func() {
		sum, now := before, counter.Total()
		sum.Requests += now.Requests
		sum.Bytes += now.Bytes
		f(sum)
	})
}

func (a *Account) addRequests() {
	a.requests = a.Requests()
	a.counter = nil
}

// Requests are the requests counted so far.
func (a *Account) Requests() metered.Count {
	sum := a.requests
	if a.counter != nil {
		total := a.counter.Total()
		sum.Requests += total.Requests
		sum.Bytes += total.Bytes
	}
	return sum
}

// Resume records that the client asks for more rows of the statement.
func (a *Account) Resume() {
	if a.resumed.IsZero() {
		a.resumed = time.Now()
		a.activity.Statement(a.query, a.resumed)
	}
}

// Pause records that the client has what it asked for.
func (a *Account) Pause() {
	if !a.resumed.IsZero() {
		a.duration += time.Since(a.resumed)
		a.resumed = time.Time{}
	}
}

// Settle enters the statement into the log, once.
func (a *Account) Settle() {
	if a.settled {
		return
	}
	a.settled = true
	a.Pause()
	a.addRequests()
	a.state = stateOf(a.err)
	a.log.add(a.statement)
	if a.defines != "" && a.log.Definitions != nil {
		a.log.Definitions.Info("statement", "pid", a.pid, "user", a.user, "command", a.defines, "query", a.query,
			"started_at", a.started, "duration_ms", float64(a.duration.Microseconds())/1e3, "sqlstate", a.state)
	}
}

// stateOf is the SQLSTATE with which a statement ended.
func stateOf(err error) string {
	if err == nil {
		return ""
	}
	var said *pgerr.Error
	if errors.As(err, &said) {
		return said.Code
	}
	return pgerr.ConnectionFailure // the rows found no way to the client
}

// taggedRows is the number of rows that a command tag names, 0 for none.
func taggedRows(tag string) int64 {
	n, err := strconv.ParseInt(tag[strings.LastIndexByte(tag, ' ')+1:], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// The sources of the rows of a statement, in addition to those of package storage.
const (
	SourceNone     = "none"
	SourceMirror   = "mirror"
	SourceRowStore = "row store"
	sourceResults  = "result cache"
)
