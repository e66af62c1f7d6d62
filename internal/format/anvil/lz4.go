package anvil

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/linear"
	"github.com/pierrec/lz4/v4"
)

// The stream of net.jpountz.lz4.LZ4BlockOutputStream, which is not the frame
// format of LZ4: blocks of a magic, a token, two lengths and a checksum, all
// little-endian, then the data; a block of length 0 ends it.
const (
	lz4Magic  = "LZ4Block"
	lz4Header = len(lz4Magic) + 1 + 3*4
	lz4Raw    = 0x10
	lz4Packed = 0x20
	lz4Seed   = 0x9747B28C
)

var errLZ4Block = errors.New("lz4: damaged block")

// inflateLZ4 appends to dst what src holds; rest counts the bytes behind it.
func inflateLZ4(dst, src []byte) (out []byte, rest int, err error) {
	start := len(dst)
	for {
		if len(src) < lz4Header {
			return dst, 0, fmt.Errorf("lz4: %w", io.ErrUnexpectedEOF)
		}
		if string(src[:len(lz4Magic)]) != lz4Magic {
			return dst, 0, fmt.Errorf("%w: magic %q", errLZ4Block, src[:len(lz4Magic)])
		}
		token, h := src[len(lz4Magic)], src[len(lz4Magic)+1:lz4Header]
		size, raw := int(int32(binary.LittleEndian.Uint32(h))), int(int32(binary.LittleEndian.Uint32(h[4:])))
		src = src[lz4Header:]
		switch {
		case size == 0 && raw == 0:
			return dst, len(src), nil
		case size <= 0 || raw <= 0 || raw > 1<<(10+token&15):
			return dst, 0, fmt.Errorf("%w: lengths %d and %d", errLZ4Block, size, raw)
		case size > len(src):
			return dst, 0, fmt.Errorf("lz4: %w", io.ErrUnexpectedEOF)
		case len(dst)-start+raw > maxRaw:
			return dst, 0, errTooLarge
		}
		if dst, err = inflateBlock(dst, src[:size], token, raw, binary.LittleEndian.Uint32(h[8:])); err != nil {
			return dst, 0, err
		}
		src = src[size:]
	}
}

// inflateBlock appends the raw bytes of one block. LZ4 packs at most 255 to 1,
// so that a claim beyond it is not believed.
func inflateBlock(dst, src []byte, token byte, raw int, sum uint32) ([]byte, error) {
	at := len(dst)
	switch token & 0xF0 {
	case lz4Raw:
		if len(src) != raw {
			return dst, fmt.Errorf("%w: lengths %d and %d", errLZ4Block, len(src), raw)
		}
		dst = append(dst, src...)
	case lz4Packed:
		if raw/255 > len(src) {
			return dst, fmt.Errorf("%w: lengths %d and %d", errLZ4Block, len(src), raw)
		}
		dst = slices.Grow(dst, raw)[:at+raw]
		n, err := lz4.UncompressBlock(src, dst[at:])
		if err != nil || n != raw {
			return dst[:at], fmt.Errorf("%w: %d of %d bytes (%v)", errLZ4Block, n, raw, err)
		}
	default:
		return dst, fmt.Errorf("%w: token %#x", errLZ4Block, token)
	}
	if got := linear.XXH32(dst[at:], lz4Seed) & 0x0FFFFFFF; got != sum {
		return dst[:at], fmt.Errorf("%w: checksum %#x, want %#x", errLZ4Block, got, sum)
	}
	return dst, nil
}
