package polar

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zstd"
)

// oldest is the first data version whose sections have palettes of blocks and biomes, as those of Polar: 1.18.
const oldest = 2834

// writer writes a Polar file, a format.Writer. It keeps the encoded columns until Close.
type writer struct {
	out     io.Writer
	version int
	o       format.WriteOptions
	data    int32 // data version, 0 before the first column
	dim     *format.Dimension
	hold    func(*format.Column) bool
	index   block.Indexer
	texts   [2]map[voxel.Cell]string // blocks, biomes
	columns map[geom.ColumnPos]*encoded
	user    []byte
	lost    slime.Losses
}

// encoded is a column: its sections by height, and what follows them.
type encoded struct {
	sections map[int][]byte
	rest     []byte
}

// create returns a Writer for a world that was read from any format.
func create(to io.Writer, o format.WriteOptions) (format.Writer, error) {
	version := o.Version
	if o.Head.Format == formatName {
		version = cmp.Or(version, o.Head.Version)
	}
	version = cmp.Or(version, latest)
	if version < 1 || version > latest {
		return nil, fmt.Errorf("polar: version %d, known are 1 to %d", version, latest)
	}
	w := &writer{out: to, version: version, o: o, columns: map[geom.ColumnPos]*encoded{}, texts: [2]map[voxel.Cell]string{{}, {}}, lost: slime.Losses{}}
	if o.Facts.HasSpawn {
		w.lost["level.dat spawn"]++
	}
	return w, nil
}

// Lost returns what the file does not hold of everything that was given, by name.
func (w *writer) Lost() map[string]int { return w.lost }

// Dimension begins the file's one dimension.
func (w *writer) Dimension(d *format.Dimension) error {
	if w.dim != nil {
		return fmt.Errorf("polar: dimension %q: a Polar file holds one, and has %q", d.Name, w.dim.Name)
	}
	if d.Volume(voxel.Block) == nil || d.Volume(voxel.Biome) == nil {
		return fmt.Errorf("polar: dimension %q is not one of a block world", d.Name)
	}
	if d.Name != "overworld" {
		w.lost["name of the dimension"]++
	}
	w.dim = d
	w.hold = slime.Hold(slime.ContainerOptions{Version: 13, Whole: true}, d, w.lost)
	return nil
}

// Chunk returns an error: a Polar file holds only columns.
func (w *writer) Chunk(volume string, pos geom.ChunkPos, _ *voxel.Chunk) error {
	return fmt.Errorf("polar: volume %q, chunk %v: a Polar file holds only columns", volume, pos)
}

// File takes the file of UserPath. It counts others as lost.
func (w *writer) File(f format.File) error {
	if f.Path != UserPath || w.version < worldData {
		w.lost["file "+f.Path]++
		return nil
	}
	var err error
	if w.user, err = f.Bytes(); err != nil {
		return fmt.Errorf("polar: %s: %w", f.Path, err)
	}
	return nil
}

// Column takes a column and keeps what the format holds of it.
func (w *writer) Column(c *format.Column) error {
	if w.dim == nil {
		return errors.New("polar: a column before any dimension")
	}
	held := *c
	if c.Version == 0 {
		held.Version = w.o.DataVersion
	}
	version := held.Version
	var had [256]bool // sections with something
	for _, s := range c.Sections {
		had[uint8(s.Y)] = s.Has != 0
	}
	var user []byte
	held.Parts = slices.DeleteFunc(slices.Clone(c.Parts), func(p voxel.Part) bool {
		if p.Name == PartUser && !p.Damaged && w.version >= userData {
			user = p.Data
			return true
		}
		return false
	})
	if !w.hold(&held) {
		return nil
	}
	if version < oldest {
		return fmt.Errorf("polar: column %v is of data version %d; Polar holds worlds of 1.18 and later: %w", c.Pos, version, format.ErrHolds)
	}
	if w.data == 0 {
		w.data = version
	}
	if version != w.data {
		return fmt.Errorf("polar: column %v is of data version %d, others are of %d, and a file has one: %w", c.Pos, version, w.data, format.ErrHolds)
	}
	if w.columns[c.Pos] != nil {
		return fmt.Errorf("polar: column %v comes twice", c.Pos)
	}
	e := &encoded{sections: map[int][]byte{}}
	for i, s := range held.Sections {
		if !had[uint8(s.Y)] {
			continue
		}
		b, err := w.section(&held.Cells[i])
		if err != nil {
			return fmt.Errorf("polar: column %v: section %d: %w", c.Pos, s.Y, err)
		}
		e.sections[int(s.Y)] = b
	}
	e.rest = w.blockEntities(nil, &held)
	e.rest = w.heights(e.rest, &held)
	if w.version >= userData {
		e.rest = appendBytes(e.rest, user)
	}
	for _, p := range held.Parts { // those of Slime
		w.lost["part "+p.Name]++
	}
	w.columns[c.Pos] = e
	return nil
}

