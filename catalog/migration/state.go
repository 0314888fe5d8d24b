package migration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/format"
)

// FirstVersion is the schema version id of a type that was never migrated.
const FirstVersion = 1

// Reasons of schema versions (COMPAT 1.3).
const (
	reasonInitial   = "initial"
	reasonBootstrap = "bootstrap"
	// ReasonMigration is the reason of a version that another one led to.
	ReasonMigration = "migration"
)

// State is the schema of an ontology that a change starts from, and then what
// the change has made of it so far. The maps are the State's own; schemas and
// version lists in them are shared and never written to.
type State struct {
	Types    map[ontosql.TypeRef]json.RawMessage        // current schemas, canonical JSON
	Versions map[ontosql.TypeRef][]format.SchemaVersion // of those types; none where only a registry has the type
	Extras   map[ontosql.TypeRef]format.Extras          // of the types that have some
	FieldIDs map[ontosql.TypeRef]format.FieldIDs        // of the types that have some, perhaps of older versions only
	// RequireGrants says that privileges are checked although no type has any.
	RequireGrants bool
	// EventGrants are the privileges on the event bus, nil for those of the owner of the database alone.
	EventGrants acl.Grants
	At          format.Time // created_at of the versions it makes
	Runtime     string      // runtime_id of those

	created map[ontosql.TypeRef]bool // types that were not there, or are others than were there
	touched map[ontosql.TypeRef]bool // types with new versions
	dropped map[ontosql.TypeRef]format.DroppedRef
}

// NewState is the State of an ontology without types.
func NewState(at format.Time, runtime string) *State {
	return &State{
		Types:    map[ontosql.TypeRef]json.RawMessage{},
		Versions: map[ontosql.TypeRef][]format.SchemaVersion{},
		Extras:   map[ontosql.TypeRef]format.Extras{},
		FieldIDs: map[ontosql.TypeRef]format.FieldIDs{},
		At:       at, Runtime: runtime,
		created: map[ontosql.TypeRef]bool{}, touched: map[ontosql.TypeRef]bool{}, dropped: map[ontosql.TypeRef]format.DroppedRef{},
	}
}

// Create adds a type at its first version, also where one of its name was
// dropped. Errors are *ExistsError, *NameError, *ReservedError and
// *NoEndpointError.
func (s *State) Create(schema *format.Schema, extras format.Extras) error {
	if _, exists := s.Types[schema.Ref]; exists {
		return &ExistsError{schema.Ref}
	}
	if err := s.check(schema); err != nil {
		return err
	}
	s.Versions[schema.Ref] = nil
	if err := s.add(schema.Ref, format.EncodeSchema(schema), reasonInitial); err != nil {
		return fmt.Errorf("create %s: %w", schema.Ref, err)
	}
	s.created[schema.Ref] = true
	s.identify(schema, nil)
	s.describe(schema, schema, extras)
	return nil
}

// Migrate gives a type another schema. from is the id of the version that it was
// made from, as the catalog has it, and fields says which of its fields the new ones
// continue. Of the type's extras those stay that fit the new schema; Describe says
// others. Errors are *MissingError, *VersionError, *ReservedError and *NoEndpointError.
func (s *State) Migrate(from int64, schema *format.Schema, fields Continues, reason string) error {
	ref := schema.Ref
	before, exists := s.Types[ref]
	if !exists {
		return &MissingError{ref}
	}
	if actual := s.Version(ref); actual != max(from, FirstVersion) {
		return &VersionError{ref, from, actual}
	}
	if err := s.check(schema); err != nil {
		return err
	}
	if err := s.number(ref); err != nil {
		return fmt.Errorf("migrate %s: %w", ref, err)
	}
	if err := s.add(ref, format.EncodeSchema(schema), reason); err != nil {
		return fmt.Errorf("migrate %s: %w", ref, err)
	}
	s.identify(schema, fields)
	if extras, ok := s.Extras[ref]; ok {
		s.describe(schemaOf(ref, before), schema, extras)
	}
	return nil
}

// Drop takes a type away. Relation types that link it are dropped before it. The
// errors are *MissingError and *LinkedError.
func (s *State) Drop(ref ontosql.TypeRef, purged bool) error {
	if _, exists := s.Types[ref]; !exists {
		return &MissingError{ref}
	}
	if by := s.linking(ref); len(by) > 0 {
		return &LinkedError{ref, by}
	}
	if s.created[ref] { // no other session has seen it
		delete(s.created, ref)
	} else {
		d := format.DroppedRef{Kind: ref.Kind.String(), Type: ref.Name, Purged: purged}
		if list := s.Versions[ref]; len(list) > 0 {
			d.CreatedAt = list[0].CreatedAt
		}
		s.dropped[ref] = d
	}
	delete(s.Types, ref)
	delete(s.Versions, ref)
	delete(s.Extras, ref)
	delete(s.FieldIDs, ref)
	delete(s.touched, ref)
	return nil
}

