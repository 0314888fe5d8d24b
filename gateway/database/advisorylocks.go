package database

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgerr"
)

// AdvisoryKey names an advisory lock of a database: one bigint, or two integers
// (PostgreSQL manual, 13.3.5). The two key spaces do not overlap.
type AdvisoryKey struct {
	Two         bool
	First, Last int64 // the one key is Last
}

// advisoryHold says that a session holds a lock. A session that holds a lock in several
// ways has one for each.
type advisoryHold struct {
	session     *introspect.Client
	shared      bool
	transaction bool // given back when the transaction ends
	times       int  // it was taken
}

// advisoryWait is a session that waits for a lock.
type advisoryWait struct {
	session     *introspect.Client
	key         AdvisoryKey
	shared      bool
	transaction bool
	since       time.Time
	granted     chan struct{}
}

// AdvisoryLocks are the advisory locks of a database at this gateway, by the clients that
// hold them. Other gateways have their own locks.
type AdvisoryLocks struct {
	mu    sync.Mutex
	held  map[AdvisoryKey][]*advisoryHold
	waits []*advisoryWait // the oldest first
}

// free reports whether c can have the lock: no other client holds it, and none of those
// in before waits for it. If c holds the lock already, it does not queue behind others.
func (a *AdvisoryLocks) free(c *introspect.Client, key AdvisoryKey, shared bool, before []*advisoryWait) bool {
	own := false
	for _, h := range a.held[key] {
		if h.session != c && !(shared && h.shared) {
			return false
		}
		own = own || h.session == c
	}
	return own || !slices.ContainsFunc(before, func(w *advisoryWait) bool { return w.key == key && w.session != c && !(shared && w.shared) })
}

// grant gives c the lock once more.
func (a *AdvisoryLocks) grant(c *introspect.Client, key AdvisoryKey, shared, transaction bool) {
	for _, h := range a.held[key] {
		if h.session == c && h.shared == shared && h.transaction == transaction {
			h.times++
			return
		}
	}
	if a.held == nil {
		a.held = map[AdvisoryKey][]*advisoryHold{}
	}
	a.held[key] = append(a.held[key], &advisoryHold{c, shared, transaction, 1})
}

// Try takes the lock if it is free, and reports whether it did.
func (a *AdvisoryLocks) Try(c *introspect.Client, key AdvisoryKey, shared, transaction bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.free(c, key, shared, nil) {
		return false
	}
	a.grant(c, key, shared, transaction)
	return true
}

// Lock takes the lock, and waits until it is free. The error is the cause with which ctx
// ended, or 40P01 if clients would wait for each other.
func (a *AdvisoryLocks) Lock(ctx context.Context, c *introspect.Client, key AdvisoryKey, shared, transaction bool) error {
	a.mu.Lock()
	if a.free(c, key, shared, a.waits) {
		a.grant(c, key, shared, transaction)
		a.mu.Unlock()
		return nil
	}
	w := &advisoryWait{c, key, shared, transaction, time.Now(), make(chan struct{})}
	a.waits = append(a.waits, w)
	if a.waitsFor(c, c, map[*introspect.Client]bool{}) {
		a.leave(w)
		a.mu.Unlock()
		return pgerr.New(pgerr.DeadlockDetected, "deadlock detected").
			WithDetail("The session that holds the advisory lock waits for this one.")
	}
	a.mu.Unlock()
	defer c.Activity.Wait(introspect.WaitAdvisory)()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-w.granted: // meanwhile
		return nil
	default:
		a.leave(w)
		return context.Cause(ctx)
	}
}

// waitsFor reports whether from waits for to, directly or through other clients.
func (a *AdvisoryLocks) waitsFor(from, to *introspect.Client, seen map[*introspect.Client]bool) bool {
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, w := range a.waits {
		if w.session != from {
			continue
		}
		for _, h := range a.held[w.key] {
			if h.session != from && !(w.shared && h.shared) && (h.session == to || a.waitsFor(h.session, to, seen)) {
				return true
			}
		}
	}
	return false
}

