package writepath

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// marks adds marks of dropped types and removes those of recreated ones.
func (p *projection) marks(ctx context.Context) error {
	stored, version, err := get[*format.Dropped](ctx, p.objects, format.DroppedKey)
	if err != nil {
		return err
	}
	marks := &format.Dropped{Entity: maps.Clone(stored.Entity), Relation: maps.Clone(stored.Relation), UpdatedAt: p.landing.at}
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
			p.leaveObject(format.DroppedKey, p.anySuperseded())
		}
		return nil
	}
	return p.write(ctx, format.DroppedKey, version, format.EncodeDropped(marks))
}

// versions writes the version lists.
func (p *projection) versions(ctx context.Context) error {
	var steps []func(context.Context) error
	write := func(ref ontosql.TypeRef, v *format.Versions) {
		steps = append(steps, func(ctx context.Context) error { return p.versionsOf(ctx, ref, v) })
	}
	p.changed(write)
	p.dropped(func(ref ontosql.TypeRef, d format.DroppedRef) {
		write(ref, &format.Versions{TypeKind: d.Kind, TypeName: d.Type})
	})
	return together(ctx, steps...)
}

func (p *projection) versionsOf(ctx context.Context, ref ontosql.TypeRef, v *format.Versions) error {
	stored, version, err := get[*format.Versions](ctx, p.objects, format.VersionsKey(ref))
	if err != nil {
		return err
	}
	there := continues(stored.Versions, v.Versions)
	if len(v.Versions) == 0 {
		there = version != objstore.Absent && len(stored.Versions) == 0
	}
	if there {
		p.leaveObject(format.VersionsKey(ref), false)
		return nil
	}
	return p.write(ctx, format.VersionsKey(ref), version, format.EncodeVersions(v))
}

// continues reports whether stored begins with list. The creation times distinguish a
// recreated type from an earlier one with the same schema.
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

// types writes the list of types: sorted if a name is added, otherwise in the stored order.
func (p *projection) types(ctx context.Context) error {
	stored, version, err := get[*format.Types](ctx, p.objects, format.TypesKey)
	if err != nil {
		return err
	}
	types := &format.Types{Entities: slices.Clone(stored.Entities), Relations: slices.Clone(stored.Relations), UpdatedAt: p.landing.at}
	different := types.Entities == nil || types.Relations == nil
	if different { // the list is damaged or missing
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
		p.leaveObject(format.TypesKey, p.anySuperseded())
		return nil
	}
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

// layouts removes the types whose layout is of another version from engine v2's layout
// catalog: a missing entry is derived, while a stale one hides data (COMPAT 3.6).
func (p *projection) layouts(ctx context.Context) error {
	if p.engine != format.EngineV2 {
		return nil
	}
	stored, version, err := get[*format.Layouts](ctx, p.objects, format.LayoutsKey)
	if err != nil || version == objstore.Absent {
		return err
	}
	stale := map[ontosql.TypeRef]bool{}
	p.dropped(func(ref ontosql.TypeRef, _ format.DroppedRef) { stale[ref] = true })
	p.changed(func(ref ontosql.TypeRef, v *format.Versions) {
		current, _ := v.Current()
		stale[ref] = p.landing.change.DropOf(ref) != nil || !slices.ContainsFunc(stored.Layouts, func(l format.Layout) bool {
			return l.IsCurrent && l.TypeKind == v.TypeKind && l.TypeName == v.TypeName && l.SchemaVersionID == current.SchemaVersionID
		})
	})
	layouts := &format.Layouts{Layouts: slices.DeleteFunc(slices.Clone(stored.Layouts), func(l format.Layout) bool {
		kind, _ := ontosql.ParseKind(l.TypeKind) // the decoder has checked it
		return stale[ontosql.TypeRef{Kind: kind, Name: l.TypeName}]
	})}
	if len(layouts.Layouts) == len(stored.Layouts) {
		p.leaveObject(format.LayoutsKey, p.anySuperseded())
		return nil
	}
	return p.write(ctx, format.LayoutsKey, version, format.EncodeLayouts(layouts))
}

// registry writes the current schemas.
func (p *projection) registry(ctx context.Context) error {
	stored, version, err := get[*format.Registry](ctx, p.objects, format.RegistryKey)
	if err != nil {
		return err
	}
	registry := &format.Registry{Entity: maps.Clone(stored.Entity), Relation: maps.Clone(stored.Relation), UpdatedAt: p.landing.at}
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
		p.leaveObject(format.RegistryKey, p.anySuperseded())
		return nil
	}
	body, err := format.EncodeRegistry(registry)
	if err != nil {
		return err
	}
	return p.write(ctx, format.RegistryKey, version, body)
}

// declared writes the extras and the field ids of all types. No reader depends on them; a
// damaged object is replaced.
func (p *projection) declared(ctx context.Context) error {
	stored, version, err := get[*format.DeclaredTypes](ctx, p.objects, format.ExtrasKey)
	var damaged *ontosql.CorruptError
	if err != nil && !errors.As(err, &damaged) {
		return err
	}
	declared := &format.DeclaredTypes{Types: p.landing.change.Extras, FieldIDs: p.landing.change.FieldIDs, UpdatedAt: p.landing.at}
	if err == nil && stored.Same(declared) {
		if version != objstore.Absent {
			p.leaveObject(format.ExtrasKey, false)
		}
		return nil
	}
	return p.write(ctx, format.ExtrasKey, version, format.EncodeDeclaredTypes(declared))
}
