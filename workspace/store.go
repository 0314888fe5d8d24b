package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ontosql/ontosql/duckdb"
)

// Store keeps the schemas and tables that all sessions share, in a file of the engine. A
// transaction has its rows in the file while it runs: the file lists it as running until its
// commit, and what a running one has left is removed when the file is opened.
type Store struct {
	xacts *Xacts
	dir   string
	path  string
	owner *os.File // the lock file
	err   error    // why the store cannot be used

	current atomic.Pointer[committed]

	commits groupCommit
	mu      sync.Mutex // of what follows, and of current together with it
	absent  bool       // there is no file yet
	heaps   int64      // the highest number of a heap's name
	// sequences is the highest number of the value of a sequence.
	sequences int64
	limit     XID // no row of the file has a number from here on
	active    map[*Session]entry
	dropped   []droppedHeap
}

// committed are the objects that the last commit has left.
type committed struct {
	objects *Objects
	version int64
}

// entry is what an active transaction may use: heaps of the objects of a version and of later
// ones, and rows that a transaction from the horizon on has ended.
type entry struct {
	version int64
	horizon XID
}

// droppedHeap is a heap that no table has since a version of the objects.
type droppedHeap struct {
	heap    *Heap
	version int64
}

// Attached is the name of the file in the engine.
const Attached = "workspace"

// The tables of the file besides the heaps.
const (
	objectTable  = Attached + ".main.object"
	runningTable = Attached + ".main.running"
	stateTable   = Attached + ".main.state"
	heapSchema   = Attached + ".heaps"

	sequenceTable = Attached + ".main.sequence"
)

// The files of the directory.
const (
	fileName  = "workspace.duckdb"
	walSuffix = ".wal" // of the engine's log of the file
	lockName  = "workspace.lock"
)

// fileFormat is the version of the file's own tables.
const fileFormat = 1

// xidBlock is the number of transaction ids that one write to the file reserves.
const xidBlock = 1 << 20

// ErrInUse is returned for a directory that another process uses.
var ErrInUse = errors.New("the workspace is in use by another process")

// Open opens the file of a directory, if there is one; the first schema creates it otherwise. The
// engine may read and write the directory. conn is used until Open returns. A store that cannot
// be opened has no objects, and its Err says why. The caller closes it after the last session
// and before the engine.
func Open(ctx context.Context, conn *duckdb.Conn, dir string, xacts *Xacts) *Store {
	s := Unavailable(nil)
	s.xacts, s.dir, s.path = xacts, dir, filepath.Join(dir, fileName)
	switch _, err := os.Stat(s.path); {
	case errors.Is(err, fs.ErrNotExist):
		s.absent = true
	default:
		s.err = s.open(ctx, conn)
	}
	return s
}

// create creates the file of a store that has none.
func (s *Store) create(ctx context.Context, conn *duckdb.Conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.absent {
		return nil
	}
	if err := s.open(ctx, conn); err != nil {
		return err
	}
	s.absent = false
	return nil
}

// Unavailable is a store without objects that cannot be used.
func Unavailable(err error) *Store {
	s := &Store{err: err, active: map[*Session]entry{}}
	s.current.Store(&committed{})
	return s
}

// Err is why the store cannot be used, nil if it can.
func (s *Store) Err() error { return s.err }

// Close writes the file out and lets another process open it. No session uses the store.
func (s *Store) Close(ctx context.Context, conn *duckdb.Conn) error {
	if s.owner == nil {
		return nil
	}
	err := s.writeOut(ctx, conn)
	err = errors.Join(err, conn.Exec(ctx, "FORCE CHECKPOINT "+Attached)) // waits for transactions that are ending
	s.disown(ctx, conn)
	if err != nil {
		return fmt.Errorf("write out the workspace: %w", err)
	}
	return nil
}

// disown detaches the file and gives up its lock.
func (s *Store) disown(ctx context.Context, conn *duckdb.Conn) {
	_ = conn.Exec(context.WithoutCancel(ctx), "DETACH DATABASE IF EXISTS "+Attached)
	if s.owner != nil {
		_ = s.owner.Close()
		s.owner = nil
	}
}

// open opens the file, or creates it. After an error it can be tried again.
func (s *Store) open(ctx context.Context, conn *duckdb.Conn) error {
	err := s.attach(ctx, conn)
	if err != nil {
		s.disown(ctx, conn)
		return fmt.Errorf("open workspace: %w", err)
	}
	return nil
}

