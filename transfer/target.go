package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

// mark is what the object at format.CopyMarkKey holds. It identifies the ontology that is being copied.
type mark struct {
	Engine string `json:"engine_sha256"` // hash of the engine marker
	First  string `json:"first_commit"`  // identifies the first commit, "" for none
}

// same reports whether a copy of o can resume one of m.
func (m mark) same(o mark) bool {
	return m.Engine == o.Engine && (m.First == "" || m.First == o.First)
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// bucketTarget is the bucket that a history is copied to.
type bucketTarget struct {
	bucket   objstore.Bucket
	head     *format.Head // nil for none
	version  objstore.Version
	marked   bool             // the bucket has the mark
	existing map[string]bool  // the existing objects below commits/
	base     ontosql.CommitID // last commit visible before
	put      putCounter

	mu    sync.Mutex
	owned bool            // own has found the head as it was
	held  *writepath.Held // of a target that has a head
}

// openTarget checks the target: it must be empty, have an interrupted copy of the same
// ontology, or have a head. own accepts the head, which is nil if there is none. Unless the target is at the commit to already, it
// gets the mark: its objects above the head are no garbage (maintain/gc).
func openTarget(ctx context.Context, b objstore.Bucket, m mark, to ontosql.CommitID, own func(*format.Head) error) (*bucketTarget, error) {
	t := &bucketTarget{bucket: b, existing: map[string]bool{}}
	body, version, err := b.Get(ctx, format.HeadKey)
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return nil, fmt.Errorf("read the target's head: %w", err)
	}
	if err == nil {
		if t.head, err = format.DecodeHead(format.HeadKey, body); err != nil {
			return nil, fmt.Errorf("read the target's head: %w", err)
		}
		t.version, t.base = version, t.head.CommitID
	}
	if err := own(t.head); err != nil {
		return nil, err
	}
	if t.head != nil {
		if err := checkUnlocked(ctx, b); err != nil {
			return nil, err
		}
	}
	found, err := readMark(ctx, b)
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		t.marked = true
		if t.head == nil && !found.same(m) {
			return nil, fmt.Errorf("%w: it has an interrupted copy of another one", ErrOtherOntology)
		}
	}
	if t.head == nil || t.marked { // otherwise nothing of a copy is above the head
		if err := t.listExisting(ctx); err != nil {
			return nil, err
		}
	}
	if t.marked || t.head != nil && t.base == to {
		return t, nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if _, err := b.Put(ctx, format.CopyMarkKey, text); err != nil {
		return nil, fmt.Errorf("write mark: %w", err)
	}
	t.marked = true
	return t, nil
}

// listExisting lists what an interrupted copy has written. Without one the bucket must be empty.
func (t *bucketTarget) listExisting(ctx context.Context) error {
	empty := true
	err := t.bucket.List(ctx, "", func(o objstore.Object) error {
		empty = false
		if _, _, ok := format.ParseCommitDir(o.Key); ok {
			t.existing[o.Key] = true
		}
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("list the target: %w", err)
	case !empty && !t.marked:
		return ErrNotEmpty
	}
	return nil
}

func readMark(ctx context.Context, b objstore.Bucket) (*mark, error) {
	body, _, err := b.Get(ctx, format.CopyMarkKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read mark: %w", err)
	}
	m := &mark{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, &ontosql.CorruptError{Key: format.CopyMarkKey, Err: err}
	}
	return m, nil
}

// leaseTTL is the length of the lease on a target. It is short, because who goes on with the
// target of a copy that was killed waits for its end.
const leaseTTL = 10 * time.Second

// own makes sure, before each object that may change is written, that nobody else writes to the
// target: from the first one on it holds the write lock, and the head is the one that the copy
// began with. A place without a head has no writers, so that it has no lock; if somebody else
// makes an ontology there, nothing is written over it. The error wraps
// objstore.ErrPreconditionFailed if the head has moved, and is a *writepath.LeaseHeldError or
// writepath.ErrLeaseLost.
func (t *bucketTarget) own(ctx context.Context) (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.head != nil && t.held == nil {
		o := writepath.MaintenanceOptions{Bucket: t.bucket, Owner: "copy", LeaseTTL: leaseTTL}
		if t.held, err = writepath.Hold(ctx, o); err != nil {
			return fmt.Errorf("lock the target: %w", err)
		}
	}
	if !t.owned {
		_, version, err := t.bucket.Get(ctx, format.HeadKey)
		if err != nil && !errors.Is(err, objstore.ErrNotFound) {
			return fmt.Errorf("read the target's head: %w", err)
		}
		if version != t.version {
			return fmt.Errorf("another writer changed the target: %w", objstore.ErrPreconditionFailed)
		}
		t.owned = true
	}
	if t.held != nil {
		return t.held.Check()
	}
	return nil
}

// close releases the lock.
func (t *bucketTarget) close() {
	if t.held != nil {
		t.held.Release()
	}
}

// change writes an object that may change, unless the target has the same content. Somebody
// else's change since it was read is not written over.
func (t *bucketTarget) change(ctx context.Context, key string, body []byte) error {
	there, version, err := t.bucket.Get(ctx, key)
	if err == nil && bytes.Equal(there, body) {
		return nil
	}
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return fmt.Errorf("read %s: %w", key, err)
	}
	if err := t.own(ctx); err != nil {
		return err
	}
	if _, err := t.swap(ctx, key, version, body); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	t.put.add(int64(len(body)))
	return nil
}

