package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// commitStaged commits what the transaction has staged. Whatever the outcome,
// nothing stays staged.
func (s *Session) commitStaged(ctx context.Context) error {
	defer s.unstage(ctx)
	_, err := s.commitOnce(ctx)
	return err
}

// commitOnce makes one commit over all types of which anything is staged; a
// transaction that changes nothing makes none.
func (s *Session) commitOnce(ctx context.Context) (ontosql.CommitID, error) {
	return s.commitBy(ctx, s.db.Commit)
}

// commitBy is commitOnce by a way of the committer's.
func (s *Session) commitBy(ctx context.Context, commit func(context.Context, writepath.Tx) (writepath.Outcome, error)) (ontosql.CommitID, error) {
	tx := writepath.Tx{
		Actor:       s.start.User,
		Metadata:    s.commitMetadata(),
		LockTimeout: s.settings.Timeout("lock_timeout"),
		ExpectHead:  s.expectHead(),
		Reservation: s.tx.reserved,
	}
	for _, g := range s.tx.staged {
		unchangedRows, err := s.searchStore(g).unchangedRows(ctx, s.tx.pin)
		if err != nil {
			return 0, err
		}
		if err := g.FlushDraft(); err != nil {
			return 0, err
		}
		if g.HasChanges(unchangedRows) {
			// Once the commit is under way only the store decides it.
			tx.Data = append(tx.Data, g.Data(context.WithoutCancel(ctx), unchangedRows))
		}
	}
	if len(tx.Data) == 0 {
		if changes, err := s.tx.schema.HasChanges(s.txStarted()); err != nil || !changes {
			return 0, err
		}
	}
	tx.Pin = s.tx.pin.Head.Commit
	tx.Reads, tx.ReadsHead = slices.SortedFunc(maps.Keys(s.tx.read.types), ontosql.TypeRef.Compare), s.tx.read.ontology
	if d := s.tx.schema; d != nil {
		tx.Schema, tx.Reads, tx.Migrated = d.Apply, append(tx.Reads, d.DependsOn...), d.Migrated
	}
	outcome, err := commit(ctx, tx)
	if err != nil {
		return 0, err
	}
	s.db.Storage.Wrote(outcome.Files, s.stagedKeys())
	if tx.Schema != nil {
		s.db.ForgetPin() // statements are planned by the new schema from now on
	}
	s.committed(outcome)
	return outcome.Commit, nil
}

// stagedKeys are the ranges of the first key texts that are staged, by type.
func (s *Session) stagedKeys() map[ontosql.TypeRef]storage.KeyRange {
	keys := map[ontosql.TypeRef]storage.KeyRange{}
	for _, g := range s.tx.staged {
		low, high := g.KeyRange()
		keys[g.Type.Ref] = storage.KeyRange{Low: low, High: high}
	}
	return keys
}

// unstage forgets what is staged, rows and schema.
func (s *Session) unstage(ctx context.Context) {
	for _, g := range append(s.tx.staged, s.tx.retired...) {
		g.Close(context.WithoutCancel(ctx))
	}
	s.tx.staged, s.tx.retired, s.tx.schema = nil, nil, nil
}

// retryTime bounds how long a statement alone in its transaction is run again
// after conflicts (decision A32).
const retryTime = 10 * time.Second

// alone reports whether the statement that runs is a whole implicit
// transaction, so that it can be committed, or run again, before the client has
// heard anything of it.
func (s *Session) alone() bool {
	return !s.tx.explicit && s.tx.ran == 1 && s.start.Ending != nil && s.start.Ending()
}

// autocommit runs a statement that is a transaction of its own, and once more
// on the new head when another commit came first. After a conflict it runs while
// no other such statement of this gateway writes the type, else they would go on
// beating each other.
func (p *statement) autocommit(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	until := time.Now().Add(retryTime)
	for alone := false; ; alone = true {
		leave, err := s.db.Gates.Enter(ctx, p.plan.Write.Type.Ref, alone)
		if err != nil {
			return nil, err
		}
		returned, err := p.stageAndCommit(ctx, out, args, alone)
		leave()
		if !s.runsAgain(err, until) {
			return returned, err
		}
		s.tx.pin, s.tx.read = nil, reads{}
	}
}

// stageAndCommit runs a statement and commits it, blindly if it may and was not
// overtaken before; its rows are kept until then.
func (p *statement) stageAndCommit(ctx context.Context, out *portal, args [][]byte, overtaken bool) (rows, error) {
	s := p.session
	if !overtaken {
		if done, err := p.insertWithoutPin(ctx, out, args); done {
			return nil, err
		}
	}
	returned, err := p.stage(ctx, out, args)
	if err != nil {
		s.unstage(ctx)
		return nil, err
	}
	if err := s.commitStaged(ctx); err != nil {
		if returned != nil {
			returned.Close()
		}
		return nil, err
	}
	return returned, nil
}

// runsAgain reports whether a statement alone in its transaction is run again after
// what became of it.
func (s *Session) runsAgain(err error, until time.Time) bool {
	return err != nil && overtaken(err) && s.expectHead() == nil && !time.Now().After(until)
}

// overtaken reports whether a transaction was refused because another commit
// came first and nothing of it is visible: run again it may succeed.
func overtaken(err error) bool {
	var conflict *writepath.ConflictError
	var read *writepath.ReadConflictError
	var schema *writepath.SchemaChangedError
	return sqlstate.OfDefinition(err) != nil || errors.As(err, &conflict) || errors.As(err, &read) || errors.As(err, &schema) ||
		(errors.Is(err, ontosql.ErrHeadMoved) || errors.Is(err, writepath.ErrLeaseLost)) && !errors.Is(err, ontosql.ErrOutcomeUnknown)
}

// commitMetadata is the metadata of the commit that the transaction makes: the setting
// commit_meta, the metadata that a SchemaPlan gives, and commit_message under the key
// message. It is read before the transaction ends, because SET LOCAL ends with it.
func (s *Session) commitMetadata() map[string]string {
	meta := s.settings.CommitMetadata()
	message := s.settings.Value(settings.CommitMessage)
	if meta == nil && (message != "" || len(s.tx.metadata) > 0) {
		meta = map[string]string{}
	}
	maps.Copy(meta, s.tx.metadata)
	if message != "" {
		meta["message"] = message
	}
	return meta
}

// expectHead is the only head that the transaction may be committed on, nil for any.
func (s *Session) expectHead() *ontosql.CommitID {
	if s.tx.head != nil {
		return s.tx.head
	}
	return s.settings.CommitID(settings.ExpectHead)
}

// committed records the session's newest commit in last_commit_id, and sends the NOTICE
// that notice_commits asks for. It is called before the transaction ends, because a SET
// LOCAL of notice_commits ends with it.
func (s *Session) committed(out writepath.Outcome) {
	s.settings.SetFixed(settings.LastCommitID, strconv.FormatInt(int64(out.Commit), 10))
	if s.settings.Value(settings.NoticeCommits) != "on" {
		return
	}
	s.notice(&pgerr.Error{
		Severity: "NOTICE", Code: pgerr.SuccessfulCompletion,
		Message: fmt.Sprintf("committed as %d", out.Commit),
	})
}
