package chain

import (
	"encoding/json"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// Drops are the types that the commit dropped. Files of one of them in the same
// commit were written after the drop (decision A14).
func (e *Entry) Drops() []ontosql.TypeRef { return e.drops }

// drops are the types that a commit dropped (decision A14): those its schema
// change names, or those a commit of the original names, which has no files,
// the operation schema_drop and one type or a list of them (COMPAT 7). A list
// that cannot be read is an error, because overlooking a drop would bring
// deleted rows back.
func drops(key string, m *format.Manifest, change *format.SchemaChange) ([]ontosql.TypeRef, error) {
	var found []ontosql.TypeRef
	add := func(field, kind, name string) error {
		k, err := ontosql.ParseKind(kind)
		if err != nil {
			return &ontosql.CorruptError{Key: key, Field: field, Err: err}
		}
		if t := (ontosql.TypeRef{Kind: k, Name: name}); !slices.Contains(found, t) {
			found = append(found, t)
		}
		return nil
	}
	if change != nil {
		for _, d := range change.Dropped {
			if err := add("metadata."+format.MetadataSchema, d.Kind, d.Type); err != nil {
				return nil, err
			}
		}
	}
	if len(m.Files) > 0 || metadataText(m, "operation") != "schema_drop" {
		return found, nil
	}
	if name := metadataText(m, "target_type"); name != "" {
		if err := add("metadata.target_kind", metadataText(m, "target_kind"), name); err != nil {
			return nil, err
		}
	}
	const field = "metadata.affected_types"
	affected, err := affectedTypes(m.Metadata["affected_types"])
	if err != nil {
		return nil, &ontosql.CorruptError{Key: key, Field: field, Err: err}
	}
	for _, a := range affected {
		if err := add(field, a.Kind, a.Name); err != nil {
			return nil, err
		}
	}
	return found, nil
}

type affectedType struct {
	Kind string `json:"kind"`
	Name string `json:"type_name"`
}

// affectedTypes reads the list as the original writes it, a JSON text inside a
// JSON string, and also as the list itself.
func affectedTypes(value json.RawMessage) ([]affectedType, error) {
	if len(value) == 0 {
		return nil, nil
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		value = json.RawMessage(text)
	}
	var affected []affectedType
	if err := json.Unmarshal(value, &affected); err != nil {
		return nil, err
	}
	return affected, nil
}

// metadataText is a metadata value that is a string, else "".
func metadataText(m *format.Manifest, name string) string {
	var text string
	if json.Unmarshal(m.Metadata[name], &text) != nil {
		return ""
	}
	return text
}
