package stream

// Kept returns the bytes of cubes that are kept.
func (s *Server) Kept() (bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add := func(f *feed) {
		f.cacheMu.Lock()
		defer f.cacheMu.Unlock()
		bytes += int(f.records.Weight())
	}
	for _, g := range s.feeds {
		add(g.feed)
	}
	for _, i := range s.idle {
		add(i.feed)
	}
	return bytes
}
