// Package schematics writes a part of a stored world as a folder of chunk schematics, and brings the
// blocks of such a folder back.
//
// The folder is an arena as the plugin Gaia keeps it: a box, and of each column of 16x16 blocks that it
// touches a Sponge schematic, c.X.Z.schem; meta.json names their boxes and checksums. The facts are
// those of FileStorage and of the adapters of its 2.x versions.
package schematics

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/format/sponge"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

const (
	metaName    = "meta.json"
	metaVersion = 2
	// What a folder may hold.
	maxMeta    = 16 << 20 // bytes of meta.json
	maxSchem   = 64 << 20 // bytes of a schematic, and of its clip in memory
	maxColumns = 1 << 16
)

// castagnoli is the table of the checksums: CRC-32C of the compressed file.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// corner is a corner of a box in meta.json: x, y, z. Both corners belong to the box.
type corner [3]int

func (c corner) point() geom.Point { return geom.Point{X: c[0], Y: c[1], Z: c[2]} }

func cornersOf(b geom.Box) (low, high corner) {
	return corner{b.Min.X, b.Min.Y, b.Min.Z}, corner{b.Max.X - 1, b.Max.Y - 1, b.Max.Z - 1}
}

func boxOf(low, high corner) geom.Box {
	return geom.Box{Min: low.point(), Max: high.point().Add(geom.Point{X: 1, Y: 1, Z: 1})}
}

// meta is meta.json.
type meta struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	Level   string `json:"level"` // the key of the level, such as minecraft:overworld
	Min     corner `json:"min"`
	Max     corner `json:"max"`
	Amount  int    `json:"amount"`
	// Chunks is a list of metaChunk. It is read after its length is checked.
	Chunks json.RawMessage `json:"chunks"`
	Points json.RawMessage `json:"points"` // x, y, z, yaw, pitch of places for players; not read
	chunks []metaChunk
}

type metaChunk struct {
	Min      corner `json:"min"`
	Max      corner `json:"max"`
	Checksum string `json:"checksum"` // hex
}

// file returns the name of the schematic.
func (c *metaChunk) file() string {
	return fmt.Sprintf("c.%d.%d.schem", geom.FloorDiv(c.Min[0], geom.ColumnEdge), geom.FloorDiv(c.Min[2], geom.ColumnEdge))
}

// wrongArea is an arena.ErrArea.
type wrongArea struct{ error }

func (e wrongArea) Is(target error) bool { return target == arena.ErrArea }

// Write writes a box of a dimension of a stored version as a folder of chunk schematics, blocks
// with their block entities. create makes a file; name is that of the arena, which Gaia
// wants to be that of the folder. Of the area only the bounds of the region count. It adds what schematics do not hold to lost.
func Write(ctx context.Context, s *world.Snapshot, a arena.Area, name string, create func(name string) (io.WriteCloser, error), lost map[string]int) (columns int, err error) {
	if err := a.Check(); err != nil {
		return 0, err
	}
	if a.Region == "" {
		return 0, wrongArea{errors.New("schematics: a folder of them needs a region")}
	}
	r, err := region.Parse(a.Region)
	if err != nil {
		return 0, err
	}
	box, dimension := r.Bounds(), a.Dimension
	if dimension == "" && len(s.About().Dimensions) > 0 {
		dimension = s.About().Dimensions[0].Name
	}
	boxes := columnsOf(box)
	if len(boxes) == 0 || len(boxes) > maxColumns {
		return 0, wrongArea{fmt.Errorf("schematics: a folder has 1 to %d columns; the region has other bounds: %v", maxColumns, box)}
	}
	m := meta{Version: metaVersion, Name: name, Level: dimension, Amount: len(boxes), Points: json.RawMessage("[]")}
	if !strings.Contains(m.Level, ":") {
		m.Level = "minecraft:" + m.Level
	}
	m.Min, m.Max = cornersOf(box)
	for _, b := range boxes {
		c := metaChunk{}
		c.Min, c.Max = cornersOf(b)
		var out bytes.Buffer
		if err := writeColumn(ctx, s, dimension, b, &out, lost); err != nil {
			return 0, fmt.Errorf("schematics: %s: %w", c.file(), err)
		}
		c.Checksum = strings.ToUpper(strconv.FormatUint(uint64(crc32.Checksum(out.Bytes(), castagnoli)), 16))
		if err := writeFile(create, c.file(), out.Bytes()); err != nil {
			return 0, err
		}
		m.chunks = append(m.chunks, c)
	}
	text, err := json.Marshal(m.chunks)
	if err == nil {
		m.Chunks = text
		text, err = json.MarshalIndent(m, "", "  ")
	}
	if err != nil {
		return 0, err
	}
	return len(boxes), writeFile(create, metaName, append(text, '\n'))
}

