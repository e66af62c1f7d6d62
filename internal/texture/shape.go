package texture

import (
	"unsafe"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// shape is what one must know of a tile beside its bytes.
type shape struct {
	raster.Size
	channels int
	of       raster.Type
}

// texels returns how many numbers each channel has.
func (s shape) texels() int { return s.Width * s.Height }

// bytes returns the size of the tile's pixels.
func (s shape) bytes() int { return s.texels() * s.channels * s.of.Size() }

// bits returns the size of a number.
func (s shape) bits() int { return 8 * s.of.Size() }

// float says whether the highest bit of a number is its sign, and the others its magnitude.
func (s shape) float() bool { return s.of == raster.Half || s.of == raster.Float }

// word is a number of a tile as bits.
type word interface{ uint8 | uint16 | uint32 }

// residual is what a word differs by from its guess, modulo the words.
type residual interface{ int8 | uint32 }

// view returns the memory of b as numbers.
func view[T word | residual](b []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(one)))
}

// fold turns a floating-point number with a sign into one of two's complement, and back: neighbours are then
// neighbours across 0 too. Others stay as they are.
func fold(v uint32, bits int) uint32 {
	sign := v >> (bits - 1)
	return v ^ -sign&(1<<(bits-1)-1)
}

// A head is the first byte of a stored tile.
type head byte

const (
	how    = head(3) // the symbols are stored
	ranked = head(4) // words are places in a table
	folded = head(8) // words are folded
)

// How symbols are stored.
const (
	pixels  head = iota // there are none: the pixels follow
	huffman             // in Huffman codes
	zipped              // in a zstd frame
)

// A predictor says from what a word is guessed. In the first row it is the word to the left, in the first
// column the word above.
type predictor byte

const (
	left     predictor = iota
	above              // the word above
	gradient           // left + above - what is left of above
	same               // left, and all residuals are 0: they have no symbols
)

// A channel says how the words of a channel are stored: as residuals, whose highest bits are a symbol each.
type channel struct {
	by    predictor
	apart bool   // the words are what differs from the channel before
	low   int    // how many bytes of low bits follow the symbols
	base  uint32 // the word that the first residual differs from
}

// escape is the symbol of a residual that has no other one.
const escape = -128

// escapes says whether there are such residuals.
func (c channel) escapes(bits int) bool { return 8*c.low+8 < bits }
