package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/nameservice"
)

const (
	// pushTimeout bounds a push.
	pushTimeout = 10 * time.Second
	// firstDelay and longestDelay are how long a concern is left alone after an error; the delay
	// doubles.
	firstDelay   = time.Second
	longestDelay = 30 * time.Second
)

// lane is a concern as a Publisher writes it.
type lane struct {
	concern  nameservice.Concern
	interval time.Duration // between two pushes, at least
	push     func(ctx context.Context) error

	// Publisher.mu guards these.
	wanted   time.Time // when there is something to push; zero for nothing
	earliest time.Time // of the next push

	delay time.Duration // after the last error, 0 after a success; used by the worker only
}

// want makes the worker push in a while, or sooner.
func (l *lane) want(after time.Duration) {
	if at := time.Now().Add(after); l.wanted.IsZero() || at.Before(l.wanted) {
		l.wanted = at
	}
}

// due returns how long a lane that wants to push has to wait.
func (l *lane) due() time.Duration {
	return max(time.Until(l.wanted), time.Until(l.earliest))
}

// run is the worker.
func (p *Publisher) run() {
	defer close(p.done)
	for {
		var timer <-chan time.Time
		if l, wait := p.next(); l != nil {
			if wait <= 0 {
				p.attempt(l)
				continue
			}
			timer = time.After(wait)
		}
		select {
		case <-p.wake:
		case <-timer:
		case <-p.closed:
			p.left = p.pushRest()
			return
		}
	}
}

// next returns the lane that is to be pushed next, nil for none, and how long until then.
func (p *Publisher) next() (first *lane, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lanes {
		if l.wanted.IsZero() {
			continue
		}
		if due := l.due(); first == nil || due < wait {
			first, wait = l, due
		}
	}
	return first, wait
}

// attempt pushes a lane. After an error it will be pushed again.
func (p *Publisher) attempt(l *lane) {
	failedBefore := l.delay > 0
	err := p.push(l)
	switch {
	case err == nil && failedBefore:
		p.o.Logger.InfoContext(p.ctx, "pushed to the name service again", "alias", p.o.Alias.String(), "concern", l.concern.String())
	case err != nil && !failedBefore:
		p.o.Logger.WarnContext(p.ctx, "not pushed to the name service, will be tried again", "alias", p.o.Alias.String(), "concern", l.concern.String(), "error", err)
	}
	if err == nil {
		l.delay = 0
		return
	}
	l.delay = min(max(firstDelay, 2*l.delay), longestDelay)
	p.mu.Lock()
	defer p.mu.Unlock()
	l.want(0)
	l.earliest = time.Now().Add(l.delay)
}

// push pushes what is new of a lane when it begins.
func (p *Publisher) push(l *lane) error {
	p.mu.Lock()
	l.wanted, l.earliest = time.Time{}, time.Now().Add(l.interval)
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.ctx, pushTimeout)
	defer cancel()
	return l.push(ctx)
}

// pushRest pushes all lanes that are wanted, without waiting.
func (p *Publisher) pushRest() error {
	var failed []error
	for l, _ := p.next(); l != nil; l, _ = p.next() {
		if err := p.push(l); err != nil {
			failed = append(failed, fmt.Errorf("push %s of %s: %w", l.concern, p.o.Alias, err))
		}
	}
	return errors.Join(failed...)
}
