package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/writepath"
)

// autocommit runs a statement that is a transaction of its own. If another commit came first,
// it runs the statement again on the new head, until writing.RetryTime has passed. A retry
// excludes the other autocommitted statements of this gateway that write the type, so that
// they do not conflict with it again.
func (p *statement) autocommit(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	until := time.Now().Add(writing.RetryTime)
	for retry := false; ; retry = true {
		leave, err := p.enterGates(ctx, retry)
		if err != nil {
			return nil, err
		}
		before := s.Tables.Savepoint()
		returned, err := p.stageAndCommit(ctx, out, args, retry)
		leave()
		if p.plan.AtOnce() || !writing.RunsAgain(s.Session, err, until) {
			return returned, err
		}
		if err := modify.RollbackTo(ctx, s.Session, before); err != nil {
			return nil, err
		}
		s.Tx.Pin, s.Tx.Read = nil, session.Reads{}
	}
}

// enterGates enters the gates of the types that the statement writes.
func (p *statement) enterGates(ctx context.Context, alone bool) (leave func(), err error) {
	var left []func()
	leave = func() {
		for _, leave := range left {
			leave()
		}
	}
	for _, of := range p.plan.Writes() {
		one, err := p.session.DB.Gates.Enter(ctx, of, alone)
		if err != nil {
			leave()
			return nil, err
		}
		left = append(left, one)
	}
	return leave, nil
}

// stageAndCommit runs a statement and commits it. The first attempt tries insertWithoutPin.
// The rows of RETURNING are held back until the commit.
func (p *statement) stageAndCommit(ctx context.Context, out *portal, args [][]byte, retry bool) (rows, error) {
	s := p.session
	if !retry && len(p.plan.Parts) == 0 {
		if done, err := p.insertWithoutPin(ctx, out, args); done {
			return nil, err
		}
	}
	returned, err := p.stage(ctx, out, args)
	if err != nil {
		s.Unstage(ctx)
		return nil, err
	}
	if returned != nil && p.st.Calls(isEnqueue) { // the rows have events, too
		if returned, err = reading.KeepRows(ctx, s.Session, returned); err != nil {
			s.Unstage(ctx)
			return nil, err
		}
	}
	if err := writing.CommitStaged(ctx, s.Session); err != nil {
		if returned != nil {
			returned.Close()
		}
		return nil, err
	}
	return returned, nil
}

func isEnqueue(name string) bool { return name == "enqueue" }

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
	s, w, seen := p.session, p.plan.Write, p.session.DB.LastPin()
	committer, ok := s.DB.Committer.(checkingCommitter)
	if !ok || w.Params == nil || seen == nil || seen.Catalog.RequireGrants || len(seen.Warnings) > 0 || p.plan.Version != s.Version(seen) ||
		s.Tx.Pin != nil || s.ExpectHead() != nil || s.CheckWrites(p.st.Tag) != nil {
		return false, nil
	}
	b, err := w.Params.Batch(args)
	if err != nil {
		return false, nil //nolint:nilerr // the ordinary path reports the error
	}
	s.Tx.Pin = seen
	defer s.Unstage(ctx)
	c := writing.NewChanges(w, s.Session, s.StagingFor(w.Type, w.Schema), 0)
	if err = c.Take(ctx, b); err == nil {
		_, err = writing.CommitBy(ctx, s.Session, func(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error) {
			return committer.Insert(ctx, tx, seen.Catalog.Version)
		})
	}
	switch {
	case err == nil:
		p.bound, out.tag = true, fmt.Sprintf("%s %d", tagOf(p.st), c.Count)
	case ctx.Err() == nil && !errors.Is(err, ontosql.ErrOutcomeUnknown):
		s.Tx.Pin = nil
		return false, nil
	}
	return true, err
}
