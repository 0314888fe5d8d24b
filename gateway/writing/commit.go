package writing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// CommitStaged commits what the transaction has staged. Whatever the outcome,
// nothing stays staged.
func CommitStaged(ctx context.Context, s *session.Session) error {
	defer s.Unstage(ctx)
	_, err := CommitOnce(ctx, s)
	return err
}

// CommitOnce makes one commit over all types of which anything is staged; a
// transaction that changes nothing makes none.
func CommitOnce(ctx context.Context, s *session.Session) (ontosql.CommitID, error) {
	return CommitBy(ctx, s, s.DB.Commit)
}

// CommitBy is CommitOnce with a given method of the committer.
func CommitBy(ctx context.Context, s *session.Session, commit func(context.Context, writepath.Tx) (writepath.Outcome, error)) (ontosql.CommitID, error) {
	s.TakeEvents()
	tx := writepath.Tx{
		Actor:       s.SessionUser(),
		Metadata:    s.CommitMetadata(),
		LockTimeout: s.Settings.Timeout("lock_timeout"),
		ExpectHead:  s.ExpectHead(),
		Reservation: s.Tx.Reserved,
	}
	for _, g := range s.Tx.Staged {
		unchangedRows, err := SearchStore(s, g).unchangedRows(ctx, s.Tx.Pin)
		if err != nil {
			return 0, err
		}
		if err := g.FlushDraft(); err != nil {
			return 0, err
		}
		if g.HasChanges(unchangedRows) {
			// The client cannot cancel a commit that has started.
			tx.Data = append(tx.Data, g.Data(context.WithoutCancel(ctx), unchangedRows))
		}
	}
	if len(tx.Data) == 0 && len(s.Tx.Tags) == 0 && len(s.Tx.Events) == 0 {
		if changes, err := s.Tx.Schema.HasChanges(s.TxStarted()); err != nil || !changes {
			return 0, err
		}
	}
	tx.Tags, tx.Events = s.Tx.Tags, s.Tx.Events
	if s.Tx.Pin != nil { // it may send events without reading anything
		tx.Pin = s.Tx.Pin.Head.Commit
	}
	tx.Reads, tx.ReadsHead = slices.SortedFunc(maps.Keys(s.Tx.Read.Types), ontosql.TypeRef.Compare), s.Tx.Read.Ontology
	if d := s.Tx.Schema; d != nil {
		tx.Schema, tx.Reads, tx.Migrated = d.Apply, append(tx.Reads, d.DependsOn...), d.Migrated
	}
	outcome, err := commit(ctx, tx)
	s.DB.Committed()
	if len(tx.Events) > 0 {
		s.DB.Sent() // those of a commit in a bucket come later, and are told of then (storage.Sender)
	}
	if err != nil {
		return 0, err
	}
	if outcome.Commit == 0 { // events alone
		return 0, nil
	}
	s.DB.Storage.Wrote(outcome.Files, stagedKeys(s))
	if tx.Schema != nil {
		s.DB.ForgetPin() // statements are planned by the new schema from now on
	}
	committed(s, outcome)
	return outcome.Commit, nil
}

// stagedKeys are the ranges of the first key texts that are staged, by type.
func stagedKeys(s *session.Session) map[ontosql.TypeRef]storage.KeyRange {
	keys := map[ontosql.TypeRef]storage.KeyRange{}
	for _, g := range s.Tx.Staged {
		low, high := g.KeyRange()
		keys[g.Type.Ref] = storage.KeyRange{Low: low, High: high}
	}
	return keys
}

// RetryTime bounds how long a statement alone in its transaction is run again
// after conflicts (decision A32).
const RetryTime = 10 * time.Second

// RunsAgain reports whether a statement that is its own transaction is run again after an
// error.
func RunsAgain(s *session.Session, err error, until time.Time) bool {
	return err != nil && overtaken(err) && s.ExpectHead() == nil && !time.Now().After(until)
}

// overtaken reports whether a transaction was refused because of another commit and has left
// nothing visible, so that a second run may succeed.
func overtaken(err error) bool {
	var conflict *writepath.ConflictError
	var read *writepath.ReadConflictError
	var schema *writepath.SchemaChangedError
	var tag *writepath.TagConflictError
	return sqlstate.OfDefinition(err) != nil || errors.As(err, &conflict) || errors.As(err, &read) || errors.As(err, &schema) || errors.As(err, &tag) ||
		(errors.Is(err, ontosql.ErrHeadMoved) || errors.Is(err, writepath.ErrLeaseLost)) && !errors.Is(err, ontosql.ErrOutcomeUnknown)
}

// committed records the session's newest commit in last_commit_id, and sends the NOTICE
// that notice_commits asks for. It is called before the transaction ends, because a SET
// LOCAL of notice_commits ends with it.
func committed(s *session.Session, out writepath.Outcome) {
	s.Settings.SetFixed(settings.LastCommitID, strconv.FormatInt(int64(out.Commit), 10))
	if s.Settings.Value(settings.NoticeCommits) != "on" {
		return
	}
	s.Notice(&pgerr.Error{
		Severity: "NOTICE", Code: pgerr.SuccessfulCompletion,
		Message: fmt.Sprintf("committed as %d", out.Commit),
	})
}
