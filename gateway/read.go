package gateway

import (
	"context"
	"errors"
	"weak"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
)

// execute runs a SELECT or a write.
func (p *statement) execute(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	if p.plan.Write != nil || len(p.plan.Parts) > 0 {
		return p.write(ctx, out, args)
	}
	return p.read(ctx, out, args)
}

// read runs a SELECT that writes nothing: pin, sources, bind, stream. If the pin was
// speculative and the head has moved, it does so again.
func (p *statement) read(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	if kept := p.plan.CachedConstant(p.session.Settings.OutputKey()); kept != nil {
		return &once{batch: kept}, nil
	}
	if len(p.plan.Scoped.RowLocks) > 0 && len(p.plan.Locked()) > 0 {
		return p.lockRows(ctx, args)
	}
	for {
		bound := p.bound
		running, spec := reading.Speculate(ctx, p.session.Session, p.plan)
		r, err := p.readAt(running, spec, out, args)
		outcome := spec.Confirm()
		spec.End()
		switch {
		case errors.Is(outcome, reading.ErrStalePin):
			p.bound = bound // the client was shown nothing
		case outcome != nil:
			return nil, outcome
		default:
			return r, err
		}
	}
}

// fewRows is the number of rows of a look-up up to which its answer is not kept. Kept answers of many
// keys are spread over more memory than the rows themselves.
const fewRows = 16

// readAt is read; it returns rows only if the head has not moved.
func (p *statement) readAt(ctx context.Context, spec *reading.Speculation, out *portal, args [][]byte) (rows, error) {
	s := p.session
	var key []byte
	if !p.plan.Few {
		var err error
		if key, err = p.resultKey(ctx, args); err != nil {
			return nil, err
		}
	}
	if kept := s.DB.Results.Get(key); kept != nil {
		if err := spec.Confirm(); err != nil {
			return nil, err
		}
		s.Running.Account.FromCache()
		return kept, nil
	}
	if err := s.YieldStream(ctx); err != nil {
		return nil, err
	}
	told := s.Notices
	r, err := p.readSources(ctx, spec, out, args)
	for errors.Is(err, reading.ErrWider) || errors.Is(err, reading.ErrNarrower) { // the statement is planned again
		r, err = p.readSources(ctx, spec, out, args)
	}
	if err != nil {
		return nil, err
	}
	p.plan.Answered = weak.Make(s.Tx.Pin)
	looked, ok := r.(*once)
	if p.plan.LookedUp, p.plan.Few = ok, ok && looked.batch.Len <= fewRows; p.plan.Few {
		key = nil
	}
	var recording *database.Recording
	var constantRecorder *planner.ConstantRecorder
	if s.Notices == told { // what a client is warned of it is warned of each time
		recording, constantRecorder = s.DB.Results.Record(key), p.plan.RecordConstant(s.Settings.OutputKey())
	}
	switch r := r.(type) {
	case *once:
		recording.Add(r.batch)
		recording.Keep()
	case *reading.Rows:
		r.Recording, r.ConstantRecorder = recording, constantRecorder
		s.Open = out
	}
	return r, nil
}

// readSources runs the statement over the data of its references.
func (p *statement) readSources(ctx context.Context, spec *reading.Speculation, out *portal, args [][]byte) (rows, error) {
	s := p.session
	return reading.OverMirror(ctx, reading.Sources{Session: s.Session, Spec: spec, Spare: true}, func(src *reading.Sources) (rows, error) {
		if err := s.findSources(ctx, p, src, args); err != nil {
			return nil, err
		}
		if src.Answered != nil {
			src.Release(ctx)
			out.answer.batch = src.Answered
			return &out.answer, spec.Confirm()
		}
		r, err := reading.Stream(ctx, s.Session, p.plan, src, args)
		if err != nil {
			return nil, err
		}
		if err := spec.Confirm(); err != nil {
			r.Close()
			return nil, err
		}
		return r, nil
	})
}

// findSources pins, and finds the data of the statement's references there.
func (s *Session) findSources(ctx context.Context, p *statement, src *reading.Sources, args [][]byte) error {
	if p.plan.Detached() {
		return nil
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	if err := p.permitted(ctx, pin); err != nil {
		return err
	}
	if err := s.PrepareCatalog(ctx, pin, p.plan); err != nil {
		return err
	}
	if err := src.Find(ctx, pin, p.plan, args); err != nil {
		return err
	}
	if p.plan.Version != s.Version(pin) {
		return reading.ErrNarrower
	}
	return nil
}
