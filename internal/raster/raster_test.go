package raster_test

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// TestHalf looks at each half, and at the numbers half way between two.
func TestHalf(t *testing.T) {
	var b [2]byte
	var v, next [1]float32
	for i := range 1 << 16 {
		binary.LittleEndian.PutUint16(b[:], uint16(i))
		raster.Half.Floats(v[:], b[:])
		if got := raster.HalfOf(v[0]); got != uint16(i) && !(v[0] != v[0] && got == uint16(i)|1) {
			t.Fatalf("half %#x is %g, which is half %#x", i, v[0], got)
		}
		if i&0x7FFF >= 0x7C00 {
			continue
		}
		binary.LittleEndian.PutUint16(b[:], uint16(i+1))
		raster.Half.Floats(next[:], b[:])
		if i&0x7FFF == 0x7BFF {
			next[0] = float32(math.Copysign(65536, float64(v[0])))
		}
		middle := (v[0] + next[0]) / 2
		even := uint16(i + i&1)
		if got := raster.HalfOf(middle); got != even {
			t.Fatalf("%g, between halves %#x and %#x, is %#x", middle, i, i+1, got)
		}
		if got := raster.HalfOf(math.Nextafter32(middle, v[0])); got != uint16(i) {
			t.Fatalf("a little less than %g is %#x: want %#x", middle, got, i)
		}
	}
	if v := raster.HalfOf(1e30); v != 0x7C00 {
		t.Errorf("1e30 is half %#x", v)
	}
}

func TestNumbers(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		t         raster.Type
		give, get []float32
	}{
		{raster.Uint8, []float32{0, 1, 0.5, -1, 2, nan}, []float32{0, 1, 128. / 255, 0, 1, 0}},
		{raster.Uint16, []float32{0, 1, 0.25, -1, 2, nan}, []float32{0, 1, 16384. / 65535, 0, 1, 0}},
		{raster.Uint32, []float32{0, 1, 0.25, -1, 2, nan}, []float32{0, 1, 0.25, 0, 1, 0}},
		{raster.Half, []float32{0, 1, 0.1, -2, 65504}, []float32{0, 1, 0.099975586, -2, 65504}},
		{raster.Float, []float32{0, 1, 0.1, -2, 1e30}, []float32{0, 1, 0.1, -2, 1e30}},
	} {
		b := make([]byte, len(c.give)*c.t.Size())
		c.t.Put(b, c.give)
		got := make([]float32, len(c.give))
		c.t.Floats(got, b)
		for i := range got {
			if got[i] != c.get[i] {
				t.Errorf("%v: %g became %g: want %g", c.t, c.give[i], got[i], c.get[i])
			}
		}
	}
}

func TestHeader(t *testing.T) {
	h := raster.Header{
		Levels: []raster.Size{{100, 60}, {50, 30}}, Channels: []string{"R", "G"}, Type: raster.Half, Block: raster.Size{32, 32},
	}
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	if x, y := h.Blocks(0); x != 4 || y != 2 || h.BlockSize(0, 3, 1) != (raster.Size{4, 28}) || h.Pixel() != 4 {
		t.Errorf("%d x %d blocks, the last %v, pixels of %d bytes", x, y, h.BlockSize(0, 3, 1), h.Pixel())
	}
	for name, c := range map[string][4]int{
		"level 1 of 2": {1, 1, 0, 18 * 30 * 4}, "the corner": {0, 3, 1, 4 * 28 * 4},
	} {
		if err := h.CheckBlock(c[0], c[1], c[2], make([]byte, c[3])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string][4]int{
		"level -1": {-1, 0, 0, 4096}, "level 2": {2, 0, 0, 4096}, "column -1": {0, -1, 0, 4096}, "column 4": {0, 4, 0, 4096},
		"row -1": {0, 0, -1, 4096}, "row 2": {0, 0, 2, 4096}, "too few bytes": {0, 0, 0, 4095}, "too many bytes": {0, 3, 1, 4096},
	} {
		if h.CheckBlock(c[0], c[1], c[2], make([]byte, c[3])) == nil {
			t.Errorf("a call for %s: no error", name)
		}
	}
	for name, spoil := range map[string]func(h *raster.Header){
		"no level":         func(h *raster.Header) { h.Levels = nil },
		"an empty level":   func(h *raster.Header) { h.Levels = []raster.Size{{1, 0}} },
		"a huge level":     func(h *raster.Header) { h.Levels = []raster.Size{{raster.MostEdge + 1, 1}} },
		"no channel":       func(h *raster.Header) { h.Channels = nil },
		"many channels":    func(h *raster.Header) { h.Channels = make([]string, raster.MostChannels+1) },
		"an unknown type":  func(h *raster.Header) { h.Type = 5 },
		"blocks of a line": func(h *raster.Header) { h.Block.Height = 0 },
	} {
		bad := h
		spoil(&bad)
		if bad.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// failing is bytes that cannot be read from a place on.
type failing struct {
	strings.Reader
	from int64
}

var errFailing = errors.New("a broken disk")

func (f *failing) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > f.from {
		return 0, errFailing
	}
	return f.Reader.ReadAt(b, at)
}

func TestInput(t *testing.T) {
	corrupt := new(*cursor.CorruptError)
	in := raster.Input{R: strings.NewReader("0123456789"), Size: 10}
	buf := make([]byte, 4)
	if b, err := in.Bytes(buf, "part", 3, 4); err != nil || string(b) != "3456" || &b[0] != &buf[0] {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := in.Bytes(buf, "part", 3, 7); err != nil || string(b) != "3456789" {
		t.Errorf("%q, %v", b, err)
	}
	for _, c := range [][2]int64{{-1, 1}, {0, -1}, {11, 0}, {4, 7}, {1, math.MaxInt64}} {
		if _, err := in.Bytes(nil, "part", c[0], c[1]); !errors.As(err, corrupt) || (*corrupt).Part != "part" || (*corrupt).Offset != c[0] {
			t.Errorf("%d: %v", c, err)
		}
	}
	in.Size = 20 // the file has become shorter
	if _, err := in.Bytes(nil, "part", 8, 4); !errors.As(err, corrupt) || (*corrupt).Offset != 10 {
		t.Error(err)
	}
	in.R = &failing{*strings.NewReader("0123456789"), 5}
	if _, err := in.Bytes(nil, "part", 4, 4); !errors.Is(err, errFailing) || errors.As(err, corrupt) {
		t.Error(err)
	}
	if err := in.Afford(256<<20 + 200); err != nil {
		t.Error(err)
	}
	if err := in.Afford(256<<20 + 201); !errors.Is(err, raster.ErrUnsupported) {
		t.Error(err)
	}
}
