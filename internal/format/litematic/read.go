package litematic

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// maxCells bounds the box of regions that fill little of it.
const maxCells = 1 << 24

// maxRegions bounds the regions of a file, each of which may cover any other.
const maxRegions = 1024

// reader reads a schematic in two passes: the second reads the cells, whose size and palette may
// follow them.
type reader struct {
	doc     *document.Document
	version int32
	data    int32
	found   bool
	regions []*region
	sub     int32  // SubVersion
	meta    []byte // Metadata
	rest    []document.Field
	names   *format.Names
	lost    map[string]int
}

// Read reads a schematic. A file that is not one, or is damaged, is a *format.CorruptError or
// says what it is.
func Read(src io.ReaderAt, size int64, o clip.ReadOptions) (_ *clip.Clip, err error) {
	defer document.Name(formatName, &err)
	r := &reader{doc: document.NewDocument(src, size, document.Most(o.MaxBytes, size)), names: format.NewNames(), lost: map[string]int{}}
	if err := r.doc.Walk(r.entry); err != nil {
		return nil, err
	}
	box, err := r.check()
	if err != nil {
		return nil, err
	}
	c := clip.Air(box.Size())
	c.Format, c.FormatVersion, c.Version, c.Offset, c.Notes, c.Lost = formatName, int(r.version), r.data, box.Min, r.doc.Notes(), r.lost
	if c.Block.View, err = r.cells(box); err != nil {
		return nil, err
	}
	c.Block.Names = r.names.List()
	for _, g := range r.regions {
		for i, l := range lists {
			if err := c.AddObjects(l.list, g.objects[i], func(fields []document.Field) (voxel.Object, error) { return object(fields, i == 1, g, box.Min) }); err != nil {
				return nil, err
			}
		}
	}
	c.Tags, err = r.tags()
	return c, err
}

// entry reads an entry of the root in the first pass.
func (r *reader) entry(s *nbt.Stream, t nbt.Type, name string) error {
	switch {
	case name == tagVersion && t == nbt.Int:
		r.version = document.Int(s)
	case name == tagDataVersion && t == nbt.Int:
		r.data = document.Int(s)
	case name == tagSubVersion && t == nbt.Int:
		r.sub = document.Int(s)
	case (name == tagRegions || name == tagMetadata) && (t != nbt.Compound || r.found && name == tagRegions || r.meta != nil && name == tagMetadata):
		return document.Corrupt(name, fmt.Errorf("a second one, or one of type %v", t))
	case name == tagRegions:
		r.found = true
		return document.Each(s, r.region)
	case name == tagMetadata:
		raw, err := r.doc.Keep(s, t)
		r.meta = raw
		return err
	default:
		return r.doc.KeepField(s, t, name, &r.rest)
	}
	return s.Err()
}

// region reads a region in the first pass.
func (r *reader) region(s *nbt.Stream, t nbt.Type, name string) error {
	if t != nbt.Compound {
		return document.Corrupt(tagRegions, fmt.Errorf("%q is of type %v", name, t))
	}
	g := &region{name: name, has: -1, longs: -1}
	if r.regions = append(r.regions, g); len(r.regions) > maxRegions {
		return document.Corrupt(tagRegions, fmt.Errorf("more than %d", maxRegions))
	}
	return document.Each(s, func(s *nbt.Stream, t nbt.Type, name string) (err error) {
		switch {
		case name == tagStates && (t != nbt.LongArray || g.longs >= 0), name == tagPalette && (t != nbt.List || g.has >= 0),
			(name == tagTileEntities || name == tagEntities) && t != nbt.List:
			return document.Corrupt(name, fmt.Errorf("a second one, or one of type %v", t))
		case name == tagStates:
			g.longs = s.Array(t)
			s.Discard(g.longs)
			return s.Err()
		case name == tagTileEntities:
			return r.doc.KeepList(s, name, &g.objects[0])
		case name == tagEntities:
			return r.doc.KeepList(s, name, &g.objects[1])
		}
		if err := r.doc.KeepField(s, t, name, &g.fields); err != nil {
			return err
		}
		return g.field(t, name, g.fields[len(g.fields)-1].Payload, r)
	})
}

