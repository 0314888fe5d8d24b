package sqlite

import (
	"context"
	"fmt"
	"slices"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// transaction is the SQLite transaction of one group.
type transaction struct {
	*Committer
	w      *writer
	engine string
	at     time.Time // created_at of the commit before the next one
	base   int       // of known.landings, how many stood before
	size   int       // of the rows that were written
	landed []*landed
}

// landed is a member of a group that is written, though not yet committed.
type landed struct {
	p       *pending
	landing *landing
	parent  string // mark of the commit before
	outcome writepath.Outcome
}

// refused is a member of a group that is not to be committed.
type refused struct {
	p     *pending
	err   error
	after bool // others of the group had been written when it was judged
}

// decide commits a group in the transaction that was begun for it, each member or
// none of it. It reports whether there was no trouble with the file.
func (c *Committer) decide(group []*pending) bool {
	t := &transaction{Committer: c, w: c.writer}
	if err := t.begin(); err != nil {
		err = c.trouble("begin", err)
		for _, p := range group {
			p.finish(writepath.Outcome{}, err)
		}
		return false
	}
	var no []refused
	var later []*pending
	for i, p := range group {
		if t.full(p, len(group)-i-1) {
			later = append(later, p)
			continue
		}
		err := t.member(p)
		if err == nil {
			continue
		}
		if t.broken(err) {
			t.undo()
			err = c.trouble("commit", err)
			p.finish(writepath.Outcome{}, err)
			c.again(slices.Concat(t.members(), refusedOf(no), later, group[i+1:]), err)
			return false
		}
		no = append(no, refused{p, err, len(t.landed) > 0})
	}
	good := t.end(no)
	c.queue.putBack(later)
	return good
}

// begin finds out where the transaction starts from.
func (t *transaction) begin() error {
	head, at, err := t.w.tip()
	if err != nil {
		return err
	}
	if err := t.know(head); err != nil {
		return err
	}
	t.at, t.base = at, len(t.known.landings)
	t.engine, err = t.w.engine()
	return err
}

// full reports whether a member has to wait for the next group: a large one, which
// takes long, for those before it and once for those behind it, and everybody
// behind much.
func (t *transaction) full(p *pending, behind int) bool {
	if p.large() {
		if len(t.landed) > 0 || behind > 0 && !p.yielded {
			p.yielded = true
			return true
		}
		return false
	}
	return t.size > mostShared
}

// broken reports whether an error is the file's trouble, and not one of the
// transaction alone.
func (t *transaction) broken(err error) bool {
	return conditionOf(err) != nil || lite.ErrCode(err).ToPrimary() == lite.ResultCorrupt || t.w.AutocommitEnabled()
}

// member writes one transaction, wholly or not at all.
func (t *transaction) member(p *pending) error {
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	if r := p.Reservation; r != nil && r.Context().Err() != nil {
		return over(r)
	}
	if err := t.w.exec("SAVEPOINT member"); err != nil {
		return err
	}
	l, err := t.write(p)
	if err != nil {
		if !t.broken(err) {
			if undone := t.w.exec("ROLLBACK TO member"); undone != nil {
				return undone
			}
			if released := t.w.exec("RELEASE member"); released != nil {
				return released
			}
		}
		return err
	}
	if err := t.w.exec("RELEASE member"); err != nil {
		return err
	}
	t.landed = append(t.landed, l)
	t.known.landings = append(t.known.landings, l.landing)
	t.at = l.outcome.CreatedAt
	return nil
}

// write makes the commit of one transaction.
func (t *transaction) write(p *pending) (*landed, error) {
	if err := t.check(p); err != nil {
		return nil, err
	}
	l := &landed{p: p, landing: &landing{types: map[ontosql.TypeRef]bool{}}}
	created := format.TimeOf(t.createdAt(p))
	change, err := t.schemaChange(p, created)
	if err != nil {
		return nil, err
	}
	attempt := randomHex()
	metadata, err := encodeMetadata(&p.Tx, attempt, change)
	if err != nil {
		return nil, err
	}
	if err := t.w.exec("INSERT INTO commits (created_at, metadata_json) VALUES (?, ?)", created.String(), metadata); err != nil {
		return nil, err
	}
	id := ontosql.CommitID(t.w.LastInsertRowID())
	if change != nil {
		if err := t.project(change, id); err != nil {
			return nil, err
		}
	}
	var wrote []typeRows
	for _, d := range p.data {
		n, err := t.insert(p.ctx, d, id)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", d.Type, err)
		}
		if n == 0 {
			continue
		}
		wrote = append(wrote, typeRows{ref: d.Type, n: n, version: d.SchemaVersion})
		l.landing.types[d.Type] = true
		t.size += d.size
	}
	if len(wrote) == 0 && change == nil {
		return nil, errEmpty
	}
	slices.SortFunc(wrote, func(a, b typeRows) int { return a.ref.Compare(b.ref) })
	_, l.parent = t.known.head()
	l.landing.id, l.landing.change = id, change
	l.landing.mark = nextMark(l.parent, id, created.String(), metadata, wrote)
	l.outcome = writepath.Outcome{Commit: id, Attempt: attempt, CreatedAt: created.Time, Files: files(wrote)}
	return l, nil
}

// createdAt never runs backwards (decision A12).
func (t *transaction) createdAt(p *pending) time.Time {
	at := p.At
	if at.IsZero() {
		at = t.o.Now()
	}
	if at.Before(t.at) {
		return t.at
	}
	return at
}

func (t *transaction) members() []*pending {
	ps := make([]*pending, len(t.landed))
	for i, l := range t.landed {
		ps[i] = l.p
	}
	return ps
}

func refusedOf(no []refused) []*pending {
	ps := make([]*pending, len(no))
	for i := range no {
		ps[i] = no[i].p
	}
	return ps
}

// again puts transactions back of which nothing is visible and nothing will be;
// those that were put back too often end with err, and so do those that are
// committed under a reservation, which ends here.
func (c *Committer) again(group []*pending, err error) {
	var rest []*pending
	for _, p := range group {
		if p.tries++; p.tries >= attempts || p.Reservation != nil || c.ctx.Err() != nil {
			p.finish(writepath.Outcome{}, err)
			continue
		}
		rest = append(rest, p)
	}
	c.queue.putBack(rest)
}
