package workspace

// Waiting is how many commits wait for the one that runs.
func (s *Store) Waiting() int {
	s.commits.mu.Lock()
	defer s.commits.mu.Unlock()
	return len(s.commits.waiting)
}
