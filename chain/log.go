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

// Options of a Log.
type Options struct {
	Bucket   objstore.Bucket // the store whose chain it is
	Parallel int             // manifests read at a time; 16 when 0
	Logger   *slog.Logger    // nil discards
}

// Log knows the chain of one store. Its methods may be called from several
// goroutines.
type Log struct {
	bucket   objstore.Bucket
	parallel int
	log      *slog.Logger
	journal  *journal // nil when the log lives in memory only

	known atomic.Pointer[history]

	mu        sync.Mutex
	preloaded map[string][]byte // manifests that were written here, by path

	// turn is held by the one call that reads manifests; the others wait for
	// what it learns. The fields below belong to its holder.
	loadLock chan struct{}
	fetched  map[string]read // manifests read and not yet believed, by path
}

// Open makes the log of a store. dir, which is created, keeps what was learned
// for the next start and for other processes; it must belong to this store
// alone. "" keeps it in memory. What is damaged or of another version in dir is
// read from the store again; an error means that dir cannot be used at all.
func Open(dir string, o Options) (*Log, error) {
	l := &Log{
		bucket:    o.Bucket,
		parallel:  o.Parallel,
		log:       o.Logger,
		loadLock:  make(chan struct{}, 1),
		fetched:   map[string]read{},
		preloaded: map[string][]byte{},
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

// Close releases the directory. Views stay valid.
func (l *Log) Close() error {
	l.loadLock <- struct{}{}
	defer func() { <-l.loadLock }()
	if l.journal == nil {
		return nil
	}
	return l.journal.close()
}

// At is the chain as head sees it. It asks the store only for manifests the log
// does not have. Errors are *ontosql.CorruptError where a manifest is missing
// (it wraps objstore.ErrNotFound then), contradicts its key, its parent or the
// head's checksum, and the bucket's otherwise.
//
// A head below what is known is a slower reader's, or that of a store put back
// to an earlier state; either way it sees its own past, and what lies above is
// believed again only when a head leads to it.
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

// load makes the log know top: by what other processes wrote down, else by
// asking the store.
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
		// Without it the next start reads more; nothing else is lost.
		if err := l.journal.save(h); err != nil {
			l.log.WarnContext(ctx, "manifest log not saved", "error", err)
		}
	}
	return h, nil
}

// bestKnown is the better of what this process and the shared file know.
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
