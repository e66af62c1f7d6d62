package exr_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/exr"
)

// TestRefused spoils a file of two tiles, and looks at what is said of it.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		spoil      func(b []byte) []byte
		want       string // of the error; "~" before it: the file is right, but not supported
	}{
		{"no file", "ids-zip", func(b []byte) []byte { return nil }, "ends too early"},
		{"another file", "ids-zip", func(b []byte) []byte { return []byte("II*\x00....................") }, "it begins with"},
		{"version 3", "ids-zip", set(4, 3), "~version 0x3"},
		{"an unknown flag", "ids-zip", set(6, 1), "~version 0x10002"},
		{"deep data", "ids-zip", set(5, 8), "~deep data"},
		{"tiles without a size", "ids-zip", set(5, 2), "the size of tiles is missing"},
		{"compression 10", "ids-zip", value("compression", 0, 10), "~compression 10"},
		{"a subsampled channel", "ids-zip", value("channels", 11, 2), "~subsampled"},
		{"a type of numbers", "ids-zip", value("channels", 3, 3), "numbers of type 3"},
		{"no channel", "ids-zip", value("channels", 0, 0), "pixels of 0 channels"},
		{"two channels of one name", "tiles-zip", value("channels", 18, 'B'), "two channels"},
		{"a long name", "ids-zip", func(b []byte) []byte { return append(b[:8:8], bytes.Repeat([]byte("a"), 300)...) }, "255 bytes"},
		{"no pixels", "ids-zip", value("dataWindow", 8, 0xFF, 0xFF, 0xFF, 0xFF), "0 x 20 pixels"},
		{"many pixels", "ids-zip", value("dataWindow", 8, 0, 0, 0, 0x7F), "2130706433 x 20 pixels"},
		{"large blocks", "tiles-dwab", value("dataWindow", 8, 0xFF, 0xFF, 0x0F, 0, 0xFF, 0xFF, 0x0F, 0), "table of offsets"},
		{"larger blocks", "lines-dwab", value("dataWindow", 8, 0xFF, 0xFF, 0x0F, 0, 0xFF, 0xFF, 0x0F, 0), "blocks of 1048576 x 256 pixels"},
		{"many chunks", "ids-zip", value("dataWindow", 12, 0xFF, 0xFF, 0x0F, 0), "ends too early"},
		{"tiles of nothing", "tiles-zip", value("tiles", 0, 0), "tiles of 0 x 64 pixels"},
		{"a mode of levels", "tiles-zip", value("tiles", 8, 3), "levels of mode 0x3"},
		{"a short attribute", "ids-zip", func(b []byte) []byte {
			at := bytes.Index(b, []byte("compression\x00compression\x00")) + 24
			return append(append(b[:at:at], 0, 0, 0, 0), b[at+5:]...)
		}, "ends too early"},
		{"a negative attribute", "ids-zip", func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[bytes.Index(b, []byte("lineOrder\x00lineOrder\x00"))+20:], 1<<31)
			return b
		}, "ends too early"},
		{"no offset", "ids-zip", table(0), "chunk 0 at byte 0"},
		{"an offset behind the end", "ids-zip", table(1 << 40), "chunk 0 at byte"},
		{"a negative offset", "ids-zip", table(1 << 63), "chunk 0 at byte -"},
		{"the offset of another chunk", "ids-zip", func(b []byte) []byte { return table(binary.LittleEndian.Uint64(b[tableAt(b)+8:]))(b) }, "it begins with"},
		{"a chunk of nothing", "ids-zip", size(0), "has 0 of at most"},
		{"a negative chunk", "ids-zip", size(1 << 31), "has -2147483648 of at most"},
		{"a chunk as large as never", "ids-zip", size(4*11*16 + 1), "has 705 of at most 704"},
		{"a chunk over the end", "ids-zip", table(1239), "ends too early"},
		{"how many chunks", "parts", func(b []byte) []byte {
			at := bytes.LastIndex(b, []byte("chunkCount\x00int\x00"))
			at = bytes.LastIndex(b[:at], []byte("chunkCount\x00int\x00"))
			b[at+19]++
			return b
		}, "7 chunks: want 6"},
		{"less than raw", "lines-none", func(b []byte) []byte {
			at := binary.LittleEndian.Uint64(b[tableAt(b):])
			b[at+4]--
			return b
		}, "want 154"},
		{"a checksum", "tiles-zip", func(b []byte) []byte { b[binary.LittleEndian.Uint64(b[tableAt(b)+8:])-1]++; return b }, "zlib: invalid checksum"},
	} {
		b := tt.spoil(golden(t, tt.file))
		want, unsupported := strings.CutPrefix(tt.want, "~")
		err := readAll(b)
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, raster.ErrUnsupported) != unsupported || errors.As(err, new(*cursor.CorruptError)) == unsupported {
			t.Errorf("%s: %v: want %s", tt.name, err, tt.want)
		}
	}
}

