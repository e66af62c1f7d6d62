package hytale

import "errors"

// checkTree reports in r whether b is one octree of light, down to single cells: a node is a byte, whose bit i says that octant i
// is a node, which follows at once, and not a value of two bytes.
func checkTree(r *reader, b []byte) {
	at := 0
	var node func(level int) bool
	node = func(level int) bool {
		if at >= len(b) {
			return false
		}
		mask := b[at]
		at++
		if level == 1 && mask != 0 {
			return false
		}
		for i := range 8 {
			if mask>>i&1 == 0 {
				at += 2
			} else if !node(level - 1) {
				return false
			}
		}
		return at <= len(b)
	}
	if r.err == nil && (!node(5) || at != len(b)) {
		r.fail(errors.New("an octree of light that is none"))
	}
}
