package format

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/acl"
)

// SchemaChange is the value of the manifest metadata key MetadataSchema: the
// complete schema state after a commit by ontosql that changed it (decision A13).
// The objects under meta/schema/ are projections of it.
type SchemaChange struct {
	Dropped  []DroppedRef `json:"dropped,omitempty"`   // types this commit dropped
	Extras   []Extras     `json:"extras,omitempty"`    // of every type that has extras
	FieldIDs []FieldIDs   `json:"field_ids,omitempty"` // of every type that has field ids
	Types    []TypeState  `json:"types"`               // every type that exists after the commit
	Versions []Versions   `json:"versions,omitempty"`  // full version lists of the types that changed
	// RequireGrants says that privileges are checked although no type has any (decision A89).
	RequireGrants bool `json:"require_grants,omitempty"`
	// EventGrants are the privileges on the event bus, nil for those of the owner of the database alone.
	EventGrants acl.Grants `json:"event_grants,omitempty"`
}

// DroppedRef is one type dropped by a SchemaChange.
type DroppedRef struct {
	// CreatedAt is the creation time of the first version of the dropped type. It distinguishes
	// the type from a later one of the same name. Zero if the version had no time.
	CreatedAt Time   `json:"created_at"`
	Kind      string `json:"kind"`
	Purged    bool   `json:"purged"`
	Type      string `json:"type_name"`
}

// Ref returns the type that was dropped.
func (d *DroppedRef) Ref() ontosql.TypeRef {
	kind, _ := ontosql.ParseKind(d.Kind) // the decoder has checked it
	return ontosql.TypeRef{Kind: kind, Name: d.Type}
}

// DropOf returns the entry of a type that the change dropped. It returns nil if the change did
// not drop the type and for a nil change. If the change also created a type of that name, the
// new type is another type.
func (c *SchemaChange) DropOf(ref ontosql.TypeRef) *DroppedRef {
	if c == nil {
		return nil
	}
	for i := range c.Dropped {
		if d := &c.Dropped[i]; d.Kind == ref.Kind.String() && d.Type == ref.Name {
			return d
		}
	}
	return nil
}

// VersionAfter returns the schema version of a type after the change, 0 for a dropped type.
// touched is false if the change does not contain the type.
func (c *SchemaChange) VersionAfter(ref ontosql.TypeRef) (version int64, touched bool) {
	if c == nil {
		return 0, false
	}
	for _, v := range c.Versions {
		if v.TypeKind == ref.Kind.String() && v.TypeName == ref.Name {
			current, _ := v.Current()
			return current.SchemaVersionID, true
		}
	}
	return 0, c.DropOf(ref) != nil
}

// Before reports whether versions belong to a later type of the same name, registered after the
// drop. at is the time of the commit that dropped the type. The creation times of the first
// versions are compared; at is compared only if the dropped type had no creation time.
func (d *DroppedRef) Before(versions []SchemaVersion, at time.Time) bool {
	switch {
	case len(versions) == 0:
		return false
	case d.CreatedAt.IsZero():
		return versions[0].CreatedAt.After(at)
	}
	return !versions[0].CreatedAt.Equal(d.CreatedAt.Time)
}

// TypeState is one existing type in a SchemaChange.
type TypeState struct {
	Kind            string          `json:"kind"`
	Schema          json.RawMessage `json:"schema"` // canonical JSON
	SchemaVersionID int64           `json:"schema_version_id"`
	Type            string          `json:"type_name"`
}

// SchemaChange returns the schema change of a manifest, nil if it has none. key is the key of
// the manifest, for errors.
func (m *Manifest) SchemaChange(key string) (*SchemaChange, error) {
	text, present := m.Metadata[MetadataSchema]
	if !present {
		return nil, nil
	}
	return DecodeSchemaChange(key, text)
}

// DecodeSchemaChange reads the value of MetadataSchema in the manifest at key.
// Its error is a *ontosql.CorruptError.
func DecodeSchemaChange(key string, text json.RawMessage) (*SchemaChange, error) {
	const path = "metadata." + MetadataSchema
	f, err := readObject(key, text)
	if err != nil {
		return nil, err
	}
	f.path = path + "."
	c := &SchemaChange{Types: []TypeState{}, Extras: f.extras("extras"), FieldIDs: f.fieldIDs("field_ids"), RequireGrants: f.has("require_grants") && f.boolean("require_grants")}
	if f.has("event_grants") {
		c.EventGrants = f.grants("event_grants")
	}
	f.each("dropped", f.optionalItems("dropped"), func(e objectReader) {
		c.Dropped = append(c.Dropped, DroppedRef{
			CreatedAt: e.optionalTime("created_at"),
			Kind:      e.oneOf("kind", "entity", "relation"),
			Purged:    e.boolean("purged"),
			Type:      e.text("type_name"),
		})
	})
	types, _ := f.get("types", JSONArray)
	f.each("types", types.items, func(e objectReader) {
		schema, _ := e.get("schema", JSONObject)
		c.Types = append(c.Types, TypeState{
			Kind:            e.oneOf("kind", "entity", "relation"),
			Schema:          canonicalJSON(schema),
			SchemaVersionID: e.integer("schema_version_id", 1),
			Type:            e.text("type_name"),
		})
	})
	f.each("versions", f.optionalItems("versions"), func(e objectReader) { c.Versions = append(c.Versions, e.versions()) })
	if f.err() != nil {
		return nil, f.err()
	}
	return c, nil
}

// EncodeSchemaChange returns the canonical JSON of a schema change. It fails only if a schema is
// not JSON.
func EncodeSchemaChange(c *SchemaChange) (json.RawMessage, error) {
	members := []Member{}
	types := make([]Value, len(c.Types))
	for i, t := range c.Types {
		schema, err := parseMember(t.Type, t.Schema)
		if err != nil {
			return nil, fmt.Errorf("encode schema change: %w", err)
		}
		types[i] = Object(
			Member{"kind", String(t.Kind)},
			Member{"schema", schema},
			Member{"schema_version_id", Int(t.SchemaVersionID)},
			Member{"type_name", String(t.Type)},
		)
	}
	members = append(members, Member{"types", Array(types...)})
	if len(c.Dropped) > 0 {
		dropped := make([]Value, len(c.Dropped))
		for i, d := range c.Dropped {
			of := []Member{{"kind", String(d.Kind)}, {"purged", Bool(d.Purged)}, {"type_name", String(d.Type)}}
			if !d.CreatedAt.IsZero() {
				of = append(of, Member{"created_at", String(d.CreatedAt.String())})
			}
			dropped[i] = Object(of...)
		}
		members = append(members, Member{"dropped", Array(dropped...)})
	}
	if len(c.Extras) > 0 {
		members = append(members, Member{"extras", extrasValue(c.Extras)})
	}
	if len(c.FieldIDs) > 0 {
		members = append(members, Member{"field_ids", fieldIDsValue(c.FieldIDs)})
	}
	if c.EventGrants != nil {
		members = append(members, Member{"event_grants", grantsValue(c.EventGrants)})
	}
	if c.RequireGrants {
		members = append(members, Member{"require_grants", Bool(true)})
	}
	if len(c.Versions) > 0 {
		versions := make([]Value, len(c.Versions))
		for i := range c.Versions {
			versions[i] = c.Versions[i].value()
		}
		members = append(members, Member{"versions", Array(versions...)})
	}
	return encodeObject(members...), nil
}
