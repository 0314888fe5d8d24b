package writepath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// schema returns the current schema version of a type from its versions object; 0 if it has
// none.
func (s *store) schema(ctx context.Context, ref ontosql.TypeRef) (int64, error) {
	list, _, err := get[*format.Versions](ctx, s.objects, format.VersionsKey(ref))
	if err != nil {
		return 0, err
	}
	current, _ := list.Current()
	return current.SchemaVersionID, nil
}

// checkSchemas returns an error if the rows of an attempt were made for other schemas than the
// current ones. The objects may lag behind a commit whose writer died; they are rolled forward
// first.
func (t *lockHolder) checkSchemas(a *attempt) error {
	for _, d := range a.p.Data {
		actual, ours := t.ownVersion(a, d.Type)
		if !ours {
			var err error
			if actual, err = t.store.schema(t.lease.ctx, d.Type); err != nil {
				return err
			}
			if actual != d.SchemaVersion {
				if _, err := t.rollForward(); err != nil {
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

// ownVersion returns the schema version of a type after the attempt's own change, or after a
// change of this process that is being projected. ours is false if neither changed it.
func (t *lockHolder) ownVersion(a *attempt, ref ontosql.TypeRef) (version int64, ours bool) {
	if version, ours = a.landing.change.VersionAfter(ref); !ours && t.projecting != nil {
		version, ours = t.projecting.landing.change.VersionAfter(ref)
	}
	return version, ours
}

// schemaChange runs a transaction's schema function. It runs on the cached schema, whose
// edition is returned: the upload checks that it is still current. Before an error is returned
// that check is done here.
func (t *lockHolder) schemaChange(p *pending) (change *format.SchemaChange, edition int, err error) {
	if _, err := t.rollForward(); err != nil {
		return nil, 0, err
	}
	ctx, objects := t.lease.ctx, t.store.objects
	if !objects.listed {
		if err := objects.refresh(ctx); err != nil {
			return nil, 0, err
		}
	}
	for try := 1; ; try++ {
		edition = objects.currentEdition()
		state := migration.NewState(format.TimeOf(p.CreatedAt(t.o.Now, t.store.head.UpdatedAt.Time)), t.o.RuntimeID)
		if err = t.store.state(ctx, state); err == nil {
			err = p.Schema(state)
		}
		if err == nil {
			return state.Change(), edition, nil
		}
		if err := objects.refresh(ctx); err != nil {
			return nil, 0, err
		}
		if objects.currentEdition() == edition || try == maxTries {
			return nil, 0, err
		}
	}
}

// state fills an empty State from the schema objects, which rollForward has updated to the
// head, and from the extras and field ids of the newest schema change.
func (s *store) state(ctx context.Context, state *migration.State) error {
	registry, err := cached[*format.Registry](s.objects, format.RegistryKey)
	if err != nil {
		return err
	}
	for name, schema := range registry.Entity {
		state.Types[ontosql.TypeRef{Kind: ontosql.Entity, Name: name}] = schema
	}
	for name, schema := range registry.Relation {
		state.Types[ontosql.TypeRef{Kind: ontosql.Relation, Name: name}] = schema
	}
	// The listed types are the same, unless an object is damaged.
	refs, _ := s.refs()
	for _, ref := range slices.AppendSeq(refs, maps.Keys(state.Types)) {
		list, err := cached[*format.Versions](s.objects, format.VersionsKey(ref))
		if err != nil {
			return err
		}
		if schema, ok := newest(ref, list); ok {
			state.Types[ref] = schema
		}
		if state.Types[ref] != nil {
			state.Versions[ref] = list.Versions
		}
	}
	return s.declared(ctx, state)
}

// newest returns the current schema of a type from its versions, which are written before the
// registry; false if it cannot be decoded.
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

// declared adds the extras and the field ids of its types to a State.
func (s *store) declared(ctx context.Context, state *migration.State) error {
	view, err := s.view(ctx)
	if err != nil {
		return err
	}
	change, id, err := view.LastSchemaChange(s.head.CommitID)
	if err != nil {
		return err
	}
	state.Declared(change, func(ref ontosql.TypeRef) bool { return view.Floor(ref) > id })
	return nil
}

// read reads and decodes an object; a missing one is decoded as an empty one.
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
