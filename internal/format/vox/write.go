package vox

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// maxPieces bounds the models that a large clip is cut into.
const maxPieces = 1 << 12

// writer writes a scene.
type writer struct {
	c      *clip.Clip
	s      *scene
	counts []int
	colour []byte // by cell; 0 is none
	dirty  bool   // the palette has new colours
	lost   map[string]int
}

// Write writes a clip: the scene that was read if it shows what the clip holds, else models of at most
// 256 cells an edge. It returns by name and count what the format cannot hold. Errors wrap
// format.ErrHolds if cells have no colours, or more than 255.
func Write(to io.Writer, c *clip.Clip, o clip.WriteOptions) (lost map[string]int, err error) {
	defer document.Name(formatName, &err)
	version := o.Version
	if c.Format == formatName {
		version = cmp.Or(version, c.FormatVersion)
	}
	version = cmp.Or(version, versions[0])
	if !slices.Contains(versions, version) {
		return nil, fmt.Errorf("version %d cannot be written, only %v", version, versions)
	}
	w := &writer{c: c, lost: map[string]int{}, counts: c.Counts(&c.Block), colour: make([]byte, len(c.Block.Names))}
	chunks, err := w.chunks()
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint32([]byte(magic), uint32(version))
	_, err = to.Write(append(b, pack("MAIN", nil, chunks)...))
	return w.lost, err
}

// pack returns a chunk.
func pack(id string, content, children []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(content)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(children)))
	return append(append(b, content...), children...)
}

func packVoxels(v []byte) []byte { return pack("XYZI", append(numbers(nil, len(v)/4), v...), nil) }

