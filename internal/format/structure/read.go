package structure

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// maxCells bounds the box of a structure that names few of its blocks.
const maxCells = 1 << 24

// reader reads a structure in two passes, because the palette may follow the blocks.
type reader struct {
	doc      *document.Document
	size     geom.Point
	sized    bool
	found    bool
	count    int // of blocks
	names    *format.Names
	palette  []voxel.Cell
	out      *clip.Clip
	rest     []document.Field
	draft    *grid.Edit
	box      geom.Box // of the size and of blocks outside of it
	outside  int      // blocks
	tiles    []voxel.Object
	entities [][]byte
	taken    map[geom.Point]bool // of block entities
	runs     runs
	// Of a file with several palettes: the one that is shown, the first state of each cell in it, and of blocks
	// with a later state the place and the state.
	shown  int
	first  map[voxel.Cell]int32
	others []byte
}

// runs finds the states of the first of the three runs of blocks.
type runs struct {
	n    int        // runs begun
	last geom.Point // the place of the last block
	nbt  bool       // it had a tag nbt
	full map[int32]bool
	some []int32 // full in the order of the file
}

// add takes the next block.
func (r *runs) add(p geom.Point, state int32, has bool) {
	l := r.last
	before := p.Y < l.Y || p.Y == l.Y && (p.X < l.X || p.X == l.X && p.Z <= l.Z)
	if r.n == 0 || has != r.nbt || before {
		r.n++
	}
	r.last, r.nbt = p, has
	if r.n == 1 && !has && !r.full[state] {
		r.full[state] = true
		r.some = append(r.some, state)
	}
}

// Read reads a structure. A file that is not one, or is damaged, is a *format.CorruptError or
// says what it is.
func Read(src io.ReaderAt, size int64, o clip.ReadOptions) (_ *clip.Clip, err error) {
	defer document.Name(formatName, &err)
	r := &reader{doc: document.NewDocument(src, size, o.MaxBytes), names: format.NewNames(), taken: map[geom.Point]bool{}, shown: o.Palette, runs: runs{full: map[int32]bool{}}}
	void, err := r.names.Cell(clip.Void)
	if err != nil {
		return nil, err
	}
	r.out = clip.Air(geom.Point{})
	if err := r.doc.Walk(r.entry); err != nil {
		return nil, err
	}
	switch {
	case !r.sized:
		return nil, document.Corrupt(tagSize, errors.New("missing: not a structure"))
	case !r.found:
		return nil, document.Corrupt(tagBlocks, errors.New("missing: not a structure"))
	case r.palette == nil && r.count > 0:
		return nil, document.Corrupt(tagPalette, errors.New("missing"))
	}
	r.box = r.inner()
	if err := r.checkBox(); err != nil {
		return nil, err
	}
	r.out.Format = formatName
	r.draft = grid.New(grid.Options{Schema: voxel.Palette, Default: void}).Edit()
	if err := r.doc.Walk(r.again); err != nil {
		return nil, err
	}
	return r.clip()
}

// inner returns the box that the file names.
func (r *reader) inner() geom.Box { return geom.Box{Max: r.size} }

// checkBox bounds the box by the blocks that the file names.
func (r *reader) checkBox() error {
	box := r.box.Size()
	if n := box.X * box.Y * box.Z; max(box.X, box.Y, box.Z) > clip.MaxEdge || n > maxCells && n/64 > r.count {
		return fmt.Errorf("a box of %d x %d x %d for %d blocks", box.X, box.Y, box.Z, r.count)
	}
	return nil
}

