package anvil

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var errOverlap = errors.New("its sectors belong to another chunk too, and that one is in them")

// reading is one Read of a world.
type reading struct {
	w      *Folder
	sink   format.Sink
	inf    inflater
	used   map[string]bool // files beside region files that chunks were read from
	files  []file          // region files without chunks
	stored []byte
	docs   [kinds][]byte // the column's documents
	dim    *dimension
	dec    *decoder
	waited time.Duration  // for what a game was writing
	held   int64          // bytes of files
	known  [kinds]*header // what is known of the region files that are read
}

func (r *reading) dimension(ctx context.Context, d *dimension) error {
	fd := d.blockDimension()
	r.dim, r.dec = d, newDecoder(fd)
	if err := r.sink.Dimension(fd); err != nil {
		return err
	}
	for _, set := range d.regions {
		if !r.w.touching(geom.ColumnPos{X: set.x << 5, Z: set.z << 5}, 32) {
			continue
		}
		if err := r.regions(ctx, set); err != nil {
			return err
		}
	}
	r.w.stats.KeptSections += r.dec.kept
	r.w.stats.Beyond += r.dec.beyond
	return nil
}

// regions reads the columns of one set of region files, footprint by footprint.
func (r *reading) regions(ctx context.Context, set *regionSet) error {
	var open [kinds]*region
	defer func() {
		for _, g := range open {
			if g != nil {
				g.close()
			}
		}
	}()
	for kind, name := range set.paths {
		if name == "" {
			continue
		}
		var err error
		if open[kind], err = r.open(name, set.x, set.z); err != nil {
			return err
		}
	}
	r.begin(set, &open)
	byColumn := slices.ContainsFunc(open[:], func(g *region) bool { return g != nil && g.linear != nil && g.linear.ByColumn })
	for i := range slots {
		if i&3 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		slot := footprintSlot(i)
		if byColumn {
			slot = slot&31<<5 | slot>>5
		}
		if err := r.column(ctx, set, &open, slot); err != nil {
			return err
		}
	}
	return nil
}

// touching reports whether a Read reads any of n by n columns.
func (w *Folder) touching(pos geom.ColumnPos, n int32) bool {
	if w.touches == nil {
		return true
	}
	last := format.ColumnBox(geom.ColumnPos{X: pos.X + n - 1, Z: pos.Z + n - 1})
	return w.touches(format.ColumnBox(pos).Union(last))
}

// footprintSlot returns the i-th slot in the order of 2x2 footprints.
func footprintSlot(i int) int {
	x, z := i>>2&15<<1|i&1, i>>6<<1|i>>1&1
	return z<<5 | x
}

// open opens a region file; one without any chunk or stamp, or too short for
// one, is kept as a file, and nil returned.
func (r *reading) open(name string, x, z int32) (*region, error) {
	g, err := openRegion(r.w.fsys, name, x, z)
	if err == nil && g.linear != nil {
		r.ofLinear(g)
	}
	switch {
	case err == nil && !g.empty():
		return g, nil
	case r.w.o.Live && errors.Is(err, fs.ErrNotExist):
		return nil, nil // it was taken away
	}
	f := file{path: name}
	if err == nil {
		f.size, f.modified = g.size, g.modified
		g.close()
	} else if f.size, f.modified, err = r.short(name, x, z, err); err != nil {
		return nil, fmt.Errorf("anvil: %s: %w", name, err)
	}
	if !r.w.o.Live || f.modified/1e9+settled < r.w.now { // else the game may be making it
		r.files = append(r.files, f)
	}
	return nil, nil
}

// ofLinear reports what is wrong with a file in Linear's format, and what is left out of it.
func (r *reading) ofLinear(g *region) {
	st := &r.w.stats
	st.StoredBytes += g.linear.Stored
	for name, n := range g.linear.Lost {
		if st.Lost == nil {
			st.Lost = map[string]int{}
		}
		st.Lost[name] += n
	}
	if g.linear.Fault != nil {
		st.Damaged = append(st.Damaged, format.Damage{File: g.path, Pos: g.pos(0), Err: g.linear.Fault})
	}
}

// short reports a file that is too short for its header, unless it is empty.
func (r *reading) short(name string, x, z int32, err error) (size, modified int64, _ error) {
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, 0, err
	}
	info, statErr := fs.Stat(r.w.fsys, name)
	if statErr != nil {
		return 0, 0, statErr
	}
	if info.Size() > 0 && !r.w.o.Live { // a game makes files piece by piece
		r.damage(name, geom.ColumnPos{X: x << 5, Z: z << 5}, 0, "region file", err)
	}
	return info.Size(), info.ModTime().UnixNano(), nil
}

func (r *reading) damage(name string, pos geom.ColumnPos, off int64, part string, err error) {
	err = &format.CorruptError{Offset: off, Part: part, Err: err}
	r.w.stats.Damaged = append(r.w.stats.Damaged, format.Damage{File: name, Pos: pos, Err: err})
}

