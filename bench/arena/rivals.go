package arena

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world/chunk"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// rival is another way to restore an arena, every cell of which differs.
type rival struct {
	name, what string
	// prepare makes a column's snapshot of states, index (y*16+z)*16+x, and a live column.
	prepare func(states []uint16) column
}

// column is a live column of a rival and its snapshot.
type column struct {
	bytes   int64  // of the snapshot
	spoil   func() // makes every cell another
	restore func() error
	same    func() bool // as in the snapshot
}

func rivals() []rival {
	return []rival{
		{"naive", "cell by cell into the same world", nil},
		{"clipboard", "an array of states, cell by cell into paletted sections", clipboard},
		{"palette", "palette and variable-length numbers, as the article", palette},
		{"sections", "whole sections from palette and numbers, height maps at the end", sections},
		{"schem", "Sponge 3 in gzip for each chunk, as the article's files", schem},
		{"dragonfly", "an array of states, cell by cell into dragonfly's chunks", dragonfly},
	}
}

func (v rival) bench(a *arena) (Row, error) {
	row := Row{Name: v.name, what: v.what}
	if v.prepare == nil {
		return row, a.naive(&row)
	}
	var columns []column
	low, high := a.columns()
	for z := low.Z; z < high.Z; z++ {
		for x := low.X; x < high.X; x++ {
			c := v.prepare(a.states(geom.ColumnPos{X: x, Z: z}))
			columns = append(columns, c)
			row.Bytes += c.bytes
		}
	}
	var totals, times []float64
	for range runs {
		for _, c := range columns {
			c.spoil()
		}
		start := lab.ProcessorTime()
		for _, c := range columns {
			began := time.Now()
			if err := c.restore(); err != nil {
				return row, err
			}
			times = append(times, time.Since(began).Seconds()*1000)
		}
		totals = append(totals, (lab.ProcessorTime()-start).Seconds()*1000)
	}
	for i, c := range columns {
		if !c.same() {
			return row, fmt.Errorf("arena: %s: column %d differs after it was restored", v.name, i)
		}
	}
	row.MS, row.PerChunk = lab.Percentile(totals, 50), spread(times)
	return row, nil
}

// columns returns the bounds of the arena in columns.
func (a *arena) columns() (low, high geom.ColumnPos) {
	low, high = geom.ColumnPos{X: 1 << 30, Z: 1 << 30}, geom.ColumnPos{X: -1 << 30, Z: -1 << 30}
	for pos := range a.blocks.Chunks() {
		low.X, low.Z = min(low.X, pos.X*2), min(low.Z, pos.Z*2)
		high.X, high.Z = max(high.X, pos.X*2+2), max(high.Z, pos.Z*2+2)
	}
	return low, high
}

// states returns the cells of a column.
func (a *arena) states(pos geom.ColumnPos) []uint16 {
	min := pos.Min(low)
	flat := make([]voxel.Cell, height*256)
	a.blocks.ReadBox(geom.Box{Min: min, Max: min.Add(geom.Point{X: 16, Y: height, Z: 16})}, 0, flat)
	out := make([]uint16, len(flat))
	for i, c := range flat {
		out[i] = uint16(c)
	}
	return out
}

// naive sets each cell of the arena in the same world, a tower in an update.
func (a *arena) naive(row *Row) error {
	var totals, times []float64
	for range 3 { // of seconds each
		if err := a.change(100, 1); err != nil {
			return err
		}
		start := lab.ProcessorTime()
		low, high := a.columns()
		for z := low.Z; z < high.Z; z += 2 {
			for x := low.X; x < high.X; x += 2 {
				began := time.Now()
				if err := a.setTower(x/2, z/2); err != nil {
					return err
				}
				d := time.Since(began).Seconds() * 1000 / 4
				times = append(times, d, d, d, d)
			}
		}
		totals = append(totals, (lab.ProcessorTime()-start).Seconds()*1000)
		if !a.same() {
			return fmt.Errorf("arena: naive: the arena differs after it was restored")
		}
	}
	row.MS, row.PerChunk = lab.Percentile(totals, 50), spread(times)
	return nil
}

