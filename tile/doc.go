// Package tile is a cache for worlds and images larger than memory. It keeps parts of
// items, the tiles, within an exact budget of bytes.
//
// An item is a file, a stone, or a function that computes tiles. A tile is what is read
// of an item in one piece. What the cache knows of a tile is its record. Records stay,
// payloads go: eviction takes the bytes of a tile and leaves the record, which remembers
// how often the tile was used. There are as many records as Options.Records; the oldest
// becomes that of another tile, and a bit says that its tile was read.
//
// A handle pins a payload: as long as it is not released, the bytes stay where they are.
// So the cache can use the memory of evicted payloads again, and hits allocate nothing.
//
// The package knows neither files nor formats, reads no clock and starts no goroutine.
package tile
