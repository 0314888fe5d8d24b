package objects

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
)

// tries is how often a file is read and written again because others, of other concerns too, have
// replaced it. Each loss is somebody else's success.
const tries = 50

const longestWait = 100 * time.Millisecond

// settleTime is how long a write whose answer was lost may be looked for.
const settleTime = 10 * time.Second

// again calls try until it is done. Between two calls it waits a random time that
// grows up to longestWait.
func again[T any](ctx context.Context, try func() (result T, done bool, err error)) (T, error) {
	for n := range tries {
		result, done, err := try()
		if done || err != nil {
			return result, err
		}
		select {
		case <-ctx.Done():
			return result, objstore.ContextError(ctx)
		case <-time.After(rand.N(min(time.Millisecond<<min(n, 7), longestWait))):
		}
	}
	var none T
	return none, fmt.Errorf("others were faster %d times: %w", tries, objstore.ErrConflict)
}

// swap replaces a file if it has the version that was read. won is false if somebody else was faster:
// nothing was written then. An error wraps ontosql.ErrOutcomeUnknown unless the store has refused.
func (s *Service) swap(ctx context.Context, f *file, body []byte) (won bool, err error) {
	_, err = s.bucket.Swap(ctx, f.key, f.version, body)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, objstore.ErrPreconditionFailed), errors.Is(err, objstore.ErrConflict):
		return false, nil
	}
	for _, refusal := range []error{objstore.ErrDenied, objstore.ErrNoBucket, objstore.ErrInvalidKey, objstore.ErrFull, objstore.ErrTooLarge} {
		if errors.Is(err, refusal) {
			return false, err
		}
	}
	return false, fmt.Errorf("%w: %w", ontosql.ErrOutcomeUnknown, err)
}

// settle looks what became of a write whose answer was lost. It returns nil if the write is there,
// else err: it may still arrive.
func settle(ctx context.Context, err error, there func(context.Context) (bool, error)) error {
	if !errors.Is(err, ontosql.ErrOutcomeUnknown) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if found, lost := there(ctx); lost != nil || !found {
		return err
	}
	return nil
}

// Create implements nameservice.Service.
func (s *Service) Create(ctx context.Context, n nameservice.New) (*nameservice.Record, error) {
	r, err := n.Record()
	if err != nil {
		return nil, err
	}
	_, err = again(ctx, func() (_ struct{}, done bool, err error) {
		done, err = s.create(ctx, r)
		return struct{}{}, done, err
	})
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", n.Alias, err)
	}
	return r, nil
}

func (s *Service) create(ctx context.Context, r *nameservice.Record) (done bool, err error) {
	switch st, err := s.find(ctx, r.Alias); {
	case err != nil:
		return false, err
	case st != nil:
		return false, nameservice.ErrExists
	}
	files, err := s.removeLeft(ctx, r.Alias)
	if err != nil {
		return false, err
	}
	if files[mainPart].exists() || files[headPart].exists() { // of a graph source beside ontologies
		return false, nameservice.ErrExists
	}
	anchor, body := &files[mainPart], r.Members()
	concerns := []nameservice.Concern{nameservice.Index}
	if s.layout == LayoutC {
		anchor = &files[headPart]
		concerns = []nameservice.Concern{nameservice.Index, nameservice.Status, nameservice.Config}
		delete(body, "retracted") // it is in the file of the status
	}
	for _, c := range concerns {
		delete(body, c.String())
		delete(body, c.Watermark())
	}
	text := body.Encode()
	won, err := s.swap(ctx, anchor, text)
	err = settle(ctx, err, func(ctx context.Context) (bool, error) {
		won = true
		now, _, err := s.bucket.Get(ctx, anchor.key)
		return string(now) == string(text), err
	})
	return won, err
}

// removeLeft removes the files that a Purge has left in the place of a record that does not exist. If
// it did not, they would belong to the next record of that name. It returns what it has found.
func (s *Service) removeLeft(ctx context.Context, a nameservice.Alias) ([partCount]file, error) {
	files, err := s.readParts(ctx, [partCount]file{}, stems(a)[0], mainPart, headPart, indexPart, statusPart, configPart)
	if err != nil || files[mainPart].exists() || files[headPart].exists() {
		return files, err
	}
	return files, s.remove(ctx, &files)
}

// remove removes the files that were read, but not the one that every record has.
func (s *Service) remove(ctx context.Context, files *[partCount]file) error {
	for _, p := range []part{indexPart, statusPart, configPart} {
		if f := &files[p]; f.exists() {
			if err := s.bucket.Delete(ctx, f.key); err != nil {
				return fmt.Errorf("remove %s: %w", f.key, err)
			}
		}
	}
	return nil
}

