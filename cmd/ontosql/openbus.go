package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/events"
)

// openedBus is the event bus of an ontology.
type openedBus struct {
	eventbus.Bus
	inFile bool // in a SQLite file
	close  func()
}

// openBus opens the event bus of the ontology at a. The caller closes it.
func (p *program) openBus(ctx context.Context, a address) (*openedBus, error) {
	if a.backend == "sqlite" {
		s, err := openFile(a, p.log)
		if err != nil {
			return nil, err
		}
		if _, err := s.db.Pin(ctx); err != nil {
			s.close()
			return nil, &openError{err}
		}
		b := p.busOfFile(ctx, s.db)
		closeBus := b.close
		b.close = func() { closeBus(); s.close() }
		return b, nil
	}
	bucket, err := p.cfg.openBucket(ctx, a, false)
	if err != nil {
		return nil, err
	}
	if _, _, err := bucket.Get(ctx, format.HeadKey); errors.Is(err, objstore.ErrNotFound) {
		return nil, &openError{fmt.Errorf("%w: %s", ontosql.ErrNotInitialised, a.uri())}
	} else if err != nil {
		return nil, &openError{err}
	}
	return &openedBus{Bus: objects.Open(objects.Options{Bucket: bucket, Damaged: p.damaged(ctx)}), close: func() {}}, nil
}

// busOfFile opens the event bus in an opened SQLite file, which stays open when the bus is closed.
func (p *program) busOfFile(ctx context.Context, db *sqlite.DB) *openedBus {
	b := events.Open(events.Options{DB: db, Damaged: p.damaged(ctx)})
	return &openedBus{Bus: b, inFile: true, close: func() {
		if err := b.Close(); err != nil {
			p.log.WarnContext(ctx, "close the event bus", "error", err)
		}
	}}
}

// busOfBucket opens the event bus in a bucket. When it has nothing else to do it sends the events that
// commits have left.
func (p *program) busOfBucket(ctx context.Context, s *store) eventbus.Bus {
	bus := objects.Open(objects.Options{Bucket: s.bucket, Damaged: p.damaged(ctx)})
	left := outbox.Open(outbox.Options{Bucket: s.bucket, Log: s.log, Damaged: p.damaged(ctx), Sent: bus.Sent})
	return left.Before(bus)
}

// openWorkerBus is openBus for a worker, which sends the events that commits have left.
func (p *program) openWorkerBus(ctx context.Context, a address) (*openedBus, error) {
	b, err := p.openBus(ctx, a)
	if err != nil || b.inFile {
		return b, err
	}
	quiet := slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := p.cfg.openCaches(ctx, a, quiet)
	if err != nil {
		return nil, err
	}
	return &openedBus{Bus: p.busOfBucket(ctx, s), close: func() { _ = s.log.Close() }}, nil
}

// damaged logs what is left out because it cannot be read.
func (p *program) damaged(ctx context.Context) func(error) {
	return func(err error) { p.log.WarnContext(ctx, "damaged event data is left out", "error", err) }
}

// withBus runs the work of a command on the bus of its ontology. Its errors are those of a command
// that started and failed, unless they say otherwise.
func (p *program) withBus(ctx context.Context, work func(b *openedBus) error) error {
	a, err := p.cfg.oneAddress()
	if err != nil {
		return err
	}
	b, err := p.openBus(ctx, a)
	if err != nil {
		return err
	}
	defer b.close()
	return busError(work(b))
}

// busError says what an error of the bus is to a command.
func busError(err error) error {
	var usage *usageError
	var missing *noEventError
	switch {
	case err == nil, errors.As(err, &usage), errors.As(err, &missing):
		return err
	case errors.Is(err, ontosql.ErrNotInitialised):
		return &openError{err}
	}
	return &executionError{err}
}

// noEventError is an event that inspect does not find, for which the original has the exit code of
// anything else.
type noEventError struct{ err error }

func (e *noEventError) Error() string { return e.err.Error() }
func (e *noEventError) Unwrap() error { return e.err }
