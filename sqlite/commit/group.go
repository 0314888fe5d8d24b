package commit

import (
	"context"
	"fmt"
	"slices"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/codec"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/writepath"
)

// transaction is the SQLite transaction of one group.
type transaction struct {
	*Committer
	w      *sqlconn.Writer
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
			p.Finish(writepath.Outcome{}, err)
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
		err := t.member(p, len(group) == 1)
		if err == nil {
			continue
		}
		if t.broken(err) {
			t.undo()
			err = c.trouble("commit", err)
			p.Finish(writepath.Outcome{}, err)
			c.queue.Again(slices.Concat(t.members(), refusedOf(no), later, group[i+1:]), err)
			return false
		}
		no = append(no, refused{p, err, len(t.landed) > 0})
	}
	good := t.end(no)
	c.queue.PutBack(later)
	return good
}

// begin finds out where the transaction starts from.
func (t *transaction) begin() error {
	if !t.undisturbed() || len(t.known.landings) >= mostLandings || t.known.catalog == "" {
		if err := t.know(t.version); err != nil {
			return err
		}
	}
	t.at, t.base = t.known.at, len(t.known.landings)
	return nil
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
	return sqlconn.Condition(err) != nil || lite.ErrCode(err).ToPrimary() == lite.ResultCorrupt || t.w.AutocommitEnabled()
}

// member writes one transaction, wholly or not at all; one that is the whole group
// is undone with it.
func (t *transaction) member(p *pending, alone bool) error {
	if err := context.Cause(p.Context()); err != nil {
		return err
	}
	if r := p.Reservation; r != nil && r.Context().Err() != nil {
		return context.Cause(r.Context())
	}
	l, err := t.apart(p, alone)
	if err != nil {
		clear(t.known.types) // some may have been of the schema that it would have made
		return err
	}
	t.landed = append(t.landed, l)
	t.known.landings = append(t.known.landings, l.landing)
	t.at = l.outcome.CreatedAt
	return nil
}

// apart is write, after whose error the transaction goes on without p.
func (t *transaction) apart(p *pending, alone bool) (*landed, error) {
	if alone {
		return t.write(p)
	}
	if err := t.w.Exec("SAVEPOINT member"); err != nil {
		return nil, err
	}
	l, err := t.write(p)
	if err != nil && t.broken(err) {
		return nil, err
	}
	if err != nil {
		if undone := t.w.Exec("ROLLBACK TO member"); undone != nil {
			return nil, undone
		}
	}
	if released := t.w.Exec("RELEASE member"); released != nil {
		return nil, released
	}
	return l, err
}

// write makes the commit of one transaction.
func (t *transaction) write(p *pending) (*landed, error) {
	if err := t.check(p); err != nil {
		return nil, err
	}
	l := &landed{p: p, landing: &landing{types: map[ontosql.TypeRef]bool{}}}
	created := format.TimeOf(p.CreatedAt(t.o.Now, t.at))
	change, err := t.schemaChange(p, created)
	if err != nil {
		return nil, err
	}
	attempt := randomHex()
	metadata, err := codec.EncodeMetadata(&p.Tx, attempt, change)
	if err != nil {
		return nil, err
	}
	if err := t.w.Exec("INSERT INTO commits (created_at, metadata_json) VALUES (?, ?)", created.String(), metadata); err != nil {
		return nil, err
	}
	id := ontosql.CommitID(t.w.LastInsertRowID())
	if change != nil {
		if err := t.project(change, id); err != nil {
			return nil, err
		}
		clear(t.known.types)
		t.known.catalog = ""
	}
	var wrote []codec.TypeRows
	for _, d := range p.data {
		n, err := t.insert(p.Context(), d, id)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", d.Type, err)
		}
		if n == 0 {
			continue
		}
		wrote = append(wrote, codec.TypeRows{Ref: d.Type, Count: n, SchemaVersion: d.SchemaVersion})
		l.landing.types[d.Type] = true
		t.size += d.size
	}
	if len(wrote) == 0 && change == nil {
		return nil, errEmpty
	}
	slices.SortFunc(wrote, func(a, b codec.TypeRows) int { return a.Ref.Compare(b.Ref) })
	_, l.parent = t.known.head()
	l.landing.id, l.landing.change = id, change
	l.landing.mark = codec.CommitPath(l.parent, id, created.String(), metadata, wrote)
	l.outcome = writepath.Outcome{Commit: id, Attempt: attempt, CreatedAt: created.Time, Files: codec.Files(wrote)}
	return l, nil
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
