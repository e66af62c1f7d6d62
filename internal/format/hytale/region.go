package hytale

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zstd"
)

// The header of a region file, an IndexedStorage.
const (
	regionMagic   = "HytaleIndexedStorage"
	regionVersion = 1
	regionExt     = ".region.bin"
	blobs         = 1024 // the chunks of a region
	segmentSize   = 4096 // of files that are written
	tableAt       = len(regionMagic) + 12
	headerSize    = tableAt + 4*blobs
	blobHeader    = 8
)

const (
	// maxChunk bounds the document of a chunk. One of 64 sections full of light takes less.
	maxChunk = 64 << 20
	// maxRegion is the greatest coordinate of a region whose columns are in range.
	maxRegion = geom.MaxChunk >> 5
)

// isRegion reports whether head is how a region file begins.
func isRegion(head []byte) bool { return bytes.HasPrefix(head, []byte(regionMagic)) }

// parseRegionName returns the coordinates in a name like "-1.2.region.bin".
func parseRegionName(name string) (x, z int32, ok bool) {
	name, ok = strings.CutSuffix(name, regionExt)
	first, second, two := strings.Cut(name, ".")
	coord := func(s string, to *int32) {
		v, err := strconv.Atoi(s)
		*to = int32(v)
		ok = ok && two && err == nil && strconv.Itoa(v) == s && v >= -maxRegion && v < maxRegion
	}
	coord(first, &x)
	coord(second, &z)
	return x, z, ok
}

func regionName(x, z int32) string { return fmt.Sprintf("%d.%d%s", x, z, regionExt) }

// blobOf returns the number of a chunk in its region.
func blobOf(x, z int32) int { return int(z&31<<5 | x&31) }

// region is an open region file.
type region struct {
	src     io.ReaderAt
	size    int64
	segment int64
	first   [blobs]uint32
}

func openRegion(src io.ReaderAt, size int64) (*region, error) {
	head := make([]byte, headerSize)
	n, err := src.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if head = head[:n]; n < tableAt {
		return nil, corrupt(n, "region header", io.ErrUnexpectedEOF)
	}
	be := binary.BigEndian
	numbers := head[len(regionMagic):]
	version, count, segment := be.Uint32(numbers), be.Uint32(numbers[4:]), be.Uint32(numbers[8:])
	switch {
	case !isRegion(head):
		return nil, corrupt(0, "region header", errors.New("no IndexedStorage"))
	case version != regionVersion:
		return nil, corrupt(len(regionMagic), "region header", fmt.Errorf("version %d; known is %d", version, regionVersion))
	case count != blobs:
		return nil, corrupt(len(regionMagic)+4, "region header", fmt.Errorf("%d blobs, not %d", count, blobs))
	case segment < 64 || segment > 1<<20:
		return nil, corrupt(len(regionMagic)+8, "region header", fmt.Errorf("segments of %d bytes", segment))
	case n < headerSize:
		return nil, corrupt(n, "region header", io.ErrUnexpectedEOF)
	}
	g := &region{src: src, size: size, segment: int64(segment)}
	for i := range g.first {
		g.first[i] = be.Uint32(head[tableAt+4*i:])
	}
	return g, nil
}

// stored returns a blob as it is stored, with its two lengths, nil if there is none. It uses buf.
func (g *region) stored(blob int, buf []byte) ([]byte, error) {
	if g.first[blob] == 0 {
		return nil, nil
	}
	at := int64(headerSize) + (int64(g.first[blob])-1)*g.segment
	var head [blobHeader]byte
	if _, err := g.src.ReadAt(head[:], at); err != nil {
		return nil, fileError(at, err)
	}
	packed := int64(binary.BigEndian.Uint32(head[4:]))
	if packed > g.size-at-blobHeader || packed > maxChunk {
		return nil, fileError(at+4, fmt.Errorf("a blob of %d bytes: %w", packed, io.ErrUnexpectedEOF))
	}
	buf = slices.Grow(buf[:0], int(packed)+blobHeader)[:packed+blobHeader]
	if _, err := g.src.ReadAt(buf, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, fileError(at, err)
	}
	return buf, nil
}

func fileError(at int64, err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return corrupt(int(min(at, math.MaxInt)), "blob", err)
}

// inflater unpacks blobs.
type inflater struct {
	dec *zstd.Decoder
	max int64
	buf []byte
}

func newInflater(max int64) (*inflater, error) {
	if max <= 0 || max > maxChunk {
		max = maxChunk
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(uint64(maxChunk)))
	return &inflater{dec: dec, max: max}, err
}

// inflate returns the document in a blob, until the next call.
func (f *inflater) inflate(stored []byte) ([]byte, error) {
	n := int64(binary.BigEndian.Uint32(stored))
	if n > f.max {
		return nil, corrupt(0, "blob", fmt.Errorf("%d bytes claim to unpack to %d; the limit is %d", len(stored), n, f.max))
	}
	f.buf = slices.Grow(f.buf[:0], int(n))
	out, err := f.dec.DecodeAll(stored[blobHeader:], f.buf[:0:n])
	if err == nil && int64(len(out)) != n {
		err = fmt.Errorf("unpacks to %d bytes, not to %d", len(out), n)
	}
	if err != nil {
		return nil, corrupt(blobHeader, "blob", err)
	}
	return out, nil
}