// TestCalls asks for blocks that are not there.
func TestCalls(t *testing.T) {
	im := open(t, golden(t, "tiles-zip"))
	dst := make([]byte, 64*50*6)
	for _, c := range [][3]int{{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 2, 0}, {0, 0, -1}, {0, 0, 1}, {0, 1, 0}} {
		if err := im.ReadBlock(c[0], c[1], c[2], dst); err == nil || errors.As(err, new(*cursor.CorruptError)) {
			t.Errorf("%d: %v", c, err)
		}
	}
	broken := errors.New("a broken disk")
	if _, err := exr.Open(reader{broken}, 1000); !errors.Is(err, broken) || errors.As(err, new(*cursor.CorruptError)) {
		t.Error(err)
	}
}

type reader struct{ err error }

func (r reader) ReadAt([]byte, int64) (int, error) { return 0, r.err }

func set(at int, v byte) func(b []byte) []byte {
	return func(b []byte) []byte { b[at] = v; return b }
}

// value changes bytes of an attribute.
func value(name string, at int, v ...byte) func(b []byte) []byte {
	return func(b []byte) []byte {
		i := bytes.Index(b, []byte(name+"\x00"))
		i += len(name) + 1
		i += bytes.IndexByte(b[i:], 0) + 5
		copy(b[i+at:], v)
		return b
	}
}

// tableAt is where the table of a file of one part lies: its first number is its end.
func tableAt(b []byte) int {
	for i := 8; ; i++ {
		if at := binary.LittleEndian.Uint64(b[i:]); at > uint64(i) && at < uint64(len(b)) && (at-uint64(i))%8 == 0 && b[i-1] == 0 && int(at) < i+1000 {
			return i
		}
	}
}

// table changes the first offset of ids-zip.
func table(v uint64) func(b []byte) []byte {
	return func(b []byte) []byte {
		binary.LittleEndian.PutUint64(b[tableAt(b):], v)
		return b
	}
}

// size changes the size of the first chunk of ids-zip.
func size(v uint32) func(b []byte) []byte {
	return func(b []byte) []byte {
		at := binary.LittleEndian.Uint64(b[tableAt(b):])
		binary.LittleEndian.PutUint32(b[at+4:], v)
		return b
	}
}

func FuzzOpen(f *testing.F) {
	for _, g := range goldens {
		f.Add(golden(f, g.name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		im, err := exr.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		h := im.Header()
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		read := 0
		for l := range h.Levels {
			across, down := h.Blocks(l)
			for i := range min(across*down, 8) {
				s := h.BlockSize(l, i%across, i/across)
				if read += s.Width * s.Height * h.Pixel(); read > 1<<20 {
					return
				}
				one, two := make([]byte, s.Width*s.Height*h.Pixel()), bytes.Repeat([]byte{1}, s.Width*s.Height*h.Pixel())
				err := im.ReadBlock(l, i%across, i/across, one)
				if again := im.ReadBlock(l, i%across, i/across, two); (err == nil) != (again == nil) || err == nil && !bytes.Equal(one, two) {
					t.Fatalf("level %d, block %d: %v, then %v, or other pixels", l, i, err, again)
				}
			}
		}
	})
}
