package format

import (
	"bytes"
	"slices"

	"github.com/ontosql/ontosql"
)

// ExtrasKey is where the Extras and the FieldIDs of all types lie for other readers, as
// far as any type has some. Ours take them from the newest schema change (decision A13).
const ExtrasKey = "meta/ontosql/schema.json"

// Extras are what SQL declares of a type and the original's schema has no place
// for (decision A13). They are no part of the schema, whose hash they would
// change, and optional for every reader.
type Extras struct {
	Kind    string `json:"kind"`
	Type    string `json:"type_name"`
	Comment string `json:"comment,omitempty"`
	// Columns are in the order of declaration. A field that is missing here has
	// no extras and comes after those that are named.
	Columns []ColumnExtras `json:"columns,omitempty"`
}

// ColumnExtras are those of one column.
type ColumnExtras struct {
	Field   string `json:"field"`             // the field's name; "left_key" and "right_key" for endpoints
	Default string `json:"default,omitempty"` // the SQL text of an expression, "" for none
	Comment string `json:"comment,omitempty"`
	// Type is the declared SQL type as format_type writes it, where it says more
	// than the field's Python type: "numeric(10,2)", "character varying(40)".
	Type string `json:"type,omitempty"`
	// NotNull says NOT NULL of a field whose Python type has no spelling without
	// None, which is Any.
	NotNull bool `json:"not_null,omitempty"`
	// Quoted says that the name was declared in quotes: it is not folded.
	Quoted bool `json:"quoted,omitempty"`
}

// Ref is the type that they are of.
func (e *Extras) Ref() ontosql.TypeRef {
	kind, _ := ontosql.ParseKind(e.Kind) // the decoder has checked it
	return ontosql.TypeRef{Kind: kind, Name: e.Type}
}

// Empty reports whether there is nothing that a reader could not tell without.
func (e *Extras) Empty() bool { return e.Comment == "" && len(e.Columns) == 0 }

// After are the extras after a change of the type's schema without new declarations. Dropped
// columns are left out, and so are declarations about the values of a column whose type has
// changed.
func (e *Extras) After(from, to *Schema) Extras {
	kept := *e
	kept.Columns = nil
	for _, c := range e.Columns {
		endpoint := to.Ref.Kind == ontosql.Relation && (c.Field == "left_key" || c.Field == "right_key")
		is := to.field(c.Field)
		if is == nil && !endpoint {
			continue
		}
		if was := from.field(c.Field); is != nil && (was == nil || !sameValues(was, is)) {
			c.Default, c.Type, c.NotNull = "", "", false
		}
		kept.Columns = append(kept.Columns, c)
	}
	return kept
}

func (s *Schema) field(name string) *SchemaField {
	if i := slices.IndexFunc(s.Fields, func(f SchemaField) bool { return f.Name == name }); i >= 0 {
		return &s.Fields[i]
	}
	return nil
}

// sameValues reports whether two fields are of one type, None apart.
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

// DecodeDeclaredTypes reads the extras and the field ids of all types. A list that is
// missing or no list is empty; an entry of the wrong shape is an error.
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

// Same reports whether two of them say the same, whenever they were written.
func (d *DeclaredTypes) Same(other *DeclaredTypes) bool {
	return SameExtras(d.Types, other.Types) && SameFieldIDs(d.FieldIDs, other.FieldIDs)
}

// EncodeDeclaredTypes writes the extras and the field ids of all types, in the order
// they are in.
func EncodeDeclaredTypes(d *DeclaredTypes) []byte {
	members := []Member{{"types", extrasValue(d.Types)}, {"updated_at", String(d.UpdatedAt.String())}}
	if len(d.FieldIDs) > 0 {
		members = append(members, Member{"field_ids", fieldIDsValue(d.FieldIDs)})
	}
	return encodeObject(members...)
}

// SameExtras reports whether two lists say the same.
func SameExtras(a, b []Extras) bool {
	return bytes.Equal(canonicalJSON(extrasValue(a)), canonicalJSON(extrasValue(b)))
}

func (f objectReader) extras(name string) []Extras {
	var all []Extras
	f.each(name, f.optionalItems(name), func(e objectReader) {
		x := Extras{Kind: e.oneOf("kind", "entity", "relation"), Type: e.text("type_name"), Comment: e.optionalText("comment")}
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

// appendText adds a member that is left out when it is empty.
func appendText(members []Member, name, text string) []Member {
	if text == "" {
		return members
	}
	return append(members, Member{name, String(text)})
}
