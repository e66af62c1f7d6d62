package tile

import (
	"fmt"
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Bits of a Flat key: the item, the level, y and x, as in the article about texture
// caches. It has 14 bits for y where the article has 10, and 4 for the level.
const (
	flatBits   = 14
	flatLevels = 4
)

// Flat is the key of a tile in two dimensions: item, level, y and x from the highest bits
// to the lowest, so that keys in ascending order are neighbours in a row of tiles.
type Flat uint64

// FlatKey returns the key of a tile. It reports false for a level of 16 or more, and for
// an x or y of 16,384 or more.
func FlatKey(item uint32, level, y, x int) (Flat, bool) {
	if level>>flatLevels != 0 || y>>flatBits != 0 || x>>flatBits != 0 {
		return 0, false
	}
	return Flat(item)<<32 | Flat(level)<<(2*flatBits) | Flat(y)<<flatBits | Flat(x), true
}

// Item returns the item of the key.
func (k Flat) Item() uint32 { return uint32(k >> 32) }

// At returns the place of the tile in its item.
func (k Flat) At() (level, y, x int) {
	const edge = 1<<flatBits - 1
	return int(k >> (2 * flatBits) & (1<<flatLevels - 1)), int(k >> flatBits & edge), int(k & edge)
}

// Hash returns a number to find the key by. Its high half is the same for a square of 4x4
// neighbours.
func (k Flat) Hash() uint64 {
	const low = 3<<flatBits | 3
	return halves(mix(uint64(k&^low)), mix(uint64(k)+1))
}

// square returns the first key of a square of 8x8 neighbours, and the number of k in it.
func (k Flat) square() (first Flat, bit int) {
	const low = 7<<flatBits | 7
	return k &^ low, int(k>>flatBits&7<<3 | k&7)
}

// inSquare returns a key of the square that k is the first of.
func (k Flat) inSquare(bit int) Flat { return k | Flat(bit>>3)<<flatBits | Flat(bit&7) }

func (k Flat) String() string {
	level, y, x := k.At()
	return fmt.Sprintf("item %08x, level %d, x %d, y %d", k.Item(), level, x, y)
}

// Deep is the key of a tile in three dimensions: its item and level, and its place by its
// locational code. Code is what geom.CodeOf gives.
type Deep struct {
	Item, Level uint32
	Code        geom.Code
}

// Hash returns a number to find the key by. Its high half is the same for the eight
// neighbours of one parent.
func (k Deep) Hash() uint64 {
	of := mix(uint64(k.Item)<<32 | uint64(k.Level))
	return halves(mix(of^uint64(k.Code)>>3), mix(of+uint64(k.Code)))
}

func (k Deep) String() string {
	return fmt.Sprintf("item %08x, level %d, code %x", k.Item, k.Level, uint64(k.Code))
}

// mix spreads every bit of v over all bits (the finalizer of MurmurHash3).
func mix(v uint64) uint64 {
	v ^= v >> 33
	v *= 0xff51afd7ed558ccd
	v ^= v >> 33
	v *= 0xc4ceb9fe1a85ec53
	return v ^ v>>33
}

func halves(high, low uint64) uint64 { return high&^0xFFFF_FFFF | low>>32 }

// shardOf and bucketOf take different halves of a hash: keys that share a shard must not
// share buckets.
func shardOf(hash uint64, shards int) int { return int(hash >> 32 * uint64(shards) >> 32) }

func bucketOf(tag uint32, buckets int) int {
	hi, _ := bits.Mul32(tag*0x9E3779B1, uint32(buckets))
	return int(hi)
}
