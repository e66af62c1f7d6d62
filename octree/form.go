package octree

import (
	"fmt"
	"math"
	"unsafe"
)

// form is how a tree keeps boxes.
type form uint8

const (
	integer form = 1 << iota
	flat
)

// The other forms of a box.
type (
	rect   struct{ minX, minY, maxX, maxY float64 }
	box32  struct{ minX, minY, minZ, maxX, maxY, maxZ int32 }
	rect32 struct{ minX, minY, maxX, maxY int32 }
)

// boxes keeps the boxes of all items in one of four forms, by the number of the item.
type boxes struct {
	form    form
	solid   []Box
	rects   []rect
	solid32 []box32
	rects32 []rect32
}

// takes reports whether a tree of the form takes a valid box.
func (f form) takes(b *Box) bool {
	if f&flat != 0 && (b.Min.Z != 0 || b.Max.Z != 0) {
		return false
	}
	return f&integer == 0 || whole(b.Min.X) && whole(b.Min.Y) && whole(b.Min.Z) && whole(b.Max.X) && whole(b.Max.Y) && whole(b.Max.Z)
}

// whole reports whether v is an integer of 32 bits.
func whole(v float64) bool {
	return v >= math.MinInt32 && v <= math.MaxInt32 && v == float64(int32(v))
}

// fault says why a tree of the form does not take a box.
func (f form) fault(b Box) error {
	switch {
	case !b.Valid():
		return fmt.Errorf("box %v: not finite, or Min above Max", b)
	case f&flat != 0 && (b.Min.Z != 0 || b.Max.Z != 0):
		return fmt.Errorf("box %v: Z is not 0 in a flat tree", b)
	}
	return fmt.Errorf("box %v: a coordinate is not an integer of 32 bits", b)
}

// at returns the box of an item.
func (s *boxes) at(item uint32) Box {
	if uint(item) < uint(len(s.solid)) {
		return s.solid[item]
	}
	return s.unpack(item)
}

func (s *boxes) unpack(item uint32) Box {
	switch s.form {
	case flat:
		r := &s.rects[item]
		return Box{Vec{X: r.minX, Y: r.minY}, Vec{X: r.maxX, Y: r.maxY}}
	case integer:
		r := &s.solid32[item]
		return Box{Vec{float64(r.minX), float64(r.minY), float64(r.minZ)}, Vec{float64(r.maxX), float64(r.maxY), float64(r.maxZ)}}
	case flat | integer:
		r := &s.rects32[item]
		return Box{Vec{X: float64(r.minX), Y: float64(r.minY)}, Vec{X: float64(r.maxX), Y: float64(r.maxY)}}
	}
	return s.solid[item]
}

// set gives an item a box that the form takes.
func (s *boxes) set(item uint32, b *Box) {
	if uint(item) < uint(len(s.solid)) {
		s.solid[item] = *b
		return
	}
	s.pack(item, b)
}

func (s *boxes) pack(item uint32, b *Box) {
	switch s.form {
	case flat:
		s.rects[item] = rect{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y}
	case integer:
		s.solid32[item] = box32{int32(b.Min.X), int32(b.Min.Y), int32(b.Min.Z), int32(b.Max.X), int32(b.Max.Y), int32(b.Max.Z)}
	case flat | integer:
		s.rects32[item] = rect32{int32(b.Min.X), int32(b.Min.Y), int32(b.Max.X), int32(b.Max.Y)}
	}
}

// resize makes room for so many items.
func (s *boxes) resize(items int) {
	switch s.form {
	case 0:
		s.solid = resized(s.solid, items)
	case flat:
		s.rects = resized(s.rects, items)
	case integer:
		s.solid32 = resized(s.solid32, items)
	case flat | integer:
		s.rects32 = resized(s.rects32, items)
	}
}

// trim gives back the memory that is kept for later.
func (s *boxes) trim() {
	s.solid, s.rects, s.solid32, s.rects32 = trimmed(s.solid), trimmed(s.rects), trimmed(s.solid32), trimmed(s.rects32)
}

func (s *boxes) bytes() int64 {
	return memory(s.solid) + memory(s.rects) + memory(s.solid32) + memory(s.rects32)
}

// memory returns the bytes of a slice, with what is kept for later.
func memory[T any](s []T) int64 {
	var one T
	return int64(cap(s)) * int64(unsafe.Sizeof(one))
}

// resized returns s with n elements. A slice that is too short gets room for a quarter
// more, a long one for an eighth.
func resized[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	room := n + len(s)/4 + 32
	if len(s) > 1<<14 {
		room = n + len(s)/8
	}
	longer := make([]T, n, room)
	copy(longer, s)
	return longer
}

// trimmed returns s without the memory that is kept for later.
func trimmed[T any](s []T) []T {
	if len(s) == cap(s) {
		return s
	}
	exact := make([]T, len(s))
	copy(exact, s)
	return exact
}