// section encodes a section that is not empty.
func (w *writer) section(a *format.Cells) ([]byte, error) {
	dst, err := w.container([]byte{0}, a.Block, 0)
	if err == nil {
		dst, err = w.container(dst, a.Biome, 1)
	}
	if err != nil {
		return nil, err
	}
	if w.version >= twoLights {
		return w.light(w.light(dst, a.Light), a.Sky), nil
	}
	if a.Light == nil && a.Sky == nil {
		return append(dst, 0), nil
	}
	light, sky := a.Light, a.Sky
	if light == nil || sky == nil {
		w.lost["sections with one kind of light, which got the other"]++
	}
	if light == nil {
		light = dark
	}
	if sky == nil {
		sky = bright
	}
	return append(append(append(dst, 1), light...), sky...), nil
}

// light appends an array of light, or what stands for one.
func (w *writer) light(dst, b []byte) []byte {
	switch {
	case b == nil:
		return append(dst, lightMissing)
	case w.version < lightKinds:
		return append(append(dst, 1), b...)
	case bytes.Equal(b, dark):
		return append(dst, lightDark)
	case bytes.Equal(b, bright):
		return append(dst, lightBright)
	}
	return append(append(dst, lightStored), b...)
}

// container appends a palette and its entries: of blocks, which are 0, or of biomes.
func (w *writer) container(dst []byte, cells []voxel.Cell, of int) ([]byte, error) {
	palette, entries := w.index.Build(cells)
	dst = binary.AppendUvarint(dst, uint64(len(palette)))
	for _, c := range palette {
		text, ok := w.texts[of][c]
		if !ok {
			var err error
			if of == 0 {
				text, err = block.Text(w.dim.Volume(voxel.Block).Names.Name(c))
			} else {
				text, err = block.BiomeText(w.dim.Volume(voxel.Biome).Names.Name(c))
			}
			if err != nil {
				return nil, err
			}
			w.texts[of][c] = text
		}
		dst = appendBytes(dst, []byte(text))
	}
	if len(palette) == 1 {
		return dst, nil
	}
	size := block.Bits(len(palette), 1)
	dst = binary.AppendUvarint(dst, uint64(block.Longs(len(cells), size, false)))
	return block.AppendLongs(dst, entries, size, false), nil
}

