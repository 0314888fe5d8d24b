package mirror

import "time"

// SetNow makes now the clock of a mirror.
func SetNow(m *Mirror, now func() time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = now
}
