package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

const (
	earth  = "earth"
	chests = "chests"
	note   = "note"
)

// content is what the model knows of a version of a world: a few boxes, columns and
// files. Versions with the same content are equal.
type content struct {
	Note    uint64 // unique for each commit; 0 before the first
	Cells   [16]uint8
	Columns [4]int32 // versions; 0 for none
	Chests  [4]uint32
	Files   [4]file
}

// file is bytes made from a seed.
type file struct {
	Seed uint64
	Size int // at least 8, or 0 for none
}

func (f file) bytes() []byte {
	if f.Size == 0 {
		return nil
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, f.Size+8), f.Seed)
	rng := rand.NewPCG(f.Seed, 1)
	for len(b) < f.Size {
		b = binary.LittleEndian.AppendUint64(b, rng.Uint64())
	}
	return b[:f.Size]
}

// box returns the box whose cells are all Cells[i].
func box(i int) geom.Box {
	low := geom.Point{X: i%4*40 - 75, Y: i/4%2*40 - 35, Z: i/8*40 - 45}
	return geom.Box{Min: low, Max: low.Add(geom.Point{X: 3 + i*7%30, Y: 3 + i*11%30, Z: 3 + i*5%30})}
}

func cellName(n uint8) string {
	if n == 0 {
		return "air"
	}
	return "stone" + strconv.Itoa(int(n))
}

func columnAt(i int) geom.ColumnPos { return geom.ColumnPos{X: int32(i)*3 - 5, Z: int32(i) % 2} }

// objects returns the chests for the number n. There are none for some values of
// n%4.
func objects(i int, n uint32) (out []voxel.Object) {
	p := columnAt(i)
	for k := range n % 4 {
		out = append(out, voxel.Object{Place: voxel.Indexed, At: geom.Point{X: int(p.X)*16 + int(k), Z: int(p.Z) * 16},
			Payload: fmt.Appendf(nil, "%d:%d", n, k)})
	}
	return out
}

func fileName(i int) string { return fmt.Sprintf("files/%d", i) }

// next returns the content after a commit on c. Some commits have files of at least
// large bytes, so that their stones are files.
func (c content) next(rng *rand.Rand, large int) content {
	c.Note = rng.Uint64() | 1
	for range 1 + rng.IntN(4) {
		switch rng.IntN(8) {
		case 0:
			c.Columns[rng.IntN(len(c.Columns))] = rng.Int32N(4)
		case 1, 2:
			n := rng.Uint32N(1 << 20)
			if n%4 == 0 {
				n = 0
			}
			c.Chests[rng.IntN(len(c.Chests))] = n
		case 3:
			c.Files[rng.IntN(len(c.Files)-1)] = file{rng.Uint64(), 8 + rng.IntN(5000)}
		case 4:
			c.Files[rng.IntN(len(c.Files))] = file{}
		default:
			c.Cells[rng.IntN(len(c.Cells))] = uint8(rng.IntN(20))
		}
	}
	switch rng.IntN(24) {
	case 0, 1:
		c.Files[len(c.Files)-1] = file{rng.Uint64(), large + rng.IntN(large/4)}
	case 2:
		c.Files[0] = file{rng.Uint64(), large/2 + rng.IntN(large/2)}
	}
	return c
}

// write changes a world from old to c.
func (c content) write(tx *world.Tx, old content) error {
	d := tx.Dimension(earth)
	if d == nil {
		d = tx.AddDimension(earth, voxel.BlockVolumes(), nil)
	}
	v := d.Volume(voxel.Block)
	for i, n := range c.Cells {
		if n != old.Cells[i] {
			v.Fill(box(i), v.Named(cellName(n)))
		}
	}
	for i := range c.Columns {
		if c.Columns[i] != old.Columns[i] || c.Chests[i] != old.Chests[i] {
			c.writeColumn(d, i)
		}
	}
	for i, f := range c.Files {
		if f != old.Files[i] {
			tx.SetFile(fileName(i), f.bytes())
		}
	}
	tx.SetProperty(note, strconv.FormatUint(c.Note, 16))
	return nil
}

