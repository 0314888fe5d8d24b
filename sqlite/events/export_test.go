package events

// Floors are the rows that a Bus does not search again.
func (b *Bus) Floors() []int64 {
	var rows []int64
	for _, f := range b.floors.at {
		rows = append(rows, f.row)
	}
	return rows
}