// columnsOf cuts a box into columns of 16x16 blocks, nil if there are too many.
func columnsOf(b geom.Box) (out []geom.Box) {
	const edge = geom.ColumnEdge
	size := b.Size()
	if b.Empty() || size.X/edge > maxColumns || size.Z/edge > maxColumns || (size.X/edge+2)*(size.Z/edge+2) > 2*maxColumns {
		return nil
	}
	for z := geom.FloorDiv(b.Min.Z, edge); z*edge < b.Max.Z; z++ {
		for x := geom.FloorDiv(b.Min.X, edge); x*edge < b.Max.X; x++ {
			out = append(out, b.Intersect(geom.Box{
				Min: geom.Point{X: x * edge, Y: b.Min.Y, Z: z * edge},
				Max: geom.Point{X: (x + 1) * edge, Y: b.Max.Y, Z: (z + 1) * edge},
			}))
		}
	}
	return out
}

func writeColumn(ctx context.Context, s *world.Snapshot, dimension string, b geom.Box, out io.Writer, lost map[string]int) error {
	c, err := port.Clip(ctx, s, dimension, b)
	if err != nil {
		return err
	}
	for name, n := range c.Lost {
		lost[name] += n
	}
	c.Biome = nil
	c.Lists = slices.DeleteFunc(c.Lists, func(l voxel.List) bool {
		if l.Name != voxel.BlockEntities {
			lost[l.Name] += len(l.Objects)
		}
		return l.Name != voxel.BlockEntities
	})
	in := b.Min.InChunk()
	c.Offset = geom.Point{X: in.X % geom.ColumnEdge, Y: in.Y % geom.ColumnEdge, Z: in.Z % geom.ColumnEdge}
	more, err := sponge.Write(out, c, clip.WriteOptions{Version: 3})
	for name, n := range more {
		lost[name] += n
	}
	return err
}

