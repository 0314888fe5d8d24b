package format

// DataField is a field of a type as its data files have it: the field, and what else its column
// in the files depends on.
type DataField struct {
	Name string
	Type FieldType
	// ID is the field's id in the type (decision A52), which is the id of its column in the
	// Parquet schema; 0 for none.
	ID int64
	// Precision and Scale are those of the column of a FieldDecimal, at most 38 digits.
	Precision, Scale int
}

// DataFields returns the fields of a schema without what only SQL knows of them: ids, and the
// declared size of numbers, which have the size of an undeclared one.
func DataFields(fields []SchemaField) []DataField {
	list := make([]DataField, len(fields))
	for i, f := range fields {
		t, _ := ParseSpelling(f.Type)
		list[i] = DataField{Name: f.Name, Type: t}
		if t == FieldDecimal {
			list[i].Precision, list[i].Scale = decimalDigits, DecimalScale
		}
	}
	return list
}

// Sized returns the field for numbers declared as numeric(precision, scale). PostgreSQL allows a
// scale that is negative or greater than the precision; Parquet does not, and the column is as
// wide as such a number needs. A number that may have more than 38 digits has no native column,
// and the field is then a FieldDecimal with a Precision of 0.
func (f DataField) Sized(precision, scale int) DataField {
	switch {
	case scale < 0:
		precision, scale = precision-scale, 0
	case scale > precision:
		precision = scale
	}
	if precision > decimalDigits {
		precision, scale = 0, 0
	}
	f.Precision, f.Scale = precision, scale
	return f
}