// field understands a tag that is kept.
func (g *region) field(t nbt.Type, name string, raw []byte, r *reader) error {
	switch {
	case (name == tagPosition || name == tagSize) && t == nbt.Compound:
		fields, err := document.Fields(raw)
		p := document.Point(fields, document.Axes)
		if err != nil || p == nil {
			return document.Corrupt(name, errors.New("not three ints"))
		}
		if name == tagSize {
			g.size = *p
		} else {
			g.pos, g.placed = *p, true
		}
	case name == tagPalette && t == nbt.List:
		list := nbt.NewPayload(raw, nbt.Limits{Bytes: len(raw) + 1})
		elem, n := list.List()
		if n > 0 && elem != nbt.Compound {
			return document.Corrupt(tagPalette, fmt.Errorf("a list of type %v", elem))
		}
		g.palette, g.has = nil, n
		for range n {
			state, _, err := block.Name(list.Raw(elem))
			if err != nil {
				return document.Corrupt(tagPalette, err)
			}
			if g.palette = append(g.palette, state); r == nil {
				continue
			}
			if err := r.doc.Limit().Take(int64(len(state)) + 64); err != nil {
				return err
			}
		}
	}
	return nil
}

// check says what is wrong with a file after the first pass, and returns the box around all
// regions.
func (r *reader) check() (box geom.Box, err error) {
	switch {
	case !r.found:
		return box, document.Corrupt(tagRegions, errors.New("missing: not a schematic of Litematica"))
	case r.version == 0:
		return box, document.Corrupt(tagVersion, errors.New("missing: not a schematic of Litematica"))
	case r.version < minVersion || r.version > maxVersion:
		return box, fmt.Errorf("version %d: the versions %d to %d are known", r.version, minVersion, maxVersion)
	}
	volume := 0
	for _, g := range r.regions {
		part := fmt.Sprintf("%s.%q", tagRegions, g.name)
		size := g.box().Size()
		n := size.X * size.Y * size.Z
		switch {
		case !g.placed || g.box().Empty():
			return box, document.Corrupt(part, fmt.Errorf("no %s, or a %s of %v", tagPosition, tagSize, g.size))
		case max(size.X, size.Y, size.Z) > clip.MaxEdge || n > math.MaxInt32:
			return box, document.Corrupt(part, fmt.Errorf("%d x %d x %d blocks", size.X, size.Y, size.Z))
		case g.has <= 0:
			return box, document.Corrupt(part, errors.New("no palette"))
		case g.longs != int64(8*block.Longs(n, block.Bits(g.has, 2), true)):
			return box, document.Corrupt(part, fmt.Errorf("%d bytes of %s for %d x %d x %d blocks of %d states", g.longs, tagStates, size.X, size.Y, size.Z, g.has))
		}
		volume += n
		box = box.Union(g.box())
	}
	if s := box.Size(); max(s.X, s.Y, s.Z) > clip.MaxEdge || s.X*s.Y*s.Z > maxCells && s.X*s.Y*s.Z/64 > volume {
		return box, document.Corrupt(tagRegions, fmt.Errorf("a box of %d x %d x %d for %d blocks", s.X, s.Y, s.Z, volume))
	}
	return box, nil
}

// cells reads the cells of all regions. Blocks in none are clip.Void, and a later region covers those
// before it.
func (r *reader) cells(box geom.Box) (*grid.View, error) {
	def := voxel.Cell(0)
	if len(r.regions) > 1 {
		var err error
		if def, err = r.names.Cell(clip.Void); err != nil {
			return nil, err
		}
	}
	view := grid.New(grid.Options{Schema: voxel.Palette, Default: def})
	d, i := view.Edit(), 0
	err := r.doc.Walk(func(s *nbt.Stream, t nbt.Type, name string) error {
		if name != tagRegions || t != nbt.Compound || i > 0 {
			s.Skip(t)
			return nil
		}
		return document.Each(s, func(s *nbt.Stream, t nbt.Type, name string) error {
			g, done := r.regions[i], false
			hidden := len(covered(r.regions, i)) > 0
			i++
			return document.Each(s, func(s *nbt.Stream, t nbt.Type, name string) error {
				if name != tagStates || t != nbt.LongArray || done {
					s.Skip(t)
					return nil
				}
				done = true
				part, err := r.unpack(s, g, hidden)
				if err != nil {
					return document.Corrupt(fmt.Sprintf("%s.%q.%s", tagRegions, g.name, tagStates), err)
				}
				if len(r.regions) == 1 {
					view = part
					return nil
				}
				return r.place(d, part, g.box().Add(geom.Point{}.Sub(box.Min)))
			})
		})
	})
	if err == nil && len(r.regions) > 1 {
		view, _ = d.Publish()
		err = d.Err()
	}
	return view, err
}

