package gateway

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// account is a statement on its way into the query log.
type account struct {
	session *Session
	logged
	counter *metered.Counter
	resumed time.Time // since when the gateway is at it; zero while it is not
	failed  error
	settled bool
}

// account begins the account of a statement that arrives, as others see its text.
func (s *Session) account(query string) *account {
	now := time.Now()
	s.parsed = nil
	return &account{session: s, resumed: now, logged: logged{
		pid: s.start.PID, user: s.start.User, application: s.activity.statement(query, now),
		query: query, started: now, source: sourceNone,
	}}
}

// counting is ctx for a step of the statement whose requests are counted.
func (a *account) counting(ctx context.Context) context.Context {
	a.addRequests()
	ctx, a.counter = metered.WithCounter(ctx)
	return ctx
}

func (a *account) addRequests() {
	a.requests = a.requested()
	a.counter = nil
}

// requested are the requests that were counted so far.
func (a *account) requested() metered.Count {
	sum := a.requests
	if a.counter != nil {
		total := a.counter.Counts().Total()
		sum.Requests += total.Requests
		sum.Bytes += total.Bytes
	}
	return sum
}

// resume says that the client asks for more of the statement.
func (a *account) resume() {
	if a.resumed.IsZero() {
		a.resumed = time.Now()
		a.session.activity.statement(a.query, a.resumed)
	}
}

// pause says that the client has got what it asked for.
func (a *account) pause() {
	if !a.resumed.IsZero() {
		a.duration += time.Since(a.resumed)
		a.resumed = time.Time{}
	}
}

// settle enters the statement into the log, once.
func (a *account) settle() {
	if a.settled {
		return
	}
	a.settled = true
	a.pause()
	a.addRequests()
	a.state = stateOf(a.failed)
	a.session.db.queries.add(a.logged)
}

// stateOf is the SQLSTATE with which a statement ended.
func stateOf(err error) string {
	var said *pgerr.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &said):
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

// Where the rows of a statement came from.
const (
	sourceNone   = "none"
	sourceMirror = "mirror"
)

// source tells where the references of a statement are read from, together.
func (o *sources) source() string {
	var mirrored, stored bool
	for _, w := range o.windows {
		if w.relation.typ != nil && !o.dry {
			mirrored = mirrored || w.mirrored
			stored = stored || !w.mirrored || w.stored.Some
		}
	}
	switch {
	case mirrored && stored:
		return sourceMirror + " and " + o.session.db.storage.Source()
	case mirrored:
		return sourceMirror
	case stored:
		return o.session.db.storage.Source()
	}
	return sourceNone
}

// Sent takes down what became of an Execute (wire.Accountant).
func (p *portal) Sent(rows uint64, bytes int64, err error) {
	a := p.account
	a.rows += int64(rows)
	a.bytes += bytes
	a.pause()
	if a.failed == nil {
		a.failed = err
	}
	if p.run == nil && p.rows == nil || err != nil {
		p.settle()
	}
}

// settle enters the portal's statement into the query log, once.
func (p *portal) settle() {
	if p.columns == nil && p.account.failed == nil {
		p.account.rows = taggedRows(p.tag)
	}
	p.account.settle()
}

var _ wire.Accountant = (*portal)(nil)
