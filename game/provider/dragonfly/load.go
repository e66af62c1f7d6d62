package dragonfly

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	cairn "github.com/cairnvoxel/cairn/world"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	bedrock "github.com/sandertv/gophertunnel/minecraft/nbt"
	"github.com/zeebo/xxh3"
)

// errDamaged says that there is more of a column than could be read.
var errDamaged = errors.New("an import could not read it and has kept its bytes")

var packers = sync.Pool{New: func() any { return new(packer) }}

// loading is a column that is being loaded.
type loading struct {
	*packer
	states  *states
	dim     *cairn.Dimension
	column  *voxel.Column
	version int32 // that names are of
	today   bool  // so far all names are those of today
}

// load makes a column of what the open world has. It is nil if there is none.
func (p *Provider) load(dim *cairn.Dimension, column *voxel.Column, kind world.Dimension) (*chunk.Column, known, error) {
	l := loading{packer: packers.Get().(*packer), states: p.states, dim: dim, column: column}
	defer packers.Put(l.packer)
	if slices.ContainsFunc(column.Parts, func(p voxel.Part) bool { return p.Name == partRest && p.Damaged }) {
		return nil, known{}, errDamaged
	}
	rest := restOf(column)
	if versions, ok := rest.Get(keyVersions).([]int32); ok && len(versions) > 0 {
		l.version = versions[0]
	}
	c, now, err := l.chunk(kind.Range())
	if err != nil {
		return nil, known{}, err
	}
	col := &chunk.Column{Chunk: c}
	digest, _ := rest.Get(keyDigest).([]byte)
	if err = l.entities(col, digest); err == nil {
		err = l.blockEntities(col)
	}
	if ticks, ok := rest.Get(keyTicks).([]byte); ok && err == nil {
		err = l.ticks(col, ticks)
	}
	if err == nil {
		err = l.deeper(col.Chunk, rest)
	}
	now.column = column
	return col, now, err
}

// chunk makes the chunk of a column: it writes what a server sends, which is the quickest that dragonfly reads.
func (l *loading) chunk(heights cube.Range) (*chunk.Chunk, known, error) {
	n, low := heights.Height()>>4+1, heights[0]>>4
	now := known{sections: make([]xxh3.Uint128, n)}
	b := make([]byte, 0, 1<<13)
	for i := range n {
		begin := len(b)
		var err error
		l.today = true
		if b, err = l.section(b, low+i); err != nil {
			return nil, now, err
		}
		if l.today {
			now.sections[i] = xxh3.Hash128(b[begin:])
		}
	}
	for i := range n {
		var err error
		if b, err = l.biomes(b, low+i); err != nil {
			return nil, now, err
		}
	}
	c, err := chunk.NetworkDecode(l.states.blocks, b, n, heights)
	if err != nil {
		return nil, now, err
	}
	heal(c)
	now.biomes = xxh3.Hash128(chunk.EncodeBiomes(c, chunk.NetworkEncoding))
	return c, now, nil
}

// section appends a section: its layers, of which upper ones are left out that have air alone.
func (l *loading) section(dst []byte, y int) ([]byte, error) {
	dst = append(dst, chunk.SubChunkVersion, 0, byte(y))
	bare := len(dst)
	top := bare // the end of the layers that have something
	for i, name := range []string{voxel.Block, layerVolume} {
		v := l.dim.Volume(name)
		if err := l.read(v, y); err != nil {
			return dst, err
		}
		begin := len(dst)
		if dst = l.indexes(dst); len(l.palette) == 1 && l.palette[0] == 0 && i > 0 {
			dst = dst[:begin]
			continue
		}
		for _, cell := range l.palette {
			s, err := l.states.id(v.CellName(cell), l.version)
			if err != nil {
				return dst, err
			}
			l.today = l.today && s.today
			dst = binary.AppendVarint(dst, int64(int32(s.id)))
		}
		if i > 0 || len(l.palette) > 1 || l.palette[0] != 0 {
			dst[bare-2], top = byte(i+1), len(dst)
		}
	}
	return dst[:top], nil
}

// read reads the cells of a section of a volume of blocks.
func (l *loading) read(v *cairn.Volume, y int) error {
	if l.same = true; v == nil {
		l.cells[0] = 0
		return nil
	}
	at := geom.Point{X: int(l.column.Pos.X) * edge, Y: y * edge, Z: int(l.column.Pos.Z) * edge}
	c, ok := v.Chunk(at.Chunk())
	if !ok {
		return fmt.Errorf("section %d: %w", y, cairn.ErrNotLoaded)
	}
	if c == nil {
		l.cells[0] = v.Default()
	} else if cell, ok := c.Uniform(); ok {
		l.cells[0] = cell
	} else {
		in := at.InChunk()
		c.ReadBox(geom.Box{Min: in, Max: in.Add(geom.Point{X: edge, Y: edge, Z: edge})}, l.cells[:])
		l.same = l.cells.uniform()
	}
	return nil
}

