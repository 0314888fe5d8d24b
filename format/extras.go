package format

import (
	"bytes"
	"slices"

	"github.com/ontosql/ontosql"
)

// ExtrasKey is the key of the Extras and FieldIDs of all types, for other readers. The object is
// absent if no type has any. ontosql reads them from the newest schema change (decision A13).
const ExtrasKey = "meta/ontosql/schema.json"

// Extras are the SQL declarations of a type that the original's schema cannot store (decision
// A13). They are not part of the schema, because they would change its hash. They are optional
// for readers.
type Extras struct {
	Kind    string `json:"kind"`
	Type    string `json:"type_name"`
	Comment string `json:"comment,omitempty"`
	// Columns are in the order of declaration. A field that is not listed has no extras and
	// follows the listed ones.
	Columns []ColumnExtras `json:"columns,omitempty"`
	// Owner is the role that owns the type, "" for the owner of the database.
	Owner string `json:"owner,omitempty"`
	// Grants are privileges on the type, at most one entry for each schema and field.
	Grants []TypeGrants `json:"grants,omitempty"`
}

// ColumnExtras are the extras of one column.
type ColumnExtras struct {
	Field   string `json:"field"`             // the field's name; "left_key" and "right_key" for endpoints
	Default string `json:"default,omitempty"` // the SQL text of an expression, "" for none
	Comment string `json:"comment,omitempty"`
	// Type is the declared SQL type as format_type writes it, if it is more precise than the
	// field's Python type: "numeric(10,2)", "character varying(40)".
	Type string `json:"type,omitempty"`
	// NotNull is NOT NULL for a field whose Python type always includes None, which is Any.
	NotNull bool `json:"not_null,omitempty"`
	// Quoted is true if the name was declared in quotes, so that it is not folded.
	Quoted bool `json:"quoted,omitempty"`
}

// Ref returns the type that the extras belong to.
func (e *Extras) Ref() ontosql.TypeRef {
	kind, _ := ontosql.ParseKind(e.Kind) // the decoder has checked it
	return ontosql.TypeRef{Kind: kind, Name: e.Type}
}

// Empty reports whether nothing is declared of the type.
func (e *Extras) Empty() bool {
	return e.Comment == "" && len(e.Columns) == 0 && e.Owner == "" && len(e.Grants) == 0
}

// After returns the extras after a change of the type's schema without new declarations. It omits
// dropped columns and the privileges on them, and the default, type and NOT NULL of a column whose type has changed.
func (e *Extras) After(from, to *Schema) Extras {
	kept := *e
	kept.Columns = nil
	kept.Grants = slices.DeleteFunc(slices.Clone(e.Grants), func(g TypeGrants) bool {
		return g.Field != "" && to.field(g.Field) == nil && !to.hasEndpoint(g.Field)
	})
	for _, c := range e.Columns {
		is := to.field(c.Field)
		if is == nil && !to.hasEndpoint(c.Field) {
			continue
		}
		if was := from.field(c.Field); is != nil && (was == nil || !sameValues(was, is)) {
			c.Default, c.Type, c.NotNull = "", "", false
		}
		kept.Columns = append(kept.Columns, c)
	}
	return kept
}

// hasEndpoint reports whether a name is that of an endpoint of the type.
func (s *Schema) hasEndpoint(name string) bool {
	return s.Ref.Kind == ontosql.Relation && (name == "left_key" || name == "right_key")
}

func (s *Schema) field(name string) *SchemaField {
	if i := slices.IndexFunc(s.Fields, func(f SchemaField) bool { return f.Name == name }); i >= 0 {
		return &s.Fields[i]
	}
	return nil
}

// sameValues reports whether two fields have the same type, ignoring None.
func sameValues(a, b *SchemaField) bool {
	was, _ := ParseSpelling(a.Type)
	is, _ := ParseSpelling(b.Type)
	return was == is && (was != FieldJSON || a.Type == b.Type)
}

