package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
)

// schema writes the schema objects and the indexes as a writer would.
func (c *bucketCopy) schema(ctx context.Context) error {
	var err error
	if c.view, err = chainOf(ctx, c.to.bucket, c.head); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	objects, err := SchemaObjects(c.pin)
	if err != nil {
		return err
	}
	refs := droppedIn(c.pin.View)
	for _, t := range c.pin.Catalog.Types {
		refs[t.Ref] = true
	}
	for ref := range refs {
		objects[format.IndexKey(ref)] = c.index(ref)
	}
	if err := c.layouts(ctx, objects); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if err := c.to.change(ctx, key, objects[key]); err != nil {
			return err
		}
	}
	return c.engine(ctx)
}

// SchemaObjects returns the schema objects of a pin by their keys, as a writer would leave them:
// types, registry, versions, extras, and the marks and empty versions of dropped types. The layout
// catalog of engine v2 is not among them.
func SchemaObjects(pin *resolver.Pin) (map[string][]byte, error) {
	at := format.TimeOf(pin.Head.UpdatedAt)
	state := pin.Catalog.State(at.Time, "")
	types := &format.Types{UpdatedAt: at}
	registry := &format.Registry{Entity: map[string]json.RawMessage{}, Relation: map[string]json.RawMessage{}, UpdatedAt: at}
	objects := map[string][]byte{}
	for _, ref := range slices.SortedFunc(maps.Keys(state.Types), ontosql.TypeRef.Compare) {
		names, section := &types.Entities, registry.Entity
		if ref.Kind == ontosql.Relation {
			names, section = &types.Relations, registry.Relation
		}
		*names = append(*names, ref.Name)
		section[ref.Name] = state.Types[ref]
		objects[format.VersionsKey(ref)] = format.EncodeVersions(&format.Versions{TypeKind: ref.Kind.String(), TypeName: ref.Name, Versions: state.Versions[ref]})
	}
	objects[format.TypesKey] = format.EncodeTypes(types)
	var err error
	if objects[format.RegistryKey], err = format.EncodeRegistry(registry); err != nil {
		return nil, err
	}
	drops(pin.View, at, state.Types, objects)
	if len(state.Extras)+len(state.FieldIDs) > 0 {
		declared := &format.DeclaredTypes{UpdatedAt: at}
		for _, ref := range slices.SortedFunc(maps.Keys(state.Extras), ontosql.TypeRef.Compare) {
			declared.Types = append(declared.Types, state.Extras[ref])
		}
		for _, ref := range slices.SortedFunc(maps.Keys(state.FieldIDs), ontosql.TypeRef.Compare) {
			declared.FieldIDs = append(declared.FieldIDs, state.FieldIDs[ref])
		}
		objects[format.ExtrasKey] = format.EncodeDeclaredTypes(declared)
	}
	return objects, nil
}

// layouts removes outdated entries from the target's layout catalog.
func (c *bucketCopy) layouts(ctx context.Context, objects map[string][]byte) error {
	body, _, err := c.to.bucket.Get(ctx, format.LayoutsKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read layouts: %w", err)
	}
	stored, err := format.DecodeLayouts(format.LayoutsKey, body)
	if err != nil {
		return err
	}
	if left := LayoutsAt(stored, c.pin); len(left.Layouts) < len(stored.Layouts) {
		objects[format.LayoutsKey] = format.EncodeLayouts(left)
	}
	return nil
}

// LayoutsAt returns the layouts of the types of a pin, without commits after it. A type whose current
// version has none gets none: a layout of another version hides the current rows (COMPAT 3.6).
func LayoutsAt(stored *format.Layouts, pin *resolver.Pin) *format.Layouts {
	at := &format.Layouts{}
	for _, t := range pin.Catalog.Types {
		var of []format.Layout
		current := false
		for _, l := range stored.Layouts {
			if layoutOf(l) != t.Ref || l.ActivationCommitID > pin.Head.Commit {
				continue
			}
			l.IsCurrent = l.SchemaVersionID == t.SchemaID
			current = current || l.IsCurrent
			of = append(of, l)
		}
		if current {
			at.Layouts = append(at.Layouts, of...)
		}
	}
	return at
}

func layoutOf(l format.Layout) ontosql.TypeRef {
	kind, _ := ontosql.ParseKind(l.TypeKind) // the decoder has checked it
	return ontosql.TypeRef{Kind: kind, Name: l.TypeName}
}

// engine writes the engine marker once.
func (c *bucketCopy) engine(ctx context.Context) error {
	at := c.head.UpdatedAt
	if first := c.pin.View.Commit(1); first != nil {
		at = first.Manifest.CreatedAt
	}
	_, _, err := c.to.bucket.Get(ctx, format.EngineKey)
	if !errors.Is(err, objstore.ErrNotFound) {
		return err
	}
	return c.to.change(ctx, format.EngineKey, format.EncodeEngine(&format.Engine{Backend: "s3", CreatedAt: at, EngineVersion: c.pin.Engine}))
}

// index returns the index of a type's files.
func (c *bucketCopy) index(ref ontosql.TypeRef) []byte {
	x := &format.Index{TypeName: ref.Name, MaxIndexedCommit: c.head.CommitID, Entries: []format.IndexEntry{}}
	for _, f := range c.view.Files(ref, 0, c.head.CommitID) {
		x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: f.Commit, MaxCommitID: f.Commit, Path: f.Path})
	}
	return format.EncodeIndex(x)
}

// drops adds the objects of dropped types: a mark and an empty list of versions. Recreated types
// have none.
func drops(v *chain.View, at format.Time, types map[ontosql.TypeRef]json.RawMessage, objects map[string][]byte) {
	marks := &format.Dropped{Entity: map[string]format.DroppedType{}, Relation: map[string]format.DroppedType{}, UpdatedAt: at}
	for ref, purged := range droppedIn(v) {
		floor := v.Floor(ref)
		if _, back := types[ref]; back || floor == 0 {
			continue
		}
		section := marks.Entity
		if ref.Kind == ontosql.Relation {
			section = marks.Relation
		}
		section[ref.Name] = format.DroppedType{CommitID: floor, Purged: purged, UpdatedAt: v.Commit(floor).Manifest.CreatedAt}
		objects[format.VersionsKey(ref)] = format.EncodeVersions(&format.Versions{TypeKind: ref.Kind.String(), TypeName: ref.Name})
	}
	if len(marks.Entity)+len(marks.Relation) > 0 {
		objects[format.DroppedKey] = format.EncodeDropped(marks)
	}
}

// droppedIn are the types that commits dropped, and whether their rows were purged:
// the original has taken them out of the file where it can.
func droppedIn(v *chain.View) map[ontosql.TypeRef]bool {
	found := map[ontosql.TypeRef]bool{}
	for id := ontosql.CommitID(1); id <= v.Head().Commit; id++ {
		e := v.Commit(id)
		for _, ref := range e.Drops() {
			change, err := e.Manifest.SchemaChange(e.Path)
			d := change.DropOf(ref)
			found[ref] = err != nil || d == nil || d.Purged
		}
	}
	return found
}
