package format

import "github.com/ontosql/ontosql"

// Versions is meta/schema/versions/{kind}/{Type}.json. The current version is the last one in the
// list, not the one with the greatest id. A dropped type has an empty list (COMPAT 1.4).
type Versions struct {
	TypeKind string          `json:"type_kind"`
	TypeName string          `json:"type_name"`
	Versions []SchemaVersion `json:"versions"`
}

// SchemaVersion is one entry of Versions.
type SchemaVersion struct {
	CreatedAt       Time    `json:"created_at"`
	Reason          *string `json:"reason"` // "initial", "migration", "type_spec_upgrade" or nil
	RuntimeID       *string `json:"runtime_id"`
	SchemaHash      string  `json:"schema_hash"` // compared as stored, never recomputed by the original
	SchemaJSON      string  `json:"schema_json"` // JSON text inside a string, Spaced
	SchemaVersionID int64   `json:"schema_version_id"`

	// Place is the position of the version, for errors. "" is the object of the type's versions.
	Place string `json:"-"`
}

// Current returns the current version. It returns false if the type was dropped.
func (v *Versions) Current() (SchemaVersion, bool) {
	if len(v.Versions) == 0 {
		return SchemaVersion{}, false
	}
	return v.Versions[len(v.Versions)-1], true
}

// DecodeVersions reads the versions of a type. A missing list, or a value that is not a list, is an
// empty list (COMPAT 3.5). A version of the wrong shape is an error.
func DecodeVersions(key string, body []byte) (*Versions, error) {
	f, err := readObjectLeniently(key, body)
	if err != nil {
		return nil, err
	}
	v := f.versions()
	if f.err() != nil {
		return nil, f.err()
	}
	return &v, nil
}

func (f objectReader) versions() Versions {
	v := Versions{
		TypeKind: f.optionalText("type_kind"),
		TypeName: f.optionalText("type_name"),
		Versions: []SchemaVersion{},
	}
	f.each("versions", f.optionalItems("versions"), func(e objectReader) {
		v.Versions = append(v.Versions, SchemaVersion{
			CreatedAt:       e.optionalTime("created_at"),
			Reason:          e.textOrNil("reason"),
			RuntimeID:       e.textOrNil("runtime_id"),
			SchemaHash:      e.text("schema_hash"),
			SchemaJSON:      e.text("schema_json"),
			SchemaVersionID: e.integer("schema_version_id", 0),
		})
	})
	return v
}

// EncodeVersions writes the versions of a type.
func EncodeVersions(v *Versions) []byte { return v.value().Append(nil, Canonical) }

func (v *Versions) value() Value {
	items := make([]Value, len(v.Versions))
	for i := range v.Versions {
		e := &v.Versions[i]
		items[i] = Object(
			Member{"created_at", String(e.CreatedAt.String())},
			Member{"reason", textOrNull(e.Reason)},
			Member{"runtime_id", textOrNull(e.RuntimeID)},
			Member{"schema_hash", String(e.SchemaHash)},
			Member{"schema_json", String(e.SchemaJSON)},
			Member{"schema_version_id", Int(e.SchemaVersionID)},
		)
	}
	return Object(
		Member{"type_kind", String(v.TypeKind)},
		Member{"type_name", String(v.TypeName)},
		Member{"versions", Array(items...)},
	)
}

// Ref returns the type that the object names.
func (v *Versions) Ref() (ontosql.TypeRef, error) {
	kind, err := ontosql.ParseKind(v.TypeKind)
	return ontosql.TypeRef{Kind: kind, Name: v.TypeName}, err
}
