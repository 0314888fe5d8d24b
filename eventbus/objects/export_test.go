package objects

// Remembered is the number of events that the trackers of a Bus keep: open ones, and known ones.
func (b *Bus) Remembered() (open, known int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.trackers {
		open += len(t.open)
		known += len(t.seen)
	}
	return open, known
}

// BoundOpen makes a tracker keep fewer open events.
func (b *Bus) BoundOpen(n int) { b.maxOpen = n }
