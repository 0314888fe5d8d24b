package gateway

import (
	"context"
	"errors"
	"weak"

	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/resolver"
)

// speculation is a statement that runs before the store has said what the head is. It
// runs at the pin of its last execution, because the head has mostly not moved since
// then. No result is shown, and nothing else is asked of the store, before confirm. A nil
// speculation means that the pin is certain.
//
// A store that is near (storage.Backend) tells while rows are read whether the head has
// moved (ingest.HeadWatcher). It is asked only if no read told.
type speculation struct {
	session *Session
	pin     *resolver.Pin
	stop    context.CancelCauseFunc // of the statement that runs

	asked  chan struct{} // closed when newest or failed is set
	ask    func()        // sets newest or failed, if the store is near; nil if it is far
	newest *resolver.Pin
	failed error

	known   bool  // outcome is set
	outcome error // of confirm
}

// errStalePin: the head has moved since the pin at which the statement ran. The
// transaction now has the newest pin, and the statement is run again.
var errStalePin = errors.New("head has moved on")

// speculate begins to ask the store for the head and pins the last one. It returns nil if
// the head is known; if the store is near and the statement reads no rows that tell; if
// the plan's last execution was at another pin; or if a second execution might differ
// from the first. The context is that of the execution; it ends when the head turns out
// to have moved. The caller calls confirm and end.
//
// Only one session speculates at a time. If many statements run at once, the processors
// are busy, and a session that waits for the store leaves them to the others.
func (s *Session) speculate(ctx context.Context, p *planner.Plan) (context.Context, *speculation) {
	known := s.db.LastPin()
	if s.tx.pin != nil || s.open != nil || known == nil || p.Answered != weak.Make(known) || p.Detached() || !s.repeats(p, known) || s.db.Recent().Passed(known) {
		return ctx, nil
	}
	if !s.db.Storage.Far() {
		if !p.LookedUp {
			return ctx, nil
		}
		g := &speculation{session: s, pin: known, stop: func(error) {}}
		g.ask = func() { g.newest, g.failed = s.db.Pin(ctx) }
		s.tx.pin = known
		return ctx, g
	}
	if !s.db.Speculating.CompareAndSwap(false, true) {
		return ctx, nil
	}
	running, stop := context.WithCancelCause(ctx)
	g := &speculation{session: s, pin: known, stop: stop, asked: make(chan struct{})}
	go func() {
		defer close(g.asked)
		defer s.db.Speculating.Store(false)
		if g.newest, g.failed = s.db.Pin(ctx); g.newest != known {
			stop(errStalePin)
		}
	}()
	s.tx.pin = known
	return running, g
}

// confirm waits until the head is known. The error is errStalePin, or that of asking the
// store.
func (g *speculation) confirm() error {
	if g == nil {
		return nil
	}
	if g.known {
		return g.outcome
	}
	switch {
	case g.ask == nil:
		<-g.asked
	case g.newest == nil:
		g.ask()
	}
	g.known = true
	g.session.tx.pin = nil
	if g.outcome = g.failed; g.failed == nil {
		g.session.take(g.newest)
		if g.newest != g.pin {
			g.outcome = errStalePin
		}
	}
	return g.outcome
}

// near reports whether a look-up may begin before confirm, because it sees whether the
// head has moved.
func (g *speculation) near() bool { return g != nil && g.ask != nil }

// sawHead takes the newest pin that a look-up has seen, nil for none.
func (g *speculation) sawHead(newest *resolver.Pin) {
	if g.near() && newest != nil {
		g.newest = newest
	}
}

// end frees the context. The execution has started or failed.
func (g *speculation) end() {
	if g != nil {
		g.stop(nil)
	}
}