func writeFile(create func(name string) (io.WriteCloser, error), name string, content []byte) error {
	f, err := create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// FileError says that a schematic of a folder could not be read or pasted.
type FileError struct {
	File string
	Err  error
}

func (e *FileError) Error() string { return "schematics: " + e.File + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *FileError) Unwrap() error { return e.Err }

// Restore writes the blocks of a folder of chunk schematics, which a Gaia server or
// Write wrote, into a world that nobody else changes. The mask of the area says which
// cells may change; a region is not taken. It holds one schematic in memory at a time. One that
// is damaged is reported and the rest goes on: failed are those errors, by file.
func Restore(ctx context.Context, dir fs.FS, w *world.World, st history.Store, a arena.Area, show func(edit.Progress)) (p edit.Progress, failed []*FileError, err error) {
	if a.Region != "" {
		return p, nil, wrongArea{errors.New("schematics: a folder is restored whole, without a region")}
	}
	m, err := readMeta(dir)
	if err != nil {
		return p, nil, err
	}
	a.Dimension = cmp.Or(a.Dimension, m.dimension(w))
	_, within, mask, err := a.In(ctx, st, w)
	if err != nil {
		return p, nil, err
	}
	if within != nil {
		return p, nil, wrongArea{fmt.Errorf("schematics: mask %q: a folder takes masks of names", a.Mask)}
	}
	at := &edit.Arena{World: w, Dimension: a.Dimension}
	p.Chunks = len(m.chunks)
	for i := range m.chunks {
		c := &m.chunks[i]
		piece, err := c.read(dir)
		if err == nil {
			var did edit.Status
			did, err = edit.Do(ctx, at, &edit.Paste{Clip: piece, At: c.Min.point(), Mask: mask, Objects: len(piece.Lists) > 0})
			p.Cells += did.Cells
		}
		switch {
		case ctx.Err() != nil:
			return p, failed, ctx.Err()
		case err != nil:
			failed = append(failed, &FileError{c.file(), err})
			p.Failed++
		}
		p.Done++
		if show != nil {
			show(p)
		}
	}
	return p, failed, nil
}

// readMeta reads meta.json and checks it.
func readMeta(dir fs.FS) (*meta, error) {
	text, err := readBounded(dir, metaName, maxMeta)
	if err != nil {
		return nil, fmt.Errorf("schematics: %w", err)
	}
	m := new(meta)
	err = json.Unmarshal(text, m)
	if err == nil && bytes.Count(m.Chunks, []byte("{")) > maxColumns {
		err = fmt.Errorf("more than %d chunks", maxColumns)
	}
	if err == nil {
		err = json.Unmarshal(m.Chunks, &m.chunks)
	}
	if err != nil {
		return nil, fmt.Errorf("schematics: %s: %w", metaName, err)
	}
	fault := func(format string, args ...any) (*meta, error) {
		return nil, fmt.Errorf("schematics: %s: %s", metaName, fmt.Sprintf(format, args...))
	}
	switch {
	case m.Version != metaVersion:
		return fault("version %d, want %d", m.Version, metaVersion)
	case m.Amount != len(m.chunks):
		return fault("%d chunks, and amount %d", len(m.chunks), m.Amount)
	}
	for _, c := range [...]corner{m.Min, m.Max} {
		if err := c.point().Check(); err != nil {
			return fault("%v", err)
		}
	}
	seen := make(map[string]bool)
	for i := range m.chunks {
		c := &m.chunks[i]
		b := boxOf(c.Min, c.Max)
		if b.Empty() || b.Intersect(boxOf(m.Min, m.Max)) != b || geom.FloorDiv(c.Min[0], geom.ColumnEdge) != geom.FloorDiv(c.Max[0], geom.ColumnEdge) ||
			geom.FloorDiv(c.Min[2], geom.ColumnEdge) != geom.FloorDiv(c.Max[2], geom.ColumnEdge) {
			return fault("chunk %d: %v to %v is not within a column of the arena", i, c.Min, c.Max)
		}
		if seen[c.file()] {
			return fault("chunk %d: a second %s", i, c.file())
		}
		seen[c.file()] = true
	}
	return m, nil
}

// dimension returns the dimension of a world that the level's key names, the first if it
// names none.
func (m *meta) dimension(w *world.World) string {
	for _, d := range w.View().Dimensions() {
		if m.Level == d.Name() || m.Level == "minecraft:"+d.Name() {
			return d.Name()
		}
	}
	if all := w.View().Dimensions(); len(all) > 0 {
		return all[0].Name()
	}
	return ""
}

// read reads the schematic of a chunk.
func (c *metaChunk) read(dir fs.FS) (*clip.Clip, error) {
	file, err := readBounded(dir, c.file(), maxSchem)
	if err != nil {
		return nil, err
	}
	want, err := strconv.ParseUint(c.Checksum, 16, 32)
	if err != nil {
		return nil, fmt.Errorf("checksum %.20q: want up to eight hex digits", c.Checksum)
	}
	if got := crc32.Checksum(file, castagnoli); uint64(got) != want {
		return nil, fmt.Errorf("its checksum is %X, want %X", got, want)
	}
	got, err := sponge.Read(bytes.NewReader(file), int64(len(file)), clip.ReadOptions{MaxBytes: maxSchem})
	if err != nil {
		return nil, err
	}
	if size := boxOf(c.Min, c.Max).Size(); got.Size != size {
		return nil, fmt.Errorf("it has %v blocks, want %v", got.Size, size)
	}
	return got, nil
}

func readBounded(dir fs.FS, name string, most int64) ([]byte, error) {
	switch info, err := fs.Stat(dir, name); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", name)
	case info.Size() > most:
		return nil, fmt.Errorf("%s: %d bytes, at most %d", name, info.Size(), most)
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s: more than %d bytes", name, most)
	}
	return b, err
}
