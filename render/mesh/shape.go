package mesh

// Shape is how a smooth surface is formed around a material.
type Shape uint8

const (
	// Round follows the occupancies.
	Round Shape = iota
	// Faceted has flat faces with sharp edges. Rock is an example.
	Faceted
	// Square has the corners of cells. Bricks are an example.
	Square
)
