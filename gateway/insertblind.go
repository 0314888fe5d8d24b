package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/writepath"
)

// inserter is a Committer that finds out for itself, as it commits, whether the
// identities of new rows are stored.
type inserter interface {
	// Insert commits rows of identities that nobody has looked for, made by the catalog of
	// this version and by nothing else that was read. It waits for nobody who has the
	// lock. After an error that is no ontosql.ErrOutcomeUnknown nothing is visible.
	Insert(ctx context.Context, tx writepath.Tx, catalog string) (writepath.Outcome, error)
}

// insertBlind commits an INSERT of parameters, a transaction of its own, without a look
// at the store: the rows are made by the catalog that was seen last, and the committer
// knows whether that is the newest and the identities are new. done is false where
// nothing came of it: then the statement runs as any other, and finds out what there
// is to say.
func (p *statement) insertBlind(ctx context.Context, out *portal, args [][]byte) (done bool, err error) {
	s, w, seen := p.session, p.plan.writing, p.session.db.LastPin()
	committer, ok := s.db.Committer.(inserter)
	if !ok || w.params == nil || seen == nil || len(seen.Warnings) > 0 || p.plan.version != s.planVersion(seen) ||
		s.tx.pin != nil || s.expectHead() != nil || s.writes(p.st.Tag) != nil {
		return false, nil
	}
	b, err := w.params.batch(args)
	if err != nil {
		return false, nil //nolint:nilerr // it comes again
	}
	s.tx.pin = seen
	defer s.unstage(ctx)
	c := w.changes(s, s.stagingFor(w.typ, w.schema), 0)
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