// column reads one slot of the region files and hands its column on.
func (r *reading) column(ctx context.Context, set *regionSet, open *[kinds]*region, slot int) error {
	if !r.w.touching(geom.ColumnPos{X: set.x<<5 | int32(slot&31), Z: set.z<<5 | int32(slot>>5)}, 1) || r.same(set, open, slot) {
		return nil
	}
	started := false
	for kind, g := range open {
		if g == nil || g.absent(slot) && g.stamp(slot) == 0 {
			continue
		}
		if !started {
			started = true
			r.dec.reset(g.pos(slot))
		}
		if g.absent(slot) {
			r.dec.col.Parts = append(r.dec.col.Parts, voxel.Part{Name: kindParts[kind], Stamp: g.stamp(slot)})
			continue
		}
		if err := r.part(ctx, g, kind, slot); err != nil {
			if r.w.o.Live {
				r.tear(open, g, slot, err)
				return ctx.Err()
			}
			r.damage(g.path, g.pos(slot), r.offset(g, slot), kindParts[kind], err)
			if r.w.o.Salvage {
				r.salvage(g, kind, slot)
			}
		}
	}
	c := &r.dec.col
	if !started || len(c.Parts) == 0 {
		return nil
	}
	r.w.stats.Columns++
	return r.sink.Column(c)
}

func (r *reading) offset(g *region, slot int) int64 {
	if g.linear != nil {
		return g.linear.Offset(slot)
	}
	first, _ := g.location(slot)
	return first * sector
}

// salvage keeps the slot's bytes as they are.
func (r *reading) salvage(g *region, kind, slot int) {
	raw := g.raw(slot, r.stored)
	r.stored = raw
	at := len(r.dec.bytes)
	if kind == kindChunk {
		r.dec.col.Whole |= voxel.KeptBlock | voxel.KeptBiome
	}
	r.dec.bytes = append(r.dec.bytes, raw...)
	r.dec.col.Parts = append(r.dec.col.Parts, voxel.Part{
		Name: kindParts[kind], Stamp: g.stamp(slot), Damaged: true, Data: r.dec.bytes[at:len(r.dec.bytes):len(r.dec.bytes)],
	})
}

// part reads one chunk into the column.
func (r *reading) part(ctx context.Context, g *region, kind, slot int) error {
	var doc []byte
	var stored int
	var err error
	if r.w.o.Live {
		doc, stored, err = r.liveDocument(ctx, g, kind, slot)
	} else {
		doc, stored, err = r.document(g, kind, slot)
	}
	if err != nil {
		return err
	}
	if g.absent(slot) { // a game took it away
		if stamp := g.stamp(slot); stamp != 0 {
			r.dec.col.Parts = append(r.dec.col.Parts, voxel.Part{Name: kindParts[kind], Stamp: stamp})
		}
		return nil
	}
	if g.overlap[slot] && !r.w.o.Live {
		if err := checkPlace(doc, kind, g.pos(slot)); err != nil {
			return err
		}
	}
	trailing, stamp := 0, g.stamp(slot)
	switch kind {
	case kindChunk:
		trailing, err = r.dec.chunk(doc, stamp, r.dim.old)
	case kindEntities:
		trailing, err = r.dec.entities(doc, stamp, r.hasChunk())
	case kindPOI:
		trailing, err = r.dec.points(doc, stamp)
	}
	if err != nil {
		return err
	}
	if kind == kindChunk {
		r.w.stats.Chunks++
	}
	r.sealed(g, slot, r.stored)
	r.w.stats.RawBytes += int64(len(doc))
	r.w.stats.StoredBytes += int64(stored)
	r.w.stats.TrailingBytes += int64(trailing)
	return nil
}

// hasChunk reports whether the column's chunk has been read.
func (r *reading) hasChunk() bool {
	p := r.dec.col.Parts
	return len(p) > 0 && p[0].Name == voxel.PartChunk && len(p[0].Data) > 0 && !p[0].Damaged
}

// document returns a chunk's tags, valid until the next of its kind, and the
// number of compressed bytes.
func (r *reading) document(g *region, kind, slot int) (doc []byte, stored int, err error) {
	raw, err := g.stored(slot, r.stored)
	r.stored = raw
	if err != nil {
		return nil, 0, err
	}
	method, payload, name := raw[4], raw[5:], ""
	if method&typeExternal != 0 {
		pos := g.pos(slot)
		name = path.Join(path.Dir(g.path), fmt.Sprintf("c.%d.%d.mcc", pos.X, pos.Z))
		if payload, err = r.external(name); err != nil {
			return nil, 0, err
		}
	}
	stored = len(payload)
	if g.linear != nil {
		stored = 0 // the file counts it
	}
	doc, rest, err := r.inf.inflate(r.docs[kind][:0], method&^typeExternal, payload)
	r.docs[kind] = doc
	if err != nil {
		return nil, 0, err
	}
	if name != "" {
		r.used[name] = true
	}
	r.w.stats.TrailingBytes += int64(rest)
	return doc, stored, nil
}

// external reads the payload of a chunk that lies beside its region file.
func (r *reading) external(name string) ([]byte, error) { return r.w.read(name, maxStored) }

// read returns a file of the world.
func (w *Folder) read(name string, most int64) ([]byte, error) {
	f, err := w.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := format.ReadAll(f, most)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return b, err
}

// checkPlace fails where a chunk whose sectors are another's too tells that it
// is not the one that belongs into the slot.
func checkPlace(doc []byte, kind int, pos geom.ColumnPos) error {
	tags, err := rootTags(doc)
	if err != nil {
		return err
	}
	var x, z int32
	switch wrap := find(tags, "Level"); {
	case kind == kindPOI:
		return nil
	case kind == kindEntities:
		if string(find(tags, "Position").array(nbt.IntArray)) == string(appendPos(nil, pos)) {
			return nil
		}
		return errOverlap
	case wrap != nil && wrap.t == nbt.Compound:
		tags = payloadTags(nil, wrap.payload())
	}
	x, _ = find(tags, "xPos").int()
	z, _ = find(tags, "zPos").int()
	if x != pos.X || z != pos.Z {
		return errOverlap
	}
	return nil
}
