package stonetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/zeebo/xxh3"
)

// Lying returns a stone of one page with that page's form replaced by one that there is
// not. All of its checksums are right, so that only who decodes the page finds it.
func Lying(stone []byte) ([]byte, error) {
	b := bytes.Clone(stone)
	foot := len(b) - 25 // offset and length of the directory, a checksum and a magic
	dir, n := binary.LittleEndian.Uint64(b[foot:]), uint64(binary.LittleEndian.Uint32(b[foot+8:]))
	page, sum := b[8:dir], b[dir+n-4:dir+n]
	if binary.LittleEndian.Uint32(sum) != uint32(xxh3.Hash(page)) {
		return nil, errors.New("stonetest: the stone has not one page")
	}
	page[0] = 99
	binary.LittleEndian.PutUint32(sum, uint32(xxh3.Hash(page)))
	signed := slices.Concat(b[:8], b[dir:dir+n], b[foot:foot+12])
	binary.LittleEndian.PutUint64(b[foot+12:], xxh3.Hash(signed))
	return b, nil
}
