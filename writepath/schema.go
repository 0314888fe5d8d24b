package writepath

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// Register commits the schemas of new types (decision A13): the commit's
// metadata carries the complete schema, and versions, types and registry are
// then written for the original, in its order (COMPAT 1.4). It returns the
// commit.
func (p *Publisher) Register(ctx context.Context, at time.Time, schemas []format.Schema) (ontosql.CommitID, error) {
	change := &format.SchemaChange{}
	for _, s := range schemas {
		if _, ok := p.types[s.Ref]; ok {
			return 0, fmt.Errorf("register %s: the type exists", s.Ref)
		}
		text, err := format.SchemaJSON(format.EncodeSchema(&s))
		if err != nil {
			return 0, fmt.Errorf("register %s: %w", s.Ref, err)
		}
		hash, err := format.SchemaHash([]byte(text))
		if err != nil {
			return 0, fmt.Errorf("register %s: %w", s.Ref, err)
		}
		reason := "initial"
		change.Versions = append(change.Versions, format.Versions{
			TypeKind: s.Ref.Kind.String(),
			TypeName: s.Ref.Name,
			Versions: []format.SchemaVersion{{
				CreatedAt: format.TimeOf(at), Reason: &reason, RuntimeID: &p.runtime,
				SchemaHash: hash, SchemaJSON: text, SchemaVersionID: firstVersion,
			}},
		})
		p.types[s.Ref] = s
	}
	for _, ref := range p.refs() {
		s := p.types[ref]
		change.Types = append(change.Types, format.TypeState{
			Kind: ref.Kind.String(), Type: ref.Name, Schema: format.EncodeSchema(&s), SchemaVersionID: firstVersion,
		})
	}
	raw, err := format.EncodeSchemaChange(change)
	if err != nil {
		return 0, fmt.Errorf("encode schema change: %w", err)
	}
	id, err := p.publish(ctx, at, map[string]json.RawMessage{format.MetadataSchema: raw}, nil)
	if err != nil {
		return 0, err
	}
	return id, p.project(ctx, at, change.Versions)
}

// firstVersion is the schema version id of a type that was never migrated.
const firstVersion = 1

func (p *Publisher) refs() []ontosql.TypeRef {
	refs := make([]ontosql.TypeRef, 0, len(p.types))
	for ref := range p.types {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, ontosql.TypeRef.Compare)
	return refs
}

// project writes the schema objects the original reads.
func (p *Publisher) project(ctx context.Context, at time.Time, versions []format.Versions) error {
	for i := range versions {
		ref, err := versions[i].Ref()
		if err != nil {
			return err
		}
		if _, err := p.bucket.Put(ctx, format.VersionsKey(ref), format.EncodeVersions(&versions[i])); err != nil {
			return fmt.Errorf("write schema versions: %w", err)
		}
	}
	types := &format.Types{UpdatedAt: format.TimeOf(at)}
	registry := &format.Registry{
		Entity:    map[string]json.RawMessage{},
		Relation:  map[string]json.RawMessage{},
		UpdatedAt: format.TimeOf(at),
	}
	for _, ref := range p.refs() {
		s := p.types[ref]
		if ref.Kind == ontosql.Entity {
			types.Entities = append(types.Entities, ref.Name)
			registry.Entity[ref.Name] = format.EncodeSchema(&s)
		} else {
			types.Relations = append(types.Relations, ref.Name)
			registry.Relation[ref.Name] = format.EncodeSchema(&s)
		}
	}
	if _, err := p.bucket.Put(ctx, format.TypesKey, format.EncodeTypes(types)); err != nil {
		return fmt.Errorf("write known types: %w", err)
	}
	body, err := format.EncodeRegistry(registry)
	if err != nil {
		return fmt.Errorf("encode registry: %w", err)
	}
	if _, err := p.bucket.Put(ctx, format.RegistryKey, body); err != nil {
		return fmt.Errorf("write registry: %w", err)
	}
	return nil
}
