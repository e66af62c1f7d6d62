//go:build !unix

package crowd

// syncDisks does nothing: the system has no word for it.
func syncDisks() {}