// DeclaredTypes is meta/ontosql/schema.json.
type DeclaredTypes struct {
	FieldIDs  []FieldIDs `json:"field_ids,omitempty"`
	Types     []Extras   `json:"types"`
	UpdatedAt Time       `json:"updated_at"`
}

// DecodeDeclaredTypes reads the extras and the field ids of all types. A missing list, or a value
// that is not a list, is an empty list. An entry of the wrong shape is an error.
func DecodeDeclaredTypes(key string, body []byte) (*DeclaredTypes, error) {
	f, err := readObjectLeniently(key, body)
	if err != nil {
		return nil, err
	}
	d := &DeclaredTypes{FieldIDs: f.fieldIDs("field_ids"), Types: f.extras("types"), UpdatedAt: f.lenientTime("updated_at")}
	if f.err() != nil {
		return nil, f.err()
	}
	return d, nil
}

// Same reports whether d and other are equal, ignoring UpdatedAt.
func (d *DeclaredTypes) Same(other *DeclaredTypes) bool {
	return SameExtras(d.Types, other.Types) && SameFieldIDs(d.FieldIDs, other.FieldIDs)
}

// EncodeDeclaredTypes writes the extras and the field ids of all types in the given order.
func EncodeDeclaredTypes(d *DeclaredTypes) []byte {
	members := []Member{{"types", extrasValue(d.Types)}, {"updated_at", String(d.UpdatedAt.String())}}
	if len(d.FieldIDs) > 0 {
		members = append(members, Member{"field_ids", fieldIDsValue(d.FieldIDs)})
	}
	return encodeObject(members...)
}

// SameExtras reports whether two lists of extras are equal.
func SameExtras(a, b []Extras) bool {
	return bytes.Equal(canonicalJSON(extrasValue(a)), canonicalJSON(extrasValue(b)))
}

func (f objectReader) extras(name string) []Extras {
	var all []Extras
	f.each(name, f.optionalItems(name), func(e objectReader) {
		x := Extras{
			Kind: e.oneOf("kind", "entity", "relation"), Type: e.text("type_name"), Comment: e.optionalText("comment"),
			Owner: e.optionalText("owner"), Grants: e.typeGrants("grants"),
		}
		e.each("columns", e.optionalItems("columns"), func(c objectReader) {
			x.Columns = append(x.Columns, ColumnExtras{
				Field: c.text("field"), Default: c.optionalText("default"), Comment: c.optionalText("comment"), Type: c.optionalText("type"),
				NotNull: c.has("not_null") && c.boolean("not_null"), Quoted: c.has("quoted") && c.boolean("quoted"),
			})
		})
		all = append(all, x)
	})
	return all
}

func extrasValue(list []Extras) Value {
	items := make([]Value, len(list))
	for i := range list {
		x := &list[i]
		members := []Member{{"kind", String(x.Kind)}, {"type_name", String(x.Type)}}
		members = appendText(members, "comment", x.Comment)
		members = appendText(members, "owner", x.Owner)
		if len(x.Grants) > 0 {
			members = append(members, Member{"grants", typeGrantsValue(x.Grants)})
		}
		if len(x.Columns) > 0 {
			columns := make([]Value, len(x.Columns))
			for k, c := range x.Columns {
				column := appendText([]Member{{"field", String(c.Field)}}, "default", c.Default)
				column = appendText(column, "comment", c.Comment)
				column = appendText(column, "type", c.Type)
				if c.NotNull {
					column = append(column, Member{"not_null", Bool(true)})
				}
				if c.Quoted {
					column = append(column, Member{"quoted", Bool(true)})
				}
				columns[k] = Object(column...)
			}
			members = append(members, Member{"columns", Array(columns...)})
		}
		items[i] = Object(members...)
	}
	return Array(items...)
}

// appendText appends a member unless its text is empty.
func appendText(members []Member, name, text string) []Member {
	if text == "" {
		return members
	}
	return append(members, Member{name, String(text)})
}
