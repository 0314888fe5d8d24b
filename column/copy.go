package column

import "slices"

// Copy is a batch of its own memory with the rows from row first on: what a
// reader keeps that lets the engine go on before it has used a batch up.
func (b *Batch) Copy(first int) *Batch {
	out := &Batch{Len: b.Len - first, Cols: make([]Vector, len(b.Cols))}
	for i := range b.Cols {
		out.Cols[i] = b.Cols[i].copy(first, b.Len)
	}
	return out
}

// copy is the values [from, to) of v.
func (v *Vector) copy(from, to int) Vector {
	out := Vector{Type: v.Type}
	if v.Valid != nil {
		for i := from; i < to; i++ {
			if v.IsNull(i) {
				out.SetNull(i-from, to-from)
			}
		}
	}
	out.Bool = part(v.Bool, from, to)
	out.I16 = part(v.I16, from, to)
	out.I32 = part(v.I32, from, to)
	out.U32 = part(v.U32, from, to)
	out.I64 = part(v.I64, from, to)
	out.F32 = part(v.F32, from, to)
	out.F64 = part(v.F64, from, to)
	out.I128 = part(v.I128, from, to)
	out.Interval = part(v.Interval, from, to)
	out.Str = part(v.Str, from, to)
	for i, text := range out.Str {
		out.Str[i] = slices.Clone(text)
	}
	if v.Lists != nil {
		out.Lists, out.Child = copyLists(v.Lists[from:to], v.Child)
	}
	return out
}

// part copies values of a slice that is in use.
func part[T any](s []T, from, to int) []T {
	if s == nil {
		return nil
	}
	return slices.Clone(s[from:to])
}

// copyLists copies lists with the part of their child that they reach.
func copyLists(spans []Span, child *Vector) ([]Span, *Vector) {
	spans = slices.Clone(spans)
	var low, high uint64
	for i, s := range spans {
		if i == 0 || s.Offset < low {
			low = s.Offset
		}
		high = max(high, s.Offset+s.Length)
	}
	for i := range spans {
		spans[i].Offset -= low
	}
	values := child.copy(int(low), int(max(low, high)))
	return spans, &values
}
