package stream

// Kept returns the bytes of cubes that are kept.
func (s *Server) Kept() (bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.feeds {
		g.mu.Lock()
		bytes += g.bytes
		g.mu.Unlock()
	}
	return bytes
}
