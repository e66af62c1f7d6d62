package luanti

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unsafe"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// coder reads or writes a map block, so that one description serves both. What is coded is read into its operand, or
// appended. After an error, which sticks, nothing is read.
type coder struct {
	writes bool
	b      []byte
	off    int // of the next byte that is read
	part   string
	err    error
}

// fail notes an error at a place, unless there is one.
func (c *coder) fail(off int, err error) {
	if c.err == nil {
		c.err = corrupt(off, c.part, err)
	}
}

// bytes codes n bytes.
func (c *coder) bytes(v *[]byte, n int) {
	switch {
	case c.writes:
		c.b = append(c.b, *v...)
	case n > len(c.b)-c.off:
		c.fail(c.off, io.ErrUnexpectedEOF)
	case c.err == nil:
		*v = c.b[c.off : c.off+n : c.off+n]
		c.off += n
	}
}

// number codes a number, big-endian.
func number[T uint8 | uint16 | uint32 | int32](c *coder, v *T) {
	var buf [4]byte
	b := buf[:unsafe.Sizeof(*v)]
	for i := range b {
		b[i] = byte(uint32(*v) >> (8 * (len(b) - 1 - i)))
	}
	if c.bytes(&b, len(b)); c.writes || c.err != nil {
		return
	}
	var n uint32
	for _, x := range b {
		n = n<<8 | uint32(x)
	}
	*v = T(n)
}

// must codes a byte that has only one value.
func (c *coder) must(v uint8, what string) {
	got := v
	if number(c, &got); got != v {
		c.fail(c.off-1, fmt.Errorf("%s of %d, not %d", what, got, v))
	}
}

// text codes bytes behind their number.
func text[N uint16 | uint32](c *coder, v *[]byte, n N) {
	n = N(len(*v))
	number(c, &n)
	c.bytes(v, int(n))
}

// list codes elements behind their number.
func list[E any, N uint16 | uint32](c *coder, s *[]E, n N, element func(*E)) {
	n = N(len(*s))
	number(c, &n)
	for i := 0; i < int(n) && c.err == nil; i++ {
		if !c.writes {
			*s = append(*s, *new(E))
		}
		element(&(*s)[i])
	}
}

// end reports what is wrong, also if bytes are left.
func (c *coder) end() error {
	if !c.writes && c.off != len(c.b) {
		c.fail(c.off, errors.New("bytes behind the end"))
	}
	return c.err
}

// Bounds of what compressed bytes unpack to. The nodes alone are 400 times as long as the smallest map block.
const (
	maxUnpacked  = 8 << 20
	minUnpacked  = 128 << 10
	unpackedEach = 512 // for each byte
)

// packer packs and unpacks. max bounds what bytes unpack to.
type packer struct {
	dec *zstd.Decoder
	enc *zstd.Encoder
	z   *zlib.Writer
	uz  io.ReadCloser // nil, or a zlib.Resetter
	max int64
	buf []byte
}

func newPacker(max int64) (*packer, error) {
	if max <= 0 || max > maxUnpacked {
		max = maxUnpacked
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxUnpacked))
	return &packer{dec: dec, enc: enc, z: zlib.NewWriter(io.Discard), max: max}, err
}

// limit is what so many bytes may unpack to.
func (p *packer) limit(n int) int { return int(min(p.max, minUnpacked+unpackedEach*int64(n))) }

// unzstd unpacks a frame until the next call.
func (p *packer) unzstd(b []byte) ([]byte, error) {
	n := p.limit(len(b))
	p.buf = slices.Grow(p.buf[:0], n)
	return p.dec.DecodeAll(b, p.buf[:0:n])
}

// unzlib unpacks the stream at the start of b, which has so many bytes.
func (p *packer) unzlib(b []byte) (out []byte, size int, err error) {
	src := bytes.NewReader(b)
	if p.uz == nil {
		p.uz, err = zlib.NewReader(src)
	} else {
		err = p.uz.(zlib.Resetter).Reset(src, nil)
	}
	if err == nil {
		n := p.limit(len(b))
		if out, err = io.ReadAll(io.LimitReader(p.uz, int64(n)+1)); err == nil && len(out) > n {
			err = fmt.Errorf("unpacks to more than %d bytes", n)
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return out, len(b) - src.Len(), err
}

// packed codes what is a stream of zlib of its own. It returns the bytes that it unpacks to.
func (p *packer) packed(c *coder, part string, f func(*coder)) int {
	c.part = part
	inner := &coder{writes: c.writes, part: part}
	if c.writes {
		f(inner)
		var out bytes.Buffer // takes all
		p.z.Reset(&out)
		p.z.Write(inner.b)
		p.z.Close()
		c.b = append(c.b, out.Bytes()...)
		return len(inner.b)
	}
	if c.err != nil {
		return 0
	}
	b, size, err := p.unzlib(c.b[c.off:])
	if err != nil {
		c.fail(c.off, err)
		return 0
	}
	c.off += size
	inner.b = b
	f(inner)
	c.err = inner.end()
	return len(b)
}
