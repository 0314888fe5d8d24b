package database

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// LockKind is the kind of what is locked.
type LockKind uint8

// The kinds of locks, pg_locks.locktype.
const (
	LockAdvisory    LockKind = iota
	LockSchema               // a schema of the workspace
	LockRelation             // a table of the workspace
	LockTransaction          // a transaction that writes tables, which holds it while it runs
)

// LockTag names what is locked (PostgreSQL's LOCKTAG).
type LockTag struct {
	Kind LockKind
	// First and Last are the key of an advisory lock: Last alone, or both if Two is set
	// (PostgreSQL manual, 13.3.5). The two key spaces do not overlap.
	Two          bool
	First, Last  int64
	Schema, Name string // of a relation; of a schema its name
	XID          workspace.XID
}

// LockMode is how something is locked (PostgreSQL manual, 13.3.1).
type LockMode uint8

// The modes, weakest first.
const (
	AccessShare LockMode = 1 + iota
	RowShare
	RowExclusive
	ShareUpdateExclusive
	Share
	ShareRowExclusive
	Exclusive
	AccessExclusive
)

// lockModes are the names of the modes in pg_locks, and the weakest mode that each conflicts
// with; ShareUpdateExclusive and the stronger modes conflict with every one above that, and
// Share does not conflict with itself (PostgreSQL manual, table 13.2).
var lockModes = [...]struct {
	name string
	from LockMode
}{
	AccessShare: {"AccessShareLock", AccessExclusive}, RowShare: {"RowShareLock", Exclusive}, RowExclusive: {"RowExclusiveLock", Share},
	ShareUpdateExclusive: {"ShareUpdateExclusiveLock", ShareUpdateExclusive}, Share: {"ShareLock", RowExclusive},
	ShareRowExclusive: {"ShareRowExclusiveLock", RowExclusive}, Exclusive: {"ExclusiveLock", RowShare}, AccessExclusive: {"AccessExclusiveLock", AccessShare},
}

// conflicts reports whether two clients cannot hold a lock in these modes at the same time.
func (m LockMode) conflicts(o LockMode) bool {
	return o >= lockModes[m].from && !(m == Share && o == Share)
}

// lockHold says that a session holds a lock. A session that holds a lock in several ways has
// one for each.
type lockHold struct {
	session     *introspect.Client
	mode        LockMode
	transaction bool // released when the transaction ends
	times       int  // it was taken
}

// lockWait is a session that waits for a lock.
type lockWait struct {
	session     *introspect.Client
	tag         LockTag
	mode        LockMode
	transaction bool
	since       time.Time
	granted     chan struct{}
}

// Locks are the locks of a database at this gateway, by the clients that hold them. Other
// gateways have their own.
type Locks struct {
	mu    sync.Mutex
	held  map[LockTag][]*lockHold
	waits []*lockWait // the oldest first
}

// lockKinds are the names of the kinds in pg_locks, and the waits for them.
var lockKinds = [...]struct {
	name  string
	event introspect.WaitEvent
}{
	LockAdvisory: {"advisory", introspect.WaitAdvisory}, LockSchema: {"object", introspect.WaitObject},
	LockRelation: {"relation", introspect.WaitRelation}, LockTransaction: {"transactionid", introspect.WaitTransaction},
}

// String is how PostgreSQL's detail of a deadlock names what is locked.
func (t LockTag) String() string {
	switch t.Kind {
	case LockSchema:
		return "schema " + t.Name
	case LockRelation:
		return "relation " + t.Schema + "." + t.Name
	case LockTransaction:
		return "transaction " + strconv.FormatInt(int64(t.XID), 10)
	}
	return fmt.Sprintf("advisory lock [%d,%d]", t.First, t.Last)
}

