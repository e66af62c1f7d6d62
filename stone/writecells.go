package stone

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Volume begins a volume of the last dimension. names are the names of its cells:
// the empty cell's first, then those in use, sorted. In a Terrain volume they are
// the materials by number, or nil. The Writer keeps names.
func (w *Writer) Volume(v voxel.Volume, names []string) error {
	w.endPage()
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

// check returns an error if the volume is invalid.
func (v *volume) check() error {
	most := map[voxel.Schema]int{voxel.Palette: maxNames, voxel.Terrain: maxMaterials}[v.Schema]
	if err := voxel.CheckName(v.Name); err != nil {
		return err
	}
	switch {
	case len(v.names) > most:
		return fmt.Errorf("%d names, at most %d", len(v.names), most)
	case v.Schema == voxel.Palette && !pages.Ascending(v.names[min(1, len(v.names)):]):
		return errors.New("names not in strictly ascending order")
	case v.Scale < 1 || v.Scale > 255 || !v.Schema.Valid(v.Default, max(1, len(v.names))):
		return fmt.Errorf("%v of scale %d, default %d", v.Schema, v.Scale, v.Default)
	}
	return nil
}

func (v *volume) valid(c voxel.Cell) bool { return v.Schema.Valid(c, len(v.names)) }

func (w *Writer) volume() *volume {
	d := w.dimension()
	if d == nil || len(d.volumes) == 0 {
		return nil
	}
	return &d.volumes[len(d.volumes)-1]
}

// Chunk writes a chunk of the last volume. A nil c says that the chunk has no cells.
// Chunks come by level, and within a level in ascending order of code (geom.CodeOf).
func (w *Writer) Chunk(level int, pos geom.ChunkPos, c *voxel.Chunk) error {
	if err := w.step(atVolumes, atVolumes, atVolumes, "Chunk"); err != nil {
		return err
	}
	v := w.volume()
	switch {
	case v == nil:
		return w.misuse("chunk %v outside a volume", pos)
	case level < 0 || level > geom.MaxLevel || !inLevel(pos, level):
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
		w.endPage()
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

// endCube adds the current cube to the current page. If it does not fit, it ends
// that page first.
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
		w.cubes = append(w.cubes, cube{key: c.key, mask: c.mask, chunks: c.chunks[:1:1]})
		return
	}
	full := w.runs > 0 && w.runs+c.runs() > w.o.PageChunks || w.things+len(c.chunks) > maxCells || w.differ+c.differ() > maxDeltas
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
	w.differ += c.differ()
	w.cubes = append(w.cubes, c)
}

// split removes the first chunks with n runs from the cube.
func (c *cube) split(n int) cube {
	head := cube{key: c.key}
	for head.runs() < n {
		bit := c.mask & -c.mask
		head.mask |= bit
		head.chunks = append(head.chunks, c.chunks[0])
		if len(c.deltas) > 0 {
			head.deltas, c.deltas = append(head.deltas, c.deltas[0]), c.deltas[1:]
		}
		c.mask &^= bit
		c.chunks = c.chunks[1:]
	}
	return head
}

// cellJob is a page of cells to encode and write, and its entries.
type cellJob struct {
	*volume
	inVolume, inLevel int    // index of the volume in the dimension, and of the level in the volume
	cubes             []cube // of all entries; a cube of equal uniform chunks has no part in the page
	paged             []cube
	lit               *lighting
	blocks            *blockPages // of lit

	o           *Options
	encoder     *pageEncoder
	page, other []byte // the page, and the larger one that it replaced
	work        int    // to decode it at most, as of codec.Encoder.Work, unless it is of form Lit
	err         error
}

// flushPage ends the current page. Pages are written when there are Options.AtOnce
// of them.
func (w *Writer) flushPage() {
	v := w.volume()
	if v == nil || len(w.cubes) == 0 || w.err != nil {
		return
	}
	j := &cellJob{inVolume: len(w.dimension().volumes) - 1, inLevel: len(v.levels) - 1, cubes: w.cubes, lit: w.lit, blocks: &w.blocks, o: &w.o}
	copied := *v // the dimension may get more volumes first
	j.volume = &copied
	for _, c := range j.cubes {
		if _, ok := c.pageless(); !ok {
			j.paged = append(j.paged, c)
		}
	}
	w.cubes, w.runs, w.things, w.differ = nil, 0, 0, 0
	if w.jobs = append(w.jobs, j); len(w.jobs) >= w.o.AtOnce {
		w.writeJobs()
	}
}

// writeJobs encodes and writes the waiting pages of cells.
func (w *Writer) writeJobs() {
	jobs := w.jobs
	w.jobs = nil
	for i, j := range jobs {
		j.encoder = w.encoderOf(i)
		j.page, j.other = j.encoder.page, j.encoder.other
	}
	if w.o.Run != nil && len(jobs) > 1 {
		w.o.Run(len(jobs), func(i int) { jobs[i].run() })
	} else {
		for _, j := range jobs {
			j.run()
		}
	}
	for _, j := range jobs {
		w.enterCells(j)
		j.encoder.page, j.encoder.other = j.page, j.other
	}
}

// enterCells writes the page of a job and its directory entries.
func (w *Writer) enterCells(j *cellJob) {
	if w.err = cmp.Or(w.err, j.err); w.err != nil {
		return
	}
	number, first := nonePage, 0
	if len(j.paged) > 0 {
		if number = w.keep(j.page, shape(j.paged)); j.page[0] == formLit {
			w.dimension().matters = j.lit.matters
		}
	}
	l := &w.dimension().volumes[j.inVolume].levels[j.inLevel]
	if j.Name == voxel.Block && l.level == 0 {
		w.noteCost(j, number)
	}
	for _, c := range j.cubes {
		e, ok := c.pageless()
		if !ok {
			e = entry{key: c.key, mask: c.mask, page: number, first: int32(first)}
			first += bits.OnesCount64(c.mask)
		}
		l.entries = append(l.entries, e)
	}
}

// blockPages is the pages of a dimension's blocks, for light and height maps that may follow
// from them.
type blockPages struct {
	costs map[int]pageCost // by number of the page
	index *blockIndex      // nil before all blocks are written
}

// noteCost notes what a page of blocks takes.
func (w *Writer) noteCost(j *cellJob, number int) {
	if w.blocks.costs == nil {
		w.blocks.costs = make(map[int]pageCost)
	}
	cost := pageCost{work: j.work, stored: len(j.page)}
	for _, c := range j.paged {
		cost.bytes += cellBytes(c.chunks)
	}
	w.blocks.costs[number] = cost
}

// indexBlocks makes the index of the dimension's blocks, which are all written.
func (w *Writer) indexBlocks() {
	if w.blocks.index != nil {
		return
	}
	var entries []entry
	for _, v := range w.dimension().volumes {
		if v.Name == voxel.Block && len(v.levels) > 0 && v.levels[0].level == 0 {
			entries = v.levels[0].entries
		}
	}
	begun := uint32(0)
	for i := range entries {
		e := &entries[i]
		if e.paged() && e.first == 0 {
			begun = uint32(i)
		}
		e.begun = begun
	}
	w.blocks.index, _ = indexBlocks(context.Background(), entries)
}

// counted returns towers with a count of what a Reader takes to read those that are asked
// for. far returns an error once that is too much. A Reader's chunks may be in another form
// in memory, so they may be half of what it allows.
func (b *blockPages) counted(towers light.Towers) (counted light.Towers, far func() error) {
	r, err := b.index.reach(maxHeld/2), error(nil)
	asked := make(map[footprint]bool)
	count := func(i, _ int) (bool, error) {
		e := &r.entries[i]
		if !e.paged() {
			return true, nil
		}
		return true, r.page(e, b.costs[e.page])
	}
	counted = func(x, z int32) light.Tower {
		if at := (footprint{x, z}); err == nil && !asked[at] {
			asked[at] = true
			err = r.tower(x, z, count)
		}
		return towers(x, z)
	}
	return counted, func() error { return err }
}

// run encodes the page in a form that takes few bytes. It compresses the forms that
// are close and takes the first of the smallest. Otherwise the sizes of the streams
// decide.
func (j *cellJob) run() {
	if len(j.paged) == 0 {
		return
	}
	p := newCellPage(j.paged)
	j.page = j.page[:0]
	if sure := j.tryLit(&p); !sure {
		columns := p.columns(&j.encoder.cells)
		if len(p.towers) > 0 {
			j.work = j.encoder.cells.Work()
		}
		j.checkTable(columns[cellCodec:])
		if len(p.deltas) > 0 {
			if streams := p.deltaStreams(columns); !j.try(formDelta, streams) {
				j.misuse("a page of %d bytes: at most %d", pages.Size(streams), maxPage)
			}
			return
		}
		j.tryRuns(&p, columns)
	}
}

func (j *cellJob) misuse(format string, args ...any) {
	if j.err == nil {
		j.err = fmt.Errorf("stone: write: "+format, args...)
	}
}

// Thresholds that decide between forms before compression. For Lit: how many times
// smaller the chunks become in memory without the light that follows from blocks.
// For Images: its bytes in tenths of those of Columns. For Odds: how many times more bytes
// the runs of Columns take, in tenths.
const (
	litSure    = 2
	imagesSure = 9
	oddsSure   = 45
)

// tryLit tries the form Lit and reports whether no other form needs a try.
func (j *cellJob) tryLit(p *cellPage) (sure bool) {
	kind, ok := litKind(j.volume)
	if !ok || len(p.towers) == 0 || j.lit == nil || !j.may(formLit) || j.levels[j.inLevel].level != 0 {
		return false
	}
	l := &lighting{matters: j.lit.matters}
	l.towers, l.failed = j.blocks.counted(j.lit.towers)
	streams, times := p.lit(j.encoder, l, kind)
	return j.try(formLit, streams) && (times >= litSure || j.o.Only == formLit)
}

// tryRuns tries the forms that need only the page. Where Odds takes few bytes beside the plain
// runs of Columns, the others are hardly ever smaller, and neither made nor compressed.
func (j *cellJob) tryRuns(p *cellPage, columns [][]byte) {
	var images, odds [][]byte
	if j.may(byte(codec.Odds)) {
		odds = p.odds(&j.encoder.cells, j.volume, j.o.Effort)
	}
	if odds != nil && j.o.Only == 0 && pages.Size(odds)*oddsSure < j.encoder.cells.RunBytes()*10 {
		j.try(byte(codec.Odds), odds)
		return
	}
	if j.may(byte(codec.Images)) {
		images = p.images(&j.encoder.cells, j.volume, j.o.Effort)
	}
	if images == nil || pages.Size(images)*10 > pages.Size(columns)*imagesSure {
		j.try(byte(codec.Columns), columns)
	}
	j.try(byte(codec.Images), images)
	if j.Schema == voxel.Terrain && j.may(byte(codec.Relief)) {
		j.try(byte(codec.Relief), p.relief(&j.encoder.cells))
	}
	j.try(byte(codec.Odds), odds)
	if len(j.page) == 0 {
		j.misuse("a page of %d bytes: at most %d", pages.Size(columns), maxPage)
	}
}

// may reports whether pages may have this form.
func (j *cellJob) may(form byte) bool { return j.o.Only == 0 || j.o.Only == int(form) }

// oddsGain is the part of a page, as a divisor, that the form Odds must save,
// because reading it takes two to three times as long.
const oddsGain = 8

// try replaces j.page by the page in another form if that is smaller or the only one
// allowed, and reports whether it did. Without streams, or with too many bytes, the
// form is impossible.
func (j *cellJob) try(form byte, streams [][]byte) bool {
	if j.err != nil || streams == nil || pages.Size(streams) > maxPage {
		return false
	}
	j.other = j.encoder.Append(j.other[:0], form, streams)
	least := len(j.page)
	if form == byte(codec.Odds) {
		least -= least / oddsGain
	}
	if len(j.page) > 0 && len(j.other) >= least && j.o.Only != int(form) {
		return false
	}
	j.page, j.other = j.other, j.page
	return true
}

// checkTable refuses cells that could not be read back.
func (j *cellJob) checkTable(streams [][]byte) {
	if len(streams) == 0 {
		return
	}
	table, err := codec.Table(streams)
	if err != nil {
		j.misuse("volume %q: %w", j.Name, err)
	}
	for _, cell := range table {
		if !j.valid(cell) {
			j.misuse("volume %q: cell %d", j.Name, cell)
		}
	}
}

// shape distinguishes pages with equal bytes and different chunks: the masks and
// relative positions of the cubes.
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
