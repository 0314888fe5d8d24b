package branch

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
)

// Change is a row, or a type as a whole, that one of two branches has changed since their common
// ancestor.
type Change struct {
	Second bool // made by the second branch
	Type   ontosql.TypeRef
	Key    []string // nil for the type as a whole
	New    bool     // the ancestor has no such row or type
	Fields []FieldChange
}

// FieldChange is a field that differs from the ancestor. Of a type as a whole there is one without a
// name, whose values are schemas.
type FieldChange struct {
	Field       string
	Base, Value json.RawMessage // JSON, nil for null and for what there is not
}

// Relate finds what two branches have in common, at their newest commits. Errors: ErrUnrelated,
// ErrOtherKind and those of the stores.
func Relate(ctx context.Context, first, second *Store) (*Ancestry, error) {
	if (first.DB == nil) != (second.DB == nil) {
		return nil, ErrOtherKind
	}
	a, err := first.Pins.PinFresh(ctx)
	if err != nil {
		return nil, err
	}
	b, err := second.Pins.PinFresh(ctx)
	if err != nil {
		return nil, err
	}
	both, err := relate(a, b)
	if err == nil && both.Fork == 0 && a.Head.Commit > 0 && b.Head.Commit > 0 {
		err = ErrUnrelated
	}
	return both, err
}

// Diff calls visit for what each of two branches has changed since their common ancestor: first the
// changes of the first branch, types in the order of their names and rows in that of their keys, then
// those of the second. What both changed alike is told of both. Errors are those of Relate, of the
// stores and of visit.
func Diff(ctx context.Context, first, second *Store, visit func(Change) error) (*Ancestry, error) {
	both, err := Relate(ctx, first, second)
	if err != nil {
		return nil, err
	}
	for i, a := range []*Ancestry{both, both.reverse()} {
		d := &merge{from: first, into: second, ancestry: a}
		if i == 1 {
			d.from, d.into = second, first
		}
		if err := d.tell(ctx, func(c Change) error {
			c.Second = i == 1
			return visit(c)
		}); err != nil {
			return nil, err
		}
	}
	return both, nil
}

// tell calls visit for what the first branch of the ancestry has changed.
func (m *merge) tell(ctx context.Context, visit func(Change) error) error {
	if err := m.findBases(); err != nil {
		return err
	}
	theirs, base := definitions(m.ancestry.first), definitions(m.pins[0])
	refs := maps.Clone(theirs)
	maps.Copy(refs, base)
	for _, ref := range slices.SortedFunc(maps.Keys(refs), ontosql.TypeRef.Compare) {
		t, b := theirs[ref], base[ref]
		if !sameDefinition(t, b) {
			c := Change{Type: ref, New: b == nil, Fields: []FieldChange{{Base: b.text(), Value: t.text()}}}
			if err := visit(c); err != nil {
				return err
			}
		}
		if t == nil {
			continue
		}
		j := &join{Ancestry: m.ancestry, bases: m.bases, first: m.from.source(m.ancestry.first), second: m.into.source(m.ancestry.second), temp: m.into.Temp, result: t.typ}
		err := j.each(ctx, ref, t.typ, func(row *joined) error {
			if row.unchanged() {
				return nil
			}
			return visit(changeOf(ref, row))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func changeOf(ref ontosql.TypeRef, row *joined) Change {
	base := row.bases[0]
	c := Change{Type: ref, Key: keyOf(ref, row.row), New: base == nil}
	names := row.theirs
	if base != nil {
		names = base
	}
	for _, name := range fieldsOf(row.theirs, names) {
		b, v := field(base, name), field(row.theirs, name)
		if !sameValue(b, v) {
			c.Fields = append(c.Fields, FieldChange{Field: name, Base: jsonOf(b), Value: jsonOf(v)})
		}
	}
	return c
}
