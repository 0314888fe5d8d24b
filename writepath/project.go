package writepath

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// rollForward makes sure that the newest schema change under the head is projected: its writer
// may have died after the swap. Earlier ones are projected already, because every writer does
// this before a schema change of its own. rolled reports whether there was one to check.
func (t *lockHolder) rollForward() (rolled bool, err error) {
	t.endProjection()
	s := &t.store
	defer s.record(t.lease)
	if s.projectedThrough >= s.head.CommitID {
		return false, nil
	}
	view, err := s.view(t.lease.ctx)
	if err != nil {
		return false, err
	}
	change, id, err := view.LastSchemaChange(s.head.CommitID)
	if err != nil {
		return false, err
	}
	if rolled = id > s.projectedThrough; rolled {
		e := view.Commit(id)
		l := &commitInfo{id: id, path: e.Path, at: e.Manifest.CreatedAt, change: withoutDropped(change, id, view.Floor)}
		p := s.projection(t.lease, l)
		p.view, p.audit = view, &audit{store: s, commit: e, turn: make(chan struct{}, 1)}
		err := p.run()
		s.recoveries = p.recovered(s.recoveries)
		if err != nil {
			return false, err
		}
	}
	s.projectedThrough = s.head.CommitID
	return rolled, nil
}

// startProjection starts writing the last committed schema change to the schema objects.
// Commits of rows continue meanwhile; code that needs the objects calls endProjection.
func (t *lockHolder) startProjection(l *commitInfo) {
	p := t.store.projection(t.lease, l)
	p.done = make(chan struct{})
	t.projecting = p
	go func() {
		defer close(p.done)
		p.err = p.run()
	}()
}

// projectionDone returns a channel that is closed when the running projection ends; nil if
// there is none.
func (t *lockHolder) projectionDone() <-chan struct{} {
	if t.projecting == nil {
		return nil
	}
	return t.projecting.done
}

// endProjection waits for the running projection, if there is one.
func (t *lockHolder) endProjection() {
	p := t.projecting
	if p == nil {
		return
	}
	<-p.done
	t.projecting = nil
	if p.err != nil {
		// The next writer projects it from the manifest (decision A13).
		t.o.Logger.WarnContext(t.lease.ctx, "schema not projected", "commit_id", p.landing.id, "error", p.err)
		return
	}
	t.store.projected(p.landing)
}

// withoutDropped removes the types that a later commit dropped.
func withoutDropped(change *format.SchemaChange, id ontosql.CommitID, floor func(ontosql.TypeRef) ontosql.CommitID) *format.SchemaChange {
	rest := *change
	rest.Versions = slices.DeleteFunc(slices.Clone(change.Versions), func(v format.Versions) bool {
		ref, err := v.Ref()
		return err != nil || floor(ref) > id
	})
	rest.Extras = slices.DeleteFunc(slices.Clone(change.Extras), func(x format.Extras) bool {
		return floor(x.Ref()) > id
	})
	rest.FieldIDs = slices.DeleteFunc(slices.Clone(change.FieldIDs), func(ids format.FieldIDs) bool {
		return floor(ids.Ref()) > id
	})
	return &rest
}

// projection writes one schema change to the schema objects.
type projection struct {
	objects *schemaObjects
	engine  string
	lease   *lease
	landing *commitInfo
	view    *chain.View // up to the head; nil for a change that was just committed
	audit   *audit      // nil likewise

	// superseded has the types whose schema objects are newer than the change.
	superseded map[ontosql.TypeRef]bool
	forked     bool // one of them does not include the change

	mu       sync.Mutex
	outcomes map[string]string // outcome for each object, by key, as in a Recovery

	done chan struct{} // closed when err is set; nil for a synchronous projection
	err  error
}

func (s *store) projection(h *lease, l *commitInfo) *projection {
	return &projection{objects: s.objects, engine: s.engine, lease: h, landing: l, outcomes: map[string]string{}}
}

// run writes the change to the objects that the original reads, in the original's order where
// that is visible (COMPAT 1.4 and 3.7): first the marks of dropped types, without which their
// rows would still be read; then the versions, without which a registered type would be
// registered again; then the rest in parallel: types, marks of recreated types, registry, and
// the indexes of dropped types. Layouts can be written at any time, because a missing one is
// derived, and so can the extras and field ids, which only this program reads. Objects that
// have the change already, or later changes of the original, are left unchanged.
func (p *projection) run() error {
	if err := together(p.lease.ctx, p.originals, p.declared); err != nil {
		return fmt.Errorf("project schema of commit %d: %w", p.landing.id, err)
	}
	return nil
}

