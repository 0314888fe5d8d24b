package writepath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
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

// SchemaState is the schema of an ontology under the lock: what a schema change
// starts from.
type SchemaState struct {
	Types    map[ontosql.TypeRef]json.RawMessage        // current schemas, canonical JSON
	Versions map[ontosql.TypeRef][]format.SchemaVersion // of those types
	At       format.Time                                // for what the change creates
	Runtime  string
}

// Change is the state after types were added or replaced, as a commit carries
// it: the state of every type, and the version lists of those in changed.
func (s SchemaState) Change(changed ...ontosql.TypeRef) *format.SchemaChange {
	c := &format.SchemaChange{Types: []format.TypeState{}}
	for _, ref := range slices.SortedFunc(maps.Keys(s.Types), ontosql.TypeRef.Compare) {
		state := format.TypeState{Kind: ref.Kind.String(), Type: ref.Name, Schema: s.Types[ref], SchemaVersionID: 1}
		if n := len(s.Versions[ref]); n > 0 {
			state.SchemaVersionID = s.Versions[ref][n-1].SchemaVersionID
		}
		c.Types = append(c.Types, state)
		if slices.Contains(changed, ref) {
			c.Versions = append(c.Versions, format.Versions{TypeKind: state.Kind, TypeName: ref.Name, Versions: s.Versions[ref]})
		}
	}
	return c
}

// schemaChange asks a transaction for its schema change.
func (t *holding) schemaChange(p *pending) (*format.SchemaChange, error) {
	if _, err := t.store.roll(t.lease); err != nil {
		return nil, err
	}
	state, err := t.store.schemaState(t.lease.ctx)
	if err != nil {
		return nil, err
	}
	state.At, state.Runtime = format.TimeOf(t.createdAt(p, t.store.head.UpdatedAt.Time)), t.o.RuntimeID
	return p.Schema(state)
}

// schemaState reads the schema objects, which roll has brought up to the head.
func (s *store) schemaState(ctx context.Context) (SchemaState, error) {
	state := SchemaState{Types: map[ontosql.TypeRef]json.RawMessage{}, Versions: map[ontosql.TypeRef][]format.SchemaVersion{}}
	registry, _, err := read(ctx, s.bucket, format.RegistryKey, format.DecodeRegistry)
	if err != nil {
		return state, err
	}
	for name, schema := range registry.Entity {
		state.Types[ontosql.TypeRef{Kind: ontosql.Entity, Name: name}] = schema
	}
	for name, schema := range registry.Relation {
		state.Types[ontosql.TypeRef{Kind: ontosql.Relation, Name: name}] = schema
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	var mu sync.Mutex
	for ref := range state.Types {
		g.Go(func() error {
			list, _, err := read(ctx, s.bucket, format.VersionsKey(ref), format.DecodeVersions)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			state.Versions[ref] = list.Versions
			return nil
		})
	}
	return state, g.Wait()
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
