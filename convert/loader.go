package convert

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Loader is the Sink that builds a World. Besides the world it holds a bounded
// number of chunks that are still being filled.
type Loader struct {
	w     *World
	names []func() // copies the names that grew while columns arrived
	dim   *loading
	err   error
}

// NewLoader returns a Loader for a world with that head.
func NewLoader(h format.Head) *Loader { return &Loader{w: &World{Head: h}} }

// loading is the dimension under way.
type loading struct {
	*Dimension
	canvases []*canvas // of block, biome, sky, light; nil where the dimension lacks it

}

// Dimension begins a dimension.
func (l *Loader) Dimension(d *format.Dimension) error {
	l.endDimension()
	nd := &Dimension{Name: d.Name, Folder: d.Folder}
	for _, v := range d.Volumes {
		nv := &Volume{Volume: v.Volume, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
		if v.Names != nil {
			l.names = append(l.names, func() { nv.Names = v.Names.List() })
		}
		nd.Volumes = append(nd.Volumes, nv)
	}
	l.w.Dimensions = append(l.w.Dimensions, nd)
	l.dim = &loading{Dimension: nd}
	for _, name := range []string{voxel.Block, voxel.Biome, voxel.Sky, voxel.Light} {
		l.dim.canvases = append(l.dim.canvases, newCanvas(nd.Volume(name)))
	}
	return nil
}

func (l *Loader) endDimension() {
	if l.dim == nil {
		return
	}
	for _, c := range l.dim.canvases {
		c.closeAll()
	}
	slices.SortFunc(l.dim.Columns, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
	for i := 1; i < len(l.dim.Columns) && l.err == nil; i++ {
		if pos := l.dim.Columns[i].Pos; pos == l.dim.Columns[i-1].Pos {
			l.err = fmt.Errorf("convert: column %v of %s comes twice", pos, l.dim.Name)
		}
	}
	l.dim = nil
}

// Column takes a column and the cells of its sections.
func (l *Loader) Column(c *format.Column) error {
	if l.dim == nil {
		return fmt.Errorf("convert: column %v outside a dimension", c.Pos)
	}
	if err := c.Pos.Check(); err != nil {
		return fmt.Errorf("convert: %w", err)
	}
	column := cloneColumn(&c.Column)
	if len(c.Biomes) > 0 {
		column.Whole |= voxel.HasBiome
	}
	l.dim.Columns = append(l.dim.Columns, column)
	block, biome, sky, light := l.dim.canvases[0], l.dim.canvases[1], l.dim.canvases[2], l.dim.canvases[3]
	for i, cells := range c.Cells {
		y := int(c.Sections[i].Y)
		block.cells(c.Pos, y*16, 16, cells.Block)
		biome.cells(c.Pos, y*4, 4, cells.Biome)
		sky.nibbles(c.Pos, y*16, cells.Sky)
		light.nibbles(c.Pos, y*16, cells.Light)
	}
	for y := range len(c.Biomes) / 64 {
		biome.cells(c.Pos, y*4, 4, c.Biomes[y*64:y*64+64])
	}
	for _, cv := range l.dim.canvases {
		cv.columnDone(c.Pos)
	}
	return nil
}

// Chunk takes a chunk of a world without columns.
func (l *Loader) Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error {
	if l.dim == nil || l.dim.Volume(volume) == nil {
		return fmt.Errorf("convert: chunk %v of volume %q, which no dimension has", pos, volume)
	}
	if err := pos.Check(); err != nil {
		return fmt.Errorf("convert: %w", err)
	}
	l.dim.Volume(volume).put(pos, c)
	return nil
}

// put stores a chunk unless it is the default throughout.
func (v *Volume) put(pos geom.ChunkPos, c *voxel.Chunk) {
	if cell, ok := c.Uniform(); ok && cell == v.Default {
		delete(v.Chunks, pos)
		return
	}
	v.Chunks[pos] = c
}

// File takes a file.
func (l *Loader) File(f format.File) error {
	l.w.Files = append(l.w.Files, f)
	return nil
}

// World returns the world that was loaded; the Loader is done.
func (l *Loader) World() (*World, error) {
	l.endDimension()
	for _, f := range l.names {
		f()
	}
	slices.SortFunc(l.w.Files, func(a, b format.File) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	return l.w, l.err
}

// cloneColumn copies what the source owns.
func cloneColumn(c *voxel.Column) voxel.Column {
	n := *c
	n.Sections = slices.Clone(c.Sections)
	for i := range n.Sections {
		n.Sections[i].Tags = bytes.Clone(c.Sections[i].Tags)
	}
	n.Maps = slices.Clone(c.Maps)
	n.Lists = make([]voxel.List, 0, len(c.Lists))
	for _, list := range c.Lists {
		if len(list.Objects) > 0 {
			n.Lists = append(n.Lists, cloneList(list))
		}
	}
	slices.SortFunc(n.Lists, func(a, b voxel.List) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	n.Parts = slices.Clone(c.Parts)
	for i := range n.Parts {
		n.Parts[i].Data = bytes.Clone(c.Parts[i].Data)
	}
	return n
}

func cloneList(l voxel.List) voxel.List {
	objects := slices.Clone(l.Objects)
	for i := range objects {
		objects[i].Payload = bytes.Clone(l.Objects[i].Payload)
	}
	return voxel.List{Name: l.Name, Objects: objects}
}
