package compaction

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// The policy of the automatic compaction.
const (
	// firstLook is how long after its start, and lookInterval how often it looks whether commits
	// have come.
	firstLook    = time.Second
	lookInterval = 10 * time.Second
	// dueFiles is how many files of similar size are merged at least. Merging every few commits
	// would write each row more often.
	dueFiles = 16
	// mostBytes is the size of the files that are merged at most, which bounds the space below
	// TempDir and the length of an upload. Larger ones are left to the command.
	mostBytes = 4 << 30
	// firstDelay and longestDelay are how long a type is left alone after an error; the delay
	// doubles.
	firstDelay   = time.Minute
	longestDelay = time.Hour
)

// Start begins the automatic compaction: types with many small files are merged by tiers. Of
// several gateways one does it at a time. It is called once at most.
func (s *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.stop, s.stopped = cancel, make(chan struct{})
	a := &automatic{Service: s, types: map[ontosql.TypeRef]*watched{}}
	go func() {
		defer close(s.stopped)
		for wait := firstLook; pause(ctx, wait) == nil; wait = lookInterval {
			a.look(ctx)
		}
	}()
}

// automatic is the automatic compaction of a Service. One goroutine uses it.
type automatic struct {
	*Service
	head  ontosql.Head // of the last look
	types map[ontosql.TypeRef]*watched
	all   watched // errors that are not about one type
}

// watched is what the automatic compaction knows of a type.
type watched struct {
	through ontosql.CommitID // the commits up to it were looked at
	delay   time.Duration    // after the last error; 0 if there was none
	until   time.Time        // its end
}

// failed leaves the type alone for a while, a longer one after each error.
func (w *watched) failed() {
	w.delay = min(max(firstDelay, 2*w.delay), longestDelay)
	w.until = time.Now().Add(w.delay)
}

// waits reports whether the type is left alone.
func (w *watched) waits() bool { return time.Now().Before(w.until) }

// look compacts the types that are due.
func (a *automatic) look(ctx context.Context) {
	if a.all.waits() {
		return
	}
	pin, err := a.Service.store.Files.Pin(ctx)
	if errors.Is(err, ontosql.ErrNotInitialised) {
		return
	}
	var due []ontosql.TypeRef
	if err == nil {
		if due = a.due(pin); len(due) > 0 {
			err = a.compactAlone(ctx, pin, due)
		}
	}
	var held *writepath.LeaseHeldError
	switch {
	case ctx.Err() != nil:
	case err == nil:
		a.all.delay = 0
	case errors.As(err, &held):
		a.log.DebugContext(ctx, "another gateway compacts", "owner", held.Owner)
	default:
		a.all.failed()
		a.log.WarnContext(ctx, "automatic compaction failed", "error", err, "retry_in", a.all.delay)
	}
}

// due returns the types that have many new files.
func (a *automatic) due(pin *resolver.Pin) (due []ontosql.TypeRef) {
	if pin.Head.Commit < a.head.Commit {
		clear(a.types) // the store was restored to an earlier state
	}
	a.head = pin.Head
	for _, t := range pin.Catalog.Types {
		w := a.types[t.Ref]
		if w == nil {
			w = &watched{}
			a.types[t.Ref] = w
		}
		if files, _ := pin.View.Count(t.Ref, w.through, pin.Head.Commit); files >= dueFiles && !w.waits() {
			due = append(due, t.Ref)
		}
	}
	return due
}

// compactAlone compacts types while it holds the lock by which one gateway compacts at a time.
func (a *automatic) compactAlone(ctx context.Context, pin *resolver.Pin, due []ontosql.TypeRef) error {
	o := a.Service.store.locking("auto-compact")
	o.LockTimeout = -1
	alone := func(ctx context.Context) error {
		return writepath.Alone(ctx, o, format.CompactionLockKey, func(ctx context.Context) error { return a.compactAll(ctx, pin, due) })
	}
	if under := a.Service.store.Under; under != nil {
		return under(ctx, pin.Head.Commit, alone)
	}
	return alone(ctx)
}

// compactAll compacts types. An error about one of them does not keep the others from being compacted.
func (a *automatic) compactAll(ctx context.Context, pin *resolver.Pin, due []ontosql.TypeRef) error {
	for _, ref := range due {
		w := a.types[ref]
		err := a.compact(ctx, ref)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			w.failed()
			a.log.WarnContext(ctx, "type not compacted", "type_name", ref.String(), "error", err, "retry_in", w.delay)
			continue
		}
		w.through, w.delay = pin.Head.Commit, 0
	}
	return nil
}

// compact merges the files of one type.
func (a *automatic) compact(ctx context.Context, ref ontosql.TypeRef) error {
	began := time.Now()
	defer a.setAutomatic(nil)
	done, err := a.Compact(ctx, Options{
		Type: ref.Name, Kind: ref.Kind, Strategy: Tiered, MinFiles: dueFiles, MaxBytes: mostBytes, Apply: true,
		Progress: func(at Progress) { a.setAutomatic(&Work{Progress: at, Began: began}) },
	})
	if err != nil {
		return err
	}
	for _, p := range done.Planned {
		if p.Bytes > 0 {
			a.log.InfoContext(ctx, "type compacted", "type_name", ref.String(), "files", p.Files,
				"min_commit_id", p.Min, "max_commit_id", p.Max, "rows", p.Rows, "bytes", p.Bytes, "duration", time.Since(began))
		}
	}
	return nil
}
