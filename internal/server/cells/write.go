package cells

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/game/tool"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/strictjson"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// MaxBody is how many bytes the body of a write has at most. Decode takes DecodeBytes for each of
// them at most, besides the body itself.
const (
	MaxBody     = 16 << 20
	DecodeBytes = 5
)

// Note is what a write says of its commit.
type Note struct {
	Message string `json:"message,omitempty"`
	Author  string `json:"author,omitempty"`
}

// WriteHead says what is written. It is Head with the words of a write.
type WriteHead struct {
	Dimension string  `json:"dimension,omitempty"`
	Volume    string  `json:"volume,omitempty"`
	Schema    string  `json:"schema,omitempty"` // if it is given, the volume must have it
	Level     int     `json:"level,omitempty"`  // 0
	Box       JSONBox `json:"box"`
	// Names are what the indexes mean. null keeps what is there.
	Names   []*string `json:"names,omitempty"`
	Shown   []string  `json:"shown,omitempty"`    // as Read gives it; it says nothing
	AnyName bool      `json:"any_name,omitempty"` // allow names that neither the world nor its game knows
	tool.Places
	Note
}

// check fails if a box is missing or too large, or the names are too many.
func (h *WriteHead) check() error {
	if geom.Box(h.Box).Empty() {
		return wrong("box is required: x0,y0,z0..x1,y1,z1")
	}
	if len(h.Names) > int(voxel.MaxCell)+1 {
		return wrong("%d names: at most %d", len(h.Names), int(voxel.MaxCell)+1)
	}
	return h.Box.check()
}

// Write is a box of cells to be written. It takes about as much memory as its body until Apply.
type Write struct {
	WriteHead
	runs, full Runs // of a body in JSON: what becomes cells and occupancy

	cells     []uint16 // indexes of Names, or numbers; in the raw form of a terrain cells
	occupancy []uint16 // of a terrain; nil: full
	raw       bool
}

// WriteForm is the form of a Write in JSON; see Answer.
type WriteForm struct {
	WriteHead
	Cells     []any `json:"cells"`
	Occupancy []any `json:"occupancy,omitempty"`
}

// written is a WriteForm as it is read.
type written struct {
	WriteHead
	Cells     Runs `json:"cells"`
	Occupancy Runs `json:"occupancy,omitempty"`
}

// Runs is a list of numbers. In JSON an element is a number from 0 to 65535, or a pair of such a
// number and how many times it stands there.
type Runs []run

type run struct {
	n     uint16
	count int32
}

// UnmarshalJSON reads a list. All counts together are at most MaxCells.
func (r *Runs) UnmarshalJSON(text []byte) error {
	p := &runParser{text: text}
	var out Runs
	total := 0
	p.list(func() {
		e := run{count: 1}
		if p.peek() == '[' {
			i := 0
			p.list(func() {
				switch n := p.number(); {
				case i == 0 && n <= 0xFFFF:
					e.n = uint16(n)
				case i == 1 && n >= 1 && n <= MaxCells:
					e.count = int32(n)
				default:
					p.bad = true
				}
				i++
			})
			p.bad = p.bad || i != 2
		} else if n := p.number(); n <= 0xFFFF {
			e.n = uint16(n)
		} else {
			p.bad = true
		}
		if total += int(e.count); total > MaxCells {
			p.bad = true
		}
		out = append(out, e)
	})
	if p.bad || p.at != len(text) {
		return fmt.Errorf("a list of cells has numbers from 0 to 65535 and pairs [number, count], at most %d cells", MaxCells)
	}
	*r = out
	return nil
}

// runParser parses JSON that is known to be JSON without the whitespace around it.
type runParser struct {
	text []byte
	at   int
	bad  bool
}

func (p *runParser) peek() byte {
	for p.at < len(p.text) && bytes.IndexByte([]byte(" \t\r\n"), p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// list calls element at each element of a list.
func (p *runParser) list(element func()) {
	if p.peek() != '[' {
		p.bad = true
		return
	}
	p.at++
	if p.peek() == ']' {
		p.at++
		return
	}
	for !p.bad {
		element()
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			p.at++
			return
		default:
			p.bad = true
		}
	}
}

// number reads a whole number without sign, fraction or exponent; one that is too large is
// some number above MaxCells.
func (p *runParser) number() (n int) {
	p.peek()
	from := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		n = min(n*10+int(p.text[p.at]-'0'), MaxCells+1)
		p.at++
	}
	p.bad = p.bad || p.at == from
	return n
}

