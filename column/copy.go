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
	out.Str = copyTexts(v.Str, from, to)
	if v.Lists != nil {
		out.Lists, out.Child = v.copyLists(from, to)
	}
	for i := range v.Fields {
		out.Fields = append(out.Fields, v.Fields[i].copy(from, to))
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

// copyTexts copies texts into one piece of memory.
func copyTexts(texts [][]byte, from, to int) [][]byte {
	if texts == nil {
		return nil
	}
	texts = slices.Clone(texts[from:to])
	all := make([]byte, 0, length(texts))
	for i, text := range texts {
		start := len(all)
		all = append(all, text...)
		texts[i] = all[start:len(all):len(all)]
	}
	return texts
}

func length(texts [][]byte) (n int) {
	for _, text := range texts {
		n += len(text)
	}
	return n
}

// copyLists copies the lists [from, to) with the part of their child that they
// reach.
func (v *Vector) copyLists(from, to int) ([]Span, *Vector) {
	spans := slices.Clone(v.Lists[from:to])
	low, high := v.reach(from, to)
	for i := range spans {
		if v.IsNull(from + i) {
			spans[i] = Span{}
		} else {
			spans[i].Offset -= low
		}
	}
	values := v.Child.copy(int(low), int(high))
	return spans, &values
}

// reach is the part of the child that the lists [from, to) use. The span of a NULL has no
// meaning.
func (v *Vector) reach(from, to int) (low, high uint64) {
	first := true
	for i := from; i < to; i++ {
		if v.IsNull(i) {
			continue
		}
		s := v.Lists[i]
		if first || s.Offset < low {
			low = s.Offset
		}
		first, high = false, max(high, s.Offset+s.Length)
	}
	return low, high
}
