package column

import "unsafe"

// CopySize is how many bytes of memory a Copy of the whole batch takes.
func (b *Batch) CopySize() int64 {
	n := int64(unsafe.Sizeof(*b))
	for i := range b.Cols {
		n += b.Cols[i].copySize(0, b.Len)
	}
	return n
}

// copySize is what a copy of the values [from, to) takes, NULLs among them.
func (v *Vector) copySize(from, to int) int64 {
	n := int64(unsafe.Sizeof(*v))
	if v.Valid != nil {
		n += int64(to-from+63) / 64 * 8
	}
	n += partSize(v.Bool, from, to) + partSize(v.I16, from, to) + partSize(v.I32, from, to) + partSize(v.U32, from, to) +
		partSize(v.I64, from, to) + partSize(v.F32, from, to) + partSize(v.F64, from, to) + partSize(v.I128, from, to) +
		partSize(v.Interval, from, to) + partSize(v.Str, from, to) + partSize(v.Lists, from, to)
	if v.Str != nil {
		n += int64(length(v.Str[from:to]))
	}
	if v.Lists != nil {
		low, high := v.reach(from, to)
		n += v.Child.copySize(int(low), int(high))
	}
	for i := range v.Fields {
		n += v.Fields[i].copySize(from, to)
	}
	return n
}

func partSize[T any](s []T, from, to int) int64 {
	if s == nil {
		return 0
	}
	var one T
	return int64(to-from) * int64(unsafe.Sizeof(one))
}
