package whole

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cairnvoxel/cairn/voxel"
)

// TempFile is written once from the beginning and then read. Close deletes it.
type TempFile interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// blockFile keeps the chunks of cubes in a file as they are in memory, because decoding them again
// and again takes too long. Goroutines may share it once all cubes are written.
type blockFile struct {
	file TempFile
	ends []int64  // of cubes
	sums []uint32 // of their bytes
	cube []byte   // the cube that is being written
	err  error
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

var errBlockFile = errors.New("the temporary file has changed")

// add adds a chunk to the cube that is being written.
func (s *blockFile) add(c *voxel.Chunk) { s.cube = c.AppendMemory(s.cube) }

// end ends a cube.
func (s *blockFile) end() {
	n, err := s.file.Write(s.cube)
	if err == nil && n < len(s.cube) {
		err = io.ErrShortWrite
	}
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("whole: temporary file: %w", err)
	}
	s.ends, s.sums = append(s.ends, s.start(len(s.ends))+int64(len(s.cube))), append(s.sums, crc32.Checksum(s.cube, crcTable))
	s.cube = s.cube[:0]
}

func (s *blockFile) start(cube int) int64 {
	if cube == 0 {
		return 0
	}
	return s.ends[cube-1]
}

// read returns the bytes of a cube.
func (s *blockFile) read(cube int) ([]byte, error) {
	start := s.start(cube)
	b := make([]byte, s.ends[cube]-start)
	n, err := s.file.ReadAt(b, start)
	if n == len(b) && crc32.Checksum(b, crcTable) != s.sums[cube] {
		err = errBlockFile
	} else if n == len(b) {
		return b, nil
	}
	return nil, fmt.Errorf("whole: temporary file: %w", err)
}
