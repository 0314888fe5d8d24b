package commit

import (
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/writepath"
)

// finish commits the group and ends its members.
func (t *transaction) finish(no []rejected) bool {
	if len(t.members) == 0 {
		t.w.Rollback()
		for _, r := range no {
			r.pending.Finish(writepath.Outcome{}, r.err)
		}
		return true
	}
	if err := t.commit(); err != nil {
		t.undo()
		for _, l := range t.members {
			l.pending.Finish(writepath.Outcome{}, t.outcomeOf(l, err))
		}
		for _, r := range no {
			// It may have been rejected because of a commit that failed now.
			r.pending.Finish(writepath.Outcome{}, r.errorAfter(err))
		}
		return false
	}
	t.walDirty, t.walBytes = true, t.walBytes+t.size+len(t.members)*walBytesPerCommit
	t.baseline.cleanAt, t.baseline.headTime = t.version, t.lastTime
	for _, l := range t.members {
		t.notify(l)
	}
	for _, l := range t.members {
		l.pending.Finish(l.outcome, nil)
	}
	for _, r := range no {
		r.pending.Finish(writepath.Outcome{}, r.err)
	}
	return true
}

// errorAfter returns the error of a rejected member after the group's commit failed with err:
// err itself, if the member may have been rejected because of another.
func (r *rejected) errorAfter(err error) error {
	if r.afterOthers {
		return err
	}
	return r.err
}

// commit commits the SQLite transaction. After an error nothing of the group is visible,
// except for ontosql.ErrOutcomeUnknown.
func (t *transaction) commit() error {
	if !t.w.InPlace() {
		t.w.Rollback()
		err := fmt.Errorf("commit: %w: the file was replaced or removed", ontosql.ErrStorage)
		t.dropWriter()
		return err
	}
	err := t.w.Exec("COMMIT")
	if err == nil {
		return nil
	}
	unknown := sqlconn.CommitUnconfirmed(err)
	err = t.fail("commit", err)
	if unknown {
		return errors.Join(ontosql.ErrOutcomeUnknown, err)
	}
	return err
}

func (t *transaction) outcomeOf(l *writtenTx, err error) error {
	if l.record != nil && errors.Is(err, ontosql.ErrOutcomeUnknown) {
		return &writepath.UnknownOutcomeError{Commit: l.outcome.Commit, Attempt: l.outcome.Attempt, Err: err}
	}
	return err
}

// undo removes the group's members from the baseline after a rollback.
func (t *transaction) undo() {
	clear(t.baseline.types)
	if len(t.baseline.own) > t.ownBefore { // otherwise a failure has reset the baseline
		t.baseline.own = t.baseline.own[:t.ownBefore]
	}
}

// notify calls Options.OnCommit for a commit.
func (t *transaction) notify(l *writtenTx) {
	if t.o.OnCommit == nil || l.record == nil {
		return
	}
	identities := map[ontosql.TypeRef]map[string]ontosql.CommitID{}
	rows := make([][]format.Row, len(l.outcome.Files))
	for _, d := range l.pending.data {
		if d.identities != nil {
			identities[d.Type] = d.identities
		}
		for i := range l.outcome.Files {
			if l.outcome.Files[i].Ref() == d.Type {
				rows[i] = d.smallRows(l.record.id)
			}
		}
	}
	waiting, _ := t.queue.State()
	t.o.OnCommit(writepath.LocalCommit{
		Commit: l.record.id, Path: l.record.path, Parent: l.parentPath, Files: l.outcome.Files,
		Bodies: make([][]byte, len(l.outcome.Files)), Rows: rows, Schema: l.record.schemaChange != nil, Identities: identities,
		Took: l.pending.Took(t.o.Now()), Queued: waiting,
	})
}
