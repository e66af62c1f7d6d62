package voxel

// The twins of the kernels, and whether the processor has these.
var (
	PlainRow  = plainRow
	PlainCell = plainCell
	Wide      = wide
)
