package anvil

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
)

const (
	// maxRaw bounds the tags of one chunk.
	maxRaw = 64 << 20
	// maxStored bounds the compressed bytes of one chunk.
	maxStored = 64 << 20
)

// The types of compression of a stored chunk, and the bit of one whose payload
// is a file of its own.
const (
	typeGzip     = 1
	typeZlib     = 2
	typeNone     = 3
	typeLZ4      = 4
	typeCustom   = 127
	typeExternal = 0x80
)

var errTooLarge = fmt.Errorf("more than %d bytes of tags", maxRaw)

// inflater decompresses chunks. It keeps its readers for the next chunk.
type inflater struct {
	src   bytes.Reader
	flate io.ReadCloser
	gzip  *gzip.Reader
}

// inflate appends the decompressed payload to dst. kind is the type of compression. rest counts
// the bytes of payload after the compressed data.
func (f *inflater) inflate(dst []byte, kind byte, payload []byte) (out []byte, rest int, err error) {
	switch kind {
	case typeGzip:
		dst, err = f.inflateGzip(dst, payload)
		return dst, f.src.Len(), err
	case typeZlib:
		dst, err = f.inflateZlib(dst, payload)
		return dst, f.src.Len(), err
	case typeNone:
		if len(payload) > maxRaw {
			return dst, 0, errTooLarge
		}
		return append(dst, payload...), 0, nil
	case typeLZ4:
		return inflateLZ4(dst, payload)
	case typeCustom:
		return dst, 0, fmt.Errorf("compressed by %s: only its own server can decompress it", customID(payload))
	}
	return dst, 0, fmt.Errorf("unknown compression %d", kind)
}

// customID returns the quoted name that a payload of typeCustom begins with.
func customID(payload []byte) string {
	if len(payload) >= 2 {
		if n := int(binary.BigEndian.Uint16(payload)); n <= len(payload)-2 {
			return fmt.Sprintf("%q", payload[2:2+n])
		}
	}
	return "a nameless algorithm"
}

func (f *inflater) inflateGzip(dst, payload []byte) (_ []byte, err error) {
	f.src.Reset(payload)
	if f.gzip == nil {
		f.gzip, err = gzip.NewReader(&f.src)
	} else {
		err = f.gzip.Reset(&f.src)
	}
	if err != nil {
		f.gzip = nil
		return dst, fmt.Errorf("gzip: %w", noEOF(err))
	}
	f.gzip.Multistream(false)
	return readAll(dst, f.gzip, len(payload))
}

// readAll appends all of r, which has size compressed bytes: room is made by
// doubling, so that a lie about the size costs nothing.
func readAll(dst []byte, r io.Reader, size int) ([]byte, error) {
	start := len(dst)
	dst = slices.Grow(dst, min(4*size, maxRaw)+512)
	for {
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, len(dst))
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		switch {
		case len(dst)-start > maxRaw:
			return dst, errTooLarge
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst, fmt.Errorf("compressed bytes: %w", noEOF(err))
		}
	}
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
