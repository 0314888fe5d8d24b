package rowstore

// Version are the columns of a whole version, for Newest: the texts of its identity, its commit,
// its fields_json, and the visible columns with some names. They are nil where Columns is.
func (u *Use) Version(names []string) []int {
	visible := u.Columns(names)
	if visible == nil {
		return nil
	}
	whole := make([]int, 0, u.shape.keys+2+len(visible))
	for k := range u.shape.keys {
		whole = append(whole, k)
	}
	for _, name := range []string{"c", "j"} {
		whole = append(whole, u.shape.column(name))
	}
	return append(whole, visible...)
}

// column is the number of a stored column (scan.StoredColumns).
func (s *shape) column(name string) int {
	for i, c := range s.cols {
		if c.Name == name {
			return i
		}
	}
	panic("rowstore: no stored column " + name)
}