// cells returns how many numbers there are.
func (r Runs) cells() (n int) {
	for _, e := range r {
		n += int(e.count)
	}
	return n
}

// flat returns the numbers one by one.
func (r Runs) flat() []uint16 {
	out := make([]uint16, 0, r.cells())
	for _, e := range r {
		for range e.count {
			out = append(out, e.n)
		}
	}
	return out
}

// Decode reads the body of a write: records of a WriteHead in JSON and of 2 bytes for each cell,
// or a WriteForm in JSON.
func Decode(body []byte, records bool) (*Write, error) {
	if records {
		return decodeRecords(body)
	}
	var w written
	if err := DecodeJSON(body, &w); err != nil {
		return nil, err
	}
	if err := w.check(); err != nil {
		return nil, err
	}
	n := geom.Box(w.Box).Cells()
	if have := w.Cells.cells(); have != n {
		return nil, wrong("cells has %d cells, the box %d", have, n)
	}
	if have := w.Occupancy.cells(); w.Occupancy != nil && have != n {
		return nil, wrong("occupancy has %d cells, the box %d", have, n)
	}
	return &Write{WriteHead: w.WriteHead, runs: w.Cells, full: w.Occupancy}, nil
}

// DecodeJSON reads a body: one JSON value without unknown fields.
func DecodeJSON(text []byte, to any) error {
	if !utf8.Valid(text) {
		return wrong("the body is not UTF-8") // encoding/json would change the text silently
	}
	if err := strictjson.Decode(text, to); err != nil {
		return wrong("the body is not the expected JSON: %v", err)
	}
	return nil
}

// maxHead is how many bytes the first record has at most.
const maxHead = 1 << 20

func decodeRecords(body []byte) (*Write, error) {
	r := wire.NewRecordReader(bytes.NewReader(body), int64(len(body)))
	head, err := r.Next(maxHead)
	if err != nil {
		return nil, wrong("the first record: %v", err)
	}
	out := &Write{raw: true}
	if err := DecodeJSON(head, &out.WriteHead); err != nil {
		return nil, err
	}
	if err := out.check(); err != nil {
		return nil, err
	}
	n := geom.Box(out.Box).Cells()
	cells, err := r.Next(2 * int64(n))
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, wrong("the second record: %v", err)
	}
	if len(cells) != 2*n {
		return nil, wrong("the second record has %d bytes, want 2 for each of %d cells", len(cells), n)
	}
	out.cells = make([]uint16, n)
	for i := range out.cells {
		out.cells[i] = binary.LittleEndian.Uint16(cells[2*i:])
	}
	return out, nil
}

// Done is what a write or a brush did.
type Done struct {
	Dimension string       `json:"dimension"`
	Volume    string       `json:"volume"`
	Cells     int          `json:"cells"`  // that changed
	Same      bool         `json:"same"`   // nothing changed
	Commit    *wire.Commit `json:"commit"` // the newest version; null if a game saves it later
}

// Apply writes the cells in one update. An *Error says what of them the world cannot have.
func (w *Write) Apply(ctx context.Context, to *world.World) (d Done, err error) {
	if w.Level != 0 {
		return d, wrong("level %d: only level 0 can be written", w.Level)
	}
	in, err := new(tool.Options).Find(to.View(), w.Dimension, w.Volume)
	if err != nil {
		return d, own(err)
	}
	d.Dimension, d.Volume = in.Dimension.Name(), in.Volume.Volume.Name
	if w.Schema != "" && w.Schema != in.Volume.Schema.String() {
		return d, wrong("schema %.20q: the volume %s is a %s", w.Schema, d.Volume, in.Volume.Schema)
	}
	if b := geom.Box(w.Box).Scale(in.Volume.Scale); b.Intersect(world.Everywhere) != b {
		return d, own(geom.ErrOutOfRange)
	}
	if !w.raw {
		w.cells = w.runs.flat()
	}
	if w.full != nil {
		w.occupancy = w.full.flat()
	}
	names, err := w.names(in)
	if err != nil {
		return d, err
	}
	check := names
	if w.AnyName {
		check = nil
	}
	var asked []string
	for _, n := range check {
		if n != "" {
			asked = append(asked, n)
		}
	}
	box := geom.Box(w.Box)
	change, err := in.Update(ctx, to, box, asked, w.Places, func(_ *world.DimensionTx, v *world.VolumeTx) error {
		cells, err := w.fill(v, names)
		if err == nil {
			v.WriteBox(box, cells)
		}
		return err
	})
	if err != nil {
		return d, own(err)
	}
	d.Cells = in.Changed(change)
	d.Same = d.Cells == 0
	return d, nil
}

