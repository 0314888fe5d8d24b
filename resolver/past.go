package resolver

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// LostSchemaError is returned if nothing tells the schema that a type had at an earlier commit: it
// was dropped since, and only the commits of ontosql have schemas.
type LostSchemaError struct {
	Type      ontosql.TypeRef
	At        ontosql.CommitID // the earlier commit
	DroppedBy ontosql.CommitID
}

func (e *LostSchemaError) Error() string {
	return fmt.Sprintf("the schema of %s at commit %d is not known: the type was dropped by commit %d", e.Type, e.At, e.DroppedBy)
}

// At returns the pin of an earlier commit: the head, the chain and the types as they were when it was
// the newest one. Schemas are those of schema changes (decision A13). Of what the original changed
// without them, the schema versions are believed that files of the commits name, or that had been
// made by the time of the commit. The error is a *LostSchemaError or a *ontosql.CorruptError.
func (p *Pin) At(id ontosql.CommitID) (*Pin, error) {
	if id >= p.Head.Commit {
		return p, nil
	}
	s := &pastSchema{now: p, then: p.View.At(id), state: p.Catalog.State(p.Head.UpdatedAt, "")}
	if err := s.readChanges(); err != nil {
		return nil, err
	}
	in := catalog.Input{
		Version: fmt.Sprintf("%s at %d", p.Catalog.Version, id), Head: id, Floor: s.then.Floor,
		Change: s.change, ChangedBy: s.changedBy,
		Registry: &format.Registry{Entity: map[string]json.RawMessage{}, Relation: map[string]json.RawMessage{}},
		Versions: map[ontosql.TypeRef]*format.Versions{},
	}
	if s.change != nil {
		in.ChangedAt = s.then.Commit(s.changedBy).Manifest.CreatedAt.Time
	}
	in.Superseded = func(ref ontosql.TypeRef) bool { return s.then.Superseded(ref, s.changedBy, in.Versions[ref]) }
	for ref := range s.refs() {
		versions, schema, err := s.of(ref)
		if err != nil {
			return nil, err
		}
		if schema == nil {
			continue
		}
		section := in.Registry.Entity
		if ref.Kind == ontosql.Relation {
			section = in.Registry.Relation
		}
		section[ref.Name] = schema
		in.Versions[ref] = &format.Versions{TypeKind: ref.Kind.String(), TypeName: ref.Name, Versions: versions}
	}
	for _, t := range p.Catalog.Types {
		for path, columns := range t.Distrusted {
			for _, column := range columns {
				in.Distrusted = append(in.Distrusted, format.DistrustedColumn{Type: t.Ref, Path: path, Column: column})
			}
		}
	}
	past := &Pin{Head: s.then.Head(), View: s.then, Engine: p.Engine}
	past.Catalog, past.Warnings = catalog.Build(in)
	return past, nil
}

// pastSchema finds the schemas of an earlier commit.
type pastSchema struct {
	now       *Pin
	then      *chain.View
	state     *migration.State     // at the pin
	change    *format.SchemaChange // the newest one at the earlier commit, nil for none
	changedBy ontosql.CommitID
	earlier   []schemaChange // up to the earlier commit, newest first
	later     []schemaChange // after it, oldest last
}

// schemaChange is a schema change and its commit.
type schemaChange struct {
	*format.SchemaChange
	by ontosql.CommitID
}

// readChanges reads the schema changes of the whole chain.
func (s *pastSchema) readChanges() error {
	at := s.then.Head().Commit
	for upTo := s.now.Head.Commit; upTo > 0; {
		change, by, err := s.now.View.LastSchemaChange(upTo)
		if err != nil {
			return err
		}
		if change == nil {
			break
		}
		if by > at {
			s.later = append(s.later, schemaChange{change, by})
		} else {
			s.earlier = append(s.earlier, schemaChange{change, by})
		}
		upTo = by - 1
	}
	if len(s.earlier) > 0 {
		s.change, s.changedBy = s.earlier[0].SchemaChange, s.earlier[0].by
	}
	return nil
}