// Write implements nameservice.Service.
func (s *Service) Write(ctx context.Context, a nameservice.Alias, e nameservice.Edit) (nameservice.Result, error) {
	e, err := e.Prepare()
	if err != nil {
		return nameservice.Result{}, fmt.Errorf("write %s: %w", a, err)
	}
	result, err := again(ctx, func() (nameservice.Result, bool, error) { return s.write(ctx, a, e) })
	if err != nil {
		return nameservice.Result{}, fmt.Errorf("write %s of %s: %w", e.Concern, a, err)
	}
	return result, nil
}

func (s *Service) write(ctx context.Context, a nameservice.Alias, e nameservice.Edit) (result nameservice.Result, done bool, err error) {
	st, err := s.find(ctx, a)
	switch {
	case err != nil:
		return result, false, err
	case st == nil:
		return nameservice.Conflict(nil), true, nil
	}
	f := st.file(e.Concern)
	if result = e.Apply(st.Record); !result.Updated {
		return result, true, nil
	}
	if other := st.legacyFile(f); other != nil { // the first write stores all of it as version 2
		_, err := s.upgrade(ctx, other)
		return result, false, err
	}
	won, err := s.swap(ctx, f, f.edited(a, e))
	err = settle(ctx, err, func(ctx context.Context) (bool, error) {
		won = true
		now, err := s.find(ctx, a)
		return now != nil && e.Done(now.Record), err
	})
	return result, won, err
}

// legacyFile returns a file of version 1 other than f, nil for none.
func (st *stored) legacyFile(f *file) *file {
	for p := range st.files {
		if other := &st.files[p]; other.legacy && other != f {
			return other
		}
	}
	return nil
}

// upgrade stores a file of version 1 as version 2.
func (s *Service) upgrade(ctx context.Context, f *file) (done bool, err error) {
	text := f.members.Encode()
	done, err = s.swap(ctx, f, text)
	err = settle(ctx, err, func(ctx context.Context) (bool, error) {
		done = true
		now, _, err := s.bucket.Get(ctx, f.key)
		return string(now) == string(text), err
	})
	return done, err
}

// Migrate implements nameservice.Service.
func (s *Service) Migrate(ctx context.Context, a nameservice.Alias) (bool, error) {
	migrated := false
	_, err := again(ctx, func() (_ struct{}, done bool, err error) {
		st, err := s.find(ctx, a)
		if err == nil && st == nil {
			err = nameservice.ErrNotFound
		}
		if err != nil {
			return struct{}{}, false, err
		}
		for p := range st.files {
			if f := &st.files[p]; f.legacy {
				if won, err := s.upgrade(ctx, f); err != nil || !won {
					return struct{}{}, false, err
				}
				migrated = true
			}
		}
		return struct{}{}, true, nil
	})
	if err != nil {
		return false, fmt.Errorf("migrate %s: %w", a, err)
	}
	return migrated, nil
}

// Purge implements nameservice.Service. The record ends with the file that every record has. If an
// error leaves other files, the next Purge or Create of the alias removes them.
func (s *Service) Purge(ctx context.Context, seen *nameservice.Record) (nameservice.Result, error) {
	result, err := again(ctx, func() (nameservice.Result, bool, error) { return s.purge(ctx, seen) })
	if err != nil {
		return nameservice.Result{}, fmt.Errorf("purge %s: %w", seen.Alias, err)
	}
	return result, nil
}

func (s *Service) purge(ctx context.Context, seen *nameservice.Record) (result nameservice.Result, done bool, err error) {
	st, err := s.find(ctx, seen.Alias)
	switch {
	case err != nil:
		return result, false, err
	case st == nil:
		_, err := s.removeLeft(ctx, seen.Alias)
		return nameservice.Conflict(nil), true, err
	case !nameservice.MayPurge(st.Record, seen):
		return nameservice.Conflict(&st.Status), true, nil
	}
	anchor := st.anchor()
	switch err := s.bucket.DeleteIf(ctx, anchor.key, anchor.version); {
	case err == nil:
	case errors.Is(err, objstore.ErrPreconditionFailed), errors.Is(err, objstore.ErrConflict):
		return result, false, nil
	default:
		return result, false, fmt.Errorf("%w: remove %s: %w", ontosql.ErrOutcomeUnknown, anchor.key, err)
	}
	return nameservice.Updated(), true, s.remove(ctx, &st.files)
}