// appendBytes appends bytes behind their number.
func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// blockEntities appends the block entities of a column, and counts other objects as lost.
func (w *writer) blockEntities(dst []byte, c *format.Column) []byte {
	var list []voxel.Object
	for _, l := range c.Lists {
		if l.Name != voxel.BlockEntities {
			w.lost[l.Name] += len(l.Objects)
			continue
		}
		for _, o := range l.Objects {
			if at := o.At.Sub(c.Pos.Min(0)); o.Place != voxel.Moved || at.X|15 != 15 || at.Z|15 != 15 || max(at.Y, -at.Y) > 0x7FFFFF {
				w.lost["block entities without a place in their column"]++
			} else {
				list = append(list, o)
			}
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, o := range list {
		at := o.At.Sub(c.Pos.Min(0))
		v := uint32(at.X) | uint32(max(at.Y, -at.Y))<<4 | uint32(at.Z)<<28
		if at.Y < 0 {
			v |= 1 << 27
		}
		dst = w.tags(binary.BigEndian.AppendUint32(dst, v), o.Payload)
	}
	return dst
}

// tags appends the id of a block entity and its other tags.
func (w *writer) tags(dst, payload []byte) []byte {
	var rest []byte
	id, has := "", false
	r := nbt.NewPayload(payload, nbt.Limits{Bytes: math.MaxInt32})
	for {
		start := r.Offset()
		t, name := r.Next()
		if t == nbt.End {
			break
		}
		if t == nbt.String && string(name) == "id" && !has {
			if text, err := nbt.DecodeString(r.String()); err == nil {
				id, has = text, true
				continue
			}
		} else {
			r.Skip(t)
		}
		rest = append(rest, payload[start:r.Offset()]...)
	}
	if has {
		dst = appendBytes(append(dst, 1), []byte(id))
	} else {
		dst = append(dst, 0)
	}
	if w.version >= userData {
		if len(rest) == 0 {
			return append(dst, 0)
		}
		dst = append(dst, 1)
	}
	if dst = append(dst, byte(nbt.Compound)); w.version < nameless {
		dst = append(dst, 0, 0)
	}
	return nbt.AppendEnd(append(dst, rest...))
}

// heights appends the height maps of a column.
func (w *writer) heights(dst []byte, c *format.Column) []byte {
	var found [32]*voxel.Map
	mask := uint32(0)
	for i := range c.Maps {
		m := &c.Maps[i]
		bit := slices.Index(heightMaps, m.Name)
		if text, ok := strings.CutPrefix(m.Name, mapPrefix); ok {
			bit, _ = strconv.Atoi(text)
		}
		if bit < 0 || bit > 31 || found[bit] != nil {
			w.lost["map "+m.Name]++
			continue
		}
		found[bit], mask = m, mask|1<<bit
	}
	dst = binary.BigEndian.AppendUint32(dst, mask)
	for _, m := range found {
		if m != nil {
			size := int(m.Form &^ voxel.MapStraddle)
			dst = binary.AppendUvarint(dst, uint64(block.Longs(block.MapCells, size, false)))
			dst = block.AppendLongs(dst, m.Values[:], size, false)
		}
	}
	return dst
}

// Abort gives up. Nothing has been written.
func (w *writer) Abort() error { return nil }

// Close writes the file.
func (w *writer) Close() error {
	low, high := math.MaxInt8, math.MinInt8
	for _, e := range w.columns {
		for y := range e.sections {
			low, high = min(low, y), max(high, y)
		}
	}
	if low > high {
		low, high = 0, 0
	}
	raw := []byte{byte(low), byte(high)}
	if w.version >= worldData {
		raw = appendBytes(raw, w.user)
	}
	raw = binary.AppendUvarint(raw, uint64(len(w.columns)))
	for _, pos := range slices.SortedFunc(maps.Keys(w.columns), geom.ColumnPos.Compare) {
		raw = binary.AppendUvarint(binary.AppendUvarint(raw, uint64(uint32(pos.X))), uint64(uint32(pos.Z)))
		e := w.columns[pos]
		for y := low; y <= high; y++ {
			if b := e.sections[y]; b != nil {
				raw = append(raw, b...)
			} else {
				raw = append(raw, 1)
			}
		}
		raw = append(raw, e.rest...)
	}
	if len(raw) > math.MaxInt32 {
		return fmt.Errorf("polar: write: %d bytes of content, at most %d: %w", len(raw), math.MaxInt32, format.ErrHolds)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
	if err != nil {
		return fmt.Errorf("polar: write: %w", err)
	}
	defer enc.Close()
	if _, err := w.out.Write(enc.EncodeAll(raw, w.header(len(raw)))); err != nil {
		return fmt.Errorf("polar: write: %w", err)
	}
	return nil
}

// header returns what is in front of the frame.
func (w *writer) header(raw int) []byte {
	dst := binary.BigEndian.AppendUint16([]byte(magic), uint16(w.version))
	data := cmp.Or(w.data, w.o.DataVersion)
	if w.version >= withData {
		dst = binary.AppendUvarint(dst, uint64(data))
	} else if data != dataVersions[w.version] {
		w.lost["data version"]++
	}
	return binary.AppendUvarint(append(dst, 1), uint64(raw))
}
