package stone

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Volume begins a volume of the last dimension. names are what its cells index:
// the empty cell's first, then those in use, sorted; of a Terrain volume the
// materials' by number, or nil. The Writer keeps names.
func (w *Writer) Volume(v voxel.Volume, names []string) error {
	w.flush()
	if err := w.step(atVolumes, atVolumes, atVolumes, "Volume"); err != nil {
		return err
	}
	d, made := w.dimension(), volume{Volume: v, names: names}
	if err := made.check(); err != nil {
		return w.misuse("volume %q: %w", v.Name, err)
	}
	for _, n := range names {
		w.nameBytes += len(n)
	}
	if w.nameBytes > maxNameBytes {
		return w.misuse("volume %q: names of more than %d bytes", v.Name, maxNameBytes)
	}
	same := func(u volume) bool { return u.Name == v.Name }
	if slices.ContainsFunc(d.volumes, same) || len(d.volumes) == maxVolumes {
		return w.misuse("volume %q a second time, or too many", v.Name)
	}
	d.volumes = append(d.volumes, made)
	return nil
}

// check says what of the volume cannot be.
func (v *volume) check() error {
	most := map[voxel.Schema]int{voxel.Palette: maxNames, voxel.Terrain: maxMaterials}[v.Schema]
	switch {
	case len(v.names) > most:
		return fmt.Errorf("%d names, at most %d", len(v.names), most)
	case v.Schema == voxel.Palette && !ascending(v.names[min(1, len(v.names)):]):
		return errors.New("names not in strictly ascending order")
	case v.Scale < 1 || v.Scale > 255 || !v.Schema.Valid(v.Default, max(1, len(v.names))):
		return fmt.Errorf("%v of scale %d, default %d", v.Schema, v.Scale, v.Default)
	}
	return nil
}

func ascending(names []string) bool {
	for i := 1; i < len(names); i++ {
		if names[i-1] >= names[i] {
			return false
		}
	}
	return true
}

func (v *volume) valid(c voxel.Cell) bool { return v.Schema.Valid(c, len(v.names)) }

func (w *Writer) volume() *volume {
	d := w.dimension()
	if d == nil || len(d.volumes) == 0 {
		return nil
	}
	return &d.volumes[len(d.volumes)-1]
}

// Chunk writes a chunk of the last volume: c's cells, or if c is nil that the
// chunk has none. Chunks come by level, and in ascending order of their code
// (geom.CodeOf) within a level.
func (w *Writer) Chunk(level int, pos geom.ChunkPos, c *voxel.Chunk) error {
	if err := w.step(atVolumes, atVolumes, atVolumes, "Chunk"); err != nil {
		return err
	}
	v := w.volume()
	switch {
	case v == nil:
		return w.misuse("chunk %v outside a volume", pos)
	case level < 0 || level > geom.MaxDepth-2 || !inLevel(pos, level):
		return w.misuse("chunk %v of level %d: %w", pos, level, geom.ErrOutOfRange)
	}
	if kindOf(c) == kindUniform {
		if cell, _ := c.Uniform(); !v.valid(cell) {
			return w.misuse("chunk %v of volume %q: cell %d", pos, v.Name, cell)
		}
	}
	if n := len(v.levels); n == 0 || v.levels[n-1].level != level {
		if n > 0 && v.levels[n-1].level > level {
			return w.misuse("level %d after %d", level, v.levels[n-1].level)
		}
		w.flushCells()
		v.levels = append(v.levels, detail{level, nil})
		w.last = 0
	}
	code := geom.CodeOf(pos, level)
	if code <= w.last {
		return w.misuse("chunk %v of volume %q is not after %v", pos, v.Name, w.last.Pos())
	}
	w.last = code
	if t := w.dimension().tally; t != nil && level == 0 {
		t.Chunk(v.Name, c, 1)
	}
	key, bit := cubeKey(pos, level)
	if key != w.cube.key {
		w.endCube()
		w.cube.key = key
	}
	w.cube.mask |= 1 << bit
	w.cube.chunks = append(w.cube.chunks, c)
	return w.err
}

func inLevel(pos geom.ChunkPos, level int) bool {
	const max = geom.MaxChunk
	m := int32(max >> level)
	in := func(v int32) bool { return v >= -m && v < m }
	return in(pos.X) && in(pos.Y) && in(pos.Z)
}

// endCube puts the cube under way into the page under way, or ends that first.
func (w *Writer) endCube() {
	c := w.cube
	w.cube = cube{}
	if c.mask == 0 {
		return
	}
	if _, ok := c.pageless(); ok {
		if len(w.cubes) >= maxPending {
			w.flushPage()
		}
		w.cubes = append(w.cubes, cube{c.key, c.mask, c.chunks[:1:1]})
		return
	}
	full := w.runs > 0 && w.runs+c.runs() > w.o.PageChunks || w.things+len(c.chunks) > maxCells
	if full || len(w.cubes) >= maxPending {
		w.flushPage()
	}
	for c.runs() > w.o.PageChunks {
		w.addCube(c.split(w.o.PageChunks))
		w.flushPage()
	}
	if c.mask != 0 {
		w.addCube(c)
	}
}

func (w *Writer) addCube(c cube) {
	w.runs += c.runs()
	w.things += len(c.chunks)
	w.cubes = append(w.cubes, c)
}

// split takes the first chunks with n runs off the cube.
func (c *cube) split(n int) cube {
	head := cube{key: c.key}
	for head.runs() < n {
		bit := c.mask & -c.mask
		head.mask |= bit
		head.chunks = append(head.chunks, c.chunks[0])
		c.mask &^= bit
		c.chunks = c.chunks[1:]
	}
	return head
}

