package crash

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// window is where in the life of a commit a server was when it was killed, as
// far as what it left shows.
type window int

const (
	lockFree  window = iota // the lock was free
	lockHeld                // the lock was held, nothing was under way
	staging                 // a folder of an attempt, its manifest or a sibling's not there yet
	staged                  // manifests beyond the head, which was not swapped to them
	swapped                 // the head was swapped, an answer did not get through
	unindexed               // all was answered, an index was behind
	windows
)

func (w window) String() string {
	return [...]string{"lock free", "lock held, at rest", "staging", "staged, not swapped", "swapped, not answered", "answered, not indexed"}[w]
}

// remains are what a killed server left in a store.
type remains struct {
	attempts, manifests int // beyond the head, of attempts that were not there before
	held                bool
	behind              bool // an index is
}

// inspect reads the objects that a kill left. known are the commit folders above the head that
// earlier kills left; new ones are added to it.
func (s *store) inspect(ctx context.Context, known map[string]bool) (r remains, err error) {
	body, _, err := s.bucket.Get(ctx, format.HeadKey)
	if err != nil {
		return r, err
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		return r, err
	}
	if err := s.beyond(ctx, head.CommitID, known, &r); err != nil {
		return r, err
	}
	lock, err := s.lock(ctx)
	if err != nil {
		return r, err
	}
	r.held = lock != nil && !lock.Released() && !lock.Expired(time.Now())
	for _, ref := range types {
		key := format.IndexKey(ref)
		body, _, err := s.bucket.Get(ctx, key)
		if errors.Is(err, objstore.ErrNotFound) {
			r.behind = true
			continue
		}
		if err != nil {
			return r, err
		}
		index, err := format.DecodeIndex(key, body)
		if err != nil {
			return r, fmt.Errorf("a kill left a damaged index: %w", err)
		}
		r.behind = r.behind || index.MaxIndexedCommit < head.CommitID
	}
	return r, nil
}

// beyond counts attempts at commits that the head has not reached.
func (s *store) beyond(ctx context.Context, head ontosql.CommitID, known map[string]bool, r *remains) error {
	fresh := map[string]bool{}
	err := s.bucket.List(ctx, format.CommitsPrefix, func(o objstore.Object) error {
		id, attempt, ok := format.ParseCommitDir(o.Key)
		if !ok || id <= head || known[attempt] {
			return nil
		}
		fresh[attempt] = true
		if o.Key == format.ManifestKey(id, attempt) {
			r.manifests++
		}
		return nil
	})
	r.attempts = len(fresh)
	for attempt := range fresh {
		known[attempt] = true
	}
	return err
}

// window is where the kill fell; landed are the commits whose clients were cut
// off and that are visible.
func (r remains) window(landed int) window {
	switch {
	case r.attempts > r.manifests:
		return staging
	case r.attempts > 0:
		return staged
	case landed > 0:
		return swapped
	case r.behind:
		return unindexed
	case r.held:
		return lockHeld
	}
	return lockFree
}