// biomes appends the biomes of a section.
func (l *loading) biomes(dst []byte, y int) ([]byte, error) {
	fine, coarse := l.dim.Volume(fineVolume), l.dim.Volume(voxel.Biome)
	if err := l.read(fine, y); err != nil {
		return dst, err
	}
	if l.same && l.cells[0] == 0 {
		var corners [64]voxel.Cell
		at := geom.Point{X: int(l.column.Pos.X) * 4, Y: y * 4, Z: int(l.column.Pos.Z) * 4}
		if coarse != nil && !coarse.ReadBox(geom.Box{Min: at, Max: at.Add(geom.Point{X: 4, Y: 4, Z: 4})}, 0, corners[:]) {
			return dst, fmt.Errorf("biomes of section %d: %w", y, cairn.ErrNotLoaded)
		}
		fine, l.cells[0] = coarse, corners[0]
		if l.same = !slices.ContainsFunc(corners[1:], func(c voxel.Cell) bool { return c != corners[0] }); !l.same {
			for i := range l.cells {
				l.cells[i] = corners[corner(i)]
			}
		}
	}
	dst = l.indexes(dst)
	for _, cell := range l.palette {
		id, err := biomeOf(fine.CellName(cell))
		if err != nil {
			return dst, err
		}
		dst = binary.AppendVarint(dst, int64(id))
	}
	return dst, nil
}

// biomeOf undoes biomeName. Where nothing was said is the number 0, as in dragonfly.
func biomeOf(name string) (int32, error) {
	if name == format.Air || name == "" {
		return 0, nil
	}
	number, ok := strings.CutPrefix(name, biomePrefix)
	id, err := strconv.ParseInt(number, 10, 32)
	if !ok || err != nil {
		return 0, fmt.Errorf("biome %q is none of Bedrock", name)
	}
	return int32(id), nil
}

// deeper adds the layers above the second, which are no cells.
func (l *loading) deeper(c *chunk.Chunk, rest nbt.Entries) error {
	for _, e := range rest {
		height, ok := strings.CutPrefix(e.Name, keySection)
		stored, isBytes := e.Value.([]byte)
		y, err := strconv.Atoi(height)
		i := y - c.Range()[0]>>4
		if !ok || !isBytes || err != nil || i < 0 || i >= len(c.Sub()) {
			continue
		}
		data := chunk.SerialisedData{SubChunks: make([][]byte, len(c.Sub()))}
		data.SubChunks[i] = stored
		whole, err := chunk.DiskDecode(l.states.blocks, data, c.Range())
		if err != nil {
			return fmt.Errorf("section %d: %w", y, err)
		}
		for at := range sectionCells {
			x, y, z := byte(at>>8), byte(at&15), byte(at>>4&15)
			for layer := 2; layer < len(whole.Sub()[i].Layers()); layer++ {
				c.Sub()[i].SetBlock(x, y, z, byte(layer), whole.Sub()[i].Block(x, y, z, byte(layer)))
			}
		}
	}
	return nil
}

// entities adds the entities. Their numbers are among their tags, or else in the digest.
func (l *loading) entities(col *chunk.Column, digest []byte) error {
	for i, o := range l.column.Objects(voxel.Entities) {
		data, err := values(o.Payload)
		if err != nil {
			return fmt.Errorf("entity %d: %w", i, err)
		}
		id, ok := data["UniqueID"].(int64)
		if !ok && len(digest) >= 8*(i+1) {
			id = int64(binary.LittleEndian.Uint64(digest[8*i:]))
		}
		col.Entities = append(col.Entities, chunk.Entity{ID: id, Data: data})
	}
	return nil
}

func (l *loading) blockEntities(col *chunk.Column) error {
	for i, o := range l.column.Objects(voxel.BlockEntities) {
		data, err := values(o.Payload)
		if err != nil {
			return fmt.Errorf("block entity %d: %w", i, err)
		}
		if o.Place == voxel.Moved {
			data["x"], data["y"], data["z"] = int32(o.At.X), int32(o.At.Y), int32(o.At.Z)
		}
		col.BlockEntities = append(col.BlockEntities, chunk.BlockEntity{Pos: cube.Pos{o.At.X, o.At.Y, o.At.Z}, Data: data})
	}
	return nil
}

func (l *loading) ticks(col *chunk.Column, stored []byte) error {
	var in struct {
		Tick int32            `nbt:"currentTick"`
		List []map[string]any `nbt:"tickList"`
	}
	if err := bedrock.UnmarshalEncoding(stored, &in, bedrock.LittleEndian); err != nil {
		return fmt.Errorf("updates that wait: %w", err)
	}
	col.Tick = int64(in.Tick)
	for i, t := range in.List {
		entry, _ := t["blockState"].(map[string]any)
		id, err := chunk.BlockPaletteEncoding{Blocks: l.states.blocks}.DecodeBlockState(entry)
		if err != nil {
			return fmt.Errorf("update %d that waits: %w", i, err)
		}
		x, _ := t["x"].(int32)
		y, _ := t["y"].(int32)
		z, _ := t["z"].(int32)
		time, _ := t["time"].(int64)
		col.ScheduledBlocks = append(col.ScheduledBlocks, chunk.ScheduledBlockUpdate{Pos: cube.Pos{int(x), int(y), int(z)}, Block: id, Tick: time})
	}
	return nil
}
