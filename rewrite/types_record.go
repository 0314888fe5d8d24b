package rewrite

// rowType is the fields of a record. The engine has it as a struct, whose fields are
// found by their places: a row constructor gives them no names there.
type rowType struct{ fields []rowAttribute }

// rowAttribute is one field of a record.
type rowAttribute struct {
	name string
	t    typ
}

func (r *rowType) add(name string, ty typ) {
	r.fields = append(r.fields, rowAttribute{name: name, t: ty})
}

// numberedType is the row that information_schema._pg_expandarray gives: an element
// x and its number n.
func numberedType(elem typ) typ {
	r := &rowType{}
	r.add("x", elem)
	r.add("n", t(int4OID))
	return typ{oid: recordOID, mod: -1, row: r}
}

// alike tells whether the fields of two rows have the same types.
func (r *rowType) alike(other *rowType) bool {
	if r == nil || other == nil || len(r.fields) != len(other.fields) {
		return r == other
	}
	for i, f := range r.fields {
		if g := other.fields[i]; f.t.oid != g.t.oid || f.t.row != nil && !f.t.row.alike(g.t.row) {
			return false
		}
	}
	return true
}

// rowColumns are the fields of a row of a known type, nil for all else.
func rowColumns(row typ) []rowAttribute {
	if row.oid != recordOID || row.row == nil {
		return nil
	}
	return row.row.fields
}
