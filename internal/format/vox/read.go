package vox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Bounds of the voxels that are drawn: so many in any scene, and so many more for each of the file.
const (
	maxDrawn   = 1 << 22
	maxTimes   = 32
	maxCells   = 1 << 33 // of the box
	chunkBytes = 256     // about the memory of a chunk with few voxels
)

// Read reads the scene of a file. A file that is not one, or is damaged, is a *format.CorruptError or
// says what it is.
func Read(r io.ReaderAt, size int64, o clip.ReadOptions) (_ *clip.Clip, err error) {
	defer document.Name(formatName, &err)
	limit := document.NewLimit(document.Most(o.MaxBytes, size))
	if err := limit.Take(2 * size); err != nil {
		return nil, err
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, size), b); err != nil {
		return nil, err
	}
	if len(b) < headBytes || !Detect(b) || string(b[8:12]) != "MAIN" {
		return nil, document.Corrupt("head", errors.New("no file of MagicaVoxel"))
	}
	version := binary.LittleEndian.Uint32(b[4:])
	if !slices.Contains(versions, int(version)) {
		return nil, fmt.Errorf("version %d: the versions %v are known", version, versions)
	}
	content, children := int64(binary.LittleEndian.Uint32(b[12:])), int64(binary.LittleEndian.Uint32(b[16:]))
	if content != 0 || children > size-headBytes {
		return nil, document.Corrupt("MAIN", fmt.Errorf("%d and %d bytes, and there are %d", content, children, size-headBytes))
	}
	s, err := parse(b[headBytes:][:children], false)
	if err != nil {
		return nil, err
	}
	c, err := s.clip(limit)
	if err != nil {
		return nil, document.Corrupt("scene", err)
	}
	c.FormatVersion = int(version)
	if n := size - headBytes - children; n > 0 {
		c.Lost["bytes behind MAIN"] += int(n)
	}
	return c, nil
}

// clip returns what is seen.
func (s *scene) clip(limit *document.Limit) (*clip.Clip, error) {
	all, hidden, err := s.find()
	if err != nil {
		return nil, err
	}
	box := around(all)
	if n := box.Size(); max(n.X, n.Y, n.Z) > clip.MaxEdge || n.X*n.Y*n.Z > maxCells {
		return nil, fmt.Errorf("a box of %v", n)
	}
	c := clip.Air(box.Size())
	c.Format = formatName
	if len(s.nodes) > 0 {
		c.Offset = box.Min
	} else if n := len(s.models); n > 1 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d models and no scene, which are frames of an animation: the first is seen, all are kept", n))
	}
	if hidden > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("hidden nodes, which are kept and not seen: %d", hidden))
	}
	used, err := s.draw(all, box.Min, &c.Block, limit)
	if err != nil {
		return nil, err
	}
	for i := range used {
		if used[i] && i > 0 {
			c.Block.Names = append(c.Block.Names, s.name(i))
		}
	}
	for i, alone := range apart(all, len(s.models)) {
		m := &s.models[all[i].model]
		m.own = alone && m.plain()
	}
	kept := s.kept()
	b := binary.BigEndian.AppendUint32(nil, uint32(len(kept)))
	c.Tags = document.Compound([]document.Field{{Type: nbt.ByteArray, Name: tagChunks, Payload: append(b, kept...)}})
	return c, nil
}

// around returns the box around instances.
func around(all []instance) (box geom.Box) {
	for _, in := range all {
		box = box.Union(in.box)
	}
	return box
}

// plain reports whether no place comes twice and each voxel has a colour, so that cells hold the model.
func (m *model) plain() bool {
	seen := make([]uint64, (m.size[0]*m.size[1]*m.size[2]+63)/64)
	for v := m.voxels; len(v) > 0; v = v[4:] {
		i := (int(v[2])*m.size[1]+int(v[1]))*m.size[0] + int(v[0])
		if v[3] == 0 || seen[i/64]>>(i%64)&1 != 0 {
			return false
		}
		seen[i/64] |= 1 << (i % 64)
	}
	return true
}

// kept returns the chunks without the voxels that the clip has.
func (s *scene) kept() (out []byte) {
	m := -1
	for _, c := range s.chunks {
		if c.id == "XYZI" {
			if m++; s.models[m].own {
				c.whole = pack(c.id, nil, nil)
			}
		}
		out = append(out, c.whole...)
	}
	return out
}

// draw sets the voxels of instances in a view whose cells are the used colours in ascending order. low is
// the place of the view's origin.
func (s *scene) draw(all []instance, low geom.Point, to *clip.Contents, limit *document.Limit) (used [256]bool, err error) {
	total, file := 0, 0
	for _, m := range s.models {
		file += len(m.voxels) / 4
	}
	for _, in := range all {
		v := s.models[in.model].voxels
		if total += len(v) / 4; total > maxDrawn+maxTimes*file {
			return used, fmt.Errorf("more than %d voxels in the scene, and %d in the file", total, file)
		}
		for ; len(v) > 0; v = v[4:] {
			used[v[3]] = true
		}
	}
	var cells [256]voxel.Cell
	next := voxel.Cell(0)
	for i := 1; i < len(cells); i++ {
		if used[i] {
			next++
			cells[i] = next
		}
	}
	d := grid.New(grid.Options{Schema: voxel.Palette}).Edit()
	for _, in := range all {
		if err := limit.Take(chunkBytes * s.stamp(d, in, low, &cells)); err != nil {
			return used, err
		}
	}
	to.View, _ = d.Publish()
	return used, d.Err()
}

// stamp sets the voxels of an instance, chunk by chunk: a draft writes those of one fast. It returns how many
// chunks it wrote.
func (s *scene) stamp(d *grid.Edit, in instance, low geom.Point, cells *[256]voxel.Cell) (n int64) {
	v := s.models[in.model].voxels
	place := func(i int) geom.Point { return in.point(int(v[i]), int(v[i+1]), int(v[i+2])).Sub(low) }
	least := in.box.Min.Sub(low).Chunk()
	const most = maxEdge/geom.ChunkEdge + 1
	var chunks [most * most * most][]int
	for i := 0; i < len(v); i += 4 {
		at := place(i).Chunk()
		k := (int(at.Y-least.Y)*most+int(at.Z-least.Z))*most + int(at.X-least.X)
		chunks[k] = append(chunks[k], i)
	}
	for _, in := range chunks {
		for _, i := range in {
			if v[i+3] != 0 {
				d.Set(place(i), cells[v[i+3]])
			}
		}
		if len(in) > 0 {
			n++
		}
	}
	return n
}
