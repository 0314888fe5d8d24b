package rowstore

import (
	"slices"

	"github.com/ontosql/ontosql/catalog"
)

// Version are the columns of a whole version, for Reader: the texts of its identity, its commit, its
// fields_json, and the visible columns with some names. They are nil if one of these is not stored as
// it is shown, and if one of them or of the key has values that read as NULL with a warning (A17).
func (u *Use) Version(names []string) []int {
	whole := make([]int, 0, u.shape.keys+2+len(names))
	for k := range u.shape.keys {
		whole = append(whole, StoredColumn(u.typ, FirstKey, k))
	}
	whole = append(whole, StoredColumn(u.typ, Commit, 0), StoredColumn(u.typ, Image, 0))
	places := slices.Clone(u.typ.Key)
	for _, name := range names {
		i := slices.IndexFunc(u.typ.Columns, func(c catalog.Column) bool { return c.Name == name })
		if i < 0 || TypeColumn(u.typ, i) < 0 {
			return nil
		}
		whole, places = append(whole, TypeColumn(u.typ, i)), append(places, i)
	}
	if !u.Readable(places) {
		return nil
	}
	return whole
}
