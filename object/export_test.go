package object

// Pause has f run at the end of the update of each Write.
func Pause(m *Movers, f func() error) {
	if f == nil {
		f = func() error { return nil }
	}
	m.pause = f
}
