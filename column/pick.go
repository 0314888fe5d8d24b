package column

// Pick is a batch of its own memory with some rows of the columns from number
// first on, in the order given.
func (b *Batch) Pick(first int, rows []int) *Batch {
	out := &Batch{Len: len(rows), Cols: make([]Vector, len(b.Cols)-first)}
	for i := range out.Cols {
		out.Cols[i] = b.Cols[first+i].pick(rows)
	}
	return out
}

func (v *Vector) pick(rows []int) Vector {
	out := Vector{Type: v.Type}
	if v.Valid != nil {
		for to, from := range rows {
			if v.IsNull(from) {
				out.SetNull(to, len(rows))
			}
		}
	}
	out.Bool = picked(v.Bool, rows)
	out.I16 = picked(v.I16, rows)
	out.I32 = picked(v.I32, rows)
	out.U32 = picked(v.U32, rows)
	out.I64 = picked(v.I64, rows)
	out.F32 = picked(v.F32, rows)
	out.F64 = picked(v.F64, rows)
	out.I128 = picked(v.I128, rows)
	out.Interval = picked(v.Interval, rows)
	if texts := picked(v.Str, rows); texts != nil {
		out.Str = copyTexts(texts, 0, len(texts))
	}
	if v.Lists != nil {
		spans := picked(v.Lists, rows)
		chosen := Vector{Type: v.Type, Valid: out.Valid, Lists: spans, Child: v.Child}
		out.Lists, out.Child = chosen.copyLists(0, len(rows))
	}
	for i := range v.Fields {
		out.Fields = append(out.Fields, v.Fields[i].pick(rows))
	}
	return out
}

// picked are values of a slice that is in use.
func picked[T any](s []T, rows []int) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(rows))
	for to, from := range rows {
		out[to] = s[from]
	}
	return out
}
