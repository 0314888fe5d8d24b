package writepath

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// store is what the worker knows of the store while it holds the lock.
type store struct {
	bucket objstore.Bucket
	log    *chain.Log
	logger *slog.Logger

	engine  string // "" until read
	head    *format.Head
	version objstore.Version // of the head object

	lastView *chain.View // last used to read foreign commits; nil for none

	recent           []*commitInfo    // the last commits up to head, contiguous; see since
	addedCost        int              // cost of the commits added since forget
	projectedThrough ontosql.CommitID // every schema change up to this commit is projected

	recoveries []format.Recovery // not saved yet

	objects *schemaObjects
}

// commitInfo is a commit that is visible or about to be.
type commitInfo struct {
	id     ontosql.CommitID
	path   string // of the manifest
	parent string // of the manifest before it, "" for none
	at     format.Time
	files  []format.File
	change *format.SchemaChange            // nil for none
	writes map[ontosql.TypeRef]*identities // by type; missing if a foreign file was not read
}

// identitiesUnknown reports whether the commit has files of t whose identities were not read.
func (l *commitInfo) identitiesUnknown(t ontosql.TypeRef) bool {
	_, known := l.writes[t]
	return !known && slices.ContainsFunc(l.files, func(f format.File) bool { return f.Ref() == t })
}

// loadIdentities reads the identities of a type that a foreign commit wrote, when they are
// first needed. Those of own commits are known.
func (t *lockHolder) loadIdentities(ctx context.Context, l *commitInfo, ref ontosql.TypeRef) error {
	if !l.identitiesUnknown(ref) {
		return nil
	}
	known := newIdentities(t.seed)
	for i := range l.files {
		if l.files[i].Ref() != ref {
			continue
		}
		err := t.o.Identities(ctx, chain.File{Commit: l.id, File: &l.files[i]}, func(id string) { known.add(id, 0) })
		if err != nil {
			return fmt.Errorf("identities of commit %d: %w", l.id, err)
		}
	}
	if l.writes == nil {
		l.writes = map[ontosql.TypeRef]*identities{}
	}
	l.writes[ref] = known
	return nil
}

// begin reads the state that is needed when the lock is taken, in one round trip: the head,
// the list of types, the schemas of the waiting transactions' types, and once the engine
// marker. If a schema change waits, all schema objects are refreshed.
func (s *store) begin(ctx context.Context, q *Queue[*pending]) error {
	s.objects.begin()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.readHead(ctx) })
	if s.engine == "" {
		g.Go(func() error { return s.readEngine(ctx) })
	}
	types, schema := q.pendingTypes()
	if schema {
		g.Go(func() error {
			if err := s.objects.refresh(ctx); err != nil {
				return err
			}
			return s.readTypes(ctx) // from the cache
		})
		return g.Wait()
	}
	g.Go(func() error { return s.readTypes(ctx) })
	for _, ref := range types {
		g.Go(func() error {
			_, err := s.schema(ctx, ref)
			return err
		})
	}
	return g.Wait()
}

