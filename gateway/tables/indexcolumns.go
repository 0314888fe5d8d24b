package tables

import (
	"slices"

	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/workspace"
)

// renameInIndex renames a column in the expressions of an index, in which it is not qualified
// any more.
func renameInIndex(x *workspace.Index, number int, from, to string) error {
	x.Keys = slices.Clone(x.Keys)
	for i := range x.Keys {
		k := &x.Keys[i]
		if k.Column == number {
			k.Label = to
		}
		if k.Text != "" && slices.Contains(k.Columns, number) {
			if err := renameIn(&k.Text, from, to); err != nil {
				return err
			}
		}
	}
	if slices.Contains(x.WhereColumns, number) {
		return renameIn(&x.Where, from, to)
	}
	return nil
}

// retypeIndexes gives the indexes of a column that gets another type the types of their
// expressions, and notes that the keys have to be checked.
func (a *alteration) retypeIndexes(number int) error {
	for i := range a.Indexes {
		x := &a.Indexes[i]
		if !x.Uses(number) {
			continue
		}
		types, err := modify.KeyTypes(a.session, a.Table, x)
		if err != nil {
			return inDefinition(err, 0)
		}
		x.Keys = slices.Clone(x.Keys)
		for k := range x.Keys {
			x.Keys[k].Type = types[k]
			if err := checkClass(x.Method, &x.Keys[k]); err != nil {
				return err
			}
		}
	}
	for _, k := range a.Keys() {
		if k.Uses(number) {
			a.added.keys = append(a.added.keys, k)
		}
	}
	return nil
}
