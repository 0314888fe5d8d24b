package gateway

import (
	"context"
	"errors"
	"weak"

	"github.com/ontosql/ontosql/resolver"
)

// guess is the pin at which a statement runs while the store is still asked for
// the head: the one that its last execution had, since most find the head where
// it was. Nothing is shown of it, and nothing else of the store is asked for,
// before the store has said so. A nil guess holds: the pin is known.
//
// A store that is near says so in reading: a look-up of a row in a database sees whether
// that has changed (Cursor). It is asked for the head only where none has told.
type guess struct {
	session *Session
	pin     *resolver.Pin
	stop    context.CancelCauseFunc // of the statement that runs

	looked chan struct{} // closed when newest or failed is there
	look   func()        // sets them, where the store is near; nil for another
	newest *resolver.Pin
	failed error

	settled bool
	verdict error // why it does not hold
}

// errHeadPassed: the head is not where a statement was run. The transaction has
// the newest one as its pin, and the statement is run again.
var errHeadPassed = errors.New("head has moved on")

// guess begins a look at the store and pins what it will probably find. It is nil
// where the head is known, or near and not seen in reading, where the last execution
// of the plan had another, or where a second execution may not be like the first. The
// context is that of the execution, and ends as soon as the guess has turned out wrong.
// Whoever has a guess asks whether it holds, and ends it.
//
// One session guesses at a time. Where many ask at once the processors are busy
// anyway, and those that wait for the store leave them to the others.
func (s *Session) guess(ctx context.Context, p *plan) (context.Context, *guess) {
	known := s.db.LastPin()
	if s.tx.pin != nil || s.open != nil || known == nil || p.answered != weak.Make(known) || p.detached() || !s.repeats(p, known) || s.db.Recent().Passed(known) {
		return ctx, nil
	}
	if !s.db.Storage.Far() {
		if !p.lookedUp {
			return ctx, nil
		}
		g := &guess{session: s, pin: known, stop: func(error) {}}
		g.look = func() { g.newest, g.failed = s.db.Pin(ctx) }
		s.tx.pin = known
		return ctx, g
	}
	if !s.db.Speculating.CompareAndSwap(false, true) {
		return ctx, nil
	}
	running, stop := context.WithCancelCause(ctx)
	g := &guess{session: s, pin: known, stop: stop, looked: make(chan struct{})}
	go func() {
		defer close(g.looked)
		defer s.db.Speculating.Store(false)
		if g.newest, g.failed = s.db.Pin(ctx); g.newest != known {
			stop(errHeadPassed)
		}
	}()
	s.tx.pin = known
	return running, g
}

// holds waits for what the store says. Its error is errHeadPassed, or that of the
// look.
func (g *guess) holds() error {
	if g == nil {
		return nil
	}
	if g.settled {
		return g.verdict
	}
	switch {
	case g.look == nil:
		<-g.looked
	case g.newest == nil:
		g.look()
	}
	g.settled = true
	g.session.tx.pin = nil
	if g.verdict = g.failed; g.failed == nil {
		g.session.take(g.newest)
		if g.newest != g.pin {
			g.verdict = errHeadPassed
		}
	}
	return g.verdict
}

// near reports whether a look-up may begin: that sees whether the guess holds.
func (g *guess) near() bool { return g != nil && g.look != nil }

// saw takes the newest pin that a look-up has seen, nil for none.
func (g *guess) saw(newest *resolver.Pin) {
	if g.near() && newest != nil {
		g.newest = newest
	}
}

// end frees the context of the execution, which has started or failed.
func (g *guess) end() {
	if g != nil {
		g.stop(nil)
	}
}