func (s *store) readHead(ctx context.Context) error {
	body, version, err := s.bucket.Get(ctx, format.HeadKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return ontosql.ErrNotInitialised
	}
	if err != nil {
		return fmt.Errorf("read head: %w", err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		return err
	}
	if s.head != nil && head.CommitID < s.head.CommitID { // restored to an earlier state
		s.projectedThrough, s.lastView = 0, nil
	}
	s.head, s.version = head, version
	return nil
}

// readEngine reads the engine marker; a store without it is v1 (COMPAT 3.5).
func (s *store) readEngine(ctx context.Context) error {
	body, _, err := s.bucket.Get(ctx, format.EngineKey)
	if errors.Is(err, objstore.ErrNotFound) {
		s.engine = format.EngineV1
		return nil
	}
	if err != nil {
		return fmt.Errorf("read engine marker: %w", err)
	}
	e, err := format.DecodeEngine(format.EngineKey, body)
	if err != nil {
		return err
	}
	s.engine = e.EngineVersion
	return nil
}

// readTypes reads the list of types, whose indexes are maintained. Without it indexes are not
// updated, and commits continue (COMPAT 3.5).
func (s *store) readTypes(ctx context.Context) error {
	known, err := s.objects.confirmed(ctx, format.TypesKey)
	if err != nil {
		return err
	}
	if _, ok := s.refs(); !ok && known.version != objstore.Absent {
		s.logger.WarnContext(ctx, "list of types is damaged, indexes are not kept", "error", known.damaged)
	}
	return nil
}

// refs returns the known types, entities first; false if the list cannot be used.
func (s *store) refs() ([]ontosql.TypeRef, bool) {
	types, err := cached[*format.Types](s.objects, format.TypesKey)
	if err != nil || types.Entities == nil && types.Relations == nil {
		return nil, false
	}
	var refs []ontosql.TypeRef
	for _, name := range types.Entities {
		refs = append(refs, ontosql.TypeRef{Kind: ontosql.Entity, Name: name})
	}
	for _, name := range types.Relations {
		refs = append(refs, ontosql.TypeRef{Kind: ontosql.Relation, Name: name})
	}
	return refs, true
}

// Bounds of the commits and identities kept in memory; older commits are read like foreign
// ones.
const (
	rememberCommits    = 4096
	rememberIdentities = 1 << 20
)

// add adds the newest own commit.
func (s *store) add(l *commitInfo) {
	if n := len(s.recent); n > 0 && s.recent[n-1].path != l.parent {
		s.recent = nil
	}
	s.recent = append(s.recent, l)
	if s.projectedThrough == l.id-1 && l.change == nil {
		s.projectedThrough = l.id
	}
	if s.addedCost += l.cost(); s.addedCost >= rememberIdentities/16 {
		s.forget()
	}
}

// projected records that the schema change of a commit, and those before it, are projected.
func (s *store) projected(change *commitInfo) {
	if s.projectedThrough == change.id-1 {
		s.projectedThrough = change.id
	}
	for _, l := range s.recent {
		if l.id == s.projectedThrough+1 && l.change == nil {
			s.projectedThrough = l.id
		}
	}
}

// cost is a commit's share of rememberIdentities. Every commit has a minimum cost, so that the
// number of commits is bounded too.
func (l *commitInfo) cost() int {
	n := 0
	for _, ids := range l.writes {
		n += ids.cost()
	}
	return max(n, rememberIdentities/rememberCommits)
}

// forget removes the oldest commits above the bound. Adding up all costs takes time, so it is
// done once in some hundred commits.
func (s *store) forget() {
	s.addedCost = 0
	weight := 0
	for i, l := range slices.Backward(s.recent) {
		if weight += l.cost(); weight > rememberIdentities {
			s.recent = slices.Clone(s.recent[i+1:])
			return
		}
	}
}

// dropped returns the last known commit that dropped a type, in this program's or the
// original's way (decision A14).
func (s *store) dropped(ref ontosql.TypeRef) ontosql.CommitID {
	if s.lastView == nil {
		return 0
	}
	return s.lastView.Floor(ref)
}

// continued reports whether the head is the last commit in recent.
func (s *store) continued() bool {
	return len(s.recent) > 0 && s.head.ManifestPath != nil && s.last().path == *s.head.ManifestPath
}

func (s *store) last() *commitInfo { return s.recent[len(s.recent)-1] }

// view returns the chain below the head.
func (s *store) view(ctx context.Context) (*chain.View, error) { return s.log.At(ctx, s.head) }

// since returns the commits after pin, ascending. Those that are not in recent are read from
// the manifest log.
func (s *store) since(ctx context.Context, pin ontosql.CommitID) ([]*commitInfo, error) {
	if pin >= s.head.CommitID {
		return nil, nil
	}
	if s.continued() && s.recent[0].id <= pin+1 {
		return s.recent[pin+1-s.recent[0].id:], nil
	}
	view, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	s.lastView = view
	known := map[string]*commitInfo{}
	for _, l := range s.recent {
		known[l.path] = l
	}
	fresh := make([]*commitInfo, 0, s.head.CommitID-pin)
	for id := pin + 1; id <= s.head.CommitID; id++ {
		e := view.Commit(id)
		l := known[e.Path]
		if l == nil {
			change, err := e.Manifest.SchemaChange(e.Path)
			if err != nil {
				return nil, err
			}
			l = &commitInfo{id: id, path: e.Path, at: e.Manifest.CreatedAt, files: e.Manifest.Files, change: change}
		}
		fresh = append(fresh, l)
	}
	s.recent = fresh
	s.addedCost = rememberIdentities // their cost is computed later
	return fresh, nil
}
