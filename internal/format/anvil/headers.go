package anvil

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Headers remember the files of a folder as a Read found them, by path. A later Read leaves out the
// columns whose headers are as they were: where each chunk lies, how long it is, and its time stamp. Other files
// are known by their size and time.
type Headers struct {
	regions map[string]*header
	files   map[string]fileSeen
}

// fileSeen is what is remembered of a file without chunks.
type fileSeen struct{ size, modified int64 }

// Len returns how many files are remembered.
func (h *Headers) Len() int { return len(h.regions) + len(h.files) }

// header is what is remembered of a region file.
type header struct {
	dim      string // the dimension it was read as
	modified int64  // time of the file in nanoseconds
	// still says that the file was not so young that a game may have written it again without a new time, and that
	// its time is finer than the seconds of archives. While it has this time, its chunks are as they were.
	still bool
	head  [headerSize]byte
	// seals tell for each chunk whether its header is to be trusted, and are its length and its last bytes, which a
	// compressed chunk has its checksum in. 0 is a chunk that must be read again.
	seals [slots]uint64
}

const (
	// settled is how many seconds a chunk's time stamp must be old when it is read: games before 1.15
	// write in place, and may do so twice in a second.
	settled = 2
	// unsealed is the seal of a chunk without a checksum. It is trusted while the file has its time, if the file is still or that time is later than the chunk's.
	unsealed = 1
)

// sealOf returns the seal of a chunk as it is stored.
func sealOf(raw []byte) uint64 {
	if method := raw[4]; method != typeGzip && method != typeZlib || len(raw) < 5+8 {
		return unsealed
	}
	return (binary.BigEndian.Uint64(raw[len(raw)-8:]) ^ uint64(len(raw))<<32) | 2
}

// slot returns what the header says of a slot.
func slotOf(head *[headerSize]byte, slot int) (place, stamp uint32) {
	return binary.BigEndian.Uint32(head[4*slot:]), binary.BigEndian.Uint32(head[sector+4*slot:])
}

// Since makes Read leave out what is as it was when h was read; Changed tells then what it did not leave
// out. now, in seconds since 1970, is by what time stamps of chunks are old enough to be trusted the next time. h does nothing for a part of a world, and where h has a region file that the folder has not.
func (w *Folder) Since(h *Headers, now int64) {
	w.now = now
	there := map[string]string{}
	for _, r := range w.Regions() {
		there[r.Path] = r.Dimension
	}
	if h == nil || w.Partial() {
		return
	}
	for path, known := range h.regions {
		if dim, ok := there[path]; !ok || dim != known.dim {
			return
		}
	}
	if len(h.regions) > 0 {
		w.known = h
	}
}

// Headers returns what to remember of the last Read.
func (w *Folder) Headers() *Headers { return w.headers }

// Changed returns by dimension the columns that the last Read did not leave out, with those that are gone. ok
// is false if it left out none.
func (w *Folder) Changed() (columns map[string]map[geom.ColumnPos]bool, ok bool) {
	return w.changed, w.known != nil
}

// begin begins to remember the region files of a set.
func (r *reading) begin(set *regionSet, open *[kinds]*region) {
	r.known = [kinds]*header{}
	for kind, path := range set.paths {
		if r.w.known != nil {
			r.known[kind] = r.w.known.regions[path]
		}
		if g := open[kind]; g != nil {
			still := g.modified%1e9 != 0 && g.modified/1e9+settled < r.w.now
			g.now = &header{dim: r.dim.name, modified: g.modified, still: still, head: g.head}
			r.w.headers.regions[path] = g.now
		}
	}
}

// sealed remembers that the chunk of a slot, stored as raw, was read well.
func (r *reading) sealed(g *region, slot int, raw []byte) {
	if stamp := g.stamp(slot); stamp != 0 && int64(stamp)+settled < r.w.now && raw[4]&typeExternal == 0 {
		g.now.seals[slot] = sealOf(raw)
	}
}