func (p *projection) originals(ctx context.Context) error {
	p.readAhead(ctx)
	if err := p.findSuperseded(ctx); err != nil {
		return err
	}
	return together(ctx, p.ordered, p.layouts)
}

func (p *projection) ordered(ctx context.Context) error {
	rest := []func(context.Context) error{p.types, p.registry, p.resetIndexes}
	if len(p.landing.change.Dropped) == 0 {
		rest = append(rest, p.marks)
	} else if err := p.marks(ctx); err != nil {
		return err
	}
	if err := p.versions(ctx); err != nil {
		return err
	}
	return together(ctx, rest...)
}

// together runs independent steps in parallel. None is cancelled when another fails, because
// the outcome of a cancelled write is unknown.
func together(ctx context.Context, steps ...func(context.Context) error) error {
	var g errgroup.Group
	g.SetLimit(parallel)
	for _, step := range steps {
		g.Go(func() error { return step(ctx) })
	}
	return g.Wait()
}

// readAhead reads, in parallel, the objects whose current state is not known. Errors are
// ignored; they occur again where the object is needed.
func (p *projection) readAhead(ctx context.Context) {
	keys := []string{format.DroppedKey, format.TypesKey, format.RegistryKey}
	if p.engine == format.EngineV2 {
		p.objects.invalidate(format.LayoutsKey) // refresh does not list its prefix
		keys = append(keys, format.LayoutsKey)
	}
	p.changed(func(ref ontosql.TypeRef, _ *format.Versions) { keys = append(keys, format.VersionsKey(ref)) })
	p.dropped(func(ref ontosql.TypeRef, _ format.DroppedRef) { keys = append(keys, format.VersionsKey(ref)) })
	var steps []func(context.Context) error
	for _, key := range keys {
		steps = append(steps, func(ctx context.Context) error {
			_, err := p.objects.confirmed(ctx, key)
			return err
		})
	}
	_ = together(ctx, steps...)
}

// findSuperseded finds the types that the original changed after this change: those whose
// versions continue the change's; those registered again after the change dropped them; and
// those that a later commit migrated, starting from the versions before the change if it had
// not been projected. Only the last kind is visible in a commit; the others only in the
// versions.
func (p *projection) findSuperseded(ctx context.Context) error {
	superseded := map[ontosql.TypeRef]bool{}
	var failed error
	stored := func(ref ontosql.TypeRef) (there []format.SchemaVersion, migrated bool) {
		list, _, err := get[*format.Versions](ctx, p.objects, format.VersionsKey(ref))
		if err != nil {
			failed = err
			return nil, false
		}
		return list.Versions, p.view != nil && p.view.Superseded(ref, p.landing.id, list)
	}
	p.changed(func(ref ontosql.TypeRef, v *format.Versions) {
		there, migrated := stored(ref)
		on := continues(there, v.Versions)
		superseded[ref] = migrated || on && len(there) > len(v.Versions)
		p.forked = p.forked || migrated && !on
	})
	p.dropped(func(ref ontosql.TypeRef, d format.DroppedRef) {
		there, migrated := stored(ref)
		superseded[ref] = migrated || d.Before(there, p.landing.at.Time)
		p.forked = p.forked || migrated
	})
	p.superseded = superseded
	for ref, theirs := range superseded {
		if theirs {
			p.leaveObject(format.VersionsKey(ref), true)
		}
	}
	return failed
}

func (p *projection) changed(visit func(ref ontosql.TypeRef, v *format.Versions)) {
	for i := range p.landing.change.Versions {
		v := &p.landing.change.Versions[i]
		if ref, err := v.Ref(); err == nil && !p.superseded[ref] {
			visit(ref, v)
		}
	}
}

func (p *projection) dropped(visit func(ref ontosql.TypeRef, d format.DroppedRef)) {
	for _, d := range p.landing.change.Dropped {
		ref := d.Ref()
		if _, back := p.state(ref); !back && !p.superseded[ref] {
			visit(ref, d)
		}
	}
}

// state returns the schema of a type after the change.
func (p *projection) state(ref ontosql.TypeRef) (json.RawMessage, bool) {
	for _, t := range p.landing.change.Types {
		if t.Kind == ref.Kind.String() && t.Type == ref.Name {
			return t.Schema, true
		}
	}
	return nil, false
}

// write replaces an object that was read under the lock, as the original does.
func (p *projection) write(ctx context.Context, key string, version objstore.Version, body []byte) error {
	if err := p.announce(key); err != nil {
		return err
	}
	if err := p.lease.check(); err != nil {
		return err
	}
	if err := p.objects.swap(ctx, key, version, body); err != nil {
		return err
	}
	p.setOutcome(key, format.RecoveryWritten)
	return nil
}
