package gateway

import (
	"context"
	"errors"
	"weak"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
)

// read runs a SELECT: pin, sources, bind, stream. If the pin was
// speculative and the head has moved, it does so again.
func (p *statement) read(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	if kept := p.plan.CachedConstant(p.session.settings.OutputKey()); kept != nil {
		return &once{batch: kept}, nil
	}
	for {
		bound := p.bound
		running, spec := p.session.speculate(ctx, p.plan)
		r, err := p.readAt(running, spec, out, args)
		outcome := spec.confirm()
		spec.end()
		switch {
		case errors.Is(outcome, errStalePin):
			p.bound = bound // the client was shown nothing
		case outcome != nil:
			return nil, outcome
		default:
			return r, err
		}
	}
}

// readAt is read; it returns rows only if the head has not moved.
func (p *statement) readAt(ctx context.Context, spec *speculation, out *portal, args [][]byte) (rows, error) {
	s := p.session
	key, err := p.resultKey(ctx, args)
	if err != nil {
		return nil, err
	}
	if kept := s.db.Results.Get(key); kept != nil {
		if err := spec.confirm(); err != nil {
			return nil, err
		}
		s.running.account.FromCache()
		return kept, nil
	}
	if err := s.yieldStream(ctx); err != nil {
		return nil, err
	}
	told := s.notices
	r, err := overMirror(ctx, sources{session: s, spec: spec, spare: true}, func(src *sources) (rows, error) {
		if err := s.findSources(ctx, p, src, args); err != nil {
			return nil, err
		}
		if src.answered != nil {
			src.release(ctx)
			return &once{batch: src.answered}, spec.confirm()
		}
		r, err := s.stream(ctx, p.plan, src, args)
		if err != nil {
			return nil, err
		}
		if err := spec.confirm(); err != nil {
			r.Close()
			return nil, err
		}
		return r, nil
	})
	if err != nil {
		return nil, err
	}
	p.plan.Answered = weak.Make(s.tx.pin)
	_, p.plan.LookedUp = r.(*once)
	var recording *database.Recording
	var constantRecorder *planner.ConstantRecorder
	if s.notices == told { // what a client is warned of it is warned of each time
		recording, constantRecorder = s.db.Results.Record(key), p.plan.RecordConstant(s.settings.OutputKey())
	}
	switch r := r.(type) {
	case *once:
		if r.batch.Len > 0 {
			recording.Add(r.batch)
		}
		recording.Keep()
	case *engineRows:
		r.recording, r.constantRecorder = recording, constantRecorder
		s.open = out
	}
	return r, nil
}

// findSources pins, and finds the data of the statement's references there.
func (s *Session) findSources(ctx context.Context, p *statement, src *sources, args [][]byte) error {
	if p.plan.Detached() {
		return nil
	}
	pin, err := s.pin(ctx)
	if err != nil {
		return err
	}
	if err := p.current(ctx, pin); err != nil {
		return err
	}
	if err := s.prepareCatalog(ctx, pin, p.plan); err != nil {
		return err
	}
	return src.find(ctx, pin, p.plan, args)
}
