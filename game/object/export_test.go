package object

// Pause has f run in the update of each Write, which fails with its error, and when that is
// done, where its error does not count.
func Pause(m *Movers, f func(done bool) error) {
	if f == nil {
		f = func(bool) error { return nil }
	}
	m.during = func() error { return f(false) }
	m.after = func() { _ = f(true) }
}
