package mirror

// HoldWriters blocks all writes of tables to the file, as a checkpoint does.
func (m *Mirror) HoldWriters() (release func()) {
	m.writers.Lock()
	return m.writers.Unlock
}

// CompactAfter makes the mirror write the current rows of a type anew when more than n rows, and more
// than there are, have moved to hist.
func (m *Mirror) CompactAfter(n int64) { m.maxMoved = n }
