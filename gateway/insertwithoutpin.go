package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/writepath"
)

// checkingCommitter is a Committer that checks during the commit whether the identities of new
// rows are stored.
type checkingCommitter interface {
	// Insert commits rows whose identities were not looked up, and which depend on the
	// catalog of this version and on nothing else that was read. It does not wait for the
	// write lock. After an error other than ontosql.ErrOutcomeUnknown nothing is visible.
	Insert(ctx context.Context, tx writepath.Tx, catalog string) (writepath.Outcome, error)
}

// insertWithoutPin commits an INSERT of parameters that is a transaction of its own, without
// reading the head first. The rows are made with the last known catalog; the committer checks
// that it is still the newest and that the identities are new. done is false if that failed:
// the statement then runs like any other and finds the error.
func (p *statement) insertWithoutPin(ctx context.Context, out *portal, args [][]byte) (done bool, err error) {
	s, w, seen := p.session, p.plan.Write, p.session.db.LastPin()
	committer, ok := s.db.Committer.(checkingCommitter)
	if !ok || w.Params == nil || seen == nil || len(seen.Warnings) > 0 || p.plan.Version != s.Version(seen) ||
		s.tx.pin != nil || s.expectHead() != nil || s.CheckWrites(p.st.Tag) != nil {
		return false, nil
	}
	b, err := w.Params.Batch(args)
	if err != nil {
		return false, nil //nolint:nilerr // it comes again
	}
	s.tx.pin = seen
	defer s.unstage(ctx)
	c := newChanges(w, s, s.stagingFor(w.Type, w.Schema), 0)
	if err = c.take(ctx, b); err == nil {
		_, err = s.commitBy(ctx, func(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error) {
			return committer.Insert(ctx, tx, seen.Catalog.Version)
		})
	}
	switch {
	case err == nil:
		p.bound, out.tag = true, fmt.Sprintf("%s %d", tagOf(p.st), c.count)
	case ctx.Err() == nil && !errors.Is(err, ontosql.ErrOutcomeUnknown):
		s.tx.pin = nil
		return false, nil
	}
	return true, err
}