// sameSlot reports whether a slot is as it was known. buf is room to read into.
func (g *region) sameSlot(known *header, slot int, buf *[13]byte) bool {
	place, stamp := slotOf(&g.head, slot)
	if was, then := slotOf(&known.head, slot); was != place || then != stamp {
		return false
	}
	seal := known.seals[slot]
	switch {
	case place == 0:
		return true
	case seal == 0 || g.overlap[slot] || place>>8 < 2:
		return false
	case g.modified == known.modified && (known.still || g.modified/1e9 > int64(stamp)+settled):
		return true // the second also of a copy: the file was written after that second
	case seal == unsealed:
		return false
	}
	// Something may have been written into the file without a new time stamp.
	at := int64(place>>8) * sector
	if _, err := g.src.ReadAt(buf[:5], at); err != nil {
		return false
	}
	n := int64(binary.BigEndian.Uint32(buf[:])) + 4
	if n < 13 || n > int64(place&0xFF)*sector {
		return false
	}
	if _, err := g.src.ReadAt(buf[5:], at+n-8); err != nil {
		return false
	}
	return (buf[4] == typeGzip || buf[4] == typeZlib) && (binary.BigEndian.Uint64(buf[5:])^uint64(n)<<32)|2 == seal
}

// nowhere is the header of a region file that is not there.
var nowhere header

// same reports whether a column is as it was in all region files, and remembers it so. Otherwise the column counts as
// changed if it is or was there.
func (r *reading) same(set *regionSet, open *[kinds]*region, slot int) bool {
	if r.w.known == nil {
		return false
	}
	var buf [13]byte
	same, there := true, false
	for kind, g := range open {
		known := cmp.Or(r.known[kind], &nowhere)
		place, stamp := slotOf(&known.head, slot)
		gone := place|stamp != 0
		there = there || gone
		if g != nil {
			there = there || !g.absent(slot) || g.stamp(slot) != 0
			same = same && g.sameSlot(known, slot, &buf)
		} else {
			same = same && !gone
		}
	}
	switch {
	case !there:
	case same:
		for kind, g := range open {
			if g != nil && r.known[kind] != nil {
				g.now.seals[slot] = r.known[kind].seals[slot]
			}
		}
		r.w.stats.Unchanged++
	default:
		if r.w.changed[r.dim.name] == nil {
			r.w.changed[r.dim.name] = map[geom.ColumnPos]bool{}
		}
		r.w.changed[r.dim.name][geom.ColumnPos{X: set.x<<5 | int32(slot&31), Z: set.z<<5 | int32(slot>>5)}] = true
	}
	return same
}

// headersMagic begins headers as bytes. It changes when Read reads anything else out of the same chunks.
const headersMagic = "headers of region files 3\n"

// Append appends the headers to b.
func (h *Headers) Append(b []byte) []byte {
	b = append(b, headersMagic...)
	text := func(s string) { b = append(binary.LittleEndian.AppendUint16(b, uint16(len(s))), s...) }
	b = binary.LittleEndian.AppendUint32(b, uint32(len(h.files)))
	for _, path := range slices.Sorted(maps.Keys(h.files)) {
		f := h.files[path]
		text(path)
		b = binary.LittleEndian.AppendUint64(b, uint64(f.size))
		b = binary.LittleEndian.AppendUint64(b, uint64(f.modified))
	}
	for _, path := range slices.Sorted(maps.Keys(h.regions)) {
		g := h.regions[path]
		text(path)
		text(g.dim)
		b = binary.LittleEndian.AppendUint64(b, uint64(g.modified))
		still := byte(0)
		if g.still {
			still = 1
		}
		b = append(append(b, still), g.head[:]...)
		for _, seal := range g.seals {
			b = binary.LittleEndian.AppendUint64(b, seal)
		}
	}
	return b
}

// ParseHeaders is the inverse of Append.
func ParseHeaders(b []byte) (*Headers, error) {
	c := cursor.New(b, "headers")
	if c.Magic(headersMagic); c.Err() != nil {
		return nil, errors.New("anvil: headers of another version")
	}
	text := func() string { return string(c.Bytes(int(c.Uint16()))) }
	h := &Headers{regions: map[string]*header{}, files: map[string]fileSeen{}}
	for n := c.Uint32(); n > 0 && c.Err() == nil; n-- {
		path := text()
		h.files[path] = fileSeen{size: int64(c.Uint64()), modified: int64(c.Uint64())}
	}
	for c.Left() > 0 {
		path := text()
		g := &header{dim: text(), modified: int64(c.Uint64()), still: c.Flag()}
		copy(g.head[:], c.Bytes(headerSize))
		for i := range g.seals {
			g.seals[i] = c.Uint64()
		}
		h.regions[path] = g
	}
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("anvil: %w", err)
	}
	return h, nil
}
