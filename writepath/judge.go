package writepath

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// judge decides which transactions can share the next head swap. Those in
// conflict with what landed since their pins end here, alone. One that writes
// an identity of an earlier member waits for that member's fate, and so does one
// that expects a head: only the first of a group knows the commit before it. So
// does everything around a schema change, which is a group of its own.
func (t *holding) judge(group []*pending) (members, later []*pending) {
	taken := map[ontosql.TypeRef]map[string]bool{}
	for i, p := range group {
		if p.ctx.Err() != nil {
			p.finish(Outcome{}, context.Cause(p.ctx))
			continue
		}
		if p.Schema != nil && len(members) > 0 {
			return members, append(later, group[i:]...)
		}
		if p.ExpectHead != nil && len(members) > 0 {
			later = append(later, p)
			continue
		}
		if err := t.check(p); err != nil {
			p.finish(Outcome{}, t.cause(err))
			continue
		}
		if overlap(taken, p.writes) {
			later = append(later, p)
			continue
		}
		members = append(members, p)
		if p.Schema != nil {
			return members, append(later, group[i+1:]...)
		}
	}
	return members, later
}

// overlap reports whether writes has an identity that is taken, and takes them
// all.
func overlap(taken map[ontosql.TypeRef]map[string]bool, writes map[ontosql.TypeRef]map[string]ontosql.CommitID) bool {
	for ref, ids := range writes {
		for id := range ids {
			if taken[ref][id] {
				return true
			}
		}
	}
	for ref, ids := range writes {
		if taken[ref] == nil {
			taken[ref] = map[string]bool{}
		}
		for id := range ids {
			taken[ref][id] = true
		}
	}
	return false
}

// check holds one transaction against the commits after its pin.
func (t *holding) check(p *pending) error {
	ctx := t.lease.ctx
	if p.Pin > t.store.head.CommitID || p.ExpectHead != nil && *p.ExpectHead > t.store.head.CommitID {
		// It saw more than we did: somebody committed without our lock.
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
	if err := t.look(since, p); err != nil {
		return err
	}
	for _, d := range p.Data {
		if t.store.dropped(d.Type) > p.Pin {
			return &SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion}
		}
	}
	for _, l := range since {
		for _, d := range p.Data {
			if droppedBy(l.change, d.Type) {
				return &SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion}
			}
			if actual, touched := versionAfter(l.change, d.Type); touched && actual != d.SchemaVersion {
				return &SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion, Actual: actual}
			}
			if err := conflict(d.Type, p.writes[d.Type], l); err != nil {
				return err
			}
		}
	}
	return nil
}

// look reads, in parallel, the identities of the foreign files that a
// transaction is held against.
func (t *holding) look(since []*landing, p *pending) error {
	g, ctx := errgroup.WithContext(t.lease.ctx)
	g.SetLimit(parallel)
	for _, l := range since {
		if !slices.ContainsFunc(p.Data, func(d Data) bool { return l.unread(d.Type) }) {
			continue // of most commits we wrote the files ourselves
		}
		g.Go(func() error {
			for _, d := range p.Data {
				if _, err := l.wrote(ctx, d.Type, t.o.Identities); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// conflict finds an identity of a type that the commit l wrote too: the least
// one, so that the same history gives the same error.
func conflict(ref ontosql.TypeRef, writes map[string]ontosql.CommitID, l *landing) error {
	theirs := l.writes[ref]
	few, many := writes, theirs
	if len(few) > len(many) {
		few, many = many, few
	}
	found, key := false, ""
	for id := range few {
		if _, both := many[id]; both && (!found || id < key) {
			found, key = true, id
		}
	}
	if !found {
		return nil
	}
	return &ConflictError{Type: ref, Key: key, Expected: writes[key], Actual: l.id}
}

// versionAfter is the schema version of a type after a schema change, 0 where
// it is gone; touched is false where the change left it alone.
func versionAfter(change *format.SchemaChange, ref ontosql.TypeRef) (version int64, touched bool) {
	if change == nil {
		return 0, false
	}
	for _, v := range change.Versions {
		if v.TypeKind == ref.Kind.String() && v.TypeName == ref.Name {
			current, _ := v.Current()
			return current.SchemaVersionID, true
		}
	}
	return 0, droppedBy(change, ref)
}

// droppedBy reports whether a schema change dropped a type, which it may have
// made anew: then it is another type.
func droppedBy(change *format.SchemaChange, ref ontosql.TypeRef) bool {
	return change != nil && slices.ContainsFunc(change.Dropped, func(d format.DroppedRef) bool {
		return d.Kind == ref.Kind.String() && d.Type == ref.Name
	})
}

// identitiesOf fetches a data file and reads the identities in it. The Parquet
// reader wants a local file.
func identitiesOf(ctx context.Context, b objstore.Bucket, file chain.File) (map[string]struct{}, error) {
	body, _, err := b.Get(ctx, file.Path)
	if err != nil {
		return nil, fmt.Errorf("read data file: %w", err)
	}
	if sum := sha256.Sum256(body); file.ContentSHA256 != "" && file.ContentSHA256 != hex.EncodeToString(sum[:]) {
		return nil, ontosql.Corrupt(file.Path, "", "the content has another sha256 than the manifest says")
	}
	local, err := os.CreateTemp("", "ontosql-*.parquet")
	if err != nil {
		return nil, fmt.Errorf("keep data file: %w", err)
	}
	defer os.Remove(local.Name())
	_, err = bytes.NewReader(body).WriteTo(local)
	if closeErr := local.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("keep data file: %w", err)
	}
	return ReadIdentities(local.Name(), file)
}

// ReadIdentities reads the identities of the rows in a data file, of which path
// is a local copy, for Options.Identities. An error of the content is a
// *ontosql.CorruptError.
func ReadIdentities(path string, file chain.File) (map[string]struct{}, error) {
	rows, err := format.ReadRows(path)
	if err != nil {
		return nil, &ontosql.CorruptError{Key: file.Path, Err: err}
	}
	found := make(map[string]struct{}, len(rows))
	for i := range rows {
		found[Identity(file.Ref().Kind, &rows[i])] = struct{}{}
	}
	return found, nil
}
