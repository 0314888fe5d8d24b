package writepath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// knownSchema is what the versions object of a type said when it was read last.
type knownSchema struct {
	current int64 // 0 where the type has no version
	version objstore.Version
	fresh   bool // read in this tenure
}

func (s *store) forgetSchemas() {
	for _, k := range s.schemas {
		k.fresh = false
	}
}

// schema is the current schema version of a type by its versions object, which
// is read once in a tenure: while we hold the lock nobody else changes it.
func (s *store) schema(ctx context.Context, ref ontosql.TypeRef) (int64, error) {
	s.mu.Lock()
	var known knownSchema
	if k := s.schemas[ref]; k != nil {
		known = *k
	}
	s.mu.Unlock()
	if known.fresh {
		return known.current, nil
	}
	body, version, changed, err := objstore.Reread(ctx, s.bucket, format.VersionsKey(ref), known.version)
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		known = knownSchema{}
	case err != nil:
		return 0, fmt.Errorf("read schema versions: %w", err)
	case changed:
		list, err := format.DecodeVersions(format.VersionsKey(ref), body)
		if err != nil {
			return 0, err
		}
		current, _ := list.Current()
		known.current, known.version = current.SchemaVersionID, version
	}
	known.fresh = true
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.schemas == nil {
		s.schemas = map[ontosql.TypeRef]*knownSchema{}
	}
	s.schemas[ref] = &known
	return known.current, nil
}

// checkSchemas says whether the rows of an attempt were made for the schemas as
// they are. Where the objects say otherwise, they may only lag behind a commit
// whose writer died; then they are brought up first.
func (t *holding) checkSchemas(a *attempt) error {
	for _, d := range a.p.Data {
		actual, ours := versionAfter(a.landing.change, d.Type)
		if !ours {
			var err error
			if actual, err = t.store.schema(t.lease.ctx, d.Type); err != nil {
				return err
			}
			if actual != d.SchemaVersion {
				if _, err := t.store.roll(t.lease); err != nil {
					return err
				}
				if actual, err = t.store.schema(t.lease.ctx, d.Type); err != nil {
					return err
				}
			}
		}
		if actual != d.SchemaVersion {
			return &SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion, Actual: actual}
		}
	}
	return nil
}

// schemaChange asks a transaction for its schema change.
func (t *holding) schemaChange(p *pending) (*format.SchemaChange, error) {
	if _, err := t.store.roll(t.lease); err != nil {
		return nil, err
	}
	state := migration.NewState(format.TimeOf(t.createdAt(p, t.store.head.UpdatedAt.Time)), t.o.RuntimeID)
	if err := t.store.readState(t.lease.ctx, state); err != nil {
		return nil, err
	}
	if err := p.Schema(state); err != nil {
		return nil, err
	}
	return state.Change(), nil
}

// readState reads the schema objects, which roll has brought up to the head,
// into an empty State, and the extras out of the newest schema change.
func (s *store) readState(ctx context.Context, state *migration.State) error {
	lists, err := s.readLists(ctx, state.Types)
	if err != nil {
		return err
	}
	for ref, list := range lists {
		if schema, ok := newest(ref, list); ok {
			state.Types[ref] = schema
		}
		if state.Types[ref] != nil {
			state.Versions[ref] = list.Versions
		}
	}
	state.Extras, err = s.extras(ctx, state)
	return err
}

// readLists reads the registry into types, and the version lists of its types and
// of the listed ones. Those are the same, save where a registry or a list is
// damaged, so that all is read side by side.
func (s *store) readLists(ctx context.Context, types map[ontosql.TypeRef]json.RawMessage) (map[ontosql.TypeRef]*format.Versions, error) {
	var mu sync.Mutex
	lists := map[ontosql.TypeRef]*format.Versions{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	list := func(ref ontosql.TypeRef) {
		g.Go(func() error {
			list, _, err := read(ctx, s.bucket, format.VersionsKey(ref), format.DecodeVersions)
			mu.Lock()
			defer mu.Unlock()
			lists[ref] = list
			return err
		})
	}
	refs, _ := s.refs()
	listed := map[ontosql.TypeRef]bool{}
	for _, ref := range refs {
		listed[ref] = true
	}
	g.Go(func() error {
		registry, _, err := read(ctx, s.bucket, format.RegistryKey, format.DecodeRegistry)
		if err != nil {
			return err
		}
		for name, schema := range registry.Entity {
			types[ontosql.TypeRef{Kind: ontosql.Entity, Name: name}] = schema
		}
		for name, schema := range registry.Relation {
			types[ontosql.TypeRef{Kind: ontosql.Relation, Name: name}] = schema
		}
		for ref := range types {
			if !listed[ref] {
				list(ref)
			}
		}
		return nil
	})
	for ref := range listed {
		list(ref)
	}
	return lists, g.Wait()
}

// newest is the current schema of a type by its versions, which are written
// before the registry; false where it cannot be read.
func newest(ref ontosql.TypeRef, list *format.Versions) (json.RawMessage, bool) {
	current, ok := list.Current()
	if !ok {
		return nil, false
	}
	schema, err := format.DecodeSchema(format.VersionsKey(ref), "schema_json", []byte(current.SchemaJSON))
	if err != nil || schema.Ref.Kind != ref.Kind {
		return nil, false
	}
	text, err := format.Canonicalize([]byte(current.SchemaJSON))
	return text, err == nil
}

// extras are those of the types in a State.
func (s *store) extras(ctx context.Context, state *migration.State) (map[ontosql.TypeRef]format.Extras, error) {
	view, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	change, id, err := view.LastSchemaChange(s.head.CommitID)
	if err != nil {
		return nil, err
	}
	return migration.ExtrasOf(change, func(ref ontosql.TypeRef) json.RawMessage {
		if view.Floor(ref) > id {
			return nil // dropped since
		}
		return state.Types[ref]
	}), nil
}

// read reads and decodes an object; a missing one is like an empty one.
func read[T any](ctx context.Context, b objstore.Bucket, key string, decode func(string, []byte) (T, error)) (T, objstore.Version, error) {
	body, version, err := b.Get(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		body, version, err = []byte("{}"), objstore.Absent, nil
	}
	if err != nil {
		var none T
		return none, version, fmt.Errorf("read %s: %w", key, err)
	}
	v, err := decode(key, body)
	return v, version, err
}
