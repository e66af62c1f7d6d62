package stone

import "github.com/cairnvoxel/cairn/internal/stone/pages"

// How many bytes of memory Check may need for a plain byte of a page of cells, and of any
// other. Hostile pages of cells were measured at 15.
const (
	cellsNeed = 16
	otherNeed = 4
)

// CheckMemory estimates how many bytes of memory Check needs: for the directory, the largest
// page and the pages that it keeps. It reads the heads of the pages and decodes none. What
// it says of a stone whose pages are damaged is of no use.
func (s *Reader) CheckMemory() (int64, error) {
	var largest, all int64
	for n, use := range s.uses() {
		p := s.dir.pages[n]
		b, err := s.read(p.off, p.size)
		if err != nil {
			return 0, err
		}
		streams, _, err := pages.SplitStored(b, maxPage)
		if err != nil {
			return 0, s.at(n, err)
		}
		plain, need := int64(0), int64(otherNeed)
		for _, stream := range streams {
			plain += int64(stream.Size)
		}
		if use.Holds == "cells" {
			need = cellsNeed
		}
		all += plain
		largest = max(largest, plain*need)
	}
	return s.Memory() + largest + min(2*all, CacheBytes), nil
}
