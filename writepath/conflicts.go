package writepath

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// selectMembers decides which transactions share the next head swap, and which wait for a
// later one.
//   - A transaction in conflict with a commit after its pin fails here, alone.
//   - A transaction waits if it writes an identity of an earlier member, or has read a type
//     that an earlier member writes.
//   - A transaction that expects a head can only be the first of a group, because only the
//     first knows the commit before it.
//   - A change of the schema or of tags is a group of its own. So is a large transaction, whose
//     upload is slow.
func (t *lockHolder) selectMembers(group []*pending) (members, later []*pending) {
	taken := map[ontosql.TypeRef]map[string]bool{}
	size := 0 // of the members' rows
	for i, p := range group {
		if p.ctx.Err() != nil {
			p.Finish(Outcome{}, context.Cause(p.ctx))
			continue
		}
		if !p.ChangesRowsOnly() && len(members) > 0 {
			return members, append(later, group[i:]...)
		}
		if p.defers(members, len(group)-i-1) {
			later = append(later, p)
			continue
		}
		if len(members) > 0 && (p.ExpectHead != nil || size+p.size > maxGroupBytes) {
			later = append(later, p)
			continue
		}
		if err := t.checkConflicts(p); err != nil {
			p.Finish(Outcome{}, t.cause(err))
			continue
		}
		if p.readsAnyOf(taken) || takeIdentities(taken, p.writes) {
			later = append(later, p)
			continue
		}
		members = append(members, p)
		if size += p.size; !p.ChangesRowsOnly() || p.large() {
			return members, append(later, group[i+1:]...)
		}
	}
	return members, later
}

// defers reports whether a large transaction lets others commit first: the members before
// it, and once those queued behind it.
func (p *pending) defers(before []*pending, behind int) bool {
	if !p.large() || len(before) == 0 && (behind == 0 || p.deferred) {
		return false
	}
	p.deferred = true
	return true
}

// readsAnyOf reports whether the transaction has read a type that an earlier member writes.
func (p *pending) readsAnyOf(taken map[ontosql.TypeRef]map[string]bool) bool {
	return p.ReadsHead && len(taken) > 0 ||
		slices.ContainsFunc(p.Reads, func(t ontosql.TypeRef) bool { return taken[t] != nil })
}

// takeIdentities adds the identities of writes to taken, unless one is taken already; then
// it returns true. They are few, because a large transaction shares no group.
func takeIdentities(taken map[ontosql.TypeRef]map[string]bool, writes map[ontosql.TypeRef]*identities) bool {
	for ref, ids := range writes {
		for id := range ids.exact {
			if taken[ref][id] {
				return true
			}
		}
	}
	for ref, ids := range writes {
		if taken[ref] == nil {
			taken[ref] = map[string]bool{}
		}
		for id := range ids.exact {
			taken[ref][id] = true
		}
	}
	return false
}

// checkConflicts compares one transaction with the commits after its pin.
func (t *lockHolder) checkConflicts(p *pending) error {
	ctx := t.lease.ctx
	if p.Pin > t.store.head.CommitID || p.ExpectHead != nil && *p.ExpectHead > t.store.head.CommitID {
		// It read a newer head than ours: another process committed without our lock.
		t.own.Store(nil)
		if err := t.store.readHead(ctx); err != nil {
			return err
		}
		if p.Pin > t.store.head.CommitID {
			return fmt.Errorf("the transaction read commit %d and the head is commit %d: %w", p.Pin, t.store.head.CommitID, ontosql.ErrHeadMoved)
		}
	}
	if actual := t.store.head.CommitID; p.ExpectHead != nil && *p.ExpectHead != actual {
		return &HeadConflictError{Expected: *p.ExpectHead, Actual: actual}
	}
	since, err := t.store.since(ctx, p.Pin)
	if err != nil {
		return err
	}
	if err := t.readForeignIdentities(since, p); err != nil {
		return err
	}
	for _, l := range since {
		if err := p.checkReads(l); err != nil {
			return err
		}
		for _, d := range p.Data {
			if l.change.DropOf(d.Type) != nil {
				return &SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion}
			}
			if actual, touched := l.change.VersionAfter(d.Type); touched && actual != d.SchemaVersion {
				return &SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion, Actual: actual}
			}
			if err := p.conflict(d, l); err != nil {
				return err
			}
		}
	}
	for _, d := range p.Data {
		if t.store.dropped(d.Type) > p.Pin {
			return &SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion}
		}
	}
	return nil
}

