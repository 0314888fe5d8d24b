package mirror

// HoldWriters blocks all writes of tables to the file, as a checkpoint does.
func (m *Mirror) HoldWriters() (release func()) {
	m.writers.Lock()
	return m.writers.Unlock
}
