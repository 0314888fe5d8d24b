package writepath

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// maxSwapTries bounds how often a head swap is sent. It is sent again only if nothing was
// written, or a check showed that it did not succeed: at most one of them can, because each
// requires the version that the other replaces.
const maxSwapTries = 4

// swap makes a staged group visible as a whole. The error is ErrLeaseLost if nothing was sent,
// ontosql.ErrHeadMoved if another commit took the group's number, ontosql.ErrOutcomeUnknown if
// the outcome cannot be determined, and any other if nothing was written.
func (t *lockHolder) swap(staged []*attempt) error {
	first, last := staged[0].landing, staged[len(staged)-1]
	next := &format.Head{
		CommitID:     last.landing.id,
		CommitSHA256: last.sha256,
		ManifestPath: &last.landing.path,
		RuntimeID:    t.o.RuntimeID,
		UpdatedAt:    last.manifest.CreatedAt,
	}
	t.own.Store(nil) // until the outcome is known
	var open error   // the error of a swap that was sent and may have succeeded
	var err error
	for range maxSwapTries {
		if ended := t.lease.check(); ended != nil {
			return unknownAfter(open, ended)
		}
		began := time.Now()
		var version objstore.Version
		version, err = t.o.Bucket.Swap(t.lease.ctx, format.HeadKey, t.store.version, format.EncodeHead(next))
		t.roundTrip = time.Since(began)
		switch {
		case err == nil:
			t.store.head, t.store.version = next, version
			return nil
		case errors.Is(err, objstore.ErrConflict):
			_ = sleep(t.lease.ctx, 5*time.Millisecond)
			continue
		case notWritten(err) && !errors.Is(err, objstore.ErrPreconditionFailed):
			return unknownAfter(open, fmt.Errorf("write head: %w", err))
		}
		// A refusal is checked too: the request may have been duplicated on the way, and the
		// second copy refused because of the first.
		open = err
		switch landed, moved, lookErr := t.settle(first); {
		case lookErr != nil:
			return unknownAfter(open, lookErr)
		case landed:
			return nil
		case moved:
			return fmt.Errorf("write head: %w", errors.Join(ontosql.ErrHeadMoved, err))
		}
	}
	return unknownAfter(open, fmt.Errorf("write head: %w", err))
}

// unknownAfter returns err if no sent swap is unsettled, otherwise an unknown outcome.
func unknownAfter(open, err error) error {
	if open == nil {
		return err
	}
	return &unsettledError{open: open, err: err}
}

// unsettledError is an ontosql.ErrOutcomeUnknown: a swap that was sent may have succeeded, and
// err is why that could not be determined.
type unsettledError struct{ open, err error }

// Error does not repeat a cause that is part of err.
func (e *unsettledError) Error() string {
	if strings.Contains(e.err.Error(), e.open.Error()) {
		return e.err.Error()
	}
	return fmt.Sprintf("%v; then %v", e.open, e.err)
}

func (e *unsettledError) Unwrap() []error { return []error{ontosql.ErrOutcomeUnknown, e.open, e.err} }

// settle searches for a group down the chain from the head: if its first commit is there, all
// of it is; if another commit has that number, none of it will ever be visible. If neither
// landed nor moved is true, the head is still the one before the swap. It runs even if the
// lease is lost and the worker is to stop, because the client needs the outcome.
func (t *lockHolder) settle(first *commitInfo) (landed, moved bool, err error) {
	ctx, cancel := t.finishContext()
	defer cancel()
	head, version, err := t.headNow(ctx)
	if err != nil {
		return false, false, err
	}
	switch {
	case version == t.store.version:
		return false, false, nil
	case head.CommitID == t.store.head.CommitID && pathOrEmpty(head.ManifestPath) == pathOrEmpty(t.store.head.ManifestPath):
		return false, true, nil // it was fenced (Maintenance.Fence): the swap came too late, and so will every copy of it
	case head.CommitID < first.id:
		return false, false, fmt.Errorf("the head went from commit %d to %d", t.store.head.CommitID, head.CommitID)
	}
	path, err := t.manifestAt(ctx, head, first.id)
	if err != nil {
		return false, false, err
	}
	if path != first.path {
		return false, true, nil
	}
	t.store.head, t.store.version = head, version
	return true, false, nil
}

// headNow reads the head, with retries: the store has just returned an error.
func (t *lockHolder) headNow(ctx context.Context) (head *format.Head, version objstore.Version, err error) {
	for wait := 20 * time.Millisecond; ; wait *= 4 {
		var body []byte
		if body, version, err = t.o.Bucket.Get(ctx, format.HeadKey); err == nil {
			head, err = format.DecodeHead(format.HeadKey, body)
			return head, version, err
		}
		if wait > 500*time.Millisecond || sleep(ctx, wait) != nil {
			return nil, objstore.Absent, fmt.Errorf("read head: %w", err)
		}
	}
}

// manifestAt returns the path of the manifest of commit id on the chain of head.
func (t *lockHolder) manifestAt(ctx context.Context, head *format.Head, id ontosql.CommitID) (string, error) {
	path := *head.ManifestPath
	for at := head.CommitID; at > id; at-- {
		body, _, err := t.o.Bucket.Get(ctx, path)
		if err != nil {
			return "", fmt.Errorf("read manifest: %w", err)
		}
		m, err := format.DecodeManifest(path, body)
		if err != nil {
			return "", err
		}
		if m.CommitID != at {
			return "", ontosql.Corrupt(path, "commit_id", "is %d, want commit %d", m.CommitID, at)
		}
		path = *m.ParentManifestPath
	}
	return path, nil
}
