package rowjson

import (
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
)

// WriteSchema is the version of a type's schema that rows are written with. It is an error for
// a type without one, and for one with a field whose name is reserved.
func WriteSchema(t *catalog.Type) (*format.Schema, error) {
	i := slices.IndexFunc(t.Versions, func(v catalog.Version) bool { return v.ID == t.SchemaID })
	if i < 0 {
		return nil, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "relation %q has no schema version to write rows by", t.Table).
			WithHint("The original library adds it when it opens the ontology with its models.")
	}
	schema, err := t.Versions[i].Schema(t.Ref)
	if err != nil {
		return nil, err
	}
	for _, f := range schema.Fields {
		if format.Reserved(t.Ref.Kind, f.Name) {
			return nil, pgerr.Unsupported("relation %q cannot be written to: the name of its field %q is reserved", t.Table, f.Name).
				WithDetail("A row with this field would hide a column that every data file needs.")
		}
	}
	return schema, nil
}