// free reports whether c can have the lock: no other client holds it, and none of those
// in before waits for it. If c holds the lock already, it does not queue behind others.
func (l *Locks) free(c *introspect.Client, tag LockTag, mode LockMode, before []*lockWait) bool {
	own := false
	for _, h := range l.held[tag] {
		if h.session != c && h.mode.conflicts(mode) {
			return false
		}
		own = own || h.session == c
	}
	return own || !slices.ContainsFunc(before, func(w *lockWait) bool { return w.tag == tag && w.session != c && w.mode.conflicts(mode) })
}

// grant gives c the lock once more.
func (l *Locks) grant(c *introspect.Client, tag LockTag, mode LockMode, transaction bool) {
	for _, h := range l.held[tag] {
		if h.session == c && h.mode == mode && h.transaction == transaction {
			h.times++
			return
		}
	}
	if l.held == nil {
		l.held = map[LockTag][]*lockHold{}
	}
	l.held[tag] = append(l.held[tag], &lockHold{c, mode, transaction, 1})
}

// Try takes the lock if it is free, and reports whether it did.
func (l *Locks) Try(c *introspect.Client, tag LockTag, mode LockMode, transaction bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.free(c, tag, mode, nil) {
		return false
	}
	l.grant(c, tag, mode, transaction)
	return true
}

// Lock takes the lock, and waits until it is free. The error is the cause with which ctx
// ended, or 40P01 if clients would wait for each other.
func (l *Locks) Lock(ctx context.Context, c *introspect.Client, tag LockTag, mode LockMode, transaction bool) error {
	l.mu.Lock()
	if l.free(c, tag, mode, l.waits) {
		l.grant(c, tag, mode, transaction)
		l.mu.Unlock()
		return nil
	}
	w := &lockWait{c, tag, mode, transaction, time.Now(), make(chan struct{})}
	l.waits = append(l.waits, w)
	if circle := l.circle(w, c, nil); circle != nil {
		l.leave(w)
		l.mu.Unlock()
		return pgerr.New(pgerr.DeadlockDetected, "deadlock detected").WithDetail("%s", strings.Join(circle, "\n")).
			WithHint("See server log for query details.")
	}
	l.mu.Unlock()
	defer c.Activity.Wait(lockKinds[tag.Kind].event)()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.granted: // meanwhile
		return nil
	default:
		l.leave(w)
		return context.Cause(ctx)
	}
}

// circle are the lines of PostgreSQL's detail if the client of a wait waits for to, directly or
// through the waits of others, nil if it does not. path are the clients that were visited.
func (l *Locks) circle(w *lockWait, to *introspect.Client, path []*introspect.Client) []string {
	path = append(path, w.session)
	for _, blocker := range l.blockers(w) {
		line := fmt.Sprintf("Process %d waits for %s on %s; blocked by process %d.", w.session.PID, lockModes[w.mode].name, w.tag, blocker.PID)
		if blocker == to {
			return []string{line}
		}
		if slices.Contains(path, blocker) {
			continue
		}
		for _, next := range l.waits {
			if next.session != blocker {
				continue
			}
			if rest := l.circle(next, to, path); rest != nil {
				return append([]string{line}, rest...)
			}
		}
	}
	return nil
}

// blockers are the clients that a wait waits for: those that hold the lock, and those that
// asked for it before.
func (l *Locks) blockers(w *lockWait) (clients []*introspect.Client) {
	own := false
	for _, h := range l.held[w.tag] {
		if own = own || h.session == w.session; h.session != w.session && h.mode.conflicts(w.mode) {
			clients = append(clients, h.session)
		}
	}
	for _, o := range l.waits {
		if o == w || own {
			break
		}
		if o.tag == w.tag && o.session != w.session && o.mode.conflicts(w.mode) {
			clients = append(clients, o.session)
		}
	}
	return clients
}

// leave ends a wait. Clients that queued behind it may get the lock.
func (l *Locks) leave(w *lockWait) {
	l.waits = slices.DeleteFunc(l.waits, func(o *lockWait) bool { return o == w })
	l.serve()
}