func (a *arena) setTower(x, z int32) error {
	_, err := a.w.Update(func(tx *world.Tx) error {
		v := tx.Dimension(dimension).Volume(voxel.Block)
		for y := int32(low / geom.ChunkEdge); y < (low+height)/geom.ChunkEdge; y++ {
			pos := geom.ChunkPos{X: x, Y: y, Z: z}
			c, _ := a.blocks.Chunk(pos)
			if c == nil {
				continue
			}
			b := pos.Box()
			for i := range voxel.ChunkCells {
				x, y, z := i&31, i>>10, i>>5&31
				v.Set(b.Min.Add(geom.Point{X: x, Y: y, Z: z}), c.Cell(x, y, z))
			}
		}
		return v.Err()
	})
	return err
}

// other returns states that differ everywhere.
func other(states []uint16) []uint16 {
	out := make([]uint16, len(states))
	for i, s := range states {
		out[i] = (s + 1) % 7
		if out[i] == s {
			out[i] = 8
		}
	}
	return out
}

func levelOf(states []uint16) *level {
	l := newLevel()
	for i, s := range states {
		l.set(i, s)
	}
	return l
}

func (l *level) is(states []uint16) func() bool {
	return func() bool {
		for i, s := range states {
			if l.get(i) != s {
				return false
			}
		}
		return true
	}
}

// levelColumn is a column of a level that restore makes what the states are.
func levelColumn(states []uint16, bytes int, restore func(l *level) error) column {
	l, wrong := newLevel(), levelOf(other(states))
	return column{int64(bytes), func() { l.copy(wrong) }, func() error { return restore(l) }, l.is(states)}
}

func clipboard(states []uint16) column {
	array := make([]uint32, len(states)) // a reference to a state in Java takes 4 bytes
	for i, s := range states {
		array[i] = uint32(s)
	}
	return levelColumn(states, 4*len(array), func(l *level) error {
		for i, s := range array {
			l.restore(i, uint16(s))
		}
		return nil
	})
}

// pack returns a palette and the numbers of states in it.
func pack(states []uint16) (names []uint16, data []byte) {
	of := make(map[uint16]uint64)
	for _, s := range states {
		n, ok := of[s]
		if !ok {
			n = uint64(len(names))
			of[s] = n
			names = append(names, s)
		}
		data = binary.AppendUvarint(data, n)
	}
	return names, data
}

func palette(states []uint16) column {
	names, data := pack(states)
	return levelColumn(states, len(data)+2*len(names), func(l *level) error {
		l.restoreFrom(names, data)
		return nil
	})
}

// restoreFrom is the loop of the article.
func (l *level) restoreFrom(names []uint16, data []byte) {
	for i, at := 0, 0; at < len(data); i++ {
		n, size := binary.Uvarint(data[at:])
		at += size
		if y, z, x := i>>8, i>>4&15, i&15; y >= 0 && y < height && z < 16 && x < 16 { // in the region
			l.restore(i, names[n])
		}
	}
}

func sections(states []uint16) column {
	names, data := pack(states)
	return levelColumn(states, len(data)+2*len(names), func(l *level) error {
		at := 0
		var cells [4096]uint16
		for s := range l.sections {
			for i := range cells {
				n, size := binary.Uvarint(data[at:])
				at += size
				cells[i] = names[n]
			}
			l.sections[s].fill(&cells)
		}
		l.maps()
		return nil
	})
}

func schem(states []uint16) column {
	names, data := pack(states)
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	z.Write(data) // a bytes.Buffer takes everything
	z.Close()
	return levelColumn(states, file.Len(), func(l *level) error {
		r, err := gzip.NewReader(bytes.NewReader(file.Bytes()))
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		l.restoreFrom(names, data)
		return nil
	})
}

// registry is a chunk.BlockRegistry that knows air and nothing else.
type registry struct{ chunk.BlockRegistry }

func (registry) AirRuntimeID() uint32 { return 0 }

func dragonfly(states []uint16) column {
	wrong := other(states)
	c := chunk.New(registry{}, cube.Range{low, low + height - 1})
	set := func(states []uint16) {
		for i, s := range states {
			c.SetBlock(uint8(i&15), int16(low+i>>8), uint8(i>>4&15), 0, uint32(s))
		}
	}
	return column{int64(2 * len(states)), func() { set(wrong) }, func() error {
		set(states)
		return nil
	}, func() bool {
		for i, s := range states {
			if c.Block(uint8(i&15), int16(low+i>>8), uint8(i>>4&15), 0) != uint32(s) {
				return false
			}
		}
		return true
	}}
}
