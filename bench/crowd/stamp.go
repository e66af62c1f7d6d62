package crowd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/cairnvoxel/cairn/stone"
)

// stamped is a stone that can get new bytes for the price of a few checksums. It has a mark in
// a page of its own, at the place that stone/FORMAT.md defines.
type stamped struct {
	Data     []byte
	Mark     int // where the mark is
	Page     int // where its page begins
	PageSize int
	Sum      int // where the page's checksum is
	Dir      int // where the directory begins
}

// markHead begins a mark and is found nowhere else; a number follows.
const markHead = "\xb5cairn mark\xb5"

func mark(n uint64) []byte { return binary.LittleEndian.AppendUint64([]byte(markHead), n) }

// What stone/FORMAT.md section 2 says of the file's ends.
const (
	stoneHead   = 8
	stoneWhere  = 8 + 4
	stoneFooter = stoneWhere + 8 + 5
)

// stampable finds the mark in a stone.
func stampable(data []byte) (stamped, error) {
	s := stamped{Data: data, Mark: bytes.Index(data, []byte(markHead))}
	r, err := stone.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return s, err
	}
	pages, err := r.Pages()
	if err != nil {
		return s, err
	}
	i := slices.IndexFunc(pages, func(p stone.PageInfo) bool {
		return p.Offset <= int64(s.Mark) && int64(s.Mark) < p.Offset+int64(p.Size)
	})
	if i < 0 {
		return s, errors.New("crowd: a stone without a mark")
	}
	footer := len(data) - stoneFooter
	s.Page, s.PageSize = int(pages[i].Offset), pages[i].Size
	s.Dir = int(binary.LittleEndian.Uint64(data[footer:]))
	s.Sum = footer - 4*(len(pages)-pages[i].Number)
	b := s.stamp(nil, 1)
	if r, err = stone.Open(bytes.NewReader(b), int64(len(b))); err == nil {
		err = r.Check(context.Background())
	}
	return s, err
}

// stamp appends the stone with another mark to dst, which it must not share with
// another stone.
func (s *stamped) stamp(dst []byte, n uint64) []byte {
	at := len(dst)
	dst = append(dst, s.Data...)
	b := dst[at:]
	binary.LittleEndian.PutUint64(b[s.Mark+len(markHead):], n)
	binary.LittleEndian.PutUint32(b[s.Sum:], uint32(xxh3.Hash(b[s.Page:s.Page+s.PageSize])))
	end := len(b) - stoneFooter + stoneWhere
	var h xxh3.Hasher
	h.Write(b[:stoneHead])
	h.Write(b[s.Dir:end])
	binary.LittleEndian.PutUint64(b[end:], h.Sum64())
	return dst
}