func (r *reader) clip() (*clip.Clip, error) {
	c := r.out
	low := r.box.Min
	c.Size, c.Offset, c.Block.At, c.Notes = r.box.Size(), low, low, append(c.Notes, r.doc.Notes()...)
	if r.outside > 0 {
		c.Inner = r.inner().Add(geom.Point{}.Sub(low))
		c.Notes = append(c.Notes, fmt.Sprintf("blocks outside of the size %d x %d x %d, read as the game places them, from %v on: %d", r.size.X, r.size.Y, r.size.Z, low, r.outside))
	}
	c.Block.View, _ = r.draft.Publish()
	if err := r.draft.Err(); err != nil {
		return nil, err
	}
	c.Block.Names = r.names.List()
	if r.runs.n > 0 {
		full := nbt.AppendListPayload(nil, nbt.String, len(r.runs.some))
		for _, state := range r.runs.some {
			full = nbt.AppendStringPayload(full, r.names.Name(r.palette[state]))
		}
		r.rest = append(r.rest, document.Field{Type: nbt.List, Name: tagFull, Payload: full})
	}
	if n := len(r.others) / 4; n > 0 {
		r.rest = append(r.rest, document.Field{Type: nbt.IntArray, Name: tagOthers, Payload: append(binary.BigEndian.AppendUint32(nil, uint32(n)), r.others...)})
	}
	c.Tags = document.Tags(r.rest)
	if len(r.tiles) > 0 {
		c.Lists = append(c.Lists, voxel.List{Name: voxel.BlockEntities, Objects: r.tiles})
	}
	if err := c.AddObjects(voxel.Entities, r.entities, r.entity); err != nil {
		return nil, err
	}
	for _, l := range c.Lists {
		for i, o := range l.Objects {
			l.Objects[i] = clip.Move(o, geom.Point{}.Sub(low))
		}
	}
	return c, nil
}

// entry reads an entry of the root in the first pass.
func (r *reader) entry(s *nbt.Stream, t nbt.Type, name string) (err error) {
	switch {
	case name == tagVersion && t == nbt.Int:
		r.out.Version = document.Int(s)
	case name == tagSize && (t == nbt.List || t == nbt.IntArray):
		r.size, r.sized = document.Ints(t, s.Raw(t))
		if s.Err() == nil && (!r.sized || min(r.size.X, r.size.Y, r.size.Z) < 0 || max(r.size.X, r.size.Y, r.size.Z) > clip.MaxEdge) {
			return document.Corrupt(tagSize, fmt.Errorf("%v is no size", r.size))
		}
	case name == tagPalette && t == nbt.List && r.palette == nil:
		return r.readPalette(s)
	case name == tagPalettes && t == nbt.List && r.palette == nil:
		if err := r.doc.KeepField(s, t, name, &r.rest); err != nil {
			return err
		}
		return r.readPalettes(r.rest[len(r.rest)-1].Payload)
	case (name == tagPalette || name == tagPalettes) && t == nbt.List:
		r.out.Lost["second tags of palettes"]++
		s.Skip(t)
	case name == tagBlocks && t == nbt.List:
		elem, n := s.List()
		if r.found || n > 0 && elem != nbt.Compound {
			return document.Corrupt(tagBlocks, fmt.Errorf("a list of type %v", elem))
		}
		r.found, r.count = true, n
		for ; n > 0 && s.Err() == nil; n-- {
			s.Skip(elem)
		}
	case name == tagEntities && t == nbt.List:
		return r.doc.KeepList(s, name, &r.entities)
	default:
		return r.doc.KeepField(s, t, name, &r.rest)
	}
	return s.Err()
}

// readPalettes reads the palette that is shown of a list of palettes.
func (r *reader) readPalettes(raw []byte) error {
	all, err := palettesOf(raw)
	switch {
	case err != nil:
		return document.Corrupt(tagPalettes, err)
	case len(all) == 0:
		return nil
	case r.shown < 0 || r.shown >= len(all):
		return fmt.Errorf("palette %d of %d: they count from 0", r.shown, len(all))
	}
	if r.rest = append(r.rest, shownTag(r.shown)); len(all) > 1 {
		r.out.Notes = append(r.out.Notes, fmt.Sprintf("palettes: %d, of which number %d is shown, from 0; all are kept", len(all), r.shown))
	}
	r.palette, r.first = []voxel.Cell{}, map[voxel.Cell]int32{}
	for i, raw := range all[r.shown] {
		if _, err := r.state(raw); err != nil {
			return err
		}
		if _, ok := r.first[r.palette[i]]; !ok {
			r.first[r.palette[i]] = int32(i)
		}
	}
	return nil
}

// state adds an entry to the palette.
func (r *reader) state(raw []byte) (block.Properties, error) {
	name, has, err := block.Name(raw)
	if err != nil {
		return has, document.Corrupt(tagPalette, err)
	}
	cell, err := r.names.Cell(name)
	if err != nil {
		return has, err
	}
	r.palette = append(r.palette, cell)
	return has, r.doc.Limit().Take(int64(len(name)) + 128)
}