// serve grants the locks that have become free, in the order in which clients asked.
func (l *Locks) serve() {
	for i := 0; i < len(l.waits); {
		w := l.waits[i]
		if !l.free(w.session, w.tag, w.mode, l.waits[:i]) {
			i++
			continue
		}
		l.waits = slices.Delete(l.waits, i, i+1)
		l.grant(w.session, w.tag, w.mode, w.transaction)
		close(w.granted)
	}
}

func (l *Locks) drop(tag LockTag, gone func(*lockHold) bool) {
	holds, held := l.held[tag]
	if !held {
		return
	}
	if left := slices.DeleteFunc(slices.Clone(holds), gone); len(left) > 0 {
		l.held[tag] = left
	} else {
		delete(l.held, tag)
	}
}

// Unlock undoes one Lock or Try of the client outside a transaction, and reports whether
// there was one.
func (l *Locks) Unlock(c *introspect.Client, tag LockTag, mode LockMode) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.held[tag], func(h *lockHold) bool {
		return h.session == c && h.mode == mode && !h.transaction
	})
	if i < 0 {
		return false
	}
	h := l.held[tag][i]
	if h.times--; h.times == 0 {
		l.drop(tag, func(o *lockHold) bool { return o == h })
		l.serve()
	}
	return true
}

// Release releases all locks that a client holds until the end of its transaction, or, if
// transaction is false, all others that it holds.
func (l *Locks) Release(c *introspect.Client, transaction bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.held) == 0 {
		return
	}
	for tag := range l.held {
		l.drop(tag, func(h *lockHold) bool { return h.session == c && h.transaction == transaction })
	}
	l.serve()
}

// ReleaseTag releases what a client holds of one lock until the end of its transaction.
func (l *Locks) ReleaseTag(c *introspect.Client, tag LockTag) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(tag, func(h *lockHold) bool { return h.session == c && h.transaction })
	l.serve()
}

// ParseAdvisoryKey reads the arguments of a lock function: one bigint, or two integers.
func ParseAdvisoryKey(args []string) (LockTag, error) {
	tag, bits := LockTag{Two: len(args) == 2}, 64
	if tag.Two {
		bits = 32
	}
	for _, arg := range args {
		n, err := strconv.ParseInt(strings.TrimSpace(arg), 10, bits)
		if err != nil {
			return tag, pgerr.New(pgerr.InvalidTextRepresentation, "invalid key of an advisory lock: %q", arg)
		}
		tag.First, tag.Last = tag.Last, n
	}
	return tag, nil
}

// Rows are the rows of pg_locks of the database with an OID. oid finds the OID of a relation
// by its names; 0 is none.
func (l *Locks) Rows(database uint32, oid func(schema, name string) uint32) []pgcatalog.Row {
	row := func(session *introspect.Client, tag LockTag, mode LockMode, granted bool) pgcatalog.Row {
		r := pgcatalog.Row{
			"locktype": lockKinds[tag.Kind].name, "database": introspect.OIDOrNull(database), "pid": int32(session.PID), "mode": lockModes[mode].name, "granted": granted, "fastpath": false,
		}
		switch {
		case tag.Kind == LockRelation:
			r["relation"] = introspect.OIDOrNull(oid(tag.Schema, tag.Name))
		case tag.Kind == LockTransaction:
			r["transactionid"] = uint32(tag.XID)
		case tag.Kind == LockSchema:
		case tag.Two:
			r["classid"], r["objid"], r["objsubid"] = uint32(tag.First), uint32(tag.Last), int16(2)
		default:
			r["classid"], r["objid"], r["objsubid"] = uint32(tag.Last>>32), uint32(tag.Last), int16(1)
		}
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var rows []pgcatalog.Row
	for tag, holds := range l.held {
		for _, h := range holds {
			rows = append(rows, row(h.session, tag, h.mode, true))
		}
	}
	for _, w := range l.waits {
		r := row(w.session, w.tag, w.mode, false)
		r["waitstart"] = w.since.UnixMicro()
		rows = append(rows, r)
	}
	return rows
}
