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
	"github.com/ontosql/ontosql/sqlite/events"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/writepath"
)

// transaction is the SQLite transaction of one group.
type transaction struct {
	*Committer
	w         *sqlconn.Writer
	lastTime  time.Time // created_at of the previous commit
	ownBefore int       // length of baseline.own before the group
	size      int       // bytes of the written rows
	members   []*writtenTx
}

// writtenTx is a member of a group whose rows are written but not committed.
type writtenTx struct {
	pending    *pending
	record     *commitRecord // nil of a transaction that only sends events
	parentPath string        // path of the previous commit
	outcome    writepath.Outcome
}

// rejected is a member that is not committed.
type rejected struct {
	pending     *pending
	err         error
	afterOthers bool // other members were written before it was checked
}

// decide commits a group in the given transaction, each member entirely or not at all. It
// returns false after an error of the file.
func (c *Committer) decide(group []*pending) bool {
	t := &transaction{Committer: c, w: c.writer}
	if err := t.begin(); err != nil {
		err = c.fail("begin", err)
		for _, p := range group {
			p.Finish(writepath.Outcome{}, err)
		}
		return false
	}
	var no []rejected
	var later []*pending
	for i, p := range group {
		if t.mustWait(p, len(group)-i-1) {
			later = append(later, p)
			continue
		}
		err := t.addMember(p, len(group) == 1)
		if err == nil {
			continue
		}
		if t.isFileError(err) {
			t.undo()
			err = c.fail("commit", err)
			p.Finish(writepath.Outcome{}, err)
			c.queue.Retry(slices.Concat(t.memberPending(), rejectedPending(no), later, group[i+1:]), err)
			return false
		}
		no = append(no, rejected{p, err, len(t.members) > 0})
	}
	good := t.finish(no)
	c.queue.PutBack(later)
	return good
}

// begin reads the state from which the transaction starts.
func (t *transaction) begin() error {
	if !t.isUninterrupted() || len(t.baseline.own) >= maxOwnCommits || t.baseline.catalog == "" {
		if err := t.refreshBaseline(t.version); err != nil {
			return err
		}
	}
	t.lastTime, t.ownBefore = t.baseline.headTime, len(t.baseline.own)
	return nil
}

// mustWait reports whether a member waits for the next group. A large member takes long, so it
// waits for the members before it, and once for those queued behind it. Any member waits if
// the group has maxGroupBytes already.
func (t *transaction) mustWait(p *pending, behind int) bool {
	if p.large() {
		if len(t.members) > 0 || behind > 0 && !p.letOthersPass {
			p.letOthersPass = true
			return true
		}
		return false
	}
	return t.size > maxGroupBytes
}

// isFileError reports whether an error is about the file, not about one transaction.
func (t *transaction) isFileError(err error) bool {
	return sqlconn.Condition(err) != nil || lite.ErrCode(err).ToPrimary() == lite.ResultCorrupt || t.w.AutocommitEnabled()
}

// addMember writes one transaction entirely or not at all. The only member of a group needs no
// savepoint: the group's rollback undoes it.
func (t *transaction) addMember(p *pending, alone bool) error {
	if err := context.Cause(p.Context()); err != nil {
		return err
	}
	if r := p.Reservation; r != nil && r.Context().Err() != nil {
		return context.Cause(r.Context())
	}
	l, err := t.writeInSavepoint(p, alone)
	if err != nil {
		clear(t.baseline.types) // some may be of the undone schema
		return err
	}
	t.members = append(t.members, l)
	if l.record == nil {
		return nil
	}
	t.baseline.own = append(t.baseline.own, l.record)
	t.lastTime = l.outcome.CreatedAt
	return nil
}

// writeInSavepoint is write in a savepoint, so that the group continues without p after an
// error.
func (t *transaction) writeInSavepoint(p *pending, alone bool) (*writtenTx, error) {
	if alone {
		return t.write(p)
	}
	if err := t.w.Exec("SAVEPOINT member"); err != nil {
		return nil, err
	}
	l, err := t.write(p)
	if err != nil && t.isFileError(err) {
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

// write writes the events and the commit of one transaction. One that only sends events makes no
// commit.
func (t *transaction) write(p *pending) (*writtenTx, error) {
	if err := t.check(p); err != nil {
		return nil, err
	}
	if err := t.send(p); err != nil {
		return nil, err
	}
	if len(p.data) == 0 && p.ChangesRowsOnly() && p.Merge == nil {
		return &writtenTx{pending: p}, nil
	}
	l := &writtenTx{pending: p, record: &commitRecord{types: map[ontosql.TypeRef]bool{}}}
	created := format.TimeOf(p.CreatedAt(t.o.Now, t.lastTime))
	change, err := t.schemaChange(p, created)
	if err != nil {
		return nil, err
	}
	if len(p.Tags) > 0 {
		if l.record.tags, err = t.changedTags(p); err != nil {
			return nil, err
		}
	}
	attempt := randomHex()
	metadata, err := codec.EncodeMetadata(&p.Tx, attempt, change, l.record.tags)
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
		clear(t.baseline.types)
		t.baseline.catalog = ""
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
		l.record.types[d.Type] = true
		t.size += d.size
	}
	if len(wrote) == 0 && p.ChangesRowsOnly() && p.Merge == nil {
		return nil, errEmpty
	}
	slices.SortFunc(wrote, func(a, b codec.TypeRows) int { return a.Ref.Compare(b.Ref) })
	_, l.parentPath = t.baseline.head()
	l.record.id, l.record.schemaChange = id, change
	l.record.path = codec.CommitPath(l.parentPath, id, created.String(), metadata, wrote)
	l.outcome = writepath.Outcome{Commit: id, Attempt: attempt, CreatedAt: created.Time, Files: codec.Files(wrote)}
	return l, nil
}

// send inserts the events of a transaction.
func (t *transaction) send(p *pending) error {
	if len(p.Events) == 0 {
		return nil
	}
	sent := slices.Clone(p.Events)
	t.sender.Stamp(sent)
	for i := range sent {
		t.size += len(sent[i].Payload)
	}
	return events.Insert(t.w, sent)
}

// changedTags returns the tags after a transaction.
func (t *transaction) changedTags(p *pending) (format.Tags, error) {
	tags, err := t.baseline.tags()
	if err != nil {
		return nil, err
	}
	return writepath.ChangeTags(tags, p.Tags)
}

func (t *transaction) memberPending() []*pending {
	ps := make([]*pending, len(t.members))
	for i, l := range t.members {
		ps[i] = l.pending
	}
	return ps
}

func rejectedPending(no []rejected) []*pending {
	ps := make([]*pending, len(no))
	for i := range no {
		ps[i] = no[i].pending
	}
	return ps
}
