//go:build !unix

package measure

// syncDisks does nothing: the system has no word for it.
func syncDisks() {}

// raiseFiles does nothing: there is no bound to raise.
func raiseFiles() error { return nil }
