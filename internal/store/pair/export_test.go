package pair

// ParseClaim parses the record of a claim and returns it as it is written.
func ParseClaim(b []byte) ([]byte, error) {
	c, err := parseClaim(b)
	return c.value(), err
}

// ParseBytesKey parses the key of a stone's bytes and returns it as it is written.
func ParseBytesKey(key string) (string, bool) {
	id, number, ok := parseBytesKey(key)
	return bytesKey(id, number), ok
}

// SpendNumbers leaves n numbers to the epoch of now.
func SpendNumbers(s *Pair, n uint64) {
	s.epochs.mu.Lock()
	defer s.epochs.mu.Unlock()
	e := s.epochs.now
	e.next = e.number + 1<<sequenceBits - n
}
