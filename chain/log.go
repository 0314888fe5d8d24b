package chain

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Options configure a Log.
type Options struct {
	Bucket   objstore.Bucket // the store of the chain
	Parallel int             // maximum number of concurrent reads; 0 means 16
	Logger   *slog.Logger    // nil discards
	// Checkpoint makes the log read the store's checkpoint before it reads many manifests. A
	// check of the manifests themselves leaves it out.
	Checkpoint bool
}

// Log holds the chain of one store. Its methods are safe for concurrent use.
type Log struct {
	bucket   objstore.Bucket
	parallel int
	log      *slog.Logger
	journal  *journal // nil if the log is in memory only

	checkpoint bool

	known atomic.Pointer[history]

	mu        sync.Mutex
	preloaded map[string][]byte // manifests that this process wrote, by path

	// loadLock is held by the call that reads manifests. It guards the fields below.
	loadLock chan struct{}
	fetched  map[string]read // manifests that were read but not reached from a head yet, by path
}

// Open opens the log of a store. dir is created if necessary. It stores the log for the
// next start and for other processes, and must be used for this store only. If dir is
// "", the log is in memory. Damaged files and files of another version are ignored and
// read again from the store. An error means that dir cannot be used.
func Open(dir string, o Options) (*Log, error) {
	l := &Log{
		bucket:     o.Bucket,
		parallel:   o.Parallel,
		log:        o.Logger,
		checkpoint: o.Checkpoint,
		loadLock:   make(chan struct{}, 1),
		fetched:    map[string]read{},
		preloaded:  map[string][]byte{},
	}
	if l.parallel == 0 {
		l.parallel = 16
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	l.known.Store(&history{})
	if dir == "" {
		return l, nil
	}
	j, err := openJournal(dir)
	if err != nil {
		return nil, fmt.Errorf("open manifest log: %w", err)
	}
	l.journal = j
	l.known.Store(j.history)
	return l, nil
}

// Close closes the files in the directory. Views stay valid.
func (l *Log) Close() error {
	l.loadLock <- struct{}{}
	defer func() { <-l.loadLock }()
	if l.journal == nil {
		return nil
	}
	return l.journal.close()
}

// At returns the chain up to head. It reads only the manifests that the log does not
// have. The error is a *ontosql.CorruptError if a manifest is missing (then it wraps
// objstore.ErrNotFound) or contradicts its key, its parent or the head's checksum.
// Otherwise it is the bucket's.
//
// A head below the known chain is an older read, or belongs to a store that was restored
// to an earlier state. Its view ends at that head. Later commits become visible again
// only through a head that leads to them.
func (l *Log) At(ctx context.Context, head *format.Head) (*View, error) {
	top := link{id: head.CommitID, sha256: head.CommitSHA256, by: format.HeadKey, field: "manifest_path"}
	if head.ManifestPath != nil {
		top.path = *head.ManifestPath
	}
	h := l.known.Load()
	if !h.containsLink(top) {
		var err error
		if h, err = l.load(ctx, top); err != nil {
			return nil, fmt.Errorf("read manifest chain: %w", err)
		}
	}
	return &View{head: head.Pin(), h: h}, nil
}

// load extends the log up to top, from the shared file or from the store.
func (l *Log) load(ctx context.Context, top link) (*history, error) {
	select {
	case l.loadLock <- struct{}{}:
		defer func() { <-l.loadLock }()
	case <-ctx.Done():
		return nil, objstore.ContextError(ctx)
	}
	h := l.bestKnown(top)
	if h.containsLink(top) {
		l.known.Store(h)
		return h, nil
	}
	if err := top.check(); err != nil {
		return nil, err
	}
	l.takePreloaded(top.id)
	missing, err := l.walk(ctx, h, top)
	if err != nil {
		return nil, err
	}
	base := missing[0].ID - 1
	if base < h.len() {
		l.log.InfoContext(ctx, "history replaced", "after_commit_id", base, "head_commit_id", top.id)
		h = h.cut(base)
	}
	h = h.extend(missing)
	l.known.Store(h)
	clear(l.fetched)
	if l.journal != nil {
		// If saving fails, the next start reads more manifests; nothing is lost.
		if err := l.journal.save(h); err != nil {
			l.log.WarnContext(ctx, "manifest log not saved", "error", err)
		}
	}
	return h, nil
}

// bestKnown returns the history of this process or of the shared file, whichever
// reaches further towards top.
func (l *Log) bestKnown(top link) *history {
	h := l.known.Load()
	if l.journal == nil || h.containsLink(top) {
		return h
	}
	if err := l.journal.refresh(); err != nil {
		l.log.Warn("manifest log not read", "error", err)
	}
	if filed := l.journal.history; filed.containsLink(top) || filed.len() > h.len() {
		return filed
	}
	return h
}
