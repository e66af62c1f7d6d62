// Package vox reads and writes the models and scenes of MagicaVoxel, files that end in .vox.
// A cell is named for its colour. FORMAT.md has the layout.
package vox

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format"
)

const (
	formatName = "vox"
	magic      = "VOX "
	headBytes  = 20 // of a file without chunks
	// tagChunks has the chunks within MAIN. The content of XYZI is left out if the clip has it.
	tagChunks = "chunks"
	// space begins the names of cells.
	space = "rgb:"
)

var versions = []int{150, 200}

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return clip.Leaf{Name: formatName, Ext: ".vox", Versions: versions, Detect: Detect, Read: Read, Write: Write}.Kind()
}

// Detect reports whether a file of the format starts with head.
func Detect(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// chunk is a chunk within MAIN.
type chunk struct {
	id      string
	content []byte
	whole   []byte // with head and children
}

// model is a box of voxels.
type model struct {
	size   [3]int
	voxels []byte // x, y, z and colour of each
	own    bool   // its voxels are those of the clip
}

// scene is what the chunks of a file say.
type scene struct {
	chunks  []chunk
	models  []model
	nodes   map[int32]*node
	hidden  map[int32]bool // layers
	palette [256][3]byte   // by colour; 0 is none
	rgba    []byte         // the chunk RGBA, nil if there is none
}

const maxEdge = 256

// parse reads the chunks of a file, or those that a clip keeps.
func parse(b []byte, kept bool) (*scene, error) {
	s := &scene{nodes: map[int32]*node{}, hidden: map[int32]bool{}, palette: defaultPalette()}
	sized := false
	r := cursor.At(b, headBytes, "chunk")
	for r.Left() > 0 {
		from := r.Offset()
		c := chunk{id: string(r.Bytes(4))}
		n, children := int(r.Uint32()), int(r.Uint32())
		at := r.Offset()
		c.content = r.Bytes(n)
		if r.Bytes(children); r.Err() != nil {
			return nil, corrupt(from, c.id, cursor.ErrShort)
		}
		c.whole = r.Since(from)
		if sized && c.id != "XYZI" {
			return nil, corrupt(from, c.id, errors.New("a SIZE without its XYZI"))
		}
		in := &fields{cursor.At(c.content, int64(headBytes+at), c.id)}
		if err := s.add(c, in, kept, &sized); err != nil {
			return nil, corrupt(from, c.id, err)
		}
		if in.Err() != nil {
			return nil, in.Err()
		}
		s.chunks = append(s.chunks, c)
	}
	if sized {
		return nil, corrupt(len(b), "SIZE", errors.New("the file ends without its XYZI"))
	}
	return s, nil
}

func corrupt(at int, part string, err error) error {
	return &format.CorruptError{Offset: int64(headBytes + at), Part: part, Err: err}
}

// add understands a chunk, whose content r reads. sized says that a SIZE came last.
func (s *scene) add(c chunk, r *fields, kept bool, sized *bool) error {
	switch c.id {
	case "SIZE":
		var m model
		for i := range m.size {
			m.size[i] = int(r.Within(int64(r.int()), 0, maxEdge))
		}
		s.models, *sized = append(s.models, m), true
	case "XYZI":
		if !*sized {
			return errors.New("no SIZE before it")
		}
		*sized = false
		m := &s.models[len(s.models)-1]
		if m.own = kept && len(c.content) == 0; m.own {
			return nil
		}
		if m.voxels = r.Bytes(4 * int(r.Uint32())); r.End() != nil {
			return nil
		}
		for v := m.voxels; len(v) > 0; v = v[4:] {
			if int(v[0]) >= m.size[0] || int(v[1]) >= m.size[1] || int(v[2]) >= m.size[2] {
				return fmt.Errorf("a voxel at %v of a model of %v", v[:3], m.size)
			}
		}
	case "RGBA":
		if len(c.content) != 4*256 {
			return fmt.Errorf("%d bytes", len(c.content))
		}
		s.rgba = c.content
		for i := 1; i < 256; i++ {
			s.palette[i] = [3]byte(c.content[4*(i-1):])
		}
	case "LAYR":
		id, about := r.int(), r.dict()
		s.hidden[id] = about["_hidden"] == "1"
	case "nTRN", "nGRP", "nSHP":
		id, n := r.int(), &node{}
		if n.read(c.id, r); s.nodes[id] != nil {
			return fmt.Errorf("a second node %d", id)
		}
		s.nodes[id] = n
	}
	return nil
}

// fields reads the content of a chunk.
type fields struct{ cursor.Cursor }

func (r *fields) int() int32 { return int32(r.Uint32()) }

func (r *fields) text() string { return string(r.Bytes(int(r.Uint32()))) }

// dict reads pairs of texts.
func (r *fields) dict() map[string]string {
	all := map[string]string{}
	for n := r.Uint32(); n > 0 && r.Err() == nil; n-- {
		key := r.text()
		all[key] = r.text()
	}
	return all
}

// defaultPalette returns the palette of a file without one: the colours of the web from white on, without
// black, then ramps of red, green, blue and grey.
func defaultPalette() (p [256][3]byte) {
	for i := 1; i < 216; i++ {
		k := i - 1
		p[i] = [3]byte{byte(255 - 51*(k/36)), byte(255 - 51*(k/6%6)), byte(255 - 51*(k%6))}
	}
	for i, v := range [...]byte{0xee, 0xdd, 0xbb, 0xaa, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11} {
		p[216+i], p[226+i], p[236+i], p[246+i] = [3]byte{v}, [3]byte{0, v}, [3]byte{0, 0, v}, [3]byte{v, v, v}
	}
	return p
}

// first returns the first entry of the palette with a colour, or 0.
func (s *scene) first(rgb [3]byte) int {
	for i := 1; i < len(s.palette); i++ {
		if s.palette[i] == rgb {
			return i
		}
	}
	return 0
}

// name returns the name of the cells of an entry of the palette.
func (s *scene) name(i int) string {
	name := fmt.Sprintf("%s%x", space, s.palette[i])
	if s.first(s.palette[i]) != i {
		name += fmt.Sprintf("[index=%d]", i)
	}
	return name
}

// parseName undoes name. index is 0 if the name has none.
func parseName(name string) (rgb [3]byte, index int, ok bool) {
	text, ok := strings.CutPrefix(name, space)
	text, rest, has := strings.Cut(text, "[index=")
	v, err := strconv.ParseUint(text, 16, 32)
	if !ok || err != nil || len(text) != 6 {
		return rgb, 0, false
	}
	if has {
		rest, has = strings.CutSuffix(rest, "]")
		if index, err = strconv.Atoi(rest); err != nil || !has || index < 1 || index > 255 {
			return rgb, 0, false
		}
	}
	return [3]byte{byte(v >> 16), byte(v >> 8), byte(v)}, index, true
}
