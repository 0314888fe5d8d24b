package mirror

// HoldWriters keeps everybody from writing tables to the file, as a checkpoint does.
func (m *Mirror) HoldWriters() (release func()) {
	m.writers.Lock()
	return m.writers.Unlock
}