// numbers appends ints.
func numbers(dst []byte, all ...int) []byte {
	for _, v := range all {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	return dst
}

func (w *writer) chunks() ([]byte, error) {
	c := w.c
	kept, err := c.TagsOf(formatName, w.lost)
	if err != nil {
		return nil, err
	}
	var old []byte
	if b := document.Find(kept, tagChunks, nbt.ByteArray); b != nil {
		old = b[4:]
	}
	if w.s, err = parse(old, true); err != nil {
		return nil, err
	}
	if old == nil {
		w.s.palette, w.dirty = [256][3]byte{}, true
	}
	w.loseRest()
	if err := w.colours(); err != nil {
		return nil, err
	}
	if all, _, err := w.s.find(); err == nil && len(w.s.models) > 0 {
		low := c.Offset
		if len(w.s.nodes) == 0 {
			low = low.Add(around(all).Min)
		}
		for _, in := range all {
			if m := &w.s.models[in.model]; m.own {
				m.voxels = w.voxels(in, low)
			}
		}
		if same, err := w.same(all, low); err != nil || same {
			return w.replay(nil), err
		}
		if n := len(w.s.nodes); n > 0 {
			w.lost["nodes of the scene, which does not show the cells"] += n
		}
		for _, m := range w.s.models {
			if !m.own {
				w.lost["models that are hidden, repeated or touch others"]++
			}
		}
	}
	models, err := w.pieces()
	if err != nil {
		return nil, err
	}
	return w.replay(models), nil
}

// loseRest counts what a scene has no place for.
func (w *writer) loseRest() {
	c := w.c
	if c.Version != 0 {
		w.lost["data version"]++
	}
	if c.Biome != nil {
		w.lost["biomes"]++
	}
	if c.Min != (geom.Point{}) {
		w.lost["place in the world"]++
	}
	for _, l := range c.Lists {
		if len(l.Objects) > 0 {
			w.lost[l.Name] += len(l.Objects)
		}
	}
}

// colours finds the entry of the palette for each cell. A new colour takes the first that no voxel uses.
func (w *writer) colours() error {
	var used [256]bool
	for _, m := range w.s.models {
		for v := m.voxels; len(v) > 0; v = v[4:] {
			used[v[3]] = true
		}
	}
	type want struct {
		cell int
		rgb  [3]byte
	}
	var missing []want
	for cell, name := range w.c.Block.Names {
		switch {
		case w.counts[cell] == 0 || name == format.Air:
			continue
		case name == clip.Void:
			w.lost["blocks "+clip.Void+", which become air"] += w.counts[cell]
			continue
		}
		rgb, i, ok := parseName(name)
		if !ok {
			return fmt.Errorf("%w: block %q has no colour; those of .vox files are as %sff8800", format.ErrHolds, name, space)
		}
		if i == 0 || w.s.palette[i] != rgb {
			i = w.s.first(rgb)
		}
		if i == 0 || w.dirty && w.s.rgba == nil && !used[i] {
			missing = append(missing, want{cell, rgb})
			continue
		}
		w.colour[cell], used[i] = byte(i), true
	}
	next := 1
	for _, m := range missing {
		for next < 256 && used[next] {
			next++
		}
		if next == 256 {
			return fmt.Errorf("%w: more than 255 colours", format.ErrHolds)
		}
		w.s.palette[next], used[next], w.dirty = m.rgb, true, true
		w.colour[m.cell] = byte(next)
	}
	return nil
}

// voxels returns the voxels of the cells of the clip in the box of an instance. low is the place of the
// clip's least corner.
func (w *writer) voxels(in instance, low geom.Point) (out []byte) {
	c := *w.c
	box := in.box.Add(geom.Point{}.Sub(low)).Intersect(geom.Box{Max: c.Size})
	c.Size, c.Block.At = box.Size(), c.Block.At.Add(box.Min)
	i := 0
	_ = c.Cells(&c.Block, func(cells []voxel.Cell) error { // Cells has no error of its own
		for _, cell := range cells {
			if k := w.colour[cell]; k > 0 {
				p := geom.Point{X: i % c.Size.X, Z: i / c.Size.X % c.Size.Z, Y: i / c.Area()}
				at := in.voxel(p.Add(box.Min).Add(low))
				out = append(out, byte(at[0]), byte(at[1]), byte(at[2]), k)
			}
			i++
		}
		return nil
	})
	return out
}

// same reports whether the scene shows the cells of the clip and has its box.
func (w *writer) same(all []instance, low geom.Point) (bool, error) {
	c := w.c
	if around(all).Add(geom.Point{}.Sub(low)) != (geom.Box{Max: c.Size}) {
		return false, nil
	}
	var drawn clip.Contents
	used, err := w.s.draw(all, low, &drawn, document.NewLimit(0))
	if err != nil {
		return false, err
	}
	colours := []byte{0} // by cell of drawn
	for i := range used {
		if used[i] && i > 0 {
			colours = append(colours, byte(i))
		}
	}
	n := 0
	for cell, k := range w.counts {
		if w.colour[cell] > 0 {
			n += k
		}
	}
	for pos := range drawn.View.Chunks() {
		box := pos.Box().Intersect(geom.Box{Max: c.Size})
		a, b := make([]voxel.Cell, box.Cells()), make([]voxel.Cell, box.Cells())
		drawn.View.ReadBox(box, 0, a)
		c.Block.View.ReadBox(box.Add(c.Block.At), 0, b)
		for i := range a {
			if colours[a[i]] != w.colour[b[i]] {
				return false, nil
			}
			if a[i] > 0 {
				n--
			}
		}
	}
	return n == 0, nil
}

// replay returns the chunks that were read with the voxels of today, or with other models and nodes in place
// of the scene.
func (w *writer) replay(models []byte) []byte {
	out := slices.Clone(models)
	m, palette := 0, false
	for _, c := range w.s.chunks {
		switch c.id {
		case "PACK", "SIZE", "nTRN", "nGRP", "nSHP":
			if models != nil {
				continue
			}
			out = append(out, c.whole...)
		case "XYZI":
			if w.s.models[m].own {
				c.whole = packVoxels(w.s.models[m].voxels)
			}
			if m++; models == nil {
				out = append(out, c.whole...)
			}
		case "RGBA":
			if palette = true; w.dirty {
				c.whole = pack(c.id, w.rgba(), nil)
			}
			out = append(out, c.whole...)
		default:
			out = append(out, c.whole...)
		}
	}
	if !palette && w.dirty {
		out = append(out, pack("RGBA", w.rgba(), nil)...)
	}
	return out
}

// rgba returns the palette: its colours, with the opacities that were read.
func (w *writer) rgba() []byte {
	out := make([]byte, 4*256)
	copy(out, w.s.rgba)
	for i := 1; i < 256; i++ {
		e := out[4*(i-1):][:4]
		if rgb := w.s.palette[i]; w.s.rgba == nil || [3]byte(e) != rgb {
			copy(e, rgb[:])
			e[3] = 255
		}
	}
	return out
}

// pieces returns the models of the clip, and nodes that place them unless there is one at the origin.
func (w *writer) pieces() (out []byte, err error) {
	c := w.c
	count := func(n int) int { return (n + maxEdge - 1) / maxEdge }
	if n := count(c.Size.X) * count(c.Size.Y) * count(c.Size.Z); n == 0 || n > maxPieces {
		return nil, fmt.Errorf("%w: a box of %v, which is cut into %d models", format.ErrHolds, c.Size, n)
	}
	var nodes []byte
	children := []int{}
	for y := 0; y < c.Size.Y; y += maxEdge {
		for z := 0; z < c.Size.Z; z += maxEdge {
			for x := 0; x < c.Size.X; x += maxEdge {
				size := [3]int{min(maxEdge, c.Size.X-x), min(maxEdge, c.Size.Z-z), min(maxEdge, c.Size.Y-y)}
				t, o := still, c.Offset
				t.at = [3]int{o.X + x + size[0]/2, size[1]/2 - (o.Z + z + size[1]), o.Y + y + size[2]/2}
				w.s.models = append(w.s.models, model{size: size})
				out = append(out, pack("SIZE", numbers(nil, size[0], size[1], size[2]), nil)...)
				out = append(out, packVoxels(w.voxels(w.s.instance(len(w.s.models)-1, t), o))...)
				id := 2 + 2*len(children)
				nodes = append(nodes, transformNode(id, id+1, 0, strings.Trim(fmt.Sprint(t.at), "[]"))...)
				nodes = append(nodes, pack("nSHP", numbers(nil, id+1, 0, 1, len(children), 0), nil)...)
				children = append(children, id)
			}
		}
	}
	if len(children) == 1 && c.Offset == (geom.Point{}) {
		return out, nil
	}
	out = append(out, transformNode(0, 1, -1, "")...)
	out = append(out, pack("nGRP", numbers(numbers(nil, 1, 0, len(children)), children...), nil)...)
	return append(out, nodes...), nil
}

// transformNode returns the chunk of a node that moves its child.
func transformNode(id, child, layer int, at string) []byte {
	b := numbers(nil, id, 0, child, -1, layer, 1)
	if at == "" {
		return pack("nTRN", numbers(b, 0), nil)
	}
	b = append(numbers(b, 1, 2), "_t"...)
	return pack("nTRN", append(numbers(b, len(at)), at...), nil)
}
