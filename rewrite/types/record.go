package types

// RowType is the type of a record whose fields are known. The engine has a struct, whose
// fields are found by position: a row constructor gives them no names there.
type RowType struct{ Fields []RowField }

// RowField is one field of a record.
type RowField struct {
	Name string
	Type Type
}

// Add appends a field.
func (r *RowType) Add(name string, ty Type) {
	r.Fields = append(r.Fields, RowField{Name: name, Type: ty})
}

// ExpandArrayRow is the type of the rows of information_schema._pg_expandarray: an element x
// and its number n.
func ExpandArrayRow(elem Type) Type {
	r := &RowType{}
	r.Add("x", elem)
	r.Add("n", Of(Int4))
	return Type{OID: Record, Typmod: -1, Row: r}
}

// Alike reports whether the fields of two rows have the same types.
func (r *RowType) Alike(other *RowType) bool {
	if r == nil || other == nil || len(r.Fields) != len(other.Fields) {
		return r == other
	}
	for i, f := range r.Fields {
		if g := other.Fields[i]; f.Type.OID != g.Type.OID || f.Type.Row != nil && !f.Type.Row.Alike(g.Type.Row) {
			return false
		}
	}
	return true
}

// RowFields are the fields of a record, nil for another type or for a record with unknown
// fields.
func RowFields(row Type) []RowField {
	if row.OID != Record || row.Row == nil {
		return nil
	}
	return row.Row.Fields
}
