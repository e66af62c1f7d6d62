package convert

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Loader is the Sink that builds a Loaded world. Besides the world it holds a bounded number of flat
// chunks. With Spill it holds a bounded part of the world.
type Loader struct {
	w       *Loaded
	names   []func()                        // copy the names that grew while columns arrived
	namesOf map[*LoadedVolume]*format.Names // these; nil where nothing has a name
	dim     *loading
	bound   *budget
	spills  *spills // nil without Spill
}

// NewLoader returns a Loader for a world with head h.
func NewLoader(h format.Head) *Loader {
	return &Loader{w: &Loaded{Head: h}, namesOf: map[*LoadedVolume]*format.Names{}}
}

// Bound makes the Loader fail with ErrTooLarge if the world takes more than maxBytes of memory;
// 0 is no bound. Call it before anything is loaded.
func (l *Loader) Bound(maxBytes int64) { l.bound = newBudget(maxBytes) }

// loading is the dimension that is being loaded.
type loading struct {
	*LoadedDimension
	canvases []*canvas // of voxel.BlockVolumes; nil for volumes that the dimension does not have
	names    []growing
	seen     map[geom.ColumnPos]uint64 // columns of squares of 8x8
	chunks   bool                      // volumes of the canvases got chunks
}

// Dimension begins a dimension. Its name must be new.
func (l *Loader) Dimension(d *format.Dimension) error {
	l.endDimension()
	if err := voxel.CheckName(d.Name); err != nil {
		return fmt.Errorf("convert: dimension: %w", err)
	}
	if slices.ContainsFunc(l.w.Dimensions, func(o *LoadedDimension) bool { return o.Name == d.Name }) {
		return fmt.Errorf("convert: dimension %q comes twice", d.Name)
	}
	nd := &LoadedDimension{Name: d.Name, Folder: d.Folder}
	l.dim = &loading{LoadedDimension: nd, seen: map[geom.ColumnPos]uint64{}}
	for _, v := range d.Volumes {
		nv := &LoadedVolume{Volume: v.Volume, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
		if v.Names != nil {
			l.names = append(l.names, func() { nv.Names = v.Names.List() })
			l.namesOf[nv] = v.Names
			l.dim.names = append(l.dim.names, growing{names: v.Names})
		}
		nd.Volumes = append(nd.Volumes, nv)
	}
	l.w.Dimensions = append(l.w.Dimensions, nd)
	for _, v := range voxel.BlockVolumes() {
		takeBack := func(pos geom.ChunkPos) *voxel.Chunk { return l.takeBack(nd, nd.Volume(v.Name), pos) }
		l.dim.canvases = append(l.dim.canvases, newCanvas(nd.Volume(v.Name), v, l.bound, takeBack))
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
	l.dim = nil
}

// Column takes a column and the cells of its sections.
func (l *Loader) Column(c *format.Column) error {
	if l.dim == nil {
		return fmt.Errorf("convert: column %v outside a dimension", c.Pos)
	}
	if err := l.dim.check(c); err != nil {
		return fmt.Errorf("convert: column %v of %s: %w", c.Pos, l.dim.Name, err)
	}
	square, bit := seenAt(c.Pos)
	l.dim.seen[square] |= 1 << bit
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
	l.bound.column(&column)
	l.bound.names(l.dim.names)
	return l.room()
}

// seenAt returns the square of 8x8 columns that has a column, and the column's number in it.
func seenAt(pos geom.ColumnPos) (square geom.ColumnPos, bit int32) {
	return geom.ColumnPos{X: pos.X >> 3, Z: pos.Z >> 3}, pos.Z&7<<3 | pos.X&7
}

var errMixed = errors.New("a volume has both columns and chunks")

// check refuses columns that could not be read back from the volumes.
func (d *loading) check(c *format.Column) error {
	if err := c.Pos.Check(); err != nil {
		return err
	}
	if square, bit := seenAt(c.Pos); d.seen[square]>>bit&1 != 0 {
		return errors.New("it comes twice")
	}
	if d.chunks {
		return errMixed
	}
	if len(c.Cells) != len(c.Sections) {
		return fmt.Errorf("cells of %d sections, %d sections", len(c.Cells), len(c.Sections))
	}
	var taken [256]voxel.Has // by height of the section
	if n := len(c.Biomes); n > 0 {
		if n != wholeBiomes || d.canvases[1] == nil {
			return fmt.Errorf("%d biomes", n)
		}
		for y := range wholeBiomes / 64 {
			taken[y] = voxel.HasBiome
		}
	}
	for i, s := range c.Sections {
		if err := d.checkSection(s.Has, c.Cells[i]); err != nil {
			return fmt.Errorf("section %d: %w", s.Y, err)
		}
		cells := s.Has & (voxel.HasBlock | voxel.HasBiome | voxel.HasSky | voxel.HasLight)
		if taken[uint8(s.Y)]&cells != 0 {
			return fmt.Errorf("section %d comes twice", s.Y)
		}
		taken[uint8(s.Y)] |= cells
	}
	return nil
}

// wholeBiomes is the number of biome cells of a column that has them in one piece.
const wholeBiomes = 1024

func (d *loading) checkSection(has voxel.Has, c format.Cells) error {
	for i, n := range [...]int{len(c.Block), len(c.Biome), len(c.Sky), len(c.Light)} {
		whole, one := [...]int{4096, 64, 2048, 2048}[i], i < 2 && n == 1
		switch name := voxel.BlockVolumes()[i].Name; {
		case has>>i&1 == 0 && n == 0:
		case has>>i&1 == 0 || n != whole && !one:
			return fmt.Errorf("%s of %d cells or bytes; the section lists it: %v", name, n, has>>i&1 != 0)
		case d.canvases[i] == nil:
			return fmt.Errorf("%s in a dimension without such a volume", name)
		}
	}
	return nil
}

// isFar reports whether a chunk is where no section can be. A world with columns has it as a chunk.
func isFar(v voxel.Volume, pos geom.ChunkPos) bool {
	y := int(pos.Y) * v.Scale * geom.ChunkEdge / geom.ColumnEdge
	return y != int(int8(y))
}

// Chunk takes a chunk of a world without columns, or one that is far.
func (l *Loader) Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error {
	if l.dim == nil || l.dim.Volume(volume) == nil {
		return fmt.Errorf("convert: chunk %v: no dimension with a volume %q", pos, volume)
	}
	if err := pos.Check(); err != nil {
		return fmt.Errorf("convert: %w", err)
	}
	v := l.dim.Volume(volume)
	if !isFar(v.Volume, pos) && slices.ContainsFunc(l.dim.canvases, func(c *canvas) bool { return c != nil && c.v == v }) {
		if len(l.dim.seen) > 0 {
			return fmt.Errorf("convert: chunk %v of volume %q: %w", pos, volume, errMixed)
		}
		l.dim.chunks = true
	}
	if l.spills.comes(v, pos) {
		v.Chunks[pos] = c // also the default, which replaces what a spill has
	} else {
		v.put(pos, c)
	}
	l.bound.chunk(c, 1)
	if l.spills == nil {
		return cmp.Or(v.checkSize(), l.bound.check())
	}
	return l.room()
}

// put stores a chunk, unless the whole chunk is the default.
func (v *LoadedVolume) put(pos geom.ChunkPos, c *voxel.Chunk) {
	if cell, ok := c.Uniform(); ok && cell == v.Default {
		delete(v.Chunks, pos)
		return
	}
	v.Chunks[pos] = c
}

// maxChunks bounds the chunks of a volume. A few bytes of a stone can stand for many chunks.
const maxChunks = 1 << 20

func (v *LoadedVolume) checkSize() error {
	if len(v.Chunks) > maxChunks {
		return fmt.Errorf("convert: volume %q: more than %d chunks, too many for memory", v.Volume.Name, maxChunks)
	}
	return nil
}

// File takes a file.
func (l *Loader) File(f format.File) error {
	l.w.Files = append(l.w.Files, f)
	return nil
}

// World returns the loaded world. The Loader must not be used after that. With Spill call
// Content instead.
func (l *Loader) World() *Loaded {
	l.endDimension()
	for _, f := range l.names {
		f()
	}
	slices.SortFunc(l.w.Files, func(a, b format.File) int { return strings.Compare(a.Path, b.Path) })
	return l.w
}

// cloneColumn copies a column and the slices that the source owns.
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
	slices.SortFunc(n.Lists, func(a, b voxel.List) int { return strings.Compare(a.Name, b.Name) })
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
