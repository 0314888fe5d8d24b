package writepath

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// minPublishInterval is the minimum time between two publications of the indexes under load;
// commits in between are published together.
const minPublishInterval = 250 * time.Millisecond

// indexer maintains the advisory indexes of all known types (I5; seed 000 section 7, COMPAT
// 3.4). Only the worker calls it. A publication runs in a goroutine of its own, one at a time.
type indexer struct {
	bucket objstore.Bucket
	logger *slog.Logger
	// published is called when all indexes reach a commit; nil for no one.
	published func(ontosql.CommitID)

	unpublished  []*commitInfo // commits to publish, ascending
	lastStart    time.Time
	running      chan struct{} // closed when the publication ends; nil if there is none
	lastDuration time.Duration // duration of the last publication

	mu    sync.Mutex // guards known, which publications access in parallel
	known map[ontosql.TypeRef]*knownIndex
}

// knownIndex is an index as this process wrote it last. Its version detects later writes of
// others.
type knownIndex struct {
	index   format.Index
	version objstore.Version
}

func (x *indexer) add(l *commitInfo) {
	if n := len(x.unpublished); n == 0 || x.unpublished[n-1] != l {
		x.unpublished = append(x.unpublished, l)
	}
}

// start starts a publication, unless one is running or ran recently.
func (x *indexer) start(h *lease, log *chain.Log, s *store) {
	if x.running != nil {
		select {
		case <-x.running:
		default:
			return
		}
	}
	// An index is written as a whole, so long ones are written less often.
	if time.Since(x.lastStart) >= max(minPublishInterval, 10*x.lastDuration) {
		x.force(h, log, s)
	}
}

// force starts a publication of all unpublished commits. None may be running.
func (x *indexer) force(h *lease, log *chain.Log, s *store) {
	if len(x.unpublished) == 0 {
		return
	}
	refs, ok := s.refs()
	if !ok {
		x.logger.WarnContext(h.ctx, "no list of types, indexes are not updated")
		x.unpublished = nil
		return
	}
	p := &publication{indexer: x, lease: h, log: log, head: s.head, landings: x.unpublished}
	x.unpublished, x.lastStart, x.running = nil, time.Now(), make(chan struct{})
	busy := x.running
	go func() {
		defer close(busy)
		p.run(refs)
		x.lastDuration = time.Since(x.lastStart)
	}()
}

// wait waits for the running publication.
func (x *indexer) wait() {
	if x.running != nil {
		<-x.running
	}
}

// publication updates every index to one head.
type publication struct {
	*indexer
	lease    *lease
	log      *chain.Log
	head     *format.Head
	landings []*commitInfo // own commits up to head, without a gap unless others committed
}

// run updates all types. An error in one does not stop the others: its index stays behind,
// which readers and the next publication handle.
func (p *publication) run(refs []ontosql.TypeRef) {
	for _, l := range p.landings {
		if l.change != nil {
			for _, d := range l.change.Dropped {
				if ref := d.Ref(); !slices.Contains(refs, ref) {
					refs = append(refs, ref)
				}
			}
		}
	}
	var g errgroup.Group
	g.SetLimit(parallel)
	for _, ref := range refs {
		g.Go(func() error {
			err := p.publish(ref)
			if err != nil {
				p.logger.WarnContext(p.lease.ctx, "index not brought up to date", "type_name", ref.String(), "error", err)
			}
			return err
		})
	}
	if g.Wait() == nil && p.published != nil {
		p.published(p.head.CommitID)
	}
}

// publish updates one index to the head. If another writer has changed it, it is read again.
func (p *publication) publish(ref ontosql.TypeRef) error {
	p.mu.Lock()
	known := p.known[ref]
	delete(p.known, ref)
	p.mu.Unlock()
	for remembered := known != nil; ; remembered = false {
		if !remembered {
			var err error
			if known, err = p.read(ref); err != nil {
				return err
			}
		}
		if err := p.lease.check(); err != nil {
			return err
		}
		if err := p.advance(ref, &known.index); err != nil {
			return err
		}
		version, err := p.bucket.Swap(p.lease.ctx, format.IndexKey(ref), known.version, format.EncodeIndex(&known.index))
		if err == nil {
			known.version = version
			p.mu.Lock()
			p.known[ref] = known
			p.mu.Unlock()
			return nil
		}
		if !remembered || !refused(err) {
			return fmt.Errorf("write index: %w", err)
		}
	}
}

