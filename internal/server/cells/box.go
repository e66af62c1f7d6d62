package cells

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// MaxCells is how many cells one call reads or writes at most, and maxChunks how many chunks it
// touches: a long row takes as much work as the chunks that it goes through.
const (
	MaxCells  = 1 << 22
	maxChunks = 1 << 13
)

// JSONBox is a box of cells, as a text with both corners included: "x0,y0,z0..x1,y1,z1".
type JSONBox geom.Box

// maxBoxText is how many bytes the text of a Box has at most.
const maxBoxText = 100

// UnmarshalText reads the text. The corners may stand in any order.
func (b *JSONBox) UnmarshalText(text []byte) error {
	if len(text) > maxBoxText {
		return wrong("box %.100q...: want x0,y0,z0..x1,y1,z1", text)
	}
	r, err := region.Parse("box:" + string(text))
	box, ok := r.(geom.Box)
	switch {
	case err != nil && errors.Is(err, geom.ErrOutOfRange):
		return wrong("box %.100q: a number is out of range", text)
	case err != nil || !ok:
		return wrong("box %.100q: want x0,y0,z0..x1,y1,z1", text)
	}
	*b = JSONBox(box)
	return nil
}

// check fails if the box has more than MaxCells, or touches more than maxChunks.
func (b JSONBox) check() error {
	s := geom.Box(b).Size()
	if max(s.X, s.Y, s.Z) > MaxCells || s.X*s.Y > MaxCells || s.X*s.Y*s.Z > MaxCells {
		return &CallError{fmt.Sprintf("a box of %d x %d x %d cells: a call reads or writes at most %d", s.X, s.Y, s.Z, MaxCells), wire.TooLarge}
	}
	return b.checkChunks()
}

// checkChunks fails if the box touches more than maxChunks.
func (b JSONBox) checkChunks() error {
	low, high := b.Min.Chunk(), b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	if n := float64(high.X-low.X+1) * float64(high.Y-low.Y+1) * float64(high.Z-low.Z+1); n > maxChunks {
		s := geom.Box(b).Size()
		return &CallError{fmt.Sprintf("a box of %d x %d x %d cells touches %.0f chunks of 32 cells an edge: at most %d", s.X, s.Y, s.Z, n, maxChunks), wire.TooLarge}
	}
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (b JSONBox) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d,%d,%d..%d,%d,%d", b.Min.X, b.Min.Y, b.Min.Z, b.Max.X-1, b.Max.Y-1, b.Max.Z-1), nil
}

// BoxHead says which cells are read or written.
type BoxHead struct {
	Dimension string  `json:"dimension,omitempty"`
	Volume    string  `json:"volume,omitempty"`
	Schema    string  `json:"schema,omitempty"`
	Level     int     `json:"level,omitempty"`
	Box       JSONBox `json:"box"`
	// Names are what indexes mean. In an answer they are those in use; of a terrain they are the
	// materials by number, and of a volume of numbers there are none.
	Names []string `json:"names"`
	// Shown is how people are shown the Names, if some are numbers of before 1.13.
	Shown []string `json:"shown,omitempty"`
}

// ReadParams are the parameters of the query that Read takes.
func ReadParams() []Param {
	return []Param{
		{Name: "dimension", About: "name of the dimension; default the first that has blocks"}, {Name: "volume", About: "name of the volume; default block or solid"},
		{Name: "level", About: "default 0", Most: geom.MaxLevel},
		{Name: "box", About: "x0,y0,z0..x1,y1,z1 in cells of the level, both corners included; at most 4,194,304 cells", Pattern: `^-?\d{1,8},-?\d{1,8},-?\d{1,8}\.\.-?\d{1,8},-?\d{1,8},-?\d{1,8}$`},
	}
}

// Query reads which cells a query means. Settle completes it.
func Query(q url.Values) (h BoxHead, err error) {
	h.Dimension, h.Volume = q.Get("dimension"), q.Get("volume")
	if q.Get("box") == "" {
		return h, wrong("box is required: x0,y0,z0..x1,y1,z1")
	}
	n := numbers{of: q}
	if h.Level = n.get("level", 0, 0, geom.MaxLevel); n.err != nil {
		return h, n.err
	}
	if err := h.Box.UnmarshalText([]byte(q.Get("box"))); err != nil {
		return h, err
	}
	return h, h.Box.check()
}