func (s *Store) attach(ctx context.Context, conn *duckdb.Conn) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := s.own(filepath.Join(s.dir, lockName)); err != nil {
		return err
	}
	if err := conn.Exec(ctx, "ATTACH "+duckdb.Literal(s.path)+" AS "+Attached); err != nil {
		return err
	}
	for _, sql := range []string{
		// A checkpoint may change row ids, so only the store starts one.
		"SET GLOBAL wal_autocheckpoint = '1TB'",
		"CREATE SCHEMA IF NOT EXISTS " + heapSchema,
		"CREATE TABLE IF NOT EXISTS " + objectTable + " (kind VARCHAR, schema VARCHAR, name VARCHAR, definition VARCHAR)",
		"CREATE TABLE IF NOT EXISTS " + runningTable + " (xid BIGINT)",
		"CREATE TABLE IF NOT EXISTS " + sequenceTable + " (number BIGINT, last BIGINT, called BOOLEAN)",
		fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s AS SELECT %d AS format, CAST(0 AS BIGINT) AS xid_limit", stateTable, fileFormat),
	} {
		if err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return s.load(ctx, conn)
}

// own locks the lock file and writes the owner into it.
func (s *Store) own(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		owner := make([]byte, 100)
		n, _ := f.Read(owner)
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("%w: process %s", ErrInUse, owner[:n])
		}
		return err
	}
	s.owner = f
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprint(f, os.Getpid())
	return err
}

// enter records that a session's transaction begins to use the store.
func (s *Store) enter(t *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.active[t]; !ok {
		s.active[t] = entry{s.current.Load().version, s.xacts.horizon()}
	}
}

// leave records that the transaction has ended. It returns heaps that no transaction uses any
// more, and the caller drops them. Small ones wait for the next commit, which drops them without
// a further write to the disk.
func (s *Store) leave(t *Session) []*Heap {
	s.mu.Lock()
	delete(s.active, t)
	var rows int64
	for _, d := range s.dropped {
		rows += d.heap.Rows()
	}
	wait := len(s.dropped) <= mostWaiting && rows <= mostWaitingRows
	s.mu.Unlock()
	if wait {
		return nil
	}
	return s.unused()
}

// Heaps wait to be dropped while they are no more than these, and have no more rows.
const (
	mostWaiting     = 64
	mostWaitingRows = 10_000
)

// unused takes the dropped heaps that no transaction uses any more.
func (s *Store) unused() (unused []*Heap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := s.current.Load().version
	for _, e := range s.active {
		oldest = min(oldest, e.version)
	}
	kept := s.dropped[:0]
	for _, d := range s.dropped {
		if d.version <= oldest {
			unused = append(unused, d.heap)
		} else {
			kept = append(kept, d)
		}
	}
	s.dropped = kept
	return unused
}

// longestLog is the size of the file's log in bytes after which a checkpoint is worthwhile.
const longestLog = 64 << 20

// checkpoint writes the log into the file if that is long and no session has row ids, which a
// checkpoint changes. Others wait meanwhile.
func (s *Store) checkpoint(ctx context.Context, conn Conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.active) > 0 {
		return nil
	}
	if info, err := os.Stat(s.path + walSuffix); err != nil || info.Size() < longestLog {
		return nil //nolint:nilerr // a log that is not there is short
	}
	return conn.Exec(ctx, "CHECKPOINT "+Attached)
}

// horizon is the first transaction that one of the sessions may not see as ended.
func (s *Store) horizon() XID {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.xacts.horizon()
	for _, e := range s.active {
		first = min(first, e.horizon)
	}
	return first
}

// newHeap is a heap with a new name.
func (s *Store) newHeap() *Heap {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heaps++
	return newHeap(heapSchema, fmt.Sprintf("h%d", s.heaps), true)
}

// reserve reserves ids in the file, if the id of a transaction is beyond the reserved ones. Ids
// are not used again after a crash.
func (s *Store) reserve(ctx context.Context, conn Conn, id XID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id < s.limit {
		return nil
	}
	limit := id + xidBlock
	if err := conn.Exec(ctx, fmt.Sprintf("UPDATE %s SET xid_limit = %d", stateTable, limit)); err != nil {
		return fmt.Errorf("number transaction: %w", err)
	}
	s.limit = limit
	return nil
}