// swap replaces a version of an object. Without a clear answer it reads the object back.
func (t *bucketTarget) swap(ctx context.Context, key string, old objstore.Version, body []byte) (objstore.Version, error) {
	version, err := t.bucket.Swap(ctx, key, old, body)
	if err == nil {
		return version, nil
	}
	found, version, look := t.bucket.Get(ctx, key)
	if look == nil && bytes.Equal(found, body) {
		return version, nil
	}
	return objstore.Absent, err
}

// checkUnlocked returns an error if a writer may be active in the target.
func checkUnlocked(ctx context.Context, b objstore.Bucket) error {
	body, _, err := b.Get(ctx, format.LockKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the target's lock: %w", err)
	}
	lock, err := format.DecodeLock(format.LockKey, body)
	if err != nil {
		return err
	}
	if lock.Expired(time.Now()) || lock.Released() {
		return nil
	}
	return &writepath.LeaseHeldError{Owner: lock.OwnerID, Until: lock.ExpiresAt.Time}
}

// checkPrefix returns an error unless the target's head is on the chain of view.
func checkPrefix(ctx context.Context, from, to objstore.Bucket, view *chain.View, head *format.Head) error {
	if head.CommitID > view.Head().Commit || view.Commit(head.CommitID).Path != *head.ManifestPath {
		return ErrOtherOntology
	}
	return checkSame(ctx, from, to, *head.ManifestPath)
}

// checkSame returns an error unless both buckets have an object with the same content.
func checkSame(ctx context.Context, from, to objstore.Bucket, key string) error {
	ours, _, err := from.Get(ctx, key)
	if err != nil {
		return fmt.Errorf("read %s: %w", key, err)
	}
	theirs, _, err := to.Get(ctx, key)
	if err != nil {
		return fmt.Errorf("read %s of the target: %w", key, err)
	}
	if !bytes.Equal(ours, theirs) {
		return ErrOtherOntology
	}
	return nil
}

// removeMark ends the copy.
func (t *bucketTarget) removeMark(ctx context.Context) error {
	if !t.marked {
		return nil
	}
	if err := t.bucket.Delete(ctx, format.CopyMarkKey); err != nil {
		return fmt.Errorf("remove mark: %w", err)
	}
	return nil
}

// moveHead makes the copy visible: it writes the head once, unless the target has it.
func (t *bucketTarget) moveHead(ctx context.Context, head *format.Head, body []byte) error {
	if t.head != nil && head.CommitID <= t.head.CommitID {
		return nil
	}
	if err := t.own(ctx); err != nil {
		return err
	}
	version, err := t.swap(ctx, format.HeadKey, t.version, body)
	if errors.Is(err, objstore.ErrPreconditionFailed) {
		return fmt.Errorf("write head: another writer changed the target: %w", err)
	}
	if err != nil {
		return fmt.Errorf("write head: %w", err)
	}
	t.version = version
	return nil
}

// chainOf returns the chain below a head, read from the store.
func chainOf(ctx context.Context, b objstore.Bucket, head *format.Head) (*chain.View, error) {
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // nothing to save without a directory
	return log.At(ctx, head)
}