// Settle puts in the dimension and the volume that a call means without naming them: the first
// that has matter, and its matter.
func (h *BoxHead) Settle(s *world.Snapshot) {
	for _, d := range s.About().Dimensions {
		for _, v := range d.Volumes {
			if !inspect.IsMatter(v.Volume.Name) {
				continue
			}
			if h.Dimension = cmp.Or(h.Dimension, d.Name); d.Name == h.Dimension {
				h.Volume = cmp.Or(h.Volume, v.Volume.Name)
			}
		}
	}
}

// Bytes bounds the bytes of an answer, and so about those of memory for it.
func (h *BoxHead) Bytes() int64 { return 8*int64(geom.Box(h.Box).Cells()) + 1<<12 }

// Blocks returns the box in blocks of the dimension, which a token may be bound to.
func (h *BoxHead) Blocks(s *world.Snapshot) geom.Box {
	scale := 1
	for _, d := range s.About().Dimensions {
		for _, v := range d.Volumes {
			if d.Name == h.Dimension && v.Volume.Name == h.Volume {
				scale = max(1, v.Scale)
			}
		}
	}
	return geom.Box(h.Box).Scale(scale << h.Level)
}

// Cells are cells that were read.
type Cells struct {
	BoxHead
	schema voxel.Schema
	cells  []voxel.Cell
}

// Read reads what a settled head names. See inspect.Box for maxBytes and the errors.
func Read(ctx context.Context, s *world.Snapshot, h BoxHead, maxBytes int64) (*Cells, error) {
	got, err := inspect.Box(ctx, s, h.Dimension, h.Volume, h.Level, geom.Box(h.Box), maxBytes)
	if errors.Is(err, geom.ErrOutOfRange) {
		return nil, wrong("the box is beyond the range of level %d", h.Level)
	}
	if err != nil {
		return nil, err
	}
	got.Compact()
	h.Schema, h.Names = got.Schema.String(), got.Names
	if h.Names == nil {
		h.Names = []string{}
	}
	if block.Numbered(h.Names) {
		for _, name := range h.Names {
			h.Shown = append(h.Shown, block.Shown(name))
		}
	}
	return &Cells{h, got.Schema, got.Cells}, nil
}

// Records returns the cells as two records: the Head in JSON, and 2 bytes for each cell, low half
// first, x fastest, then z, then y.
func (c *Cells) Records() (*wire.Body, error) {
	head, err := json.Marshal(c.BoxHead)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, 2*len(c.cells))
	for _, cell := range c.cells {
		b = binary.LittleEndian.AppendUint16(b, uint16(cell))
	}
	var body wire.Body
	body.Add(head)
	body.Add(b)
	return &body, nil
}

// Answer is the form of cells in JSON. An element of Cells and of Occupancy is a number, or a pair
// of a number and how many times it stands there.
type Answer struct {
	BoxHead
	Cells []any `json:"cells"`
	// Occupancy is how full the cells of a terrain are: 255 is full. Cells are then materials.
	Occupancy []any `json:"occupancy,omitempty"`
}

// JSON returns the cells in the form of Answer.
func (c *Cells) JSON() ([]byte, error) {
	b, err := json.Marshal(c.BoxHead)
	if err != nil {
		return nil, err
	}
	b = append(b[:len(b)-1], `,"cells":[`...)
	if c.schema != voxel.Terrain {
		b = appendRuns(b, c.cells, func(c voxel.Cell) int { return int(c) })
		return append(b, "]}\n"...), nil
	}
	b = appendRuns(b, c.cells, func(c voxel.Cell) int { return int(c.Material()) })
	b = append(b, `],"occupancy":[`...)
	b = appendRuns(b, c.cells, func(c voxel.Cell) int { return int(c & 0xFF) })
	return append(b, "]}\n"...), nil
}

// appendRuns appends the elements of a list: numbers, and pairs for runs of equal numbers.
func appendRuns(b []byte, cells []voxel.Cell, of func(voxel.Cell) int) []byte {
	for i := 0; i < len(cells); {
		n, from := of(cells[i]), i
		for i < len(cells) && of(cells[i]) == n {
			i++
		}
		if from > 0 {
			b = append(b, ',')
		}
		if i == from+1 {
			b = strconv.AppendInt(b, int64(n), 10)
			continue
		}
		b = strconv.AppendInt(append(b, '['), int64(n), 10)
		b = append(strconv.AppendInt(append(b, ','), int64(i-from), 10), ']')
	}
	return b
}
