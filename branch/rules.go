package branch

import (
	"bytes"
	"slices"

	"github.com/ontosql/ontosql/format"
)

// Choice says what becomes of conflicts.
type Choice string

// The choices. Without one a merge with conflicts is not made.
const (
	Ask    Choice = ""
	Ours   Choice = "ours"   // what the branch that is merged into has
	Theirs Choice = "theirs" // what the branch that is merged has
)

// collision is a field that both sides changed to different values.
type collision struct {
	field              string
	base, ours, theirs format.Value
}

// mergeRow merges one row: theirs into ours, each an object, or nil where the side has no such row.
// bases are the row in the common ancestors, mostly one; a value that is that of any of them has not
// been changed. write says that merged differs from ours. Collisions are merged by the choice, and
// with Ask as if it were Ours.
func mergeRow(bases []*format.Value, ours, theirs *format.Value, choice Choice) (merged *format.Value, write bool, collisions []collision) {
	is := func(v *format.Value) func(*format.Value) bool {
		return func(o *format.Value) bool { return sameRow(v, o) }
	}
	switch {
	case theirs == nil, slices.ContainsFunc(bases, is(theirs)), sameRow(ours, theirs):
		return ours, false, nil
	case ours == nil, slices.ContainsFunc(bases, is(ours)):
		return theirs, true, nil
	}
	var members []format.Member
	for _, name := range fieldsOf(ours, theirs) {
		o, theirOwn := field(ours, name), field(theirs, name)
		base := make([]format.Value, len(bases))
		for i := range bases {
			base[i] = field(bases[i], name)
		}
		v := o
		switch {
		case sameValue(o, theirOwn), slices.ContainsFunc(base, func(b format.Value) bool { return sameValue(b, theirOwn) }):
		case slices.ContainsFunc(base, func(b format.Value) bool { return sameValue(b, o) }):
			v = theirOwn
		default:
			collisions = append(collisions, collision{name, base[0], o, theirOwn})
			if choice == Theirs {
				v = theirOwn
			}
		}
		write = write || !sameValue(v, o)
		members = append(members, format.Member{Name: name, Value: v})
	}
	if !write {
		return ours, false, collisions
	}
	row := format.Object(members...)
	return &row, true, collisions
}

// fieldsOf are the names of the fields of two rows, in order.
func fieldsOf(a, b *format.Value) []string {
	names := append(slices.Clone(a.Names()), b.Names()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// field is the value of a field, null where there is no such row or field.
func field(row *format.Value, name string) format.Value {
	if row == nil {
		return format.Null()
	}
	v, _ := row.Get(name)
	return v
}

// sameRow reports whether two rows, nil for none, have the same values. A missing field equals null.
func sameRow(a, b *format.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return !slices.ContainsFunc(fieldsOf(a, b), func(name string) bool { return !sameValue(field(a, name), field(b, name)) })
}

// sameValue compares as writes do (format's Equal), but NaN is the same value as NaN here.
func sameValue(a, b format.Value) bool {
	return a.Equal(b) || bytes.Equal(a.Append(nil, format.Canonical), b.Append(nil, format.Canonical))
}

// verdict is what a merge does with something that has no fields, such as the definition of a type.
type verdict int

const (
	keep  verdict = iota // ours stays
	take                 // theirs replaces ours
	clash                // both sides changed it differently
)

// decide is the three-way rule for a whole. A value that there is not on a side is a value of T too.
func decide[T any](bases []T, ours, theirs T, same func(a, b T) bool) verdict {
	among := func(v T) bool { return slices.ContainsFunc(bases, func(b T) bool { return same(b, v) }) }
	switch {
	case same(ours, theirs), among(theirs):
		return keep
	case among(ours):
		return take
	}
	return clash
}