// Describe replaces the extras of a type, which is what extras.Kind and
// extras.Type name; columns that it has not are left out. That makes no version.
// The error is a *MissingError.
func (s *State) Describe(extras format.Extras) error {
	ref := extras.Ref()
	if _, exists := s.Types[ref]; !exists {
		return &MissingError{ref}
	}
	schema := schemaOf(ref, s.Types[ref])
	s.describe(schema, schema, extras)
	return nil
}

// StillDeclared makes sure that the extras of a type are what a change of them was
// worked out from; else the error is a *DeclaredError.
func (s *State) StillDeclared(was format.Extras) error {
	ref := was.Ref()
	now, there := s.Extras[ref]
	if there == was.Empty() || there && !format.SameExtras([]format.Extras{now}, []format.Extras{was}) {
		return &DeclaredError{ref}
	}
	return nil
}

// GrantEvents changes the privileges on the event bus, unless they are not what the change was worked
// out from: then the error is ErrEventGrants.
func (s *State) GrantEvents(was, now acl.Grants) error {
	if !acl.Same(s.EventGrants, was) {
		return ErrEventGrants
	}
	s.EventGrants = now
	return nil
}

// Version is the id of the current schema version of a type.
func (s *State) Version(ref ontosql.TypeRef) int64 {
	if n := len(s.Versions[ref]); n > 0 {
		return s.Versions[ref][n-1].SchemaVersionID
	}
	return FirstVersion
}

// Change is what was done to the State, as a commit carries it: the schema, the
// extras and the field ids of every type, the version lists of those that have new versions,
// and what was dropped.
func (s *State) Change() *format.SchemaChange {
	c := &format.SchemaChange{Types: []format.TypeState{}, RequireGrants: s.RequireGrants, EventGrants: s.EventGrants}
	for _, ref := range slices.SortedFunc(maps.Keys(s.Types), ontosql.TypeRef.Compare) {
		if !bytes.HasPrefix(s.Types[ref], []byte("{")) || s.number(ref) != nil {
			continue // damage in a registry, which no reader takes for a type
		}
		kind := ref.Kind.String()
		c.Types = append(c.Types, format.TypeState{Kind: kind, Type: ref.Name, Schema: s.Types[ref], SchemaVersionID: s.Version(ref)})
		if s.touched[ref] {
			c.Versions = append(c.Versions, format.Versions{TypeKind: kind, TypeName: ref.Name, Versions: s.Versions[ref]})
		}
		if extras, ok := s.Extras[ref]; ok {
			c.Extras = append(c.Extras, extras)
		}
		if ids, ok := s.FieldIDs[ref]; ok {
			c.FieldIDs = append(c.FieldIDs, ids)
		}
	}
	for _, ref := range slices.SortedFunc(maps.Keys(s.dropped), ontosql.TypeRef.Compare) {
		c.Dropped = append(c.Dropped, s.dropped[ref])
	}
	return c
}

// number gives a version to a type that is in the registry only. As the original does on SQLite
// (COMPAT 4.2), its schema becomes version 1, without a runtime id.
func (s *State) number(ref ontosql.TypeRef) error {
	if len(s.Versions[ref]) > 0 {
		return nil
	}
	if err := s.add(ref, s.Types[ref], reasonBootstrap); err != nil {
		return err
	}
	s.Versions[ref][0].RuntimeID = nil
	return nil
}

// add appends a version, which becomes the current one.
func (s *State) add(ref ontosql.TypeRef, schema json.RawMessage, reason string) error {
	next := int64(FirstVersion)
	for _, v := range s.Versions[ref] {
		next = max(next, v.SchemaVersionID+1)
	}
	v, err := s.version(schema, next, reason)
	if err != nil {
		return err
	}
	s.Types[ref], s.touched[ref] = schema, true
	s.Versions[ref] = append(slices.Clip(s.Versions[ref]), v)
	return nil
}

func (s *State) version(schema json.RawMessage, id int64, reason string) (format.SchemaVersion, error) {
	text, err := format.SchemaJSON(schema)
	if err != nil {
		return format.SchemaVersion{}, err
	}
	hash, err := format.SchemaHash(schema)
	if err != nil {
		return format.SchemaVersion{}, err
	}
	runtime := s.Runtime
	return format.SchemaVersion{
		CreatedAt: s.At, Reason: &reason, RuntimeID: &runtime,
		SchemaHash: hash, SchemaJSON: text, SchemaVersionID: id,
	}, nil
}

// describe keeps of extras that were declared for a schema what the one after it
// has a place for.
func (s *State) describe(declared, schema *format.Schema, extras format.Extras) {
	ref := schema.Ref
	extras = extras.After(declared, schema)
	extras.Kind, extras.Type = ref.Kind.String(), ref.Name
	if extras.Empty() {
		delete(s.Extras, ref)
		return
	}
	s.Extras[ref] = extras
}