// refs are the types that may have existed at the earlier commit.
func (s *pastSchema) refs() map[ontosql.TypeRef]bool {
	refs := map[ontosql.TypeRef]bool{}
	for ref := range s.state.Types {
		refs[ref] = true
	}
	for _, ref := range s.then.Types() {
		refs[ref] = true
	}
	if s.change != nil {
		for i := range s.change.Types {
			if kind, err := ontosql.ParseKind(s.change.Types[i].Kind); err == nil {
				refs[ontosql.TypeRef{Kind: kind, Name: s.change.Types[i].Type}] = true
			}
		}
	}
	return refs
}

// of returns the versions and the schema that a type had; a nil schema if there was no such type.
func (s *pastSchema) of(ref ontosql.TypeRef) ([]format.SchemaVersion, json.RawMessage, error) {
	at := s.then.Head().Commit
	dropped := s.now.View.Floor(ref)
	if dropped <= at {
		schema, exists := s.state.Types[ref]
		if all := s.state.Versions[ref]; exists && len(all) > 0 {
			return s.current(ref, all)
		}
		return nil, schema, nil // a registry alone has it
	}
	if state := s.changedState(ref); state != nil && s.then.Floor(ref) <= s.changedBy {
		for _, c := range s.earlier {
			if list := versionsIn(c.SchemaChange, ref); list != nil && c.by >= s.then.Floor(ref) {
				return s.current(ref, list)
			}
		}
		return nil, state.Schema, nil
	}
	if s.then.HasFiles(ref, 0, at) {
		return nil, nil, &LostSchemaError{Type: ref, At: at, DroppedBy: dropped}
	}
	return nil, nil, nil
}

// current returns those of a type's versions that it had, and the schema of the last one.
func (s *pastSchema) current(ref ontosql.TypeRef, all []format.SchemaVersion) ([]format.SchemaVersion, json.RawMessage, error) {
	at := s.then.Head().Commit
	known, _, err := s.then.SchemaVersionAt(ref, at)
	if err != nil {
		return nil, nil, err
	}
	madeLater := s.madeLater(ref)
	var versions []format.SchemaVersion
	for _, v := range all {
		if v.SchemaVersionID <= known || !v.CreatedAt.After(s.then.Head().UpdatedAt) && !v.CreatedAt.Equal(madeLater) {
			versions = append(versions, v)
		}
	}
	if len(versions) == 0 {
		return nil, nil, nil
	}
	last := &versions[len(versions)-1]
	schema, err := format.Canonicalize([]byte(last.SchemaJSON))
	if err != nil {
		return nil, nil, &ontosql.CorruptError{Key: format.VersionsKey(ref), Field: "schema_json", Err: err}
	}
	return versions, schema, nil
}

// madeLater is the time of the versions that the first schema change after the commit made of a type,
// the zero time for none. They may be as old as the commit, by a clock that went back.
func (s *pastSchema) madeLater(ref ontosql.TypeRef) (at time.Time) {
	for _, c := range s.later {
		if list := versionsIn(c.SchemaChange, ref); len(list) > 0 {
			at = list[len(list)-1].CreatedAt.Time
		}
	}
	return at
}

func (s *pastSchema) changedState(ref ontosql.TypeRef) *format.TypeState {
	if s.change == nil {
		return nil
	}
	for i := range s.change.Types {
		if t := &s.change.Types[i]; t.Kind == ref.Kind.String() && t.Type == ref.Name {
			return t
		}
	}
	return nil
}

// versionsIn are the versions of a type in a change, nil if it did not touch the type.
func versionsIn(c *format.SchemaChange, ref ontosql.TypeRef) []format.SchemaVersion {
	for i := range c.Versions {
		if v := &c.Versions[i]; v.TypeKind == ref.Kind.String() && v.TypeName == ref.Name {
			return v.Versions
		}
	}
	return nil
}
