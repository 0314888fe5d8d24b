package writepath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// roll makes sure that the newest schema change under the head is projected: its
// writer may have died after the swap. Earlier ones are, because every writer
// does this before a change of its own.
// rolled tells that there was one to look after.
func (s *store) roll(h *lease) (rolled bool, err error) {
	defer s.record(h)
	if s.rolled >= s.head.CommitID {
		return false, nil
	}
	view, err := s.view(h.ctx)
	if err != nil {
		return false, err
	}
	change, id, err := view.LastSchemaChange(s.head.CommitID)
	if err != nil {
		return false, err
	}
	if rolled = id > s.rolled; rolled {
		e := view.Commit(id)
		l := &landing{id: id, path: e.Path, at: e.Manifest.CreatedAt, change: withoutDropped(change, id, view.Floor)}
		p := s.projection(h, l)
		err := p.run()
		p.recovered(e)
		if err != nil {
			return false, err
		}
	}
	s.rolled = s.head.CommitID
	return rolled, nil
}

// withoutDropped leaves out the types that a later commit dropped.
func withoutDropped(change *format.SchemaChange, id ontosql.CommitID, floor func(ontosql.TypeRef) ontosql.CommitID) *format.SchemaChange {
	rest := *change
	rest.Versions = slices.DeleteFunc(slices.Clone(change.Versions), func(v format.Versions) bool {
		ref, err := v.Ref()
		return err != nil || floor(ref) > id
	})
	rest.Extras = slices.DeleteFunc(slices.Clone(change.Extras), func(x format.Extras) bool {
		return floor(x.Ref()) > id
	})
	return &rest
}

// run writes what the change says into the objects that the original
// reads, in its order (COMPAT 1.4 and 3.7): for drops the marks first, then
// versions, the indexes of dropped types, types, marks of types that are back, registry; and at last what only
// ours read, the extras. What is there already is left alone, and so is what the
// original made of it since.
func (p *projection) run() error {
	h, l := p.lease, p.landing
	steps := []func(context.Context) error{p.theirs, p.marks, p.versions, p.emptied, p.types, p.layouts, p.registry}
	for _, step := range steps {
		if err := h.check(); err != nil {
			return err
		}
		if err := step(h.ctx); err != nil {
			return fmt.Errorf("project schema of commit %d: %w", l.id, err)
		}
	}
	g, ctx := errgroup.WithContext(h.ctx)
	g.Go(func() error { return p.declared(ctx) })
	g.Go(func() error { return p.readTypes(ctx) })
	if err := g.Wait(); err != nil {
		return fmt.Errorf("project schema of commit %d: %w", l.id, err)
	}
	if p.rolled == l.id-1 {
		p.rolled = l.id
	}
	return nil
}

// projection is one schema change on its way into the schema objects.
type projection struct {
	*store
	lease   *lease
	landing *landing

	// superseded are the types whose schema objects went beyond the change.
	superseded map[ontosql.TypeRef]bool
	outcomes   map[string]string // what became of the objects, by key, as a Recovery has it
}