// leave ends a wait. Clients that queued behind it may get the lock.
func (a *AdvisoryLocks) leave(w *advisoryWait) {
	a.waits = slices.DeleteFunc(a.waits, func(o *advisoryWait) bool { return o == w })
	a.serve()
}

// serve grants the locks that have become free, in the order in which clients asked.
func (a *AdvisoryLocks) serve() {
	for i := 0; i < len(a.waits); {
		w := a.waits[i]
		if !a.free(w.session, w.key, w.shared, a.waits[:i]) {
			i++
			continue
		}
		a.waits = slices.Delete(a.waits, i, i+1)
		a.grant(w.session, w.key, w.shared, w.transaction)
		close(w.granted)
	}
}

func (a *AdvisoryLocks) drop(key AdvisoryKey, gone func(*advisoryHold) bool) {
	left := slices.DeleteFunc(slices.Clone(a.held[key]), gone)
	if a.held[key] = left; len(left) == 0 {
		delete(a.held, key)
	}
}

// Unlock undoes one Lock or Try of the client outside a transaction, and reports whether
// there was one.
func (a *AdvisoryLocks) Unlock(c *introspect.Client, key AdvisoryKey, shared bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.held[key], func(h *advisoryHold) bool {
		return h.session == c && h.shared == shared && !h.transaction
	})
	if i < 0 {
		return false
	}
	h := a.held[key][i]
	if h.times--; h.times == 0 {
		a.drop(key, func(o *advisoryHold) bool { return o == h })
		a.serve()
	}
	return true
}

// Release releases all locks that a client holds until the end of its transaction, or, if
// transaction is false, all others that it holds.
func (a *AdvisoryLocks) Release(c *introspect.Client, transaction bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.held) == 0 {
		return
	}
	for key := range a.held {
		a.drop(key, func(h *advisoryHold) bool { return h.session == c && h.transaction == transaction })
	}
	a.serve()
}

// ParseAdvisoryKey reads the arguments of a lock function: one bigint, or two integers.
func ParseAdvisoryKey(args []string) (AdvisoryKey, error) {
	key, bits := AdvisoryKey{Two: len(args) == 2}, 64
	if key.Two {
		bits = 32
	}
	for _, arg := range args {
		n, err := strconv.ParseInt(strings.TrimSpace(arg), 10, bits)
		if err != nil {
			return key, pgerr.New(pgerr.InvalidTextRepresentation, "invalid key of an advisory lock: %q", arg)
		}
		key.First, key.Last = key.Last, n
	}
	return key, nil
}

// Rows are the rows of pg_locks for the advisory locks of the database with an OID.
func (a *AdvisoryLocks) Rows(database uint32) []pgcatalog.Row {
	row := func(session *introspect.Client, key AdvisoryKey, shared, granted bool) pgcatalog.Row {
		r := pgcatalog.Row{
			"locktype": "advisory", "database": introspect.OIDOrNull(database), "pid": int32(session.PID), "mode": "ExclusiveLock", "granted": granted, "fastpath": false,
			"classid": uint32(key.First), "objid": uint32(key.Last), "objsubid": int16(2),
		}
		if !key.Two {
			r["classid"], r["objid"], r["objsubid"] = uint32(key.Last>>32), uint32(key.Last), int16(1)
		}
		if shared {
			r["mode"] = "ShareLock"
		}
		return r
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var rows []pgcatalog.Row
	for key, holds := range a.held {
		for _, h := range holds {
			rows = append(rows, row(h.session, key, h.shared, true))
		}
	}
	for _, w := range a.waits {
		r := row(w.session, w.key, w.shared, false)
		r["waitstart"] = w.since.UnixMicro()
		rows = append(rows, r)
	}
	return rows
}