// read reads an index; a missing or damaged one is rebuilt.
func (p *publication) read(ref ontosql.TypeRef) (*knownIndex, error) {
	index, version, err := read(p.lease.ctx, p.bucket, format.IndexKey(ref), format.DecodeIndex)
	var corrupt *ontosql.CorruptError
	switch {
	case errors.As(err, &corrupt):
		p.logger.WarnContext(p.lease.ctx, "damaged index is rebuilt", "error", err)
		index = &format.Index{}
	case err != nil:
		return nil, err
	}
	return &knownIndex{*index, version}, nil
}

// advance updates an index to the head, in place.
func (p *publication) advance(ref ontosql.TypeRef, x *format.Index) error {
	x.TypeName = ref.Name
	if x.MaxIndexedCommit > p.head.CommitID {
		x.MaxIndexedCommit, x.Entries = 0, nil // written before the store was reset or restored
	}
	if first := p.landings[0].id; x.MaxIndexedCommit < first-1 || !p.whole() {
		if err := p.repair(ref, x); err != nil {
			return err
		}
	}
	reach := ontosql.CommitID(0)
	for _, e := range x.Entries {
		reach = max(reach, e.MaxCommitID)
	}
	for _, l := range p.landings {
		if l.id > x.MaxIndexedCommit {
			addCommit(x, ref, l, l.id <= reach)
		}
	}
	slices.SortFunc(x.Entries, format.IndexEntry.Compare)
	return nil
}

// whole reports whether the commits are contiguous and end at the head.
func (p *publication) whole() bool {
	last := p.landings[len(p.landings)-1]
	return last.path == *p.head.ManifestPath && last.id-p.landings[0].id == ontosql.CommitID(len(p.landings)-1)
}

// repair adds the commits between an index and the head from the manifest chain (seed 000
// section 7.2), and removes entries from before the type's last drop (A14).
func (p *publication) repair(ref ontosql.TypeRef, x *format.Index) error {
	ctx, cancel := context.WithTimeout(p.lease.ctx, finishTimeout)
	defer cancel()
	view, err := p.log.At(ctx, p.head)
	if err != nil {
		return err
	}
	floor := view.Floor(ref)
	x.Entries = slices.DeleteFunc(x.Entries, func(e format.IndexEntry) bool { return e.MinCommitID < floor })
	for _, f := range view.Files(ref, x.MaxIndexedCommit, p.head.CommitID) {
		covered := slices.ContainsFunc(x.Entries, func(e format.IndexEntry) bool {
			return e.Snapshot() && e.Covers(f.Commit) || e.Path == f.Path
		})
		if !covered {
			x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: f.Commit, MaxCommitID: f.Commit, Path: f.Path})
		}
	}
	x.MaxIndexedCommit = p.head.CommitID
	return nil
}

// addCommit adds one own commit to an index. If covered is set, existing entries that cover
// it, from before a reset or restore, are removed.
func addCommit(x *format.Index, ref ontosql.TypeRef, l *commitInfo, covered bool) {
	if l.change.DropOf(ref) != nil {
		x.Entries = nil
	}
	var files []format.IndexEntry
	for i := range l.files {
		if l.files[i].Ref() == ref {
			files = append(files, format.IndexEntry{MinCommitID: l.id, MaxCommitID: l.id, Path: l.files[i].Path})
		}
	}
	if covered && len(files) > 0 {
		x.Entries = slices.DeleteFunc(x.Entries, func(e format.IndexEntry) bool { return e.Covers(l.id) })
	}
	x.Entries = append(x.Entries, files...)
	x.MaxIndexedCommit = l.id
}