// checkReads returns an error if the transaction depends on what the commit l wrote.
func (p *pending) checkReads(l *commitInfo) error {
	if p.ReadsHead {
		return &ReadConflictError{Pin: p.Pin, Actual: l.id}
	}
	for _, ref := range p.Reads {
		_, altered := l.change.VersionAfter(ref)
		if altered || slices.ContainsFunc(l.files, func(f format.File) bool { return f.Ref() == ref }) {
			return &ReadConflictError{Type: ref, Pin: p.Pin, Actual: l.id, Altered: altered}
		}
	}
	return nil
}

// readForeignIdentities reads, in parallel, the identities of the foreign files that a
// transaction is checked against.
func (t *lockHolder) readForeignIdentities(since []*commitInfo, p *pending) error {
	g, ctx := errgroup.WithContext(t.lease.ctx)
	g.SetLimit(parallel)
	for _, l := range since {
		if !slices.ContainsFunc(p.Data, func(d Data) bool { return l.identitiesUnknown(d.Type) }) {
			continue // most commits are our own
		}
		g.Go(func() error {
			for _, d := range p.Data {
				if err := t.loadIdentities(ctx, l, d.Type); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// conflict finds an identity of a type that the commit l wrote too: the least of few, or the
// first of many, so that the same history gives the same error.
func (p *pending) conflict(d Data, l *commitInfo) error {
	mine, theirs := p.writes[d.Type], l.writes[d.Type]
	if !mine.intersects(theirs) {
		return nil
	}
	if mine.hashed != nil {
		// The identity and the expected commit behind a hash are only in the rows.
		for row, err := range d.Rows {
			if err != nil {
				return fmt.Errorf("write %s: %w", d.Type, err)
			}
			if id := Identity(d.Type.Kind, &row.Row); theirs.has(id) {
				return &ConflictError{Type: d.Type, Key: id, Expected: row.Expected, Actual: l.id}
			}
		}
		return nil // a hash collision
	}
	found, key := false, ""
	for id := range mine.exact {
		if theirs.has(id) && (!found || id < key) {
			found, key = true, id
		}
	}
	return &ConflictError{Type: d.Type, Key: key, Expected: mine.exact[key], Actual: l.id}
}

// identitiesOf fetches a data file into a local one, as the Parquet reader requires, and reads
// its identities.
func identitiesOf(ctx context.Context, b objstore.Bucket, dir string, file chain.File, each func(string)) error {
	body, _, err := b.Open(ctx, file.Path)
	if err != nil {
		return fmt.Errorf("read data file: %w", err)
	}
	defer body.Close()
	local, err := makeTemp(dir)
	if err != nil {
		return fmt.Errorf("store data file: %w", err)
	}
	defer os.Remove(local.Name())
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(local, sum), body)
	if closeErr := local.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("store data file: %w", err)
	}
	if file.ContentSHA256 != "" && file.ContentSHA256 != hex.EncodeToString(sum.Sum(nil)) {
		return ontosql.Corrupt(file.Path, "", "the content has another sha256 than the manifest says")
	}
	return ReadIdentities(local.Name(), file, each)
}

// ReadIdentities calls each for the identities of the rows in a data file with the local copy
// path, for Options.Identities. An error in the content is a *ontosql.CorruptError.
func ReadIdentities(path string, file chain.File, each func(identity string)) error {
	kind := file.Ref().Kind
	if err := format.ReadIdentities(path, func(r *format.Row) { each(Identity(kind, r)) }); err != nil {
		return &ontosql.CorruptError{Key: file.Path, Err: err}
	}
	return nil
}