// names returns the names that the volume has, or will have, for Names; "" for null.
func (w *Write) names(in tool.Target) ([]string, error) {
	if in.Volume.Schema == voxel.Palette && len(w.Names) == 0 {
		return nil, wrong("names is required: what the indexes mean")
	}
	used := make([]bool, len(w.Names))
	if in.Volume.Schema != voxel.Terrain || !w.raw {
		for _, c := range w.cells {
			if int(c) < len(used) {
				used[c] = true
			}
		}
	}
	out := make([]string, len(w.Names))
	for i, name := range w.Names {
		if name == nil || !used[i] {
			continue
		}
		if *name == "" {
			return nil, wrong("name %d is empty", i)
		}
		known, err := in.Named(*name)
		if err != nil {
			return nil, wrong("name %v", err)
		}
		out[i] = known
	}
	return out, nil
}

// fill returns the cells as the volume has them.
func (w *Write) fill(v *world.VolumeTx, names []string) ([]voxel.Cell, error) {
	out := make([]voxel.Cell, len(w.cells))
	if len(names) == 0 || v.Schema == voxel.Terrain && w.raw {
		for i, c := range w.cells {
			if out[i] = voxel.Cell(c); c > uint16(voxel.MaxCell) || !v.Schema.Valid(voxel.Cell(c), len(v.Names())) {
				return nil, wrong("cell %d: the volume has no cell of the number %d", i, c)
			}
		}
		return out, nil
	}
	table, versions := make([]voxel.Cell, len(names)), v.Versions(geom.Box(w.Box))
	keeps := false
	for i, name := range names {
		switch {
		case name == "":
			keeps = true
		case v.Schema == voxel.Palette:
			name, err := block.State(name, versions, v.Names())
			if err != nil {
				return nil, wrong("name %d: %v", i, err)
			}
			table[i] = v.Named(name)
		default:
			for n, material := range v.Names() {
				if material == name {
					table[i] = voxel.TerrainCell(uint8(n), 255)
				}
			}
		}
	}
	if keeps && !v.ReadBox(geom.Box(w.Box), out) {
		return nil, v.Err()
	}
	for i, c := range w.cells {
		switch {
		case int(c) >= len(table):
			return nil, wrong("cell %d: there is no name of the number %d", i, c)
		case w.Names[c] == nil:
			continue
		}
		out[i] = table[c]
		if w.occupancy != nil && out[i] != voxel.Empty {
			if w.occupancy[i] > 255 {
				return nil, wrong("occupancy %d: want 0 to 255", w.occupancy[i])
			}
			out[i] = voxel.TerrainCell(out[i].Material(), uint8(w.occupancy[i]))
		}
	}
	return out, nil
}

// BrushCall is the body of a call that runs a brush.
type BrushCall struct {
	tool.Options
	Dimension string `json:"dimension,omitempty"`
	Volume    string `json:"volume,omitempty"`
	Note
}

// maxBrush bounds the box of a brush in cells, each counted as often as the brush goes over it.
const maxBrush = 4 * MaxCells

// Apply applies the brush in one update. An *Error says what is wrong with it.
func (b *BrushCall) Apply(ctx context.Context, to *world.World) (d Done, err error) {
	in, err := b.Find(to.View(), b.Dimension, b.Volume)
	if err != nil {
		return d, own(err)
	}
	d.Dimension, d.Volume = in.Dimension.Name(), in.Volume.Volume.Name
	brush, err := b.Make(in)
	if err != nil {
		return d, own(err)
	}
	if err := JSONBox(brush.Bounds()).checkChunks(); err != nil {
		return d, err
	}
	times := max(1, b.Passes, int(math.Ceil(b.By)))
	change, err := b.Options.Apply(ctx, to, in, brush, maxBrush/times)
	if err != nil {
		return d, own(err)
	}
	d.Cells = in.Changed(change)
	d.Same = d.Cells == 0
	return d, nil
}

// own makes errors about what the caller said an *Error.
func own(err error) error {
	err = tool.NoPlace(err, "")
	var words *tool.WordError
	var name *block.NameError
	switch {
	case errors.As(err, &words):
		return wrong("%v", words)
	case errors.As(err, &name):
		return wrong("names: %v; any_name allows it", name)
	case errors.Is(err, geom.ErrOutOfRange):
		return wrong("the box is beyond the range of the world")
	case errors.Is(err, world.ErrKept):
		return wrong("%v", err)
	}
	return err
}
