package chain

import (
	"encoding/json"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// Drops returns the types that the commit dropped. If the commit has files of a dropped
// type, they were written after the drop (decision A14).
func (e *Entry) Drops() []ontosql.TypeRef { return e.drops }

// drops returns the types that a commit dropped (decision A14): those of its schema
// change, or those of a commit of the original, which has no files, the operation
// schema_drop and one type or a list of types (COMPAT 7). A list that cannot be read is
// an error: a missed drop would make deleted rows visible again.
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

// affectedTypes decodes the list: the original writes it as JSON text in a JSON string; a
// plain list is accepted too.
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

// metadataText returns a metadata value if it is a string, otherwise "".
func metadataText(m *format.Manifest, name string) string {
	text, _ := m.Text(name)
	return text
}
