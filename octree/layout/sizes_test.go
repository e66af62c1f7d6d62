package layout

import "unsafe"

// Size is what a node takes with the fields that the literature gives it: vectors of
// three 32-bit numbers and a pointer to the objects.
type Size struct {
	Name    string
	Article int // bytes in the literature, where fields follow each other without gaps
	Go      int // unsafe.Sizeof, with the gaps that alignment needs
	Class   int // what Go's allocator takes for one of them; in arrays Go holds
}

// Sizes lists the nodes of all layouts. They are the types that trees with these options
// use. 92 is what the literature says where its fields are 96 bytes.
func Sizes() []Size {
	row := func(name string, article int, bytes uintptr) Size {
		return Size{name, article, int(bytes), int(sizeClass(bytes))}
	}
	type (
		up      = [1]unsafe.Pointer
		free    = [0]unsafe.Pointer
		eight   = [8]unsafe.Pointer
		box     = [6]float32
		nothing = [0]float32
	)
	return []Size{
		row("pointers, parent", 104, unsafe.Sizeof(pointerNode[eight, up, box]{})),
		row("pointers", 92, unsafe.Sizeof(pointerNode[eight, free, box]{})),
		row("inner-leaf, parent: inner", 105, unsafe.Sizeof(innerNode[eight, up, box]{})),
		row("inner-leaf, parent: leaf", 41, unsafe.Sizeof(leafNode[up, box]{})),
		row("block, parent", 49, unsafe.Sizeof(blockNode[up, box]{})),
		row("block", 40, unsafe.Sizeof(blockNode[free, box]{})),
		row("siblings, parent", 56, unsafe.Sizeof(siblingNode[up, box, [0]uint8]{})),
		row("siblings", 48, unsafe.Sizeof(siblingNode[free, box, [0]uint8]{})),
		row("linear, 32 bits, mask", 13, unsafe.Sizeof(linearNode[uint32, [1]uint8, nothing]{})),
		row("linear, 64 bits, mask", 17, unsafe.Sizeof(linearNode[uint64, [1]uint8, nothing]{})),
		row("linear, 64 bits", 16, unsafe.Sizeof(linearNode[uint64, [0]uint8, nothing]{})),
		row("full", 8, unsafe.Sizeof(fullNode{})),
	}
}
