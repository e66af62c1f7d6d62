package anvil

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/linear"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	sector     = 4096
	headerSize = 2 * sector
	slots      = 1024
	// maxCount is the greatest number of sectors that a location can tell. Some
	// servers write it for anything longer and trust the chunk's own length.
	maxCount = 255
)

// region is an open region file. Source: minecraft.wiki/w/Region_file_format.
type region struct {
	path    string
	x, z    int32
	src     io.ReaderAt
	file    io.Closer
	size    int64
	head    [headerSize]byte
	overlap [slots]bool // the slot's sectors belong to another slot too

	linear *linear.Chunks // of a file in Linear's format, with head made of it

	modified int64   // nanoseconds
	now      *header // what is remembered of this Read
}

// parseRegionName returns the coordinates in a name like "r.-1.2.mca".
func parseRegionName(name, ext string) (x, z int32, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 4 || parts[0] != "r" || "."+parts[3] != ext {
		return 0, 0, false
	}
	x, okX := parseCoord(parts[1])
	z, okZ := parseCoord(parts[2])
	return x, z, okX && okZ
}

// parseCoord accepts only numbers as strconv writes them, so that the name can be made again,
// and only regions in the range of columns.
func parseCoord(s string) (int32, bool) {
	const max = geom.MaxChunk * geom.ChunkEdge / (32 * geom.ColumnEdge)
	v, err := strconv.Atoi(s)
	return int32(v), err == nil && strconv.Itoa(v) == s && v >= -max && v < max
}

// openRegion opens a region file. A file shorter than the header is an error
// wrapping io.ErrUnexpectedEOF.
func openRegion(fsys fs.FS, name string, x, z int32) (*region, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	g := &region{path: name, x: x, z: z, file: f}
	if err := g.init(f); err != nil {
		f.Close()
		return nil, err
	}
	return g, nil
}

func (g *region) init(f fs.File) error {
	info, err := f.Stat()
	if err == nil {
		g.modified = info.ModTime().UnixNano()
		g.src, g.size, err = format.ReaderAt(f)
	}
	if err != nil {
		return err
	}
	if slices.Contains(linearExts, path.Ext(g.path)) && g.size > 0 {
		return g.initLinear()
	}
	if _, err := g.src.ReadAt(g.head[:], 0); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("header: %w", err)
	}
	g.markOverlaps()
	return nil
}

// initLinear reads what chunks a file in Linear's format has. Its header is as if each of them were in a sector of its own.
func (g *region) initLinear() (err error) {
	if g.linear, err = linear.Open(g.src, g.size); err != nil {
		return err
	}
	for slot := range slots {
		if g.linear.Sizes[slot] != 0 {
			binary.BigEndian.PutUint32(g.head[4*slot:], uint32(slot+2)<<8|1)
		}
		binary.BigEndian.PutUint32(g.head[sector+4*slot:], g.linear.Stamps[slot])
	}
	return nil
}

// close closes the file.
func (g *region) close() error {
	if g.linear != nil {
		g.linear.Close()
	}
	return g.file.Close()
}

// location returns the first sector and the number of sectors of a slot; both
// are 0 where there is no chunk.
func (g *region) location(slot int) (first int64, count int) {
	v := binary.BigEndian.Uint32(g.head[4*slot:])
	return int64(v >> 8), int(v & 0xFF)
}

func (g *region) absent(slot int) bool {
	return binary.BigEndian.Uint32(g.head[4*slot:]) == 0
}

func (g *region) stamp(slot int) uint32 {
	return binary.BigEndian.Uint32(g.head[sector+4*slot:])
}

// pos returns the column of a slot.
func (g *region) pos(slot int) geom.ColumnPos {
	return geom.ColumnPos{X: g.x<<5 | int32(slot&31), Z: g.z<<5 | int32(slot>>5)}
}

// empty reports whether no slot has a chunk or a stamp.
func (g *region) empty() bool { return g.head == [headerSize]byte{} }

func (g *region) markOverlaps() {
	var used []int
	for i := range slots {
		if first, _ := g.location(i); first >= 2 {
			used = append(used, i)
		}
	}
	slices.SortFunc(used, func(a, b int) int {
		first, _ := g.location(a)
		second, _ := g.location(b)
		return int(first - second)
	})
	var end int64
	widest := -1
	for _, i := range used {
		first, count := g.location(i)
		if widest >= 0 && first < end {
			g.overlap[i], g.overlap[widest] = true, true
		}
		if first+int64(count) > end {
			end, widest = first+int64(count), i
		}
	}
}

// stored reads into buf what a slot holds: the length, the type and the
// payload, as long as the length says.
func (g *region) stored(slot int, buf []byte) ([]byte, error) {
	buf, err := g.sectors(slot, buf)
	if err != nil {
		return buf, err
	}
	length, err := declared(buf)
	if err != nil {
		return buf, err
	}
	return buf[:4+length], nil
}

// declared returns the length that the bytes of a slot begin with.
func declared(buf []byte) (int, error) {
	if len(buf) < 5 {
		return 0, fmt.Errorf("%d bytes, too few for a chunk", len(buf))
	}
	length := int64(binary.BigEndian.Uint32(buf))
	if length < 1 || length > int64(len(buf)-4) {
		return 0, fmt.Errorf("its length is %d, its sectors hold %d bytes", length, len(buf)-4)
	}
	return int(length), nil
}

// raw returns all that lies in a slot's sectors but padding: zeros behind the
// end that its length gives, which may be too short.
func (g *region) raw(slot int, buf []byte) []byte {
	buf, _ = g.sectors(slot, buf) // what the file has counts
	length, err := declared(buf)
	if err != nil {
		return buf
	}
	n := len(bytes.TrimRight(buf, "\x00"))
	return buf[:max(n, 4+length)]
}

// sectors reads into buf the slot's sectors, as far as the file has them. A chunk in Linear's format becomes one of Anvil
// without compression.
func (g *region) sectors(slot int, buf []byte) ([]byte, error) {
	if g.linear != nil {
		doc, err := g.linear.Chunk(slot)
		if err != nil {
			return buf[:0], err
		}
		buf = append(binary.BigEndian.AppendUint32(buf[:0], uint32(len(doc)+1)), typeNone)
		return append(buf, doc...), nil
	}
	first, count := g.location(slot)
	off := first * sector
	switch {
	case first < 2:
		return buf[:0], fmt.Errorf("its first sector is %d, within the header", first)
	case off >= g.size:
		return buf[:0], fmt.Errorf("its first sector is %d, the file has %d", first, (g.size+sector-1)/sector)
	case count == maxCount:
		count = g.countByLength(off)
	}
	n := min(int64(count)*sector, g.size-off)
	buf = slices.Grow(buf[:0], int(n))[:n]
	if got, err := g.src.ReadAt(buf, off); err != nil && !(err == io.EOF && got == len(buf)) {
		return buf[:got], err
	}
	return buf, nil
}

func (g *region) countByLength(off int64) int {
	var b [4]byte
	g.src.ReadAt(b[:], off) // what cannot be read here cannot be read by stored
	count := (int64(binary.BigEndian.Uint32(b[:])) + 4 + sector - 1) / sector
	if count <= maxCount || count > maxStored/sector {
		return maxCount
	}
	return int(count)
}
