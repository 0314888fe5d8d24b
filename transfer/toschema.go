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
)

// schema writes the schema objects and the indexes as a writer would.
func (c *bucketCopy) schema(ctx context.Context) error {
	var err error
	if c.view, err = chainOf(ctx, c.to.bucket, c.head); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	at := c.head.UpdatedAt
	state := c.pin.Catalog.State(at.Time, "")
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
		objects[format.IndexKey(ref)] = c.index(ref)
	}
	objects[format.TypesKey] = format.EncodeTypes(types)
	if objects[format.RegistryKey], err = format.EncodeRegistry(registry); err != nil {
		return err
	}
	c.drops(state.Types, objects)
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
	if err := c.layouts(ctx, state.Versions, objects); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if err := c.to.change(ctx, key, objects[key]); err != nil {
			return err
		}
	}
	return c.engine(ctx)
}

// layouts removes outdated entries from the target's layout catalog: a layout of another
// version hides the current rows (COMPAT 3.6).
func (c *bucketCopy) layouts(ctx context.Context, versions map[ontosql.TypeRef][]format.SchemaVersion, objects map[string][]byte) error {
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
	current := map[ontosql.TypeRef]bool{}
	for _, l := range stored.Layouts {
		ref := layoutOf(l)
		all := versions[ref]
		current[ref] = current[ref] || l.IsCurrent && len(all) > 0 && all[len(all)-1].SchemaVersionID == l.SchemaVersionID
	}
	left := &format.Layouts{Layouts: slices.DeleteFunc(slices.Clone(stored.Layouts), func(l format.Layout) bool { return !current[layoutOf(l)] })}
	if len(left.Layouts) < len(stored.Layouts) {
		objects[format.LayoutsKey] = format.EncodeLayouts(left)
	}
	return nil
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

// drops writes the objects of dropped types: a mark, an empty list of versions and an empty
// index. Recreated types have none.
func (c *bucketCopy) drops(types map[ontosql.TypeRef]json.RawMessage, objects map[string][]byte) {
	marks := &format.Dropped{Entity: map[string]format.DroppedType{}, Relation: map[string]format.DroppedType{}, UpdatedAt: c.head.UpdatedAt}
	for ref, purged := range droppedIn(c.view) {
		floor := c.view.Floor(ref)
		if _, back := types[ref]; back || floor == 0 {
			continue
		}
		section := marks.Entity
		if ref.Kind == ontosql.Relation {
			section = marks.Relation
		}
		section[ref.Name] = format.DroppedType{CommitID: floor, Purged: purged, UpdatedAt: c.view.Commit(floor).Manifest.CreatedAt}
		objects[format.VersionsKey(ref)] = format.EncodeVersions(&format.Versions{TypeKind: ref.Kind.String(), TypeName: ref.Name})
		objects[format.IndexKey(ref)] = c.index(ref)
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