// readPalette reads a list of states.
func (r *reader) readPalette(s *nbt.Stream) error {
	elem, n := s.List()
	if n > 0 && elem != nbt.Compound {
		return document.Corrupt(tagPalette, fmt.Errorf("a list of type %v", elem))
	}
	r.palette = []voxel.Cell{}
	for ; n > 0 && s.Err() == nil; n-- {
		raw := s.Raw(elem)
		if s.Err() != nil {
			break
		}
		has, err := r.state(raw)
		if err != nil {
			return err
		}
		if has == block.EmptyProperties {
			r.out.Lost["empty tags Properties"]++
		}
	}
	return s.Err()
}

// again reads the blocks in the second pass.
func (r *reader) again(s *nbt.Stream, t nbt.Type, name string) error {
	if name != tagBlocks || t != nbt.List {
		s.Skip(t)
		return nil
	}
	elem, n := s.List()
	for ; n > 0 && s.Err() == nil; n-- {
		raw := s.Raw(elem)
		if s.Err() != nil {
			break
		}
		if err := r.block(raw); err != nil {
			return document.Corrupt(tagBlocks, err)
		}
	}
	return s.Err()
}

// block reads one block.
func (r *reader) block(raw []byte) error {
	var p geom.Point
	var data []byte
	placed, state := false, int32(-1)
	b := nbt.NewPayload(raw, nbt.Limits{})
	for t, name := b.Next(); t != nbt.End; t, name = b.Next() {
		switch {
		case string(name) == tagPos && (t == nbt.List || t == nbt.IntArray):
			p, placed = document.Ints(t, b.Raw(t))
		case string(name) == tagState && t == nbt.Int:
			state = b.Int()
		case string(name) == tagNBT && t == nbt.Compound:
			data = b.Raw(t)
		default:
			r.out.Lost["tag "+string(name)+" of blocks"]++
			b.Skip(t)
		}
	}
	if err := b.Err(); err != nil {
		return err
	}
	switch {
	case !placed:
		return errors.New("a block without a place")
	case state < 0 || int(state) >= len(r.palette):
		return fmt.Errorf("state %d at %v is not in the palette of %d", state, p, len(r.palette))
	}
	if !r.inner().Contains(p) {
		r.outside++
		r.box = r.box.Union(geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})})
		if err := r.checkBox(); err != nil {
			return err
		}
	}
	r.runs.add(p, state, data != nil)
	r.draft.Set(p, r.palette[state])
	if r.first != nil && r.first[r.palette[state]] != state { // another palette may tell them apart
		for _, v := range [...]int{p.X, p.Y, p.Z, int(state)} {
			r.others = binary.BigEndian.AppendUint32(r.others, uint32(v))
		}
		if err := r.doc.Limit().Take(32); err != nil {
			return err
		}
	}
	if data == nil {
		return nil
	}
	fields, err := document.Fields(data)
	if err != nil {
		return err
	}
	o, err := clip.BlockEntity(nil, &p, fields)
	if err != nil {
		return err
	}
	if r.taken[p] {
		r.out.Lost["second block entities of a place"]++
		return nil
	}
	r.taken[p] = true
	r.tiles = append(r.tiles, o)
	return r.doc.Limit().Take(int64(len(o.Payload)) + 128)
}

// entity makes an entity of {pos, blockPos, nbt}.
func (r *reader) entity(fields []document.Field) (voxel.Object, error) {
	inner, err := document.Fields(document.Find(fields, tagNBT, nbt.Compound))
	if err != nil {
		return voxel.Object{}, err
	}
	for _, f := range document.Without(fields, tagPos, tagBlockPos, tagNBT) {
		r.out.Lost["tag "+f.Name+" of entities"]++
	}
	o, err := clip.Entity(nil, document.Doubles(document.Find(fields, tagPos, nbt.List)), inner)
	at, ok := document.Ints(nbt.List, document.Find(fields, tagBlockPos, nbt.List))
	if _, hangs := clip.Hangs(&o); hangs && ok {
		o = clip.Hang(o, at)
	}
	return o, err
}