// unpack reads the cells of a region. With keep it keeps their longs too.
func (r *reader) unpack(s *nbt.Stream, g *region, keep bool) (*grid.View, error) {
	table := make([]voxel.Cell, len(g.palette))
	for i, name := range g.palette {
		var err error
		if table[i], err = r.names.Cell(name); err != nil {
			return nil, err
		}
	}
	bits := block.Bits(len(table), 2)
	left := int(s.Array(nbt.LongArray))
	if keep {
		if err := r.doc.Limit().Take(int64(left)); err != nil {
			return nil, err
		}
		g.raw = make([]byte, 0, left)
	}
	size := g.box().Size()
	b, cells := clip.NewBuilder(size, 0, r.doc.Limit()), make([]voxel.Cell, groupCells)
	longs, last := make([]byte, 0, groupCells/8*bits), []byte(nil)
	even := false
	for n := size.X * size.Y * size.Z; n > 0; n -= len(cells) {
		cells = cells[:min(n, groupCells)]
		longs = longs[:8*block.Longs(len(cells), bits, true)]
		for got := 0; got < len(longs); {
			in := s.Bytes(int64(len(longs) - got))
			if in == nil {
				return nil, s.Err()
			}
			got += copy(longs[got:], in)
		}
		if keep {
			g.raw = append(g.raw, longs...)
		}
		if !even || !bytes.Equal(longs, last) { // large regions are mostly air
			if err := block.UnpackLongs(longs, bits, true, table, cells); err != nil {
				return nil, err
			}
			last = append(last[:0], longs...)
			even = len(cells) == groupCells && !slices.ContainsFunc(cells, func(v voxel.Cell) bool { return v != cells[0] })
		}
		if even {
			b.Run(cells[0], len(cells))
		} else {
			b.Cells(cells)
		}
		if b.Err() != nil {
			return nil, b.Err()
		}
	}
	return b.View()
}

// place copies the cells of a region into a box.
func (r *reader) place(d *grid.Edit, part *grid.View, box geom.Box) error {
	d.Fill(box, 0)
	var cells [voxel.ChunkCells]voxel.Cell
	for pos := range part.Chunks() {
		from := pos.Box().Intersect(geom.Box{Max: box.Size()})
		buf := cells[:from.Cells()]
		if !part.ReadBox(from, 0, buf) {
			panic("litematic: a region's view holds all of its cells")
		}
		if !slices.ContainsFunc(buf, func(v voxel.Cell) bool { return v != buf[0] }) {
			d.Fill(from.Add(box.Min), buf[0])
			continue
		}
		d.WriteBox(from.Add(box.Min), buf)
		if err := r.doc.Limit().Take(2 * int64(len(buf))); err != nil {
			return err
		}
	}
	return d.Err()
}

// tags returns what the clip does not hold: of regions all but their objects and cells, except the
// cells of a region of which others hide some.
func (r *reader) tags() ([]byte, error) {
	meta, err := document.Fields(r.meta)
	if err != nil {
		return nil, err
	}
	if meta = document.Without(meta, tagRegionCount, tagTotalBlocks, tagTotalVolume, tagEnclosing); len(meta) > 0 {
		r.rest = append(r.rest, document.Field{Type: nbt.Compound, Name: tagMetadata, Payload: document.Compound(meta)})
	}
	if r.sub != 0 && r.sub != subVersion(int(r.version)) {
		r.rest = append(r.rest, document.Field{Type: nbt.Int, Name: tagSubVersion, Payload: binary.BigEndian.AppendUint32(nil, uint32(r.sub))})
	}
	var regions []document.Field
	for _, g := range r.regions {
		if g.raw != nil {
			raw := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(g.raw)), uint32(len(g.raw)/8))
			g.fields = append(g.fields, document.Field{Type: nbt.LongArray, Name: tagStates, Payload: append(raw, g.raw...)})
		}
		regions = append(regions, document.Field{Type: nbt.Compound, Name: g.name, Payload: sorted(g.fields)})
	}
	return sorted(append(r.rest, document.Field{Type: nbt.Compound, Name: tagRegions, Payload: document.Compound(regions)})), nil
}

// sorted returns the payload of a compound whose fields are sorted by name, so that files that differ in
// nothing but their order give the same clip.
func sorted(fields []document.Field) []byte {
	return document.Compound(slices.SortedStableFunc(slices.Values(fields), func(a, b document.Field) int { return cmp.Compare(a.Name, b.Name) }))
}

// object makes an object of a region. Block entities count from the least corner of the region,
// entities from its Position. low is the least corner of all regions.
func object(fields []document.Field, entity bool, g *region, low geom.Point) (voxel.Object, error) {
	if entity {
		o, err := clip.Entity(nil, document.Doubles(document.Find(fields, "Pos", nbt.List)), fields)
		return clip.Move(o, g.pos.Sub(low)), err
	}
	p := document.Point(fields, document.Axes)
	if p != nil {
		*p = p.Add(g.box().Min).Sub(low)
	}
	return clip.BlockEntity(nil, p, fields)
}