func (s *store) projection(h *lease, l *landing) *projection {
	return &projection{store: s, lease: h, landing: l, superseded: map[ontosql.TypeRef]bool{}, outcomes: map[string]string{}}
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

// state is the schema of a type after the change.
func (p *projection) state(ref ontosql.TypeRef) (json.RawMessage, bool) {
	for _, t := range p.landing.change.Types {
		if t.Kind == ref.Kind.String() && t.Type == ref.Name {
			return t.Schema, true
		}
	}
	return nil, false
}

// marks marks dropped types and unmarks those that are there again.
func (p *projection) marks(ctx context.Context) error {
	marks, version, err := read(ctx, p.bucket, format.DroppedKey, format.DecodeDropped)
	if err != nil {
		return err
	}
	section := func(ref ontosql.TypeRef) map[string]format.DroppedType {
		if ref.Kind == ontosql.Relation {
			return marks.Relation
		}
		return marks.Entity
	}
	different := false
	p.dropped(func(ref ontosql.TypeRef, d format.DroppedRef) {
		if section(ref)[ref.Name].CommitID < p.landing.id {
			section(ref)[ref.Name] = format.DroppedType{CommitID: p.landing.id, Purged: d.Purged, UpdatedAt: p.landing.at}
			different = true
		}
	})
	p.changed(func(ref ontosql.TypeRef, _ *format.Versions) {
		if _, marked := section(ref)[ref.Name]; marked {
			delete(section(ref), ref.Name)
			different = true
		}
	})
	if !different {
		if len(p.landing.change.Dropped) > 0 {
			p.leave(format.DroppedKey, p.passed())
		}
		return nil
	}
	marks.UpdatedAt = p.landing.at
	return p.write(ctx, format.DroppedKey, version, format.EncodeDropped(marks))
}

// versions writes the version lists. A list that begins with the change's went
// on from it.
func (p *projection) versions(ctx context.Context) error {
	lists := map[ontosql.TypeRef]*format.Versions{}
	p.changed(func(ref ontosql.TypeRef, v *format.Versions) { lists[ref] = v })
	p.dropped(func(ref ontosql.TypeRef, d format.DroppedRef) {
		lists[ref] = &format.Versions{TypeKind: d.Kind, TypeName: d.Type}
	})
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for ref, v := range lists {
		g.Go(func() error { return p.versionsOf(ctx, ref, v) })
	}
	return g.Wait()
}

func (p *projection) versionsOf(ctx context.Context, ref ontosql.TypeRef, v *format.Versions) error {
	stored, version, err := read(ctx, p.bucket, format.VersionsKey(ref), format.DecodeVersions)
	if err != nil {
		return err
	}
	there := continues(stored.Versions, v.Versions)
	if len(v.Versions) == 0 {
		there = version != objstore.Absent && len(stored.Versions) == 0
	}
	beyond := there && len(stored.Versions) > len(v.Versions)
	p.mu.Lock()
	delete(p.schemas, ref)
	p.superseded[ref] = beyond
	p.mu.Unlock()
	if there {
		p.leave(format.VersionsKey(ref), beyond)
		return nil
	}
	return p.write(ctx, format.VersionsKey(ref), version, format.EncodeVersions(v))
}

// continues reports whether stored begins with list. The time tells a type that
// was created again from the one before it, whose schema may have been the same.
func continues(stored, list []format.SchemaVersion) bool {
	if len(stored) < len(list) {
		return false
	}
	for i, v := range list {
		if stored[i].SchemaVersionID != v.SchemaVersionID || stored[i].SchemaHash != v.SchemaHash || !stored[i].CreatedAt.Equal(v.CreatedAt.Time) {
			return false
		}
	}
	return true
}

// types lists the types: sorted where a name is added, else in their order.
func (p *projection) types(ctx context.Context) error {
	types, version, err := read(ctx, p.bucket, format.TypesKey, format.DecodeTypes)
	if err != nil {
		return err
	}
	different := types.Entities == nil || types.Relations == nil
	if different { // the list was damaged or is gone
		for _, t := range p.landing.change.Types {
			different = addName(types, t.Kind, t.Type) || different
		}
	}
	p.changed(func(ref ontosql.TypeRef, _ *format.Versions) {
		different = addName(types, ref.Kind.String(), ref.Name) || different
	})
	p.dropped(func(ref ontosql.TypeRef, d format.DroppedRef) {
		names := namesOf(types, d.Kind)
		if i := slices.Index(*names, ref.Name); i >= 0 {
			*names = slices.Delete(*names, i, i+1)
			different = true
		}
	})
	if !different {
		p.leave(format.TypesKey, p.passed())
		return nil
	}
	types.UpdatedAt = p.landing.at
	return p.write(ctx, format.TypesKey, version, format.EncodeTypes(types))
}

func namesOf(types *format.Types, kind string) *[]string {
	if kind == ontosql.Relation.String() {
		return &types.Relations
	}
	return &types.Entities
}

func addName(types *format.Types, kind, name string) bool {
	names := namesOf(types, kind)
	if slices.Contains(*names, name) {
		return false
	}
	*names = append(*names, name)
	slices.Sort(*names)
	return true
}

// layouts takes the types whose layout is another version's out of engine v2's
// layout catalog: without an entry everything is derived, while a stale one hides
// data (COMPAT 3.6).
func (p *projection) layouts(ctx context.Context) error {
	if p.engine != format.EngineV2 {
		return nil
	}
	layouts, version, err := read(ctx, p.bucket, format.LayoutsKey, format.DecodeLayouts)
	if err != nil || version == objstore.Absent {
		return err
	}
	stale := map[ontosql.TypeRef]bool{}
	p.dropped(func(ref ontosql.TypeRef, _ format.DroppedRef) { stale[ref] = true })
	p.changed(func(ref ontosql.TypeRef, v *format.Versions) {
		current, _ := v.Current()
		stale[ref] = p.landing.change.DropOf(ref) != nil || !slices.ContainsFunc(layouts.Layouts, func(l format.Layout) bool {
			return l.IsCurrent && l.TypeKind == v.TypeKind && l.TypeName == v.TypeName && l.SchemaVersionID == current.SchemaVersionID
		})
	})
	before := len(layouts.Layouts)
	layouts.Layouts = slices.DeleteFunc(layouts.Layouts, func(l format.Layout) bool {
		kind, _ := ontosql.ParseKind(l.TypeKind) // the decoder has checked it
		return stale[ontosql.TypeRef{Kind: kind, Name: l.TypeName}]
	})
	if len(layouts.Layouts) == before {
		p.leave(format.LayoutsKey, p.passed())
		return nil
	}
	return p.write(ctx, format.LayoutsKey, version, format.EncodeLayouts(layouts))
}

// registry writes the current schemas.
func (p *projection) registry(ctx context.Context) error {
	registry, version, err := read(ctx, p.bucket, format.RegistryKey, format.DecodeRegistry)
	if err != nil {
		return err
	}
	section := func(ref ontosql.TypeRef) map[string]json.RawMessage {
		if ref.Kind == ontosql.Relation {
			return registry.Relation
		}
		return registry.Entity
	}
	different := false
	p.changed(func(ref ontosql.TypeRef, _ *format.Versions) {
		schema, ok := p.state(ref)
		if ok && string(section(ref)[ref.Name]) != string(schema) {
			section(ref)[ref.Name] = schema
			different = true
		}
	})
	p.dropped(func(ref ontosql.TypeRef, _ format.DroppedRef) {
		if _, there := section(ref)[ref.Name]; there {
			delete(section(ref), ref.Name)
			different = true
		}
	})
	if !different {
		p.leave(format.RegistryKey, p.passed())
		return nil
	}
	registry.UpdatedAt = p.landing.at
	body, err := format.EncodeRegistry(registry)
	if err != nil {
		return err
	}
	return p.write(ctx, format.RegistryKey, version, body)
}

// declared writes the extras of all types, which nobody hangs on: what is damaged
// is replaced.
func (p *projection) declared(ctx context.Context) error {
	stored, version, err := read(ctx, p.bucket, format.ExtrasKey, format.DecodeDeclaredTypes)
	var damaged *ontosql.CorruptError
	if err != nil && !errors.As(err, &damaged) {
		return err
	}
	extras := p.landing.change.Extras
	if err == nil && format.SameExtras(stored.Types, extras) {
		if version != objstore.Absent {
			p.leave(format.ExtrasKey, false)
		}
		return nil
	}
	return p.write(ctx, format.ExtrasKey, version, format.EncodeDeclaredTypes(&format.DeclaredTypes{Types: extras, UpdatedAt: p.landing.at}))
}

// write replaces an object that was read under the lock, as the original does.
func (p *projection) write(ctx context.Context, key string, version objstore.Version, body []byte) error {
	if err := p.lease.check(); err != nil {
		return err
	}
	if _, err := p.bucket.Swap(ctx, key, version, body); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	p.settled(key, format.RecoveryWritten)
	return nil
}
