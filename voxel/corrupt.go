package voxel

import "fmt"

// CorruptError says where bytes from outside are wrong. It is the one such error of
// all packages that decode; those that import this package only for it, and those
// whose callers should not have to, give it a name of their own.
type CorruptError struct {
	Offset int64  // from the start of what was decoded: a file, a stream, a document; -1 if unknown
	Part   string // "header", "chunk (3,-1)", "values", ...
	Err    error  // the cause, never nil; io.ErrUnexpectedEOF where bytes are missing
}

// Error names the part, where it lies if that is known, and the cause.
func (e *CorruptError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %v", e.Part, e.Err)
	}
	return fmt.Sprintf("%s at byte %d: %v", e.Part, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }
