package nameservice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Soft locks are members of the status (seed 003, status-based coordination). They keep two
// maintainers from doing the same work, and nothing else: whoever writes an ontology needs its write
// lock all the same.

// LockKind is the member of the status that holds a soft lock.
type LockKind string

// The soft locks.
const (
	IndexLock     LockKind = "index_lock"
	ReindexLock   LockKind = "reindex_lock"
	MigrationLock LockKind = "migration_lock"
)

// LockKinds are all soft locks.
var LockKinds = []LockKind{IndexLock, ReindexLock, MigrationLock}

// ParseLockKind reads the name of a soft lock, with or without "_lock".
func ParseLockKind(name string) (LockKind, error) {
	for _, kind := range LockKinds {
		if name == string(kind) || name+"_lock" == string(kind) {
			return kind, nil
		}
	}
	return "", fmt.Errorf("unknown lock %q: want index, reindex or migration", name)
}

// state is that of a record on which the lock is held.
func (k LockKind) state() string {
	switch k {
	case IndexLock:
		return "indexing"
	case ReindexLock:
		return "reindexing"
	default:
		return "migrating"
	}
}

// ready is the state of a record on which no lock is held.
const ready = "ready"

// DefaultLockLease is how long a soft lock is held unless it is refreshed.
const DefaultLockLease = 10 * time.Minute

// Lock is a soft lock as it is stored. Times are seconds since 1970.
type Lock struct {
	Holder      string `json:"holder"`
	TargetT     int64  `json:"target_t"` // the commit up to which the holder works
	AcquiredAt  int64  `json:"acquired_at"`
	ExpiresAt   int64  `json:"expires_at"`
	RefreshedAt int64  `json:"refreshed_at,omitempty"` // 0 if it was not refreshed
}

// Expired reports whether anybody may take the lock.
func (l Lock) Expired(now time.Time) bool { return now.Unix() >= l.ExpiresAt }

// LockHeldError is a soft lock that somebody else holds.
type LockHeldError struct {
	Alias Alias
	Kind  LockKind
	Lock  Lock
}

func (e *LockHeldError) Error() string {
	return fmt.Sprintf("%s: %s holds the %s until %s", e.Alias, e.Lock.Holder, e.Kind, time.Unix(e.Lock.ExpiresAt, 0).UTC().Format(time.RFC3339))
}

var (
	// ErrLockLost: the caller does not hold the lock, because it expired and somebody took it, or
	// because it was never acquired.
	ErrLockLost = errors.New("the lock is not held")
	// ErrHolder: a lock needs the name of its holder.
	ErrHolder = errors.New("the holder of a lock has no name")
	// errDone ends a change that has nothing to do.
	errDone = errors.New("nothing to do")
)

// Holder takes soft locks in the name of a process. It does not renew them by itself.
type Holder struct {
	Service Service
	Name    string           // of the process; two that share it share their locks
	Now     func() time.Time // time.Now if nil
	Lease   time.Duration    // DefaultLockLease if 0; whole seconds, at least one
}

// Acquire takes a lock for work up to a commit. One that has expired is taken over; one that the
// holder has is taken anew. The error is a *LockHeldError, ErrHolder or one of Revise.
func (h Holder) Acquire(ctx context.Context, a Alias, kind LockKind, target int64) (Lock, error) {
	var taken Lock
	err := h.revise(ctx, a, kind, func(held *Lock, now time.Time) (*Lock, error) {
		if held != nil && held.Holder != h.Name && !held.Expired(now) {
			return nil, &LockHeldError{a, kind, *held}
		}
		taken = Lock{Holder: h.Name, TargetT: target, AcquiredAt: now.Unix(), ExpiresAt: h.until(now)}
		return &taken, nil
	})
	return taken, err
}

// Refresh renews a lock. One that has expired is renewed if nobody has taken it. The error is
// ErrLockLost or one of Revise.
func (h Holder) Refresh(ctx context.Context, a Alias, kind LockKind) (Lock, error) {
	var renewed Lock
	err := h.revise(ctx, a, kind, func(held *Lock, now time.Time) (*Lock, error) {
		if held == nil || held.Holder != h.Name {
			return nil, fmt.Errorf("%s: %s: %w", a, kind, ErrLockLost)
		}
		renewed = *held
		renewed.ExpiresAt, renewed.RefreshedAt = h.until(now), now.Unix()
		return &renewed, nil
	})
	return renewed, err
}

// Release gives a lock back. One that nobody holds is released. The error is ErrLockLost if somebody
// else holds it, or one of Revise.
func (h Holder) Release(ctx context.Context, a Alias, kind LockKind) error {
	err := h.revise(ctx, a, kind, func(held *Lock, _ time.Time) (*Lock, error) {
		switch {
		case held == nil:
			return nil, errDone
		case held.Holder != h.Name:
			return nil, fmt.Errorf("%s: %s: %w", a, kind, ErrLockLost)
		}
		return nil, nil
	})
	if errors.Is(err, errDone) {
		return nil
	}
	return err
}

func (h Holder) until(now time.Time) int64 {
	lease := h.Lease
	if lease == 0 {
		lease = DefaultLockLease
	}
	return now.Add(max(lease, time.Second)).Unix()
}

// revise replaces a lock in the status by what change makes of it; nil is none. Other members stay.
func (h Holder) revise(ctx context.Context, a Alias, kind LockKind, change func(held *Lock, now time.Time) (*Lock, error)) error {
	if h.Name == "" {
		return ErrHolder
	}
	_, err := Revise(ctx, h.Service, a, Status, func(r *Record) (json.RawMessage, error) {
		now := time.Now()
		if h.Now != nil {
			now = h.Now()
		}
		status := object{}
		if !isNull(r.Status.Payload) {
			if err := json.Unmarshal(r.Status.Payload, &status); err != nil {
				return nil, fmt.Errorf("%s: status: %w", a, err)
			}
		}
		lock, err := change(status.lock(kind), now)
		if err != nil {
			return nil, err
		}
		status.setLock(kind, lock, now)
		return status.text(), nil
	})
	return err
}

// HeldLock returns a soft lock of a status, nil for none. It may have expired. What cannot be read as
// a lock is none.
func HeldLock(status Value, kind LockKind) *Lock {
	var o object
	if isNull(status.Payload) || json.Unmarshal(status.Payload, &o) != nil {
		return nil
	}
	return o.lock(kind)
}

func (o object) lock(kind LockKind) *Lock {
	var l *Lock
	if json.Unmarshal(orNull(o[string(kind)]), &l) != nil {
		return nil
	}
	return l
}

// setLock writes or removes a lock, and the state that follows: that of a lock that is held, else
// ready. A state that no lock has set stays.
func (o object) setLock(kind LockKind, lock *Lock, now time.Time) {
	if lock == nil {
		delete(o, string(kind))
		delete(o, "progress")
	} else {
		text, _ := json.Marshal(lock) // strings and integers
		o[string(kind)] = text
	}
	state, byLock := ready, o["state"] == nil
	var current string
	_ = json.Unmarshal(orNull(o["state"]), &current) // another kind of state is not ours
	byLock = byLock || current == ready
	for _, k := range slices.Backward(LockKinds) {
		byLock = byLock || current == k.state()
		if l := o.lock(k); l != nil && !l.Expired(now) {
			state = k.state()
		}
	}
	if byLock {
		o["state"] = quoted(state)
	}
}
