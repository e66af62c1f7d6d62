package object

// Pause has f run in the update of each Write, and when that is done.
func Pause(m *Movers, f func(done bool) error) {
	if f == nil {
		f = func(bool) error { return nil }
	}
	m.pause = f
}
