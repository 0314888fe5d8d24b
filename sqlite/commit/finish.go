package commit

import (
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/writepath"
)

// end commits what was written, and answers.
func (t *transaction) end(no []refused) bool {
	if len(t.landed) == 0 {
		t.w.Rollback()
		for _, r := range no {
			r.p.Finish(writepath.Outcome{}, r.err)
		}
		return true
	}
	if err := t.commit(); err != nil {
		t.undo()
		for _, l := range t.landed {
			l.p.Finish(writepath.Outcome{}, t.outcomeOf(l, err))
		}
		for _, r := range no {
			// What it was refused for may be a commit that is none.
			r.p.Finish(writepath.Outcome{}, r.unless(err))
		}
		return false
	}
	t.dirty, t.logged = true, t.logged+t.size+len(t.landed)*pagesOfCommit
	t.known.settled, t.known.at = t.version, t.at
	for _, l := range t.landed {
		t.tell(l)
	}
	for _, l := range t.landed {
		l.p.Finish(l.outcome, nil)
	}
	for _, r := range no {
		r.p.Finish(writepath.Outcome{}, r.err)
	}
	return true
}

// unless is why a member was refused, err where that hangs on others that failed.
func (r *refused) unless(err error) error {
	if r.after {
		return err
	}
	return r.err
}

// commit makes the group last. After an error nothing of it is visible, save where
// it is a *writepath.UnknownOutcomeError for each.
func (t *transaction) commit() error {
	if !t.w.InPlace() {
		t.w.Rollback()
		err := fmt.Errorf("commit: %w: the file was replaced or removed", ontosql.ErrStorage)
		t.drop()
		return err
	}
	err := t.w.Exec("COMMIT")
	if err == nil {
		return nil
	}
	unknown := sqlconn.CommitUnconfirmed(err)
	err = t.trouble("commit", err)
	if unknown {
		return errors.Join(ontosql.ErrOutcomeUnknown, err)
	}
	return err
}

func (t *transaction) outcomeOf(l *landed, err error) error {
	if errors.Is(err, ontosql.ErrOutcomeUnknown) {
		return &writepath.UnknownOutcomeError{Commit: l.outcome.Commit, Attempt: l.outcome.Attempt, Err: err}
	}
	return err
}

// undo forgets the members of a group of which nothing came.
func (t *transaction) undo() {
	clear(t.known.types)
	if len(t.known.landings) > t.base { // after some trouble nothing is known any more
		t.known.landings = t.known.landings[:t.base]
	}
}

// tell lets this process know of a commit.
func (t *transaction) tell(l *landed) {
	if t.o.Landed == nil {
		return
	}
	identities := map[ontosql.TypeRef]map[string]ontosql.CommitID{}
	rows := make([][]format.Row, len(l.outcome.Files))
	for _, d := range l.p.data {
		if d.few != nil {
			identities[d.Type] = d.few
		}
		for i := range l.outcome.Files {
			if l.outcome.Files[i].Ref() == d.Type {
				rows[i] = d.kept(l.landing.id)
			}
		}
	}
	t.o.Landed(writepath.Landed{
		Commit: l.landing.id, Path: l.landing.mark, Parent: l.parent, Files: l.outcome.Files,
		Bodies: make([][]byte, len(l.outcome.Files)), Rows: rows, Schema: l.landing.change != nil, Identities: identities,
	})
}