// flushPage writes the page under way and its directory entries. A cube whose
// chunks are all alike has an entry and no part in the page.
func (w *Writer) flushPage() {
	v := w.volume()
	if v == nil || len(w.cubes) == 0 {
		return
	}
	var paged []cube
	for _, c := range w.cubes {
		if _, ok := c.pageless(); !ok {
			paged = append(paged, c)
		}
	}
	number := nonePage
	if len(paged) > 0 {
		number = w.addCells(v, paged)
	}
	l, first := &v.levels[len(v.levels)-1], 0
	for _, c := range w.cubes {
		e, ok := c.pageless()
		if !ok {
			e = entry{key: c.key, mask: c.mask, page: number, first: first}
			first += bits.OnesCount64(c.mask)
		}
		l.entries = append(l.entries, e)
	}
	w.cubes, w.runs, w.things = nil, 0, 0
}

// addCells writes the page of cubes in a form that takes few bytes, and returns its
// number. Of forms that are much alike each is packed, and the first of those with
// fewest bytes taken; else their streams tell which.
func (w *Writer) addCells(v *volume, cubes []cube) int {
	p := newCellPage(cubes)
	w.page = w.page[:0]
	light := w.tryLit(v, &p)
	columns := p.columns(&w.packer().cells)
	w.checkTable(v, columns[cellCodec:])
	if light == 0 || w.o.Only == 0 && light*litSure > plainBytes(columns) {
		w.tryRuns(v, &p, columns)
	}
	if w.err == nil && w.page[0] == formLit {
		w.dimension().matters = w.lit.matters
	}
	return w.keepPage(shape(cubes))
}

// How many times fewer bytes, before they are packed, the form Lit has that surely
// takes fewer packed, and in tenths those that Images has of Columns' at most.
const (
	litSure    = 2
	imagesSure = 9
)

// tryLit tries the form Lit, and returns the bytes of its streams; 0 if it cannot be.
func (w *Writer) tryLit(v *volume, p *cellPage) (plain int) {
	kind, ok := litKind(v)
	if !ok || len(p.stacks) == 0 || w.lit == nil || !w.may(formLit) || v.levels[len(v.levels)-1].level != 0 {
		return 0
	}
	streams := p.lit(&w.packer().cells, w.lit, kind)
	if !w.try(formLit, streams) {
		return 0
	}
	return plainBytes(streams)
}

// tryRuns tries the forms that need nothing but the page.
func (w *Writer) tryRuns(v *volume, p *cellPage, columns [][]byte) {
	var images [][]byte
	if w.may(byte(codec.Images)) {
		images = p.images(&w.packer().cells, v, w.o.Effort)
	}
	if images == nil || plainBytes(images)*10 > plainBytes(columns)*imagesSure {
		w.tryColumns(columns)
	}
	w.try(byte(codec.Images), images)
	if v.Schema == voxel.Terrain && w.may(byte(codec.Relief)) {
		w.try(byte(codec.Relief), p.relief(&w.packer().cells))
	}
	if w.may(byte(codec.Odds)) {
		w.try(byte(codec.Odds), p.odds(&w.packer().cells, v, w.o.Effort))
	}
}

// tryColumns tries the form in which every page can be, unless it is too large.
func (w *Writer) tryColumns(columns [][]byte) {
	if n := plainBytes(columns); n > maxPage && len(w.page) == 0 {
		w.misuse("a page of %d bytes: at most %d", n, maxPage)
	}
	w.try(byte(codec.Columns), columns)
}

// may reports whether pages may have a form.
func (w *Writer) may(form byte) bool { return w.o.Only == 0 || w.o.Only == int(form) }

// oddsGain is the part of a page, as a divisor, that the form Odds must save, since
// it takes two to three times as long to read.
const oddsGain = 8

// try makes w.page one of another form if that is smaller or the only one wanted,
// and reports whether it does. Without streams, or with too many bytes, the form cannot
// be.
func (w *Writer) try(form byte, streams [][]byte) bool {
	if w.err != nil || streams == nil || plainBytes(streams) > maxPage {
		return false
	}
	w.other = w.packer().appendPage(w.other[:0], form, streams)
	least := len(w.page)
	if form == byte(codec.Odds) {
		least -= least / oddsGain
	}
	if len(w.page) > 0 && len(w.other) >= least && w.o.Only != int(form) {
		return false
	}
	w.page, w.other = w.other, w.page
	return true
}

// checkTable refuses cells that could not be read back.
func (w *Writer) checkTable(v *volume, streams [][]byte) {
	if len(streams) == 0 {
		return
	}
	table, err := codec.Table(streams)
	if err != nil {
		w.misuse("volume %q: %w", v.Name, err)
	}
	for _, cell := range table {
		if !v.valid(cell) {
			w.misuse("volume %q: cell %d", v.Name, cell)
		}
	}
}

// shape tells apart pages whose bytes mean different chunks: masks and how the
// cubes lie to each other.
func shape(cubes []cube) (s []byte) {
	from := cubeChunk(cubes[0].key, 0)
	for _, c := range cubes {
		at := cubeChunk(c.key, 0)
		for _, v := range []int32{at.X - from.X, at.Y - from.Y, at.Z - from.Z} {
			s = binary.AppendVarint(s, int64(v))
		}
		s = binary.LittleEndian.AppendUint64(s, c.mask)
	}
	return s
}