func (c content) writeColumn(d *world.DimensionTx, i int) {
	pos := columnAt(i)
	if c.Columns[i] == 0 && c.Chests[i] == 0 {
		d.RemoveColumn(pos)
		return
	}
	column, old := voxel.Column{Pos: pos}, d.Column(pos)
	if old != nil {
		column = *old
	}
	if old == nil || column.Version != c.Columns[i] { // objects would make one of the version of others
		column.Version = c.Columns[i]
		d.SetColumn(column)
	}
	d.SetObjects(chests, pos, objects(i, c.Chests[i]))
}

// check returns an error unless the content of the world is c. All of the world must
// be in memory.
func (c content) check(w *world.World) error {
	v := w.View()
	if got, want := v.Property(note), strconv.FormatUint(c.Note, 16); got != want {
		return fmt.Errorf("note %q: want %q", got, want)
	}
	d := v.Dimension(earth)
	if d == nil {
		return errors.New("it has no dimension")
	}
	for i, n := range c.Cells {
		if err := checkBox(d.Volume(voxel.Block), box(i), cellName(n)); err != nil {
			return err
		}
	}
	for i := range c.Columns {
		if err := c.checkColumn(d, i); err != nil {
			return err
		}
	}
	for i, f := range c.Files {
		if err := f.check(w, fileName(i)); err != nil {
			return err
		}
	}
	return nil
}

func checkBox(v *world.Volume, b geom.Box, want string) error {
	cells := make([]voxel.Cell, b.Cells())
	if !v.ReadBox(b, 0, cells) {
		return fmt.Errorf("blocks of %v are not loaded", b)
	}
	for _, c := range cells {
		if c != cells[0] {
			return fmt.Errorf("blocks of %v are in part %q: want %q", b, v.CellName(c), want)
		}
	}
	if got := v.CellName(cells[0]); got != want {
		return fmt.Errorf("blocks of %v are %q: want %q", b, got, want)
	}
	return nil
}

func (c content) checkColumn(d *world.Dimension, i int) error {
	got, ok := d.Column(columnAt(i))
	if !ok {
		return fmt.Errorf("column %v is not loaded", columnAt(i))
	}
	if got == nil {
		got = new(voxel.Column)
	}
	if got.Version != c.Columns[i] {
		return fmt.Errorf("column %v has version %d: want %d", columnAt(i), got.Version, c.Columns[i])
	}
	var have, want []byte
	for _, l := range got.Lists {
		for _, o := range l.Objects {
			have = fmt.Appendf(have, "%s %s %v\n", l.Name, o.Payload, o.At)
		}
	}
	for _, o := range objects(i, c.Chests[i]) {
		want = fmt.Appendf(want, "%s %s %v\n", chests, o.Payload, o.At)
	}
	if !bytes.Equal(have, want) {
		return fmt.Errorf("column %v has %q: want %q", columnAt(i), have, want)
	}
	return nil
}

func (f file) check(w *world.World, name string) error {
	r, err := w.OpenFile(name)
	if err != nil {
		if f.Size == 0 {
			return nil
		}
		return err
	}
	got, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("file %s: %w", name, err)
	}
	if !bytes.Equal(got, f.bytes()) {
		return fmt.Errorf("file %s has %d bytes that are not the %d that were written", name, len(got), f.Size)
	}
	return nil
}

// checkVersion opens a version of a world and compares it with want.
func checkVersion(ctx context.Context, st history.Store, name string, v version) error {
	w, err := world.OpenAt(ctx, st, name, v.ID, world.Options{Whole: true, Parallel: 1})
	if err != nil {
		return err
	}
	return errors.Join(v.Content.check(w), w.Close())
}
