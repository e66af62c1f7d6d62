package codec_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel"
)

// Streams of the form Columns.
const (
	streamTable = iota
	streamOps
	streamRuns
	streamNear
	streamFar
	numStreams
)

const towerColumns = 1024

var errSlow = errors.New("wrong")

// slow reads streams the obvious way: it panics with errSlow where they are
// wrong.
type slow struct{ streams [numStreams][]byte }

func (s *slow) byte(stream int) int {
	if len(s.streams[stream]) == 0 {
		panic(errSlow)
	}
	b := s.streams[stream][0]
	s.streams[stream] = s.streams[stream][1:]
	return int(b)
}

func (s *slow) small(stream int) int {
	v := s.byte(stream)
	if v < 255 {
		return v
	}
	if v = s.byte(stream); true {
		v += s.byte(stream) << 8
	}
	if v < 255 {
		panic(errSlow)
	}
	return v
}

func (s *slow) uvarint(stream int) int {
	v, n := binary.Uvarint(s.streams[stream])
	if n <= 0 || v > 1<<40 {
		panic(errSlow)
	}
	s.streams[stream] = s.streams[stream][n:]
	return int(v)
}

func (s *slow) table() (table []voxel.Cell) {
	for next, n := 0, s.uvarint(streamTable); n > 0; n-- {
		next += s.uvarint(streamTable)
		if next > int(voxel.MaxCell) {
			panic(errSlow)
		}
		table = append(table, voxel.Cell(next))
		next++
	}
	if len(s.streams[streamTable]) > 0 {
		panic(errSlow)
	}
	return table
}

// literal reads a literal column and how high it changes last.
func (s *slow) literal(table []voxel.Cell) (cells []voxel.Cell, top int) {
	cell := func() voxel.Cell {
		i := s.small(streamRuns)
		if i >= len(table) {
			panic(errSlow)
		}
		return table[i]
	}
	cells = make([]voxel.Cell, codec.MaxTower*voxel.ChunkEdge)
	at, now := 0, cell()
	for {
		run := s.small(streamRuns)
		end := at + run
		if run == 0 {
			end = len(cells)
		}
		if run > 0 && end >= len(cells) {
			panic(errSlow)
		}
		for ; at < end; at++ {
			cells[at] = now
		}
		if run == 0 {
			return cells, top
		}
		now, top = cell(), at
	}
}

// slowDecode returns every tower as its 1024 columns, from the bottom to 2048
// cells high, and how high the columns reach that change last.
func slowDecode(streams [][]byte, heights []int) (towers [][][]voxel.Cell, err error) {
	defer func() {
		if r := recover(); r == errSlow {
			err = errSlow
		} else if r != nil {
			panic(r)
		}
	}()
	if len(streams) != numStreams {
		return nil, errSlow
	}
	s := &slow{[numStreams][]byte(streams)}
	table := s.table()
	type literal struct {
		cells []voxel.Cell
		top   int
	}
	var literals []literal
	readLiteral := func() literal {
		cells, top := s.literal(table)
		return literal{cells, top}
	}
	for _, h := range heights {
		if h < 1 || h > codec.MaxTower {
			panic(errSlow)
		}
		var which []int
		for len(which) < towerColumns {
			op := s.byte(streamOps)
			for n := op>>2 + 1; n > 0; n-- {
				col := len(which)
				switch op & 3 {
				case 0:
					literals = append(literals, readLiteral())
					which = append(which, len(literals)-1)
				case 1:
					if col%32 == 0 {
						panic(errSlow)
					}
					which = append(which, which[col-1])
				case 2:
					if col < 32 {
						panic(errSlow)
					}
					which = append(which, which[col-32])
				case 3:
					back := s.byte(streamNear) + s.byte(streamFar)<<8
					if back >= len(literals) {
						panic(errSlow)
					}
					which = append(which, len(literals)-1-back)
				}
				if len(which) > towerColumns {
					panic(errSlow)
				}
			}
		}
		var columns [][]voxel.Cell
		for _, i := range which {
			if literals[i].top >= h*voxel.ChunkEdge {
				panic(errSlow)
			}
			columns = append(columns, literals[i].cells)
		}
		towers = append(towers, columns)
	}
	for _, rest := range s.streams {
		if len(rest) > 0 {
			panic(errSlow)
		}
	}
	return towers, nil
}

// checkDecode compares Decode with the twin and returns the chunks.
func checkDecode(t *testing.T, streams [][]byte, heights []int) []*voxel.Chunk {
	t.Helper()
	var d codec.Decoder
	got, err := d.Decode(nil, codec.Columns, streams, heights, nil)
	want, slowErr := slowDecode(streams, heights)
	if (err == nil) != (slowErr == nil) {
		t.Fatalf("got %v, the twin %v", err, slowErr)
	}
	if err != nil {
		var corrupt *codec.CorruptError
		if !errors.As(err, &corrupt) {
			t.Fatalf("%v is no CorruptError", err)
		}
		return nil
	}
	table, err := codec.Table(streams)
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for s, h := range heights {
		for y := range h {
			f := flatOf(got[i])
			i++
			for at, c := range f {
				if c != want[s][at%towerColumns][y*32+at/towerColumns] {
					t.Fatalf("tower %d chunk %d cell %d: got %d, want %d", s, y, at, c, want[s][at%towerColumns][y*32+at/towerColumns])
				}
				if _, ok := slices.BinarySearch(table, c); !ok {
					t.Fatalf("cell %d is not in the table", c)
				}
			}
		}
	}
	if i != len(got) {
		t.Fatalf("%d chunks, want %d", len(got), i)
	}
	return got
}
