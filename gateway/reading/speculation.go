package reading

import (
	"context"
	"errors"
	"weak"

	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/resolver"
)

// Speculation is a statement that runs at the pin of its last execution while the store is
// asked for the head. Before Confirm no row is sent to the client, and no other request goes to
// the store. A nil Speculation means that the pin is the head.
//
// A look-up in a store that is near (storage.Backend) sees whether the head has moved
// (ingest.HeadWatcher). Then Confirm does not ask for it.
type Speculation struct {
	session *session.Session
	pin     *resolver.Pin
	stop    context.CancelCauseFunc // of the statement that runs

	asked  chan struct{}   // closed when newest or failed is set
	ask    context.Context // to ask with when it ends, if the store is near; nil if it is far
	newest *resolver.Pin
	failed error

	known   bool  // outcome is set
	outcome error // of confirm
}

// ErrStalePin: the head has moved since the pin at which the statement ran. The
// transaction now has the newest pin, and the statement is run again.
var ErrStalePin = errors.New("head has moved on")

// Speculate asks the store for the head and pins the last known one. It returns nil if the
// head is known; if the store is near and the statement is no look-up; if the plan's last
// execution was at another pin; or if a second execution might differ from the first. The
// returned context is for the execution; it is cancelled when the head has moved. The caller
// calls Confirm and End.
//
// Only one session speculates at a time. With many statements at once the processors are busy,
// and running a statement twice would cost the others.
func Speculate(ctx context.Context, s *session.Session, p *planner.Plan) (context.Context, *Speculation) {
	known := s.DB.LastPin()
	if s.Tx.Pin != nil || s.Open != nil || known == nil || p.Answered != weak.Make(known) || p.Detached() || !Repeats(s, p, known) || s.DB.Recent().Passed(known) {
		return ctx, nil
	}
	if !s.DB.Storage.Far() {
		if !p.LookedUp {
			return ctx, nil
		}
		s.Tx.Pin = known
		return ctx, &Speculation{session: s, pin: known, stop: func(error) {}, ask: ctx}
	}
	if !s.DB.Speculating.CompareAndSwap(false, true) {
		return ctx, nil
	}
	running, stop := context.WithCancelCause(ctx)
	g := &Speculation{session: s, pin: known, stop: stop, asked: make(chan struct{})}
	go func() {
		defer close(g.asked)
		defer s.DB.Speculating.Store(false)
		if g.newest, g.failed = s.DB.Pin(ctx); g.newest != known {
			stop(ErrStalePin)
		}
	}()
	s.Tx.Pin = known
	return running, g
}

// Confirm waits until the head is known. The error is ErrStalePin, or that of the request.
func (g *Speculation) Confirm() error {
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
		g.newest, g.failed = g.session.DB.Pin(g.ask)
	}
	g.known = true
	g.session.Tx.Pin = nil
	if g.outcome = g.failed; g.failed == nil {
		g.session.TakePin(g.newest)
		if g.newest != g.pin {
			g.outcome = ErrStalePin
		}
	}
	return g.outcome
}

// near reports whether a look-up may run before Confirm, because it sees whether the head has
// moved.
func (g *Speculation) near() bool { return g != nil && g.ask != nil }

// sawHead records the newest pin that a look-up has seen, nil for none.
func (g *Speculation) sawHead(newest *resolver.Pin) {
	if g.near() && newest != nil {
		g.newest = newest
	}
}

// End frees the context. The execution has started or failed.
func (g *Speculation) End() {
	if g != nil {
		g.stop(nil)
	}
}
