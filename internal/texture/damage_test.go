package texture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/texture"
)

// smallSet is a file with tiles of all kinds.
func smallSet(t testing.TB) []byte {
	size := raster.Size{Width: 50, Height: 40}
	one := painted(raster.Half, size, "R", "A")
	return made(t, texture.Options{Tile: 16}, 1001, one, one, newBitmap(raster.Half, size, []string{"R", "A"}, func(x, y, c int) float64 { return float64(x * y & 1) }))
}

// refused reports whether opening and checking a file says that it is damaged.
func refused(t testing.TB, b []byte) bool {
	a, err := texture.Open(bytes.NewReader(b), int64(len(b)))
	if err == nil {
		err = a.Check(t.Context())
	}
	return errors.As(err, new(*cursor.CorruptError))
}

// TestDamage cuts a file at every byte, lengthens it, and changes every byte.
func TestDamage(t *testing.T) {
	b := smallSet(t)
	if refused(t, b) {
		t.Fatal("the file is damaged")
	}
	if !refused(t, append(bytes.Clone(b), 0)) {
		t.Error("a byte too many is no error")
	}
	for n := range b {
		if !refused(t, b[:n]) {
			t.Fatalf("%d of %d bytes are no error", n, len(b))
		}
		bad := bytes.Clone(b)
		bad[n] ^= 1 << (n % 8)
		if a, err := texture.Open(bytes.NewReader(bad), int64(len(bad))); errors.Is(err, raster.ErrUnsupported) {
			continue // another version
		} else if err == nil && a.Check(t.Context()) == nil {
			t.Fatalf("a change of byte %d of %d is no error", n, len(b))
		}
	}
}

// TestPlace: an error says where in the file.
func TestPlace(t *testing.T) {
	b := smallSet(t)
	bad := bytes.Clone(b)
	bad[8] ^= 0xFF
	var where *cursor.CorruptError
	if err := opened(t, bad).Check(t.Context()); !errors.As(err, &where) || where.Offset != 8 || where.Part != "tile" || !strings.Contains(err.Error(), "image 1001, level 0, tile (1,0)") {
		t.Errorf("%v", err)
	}
}

// file makes a file of the streams of a directory, with so many bytes of tiles.
func file(tiles []byte, streams ...[]byte) []byte {
	b := append([]byte(texture.Magic+"\x01"), tiles...)
	dir := pages.NewEncoder(true).Append(nil, 0, streams)
	footer := binary.LittleEndian.AppendUint64(nil, uint64(len(b)))
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(dir)))
	sum := xxh3.Hash(append(append(bytes.Clone(b[:8]), dir...), footer...))
	return append(append(append(b, dir...), binary.LittleEndian.AppendUint64(footer, sum)...), "triac"...)
}

func uvarints(all ...uint64) (b []byte) {
	for _, v := range all {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

// TestDirectory reads directories that were made by hand, one of which is right.
func TestDirectory(t *testing.T) {
	head := func(kind, flags, edge byte, rest ...uint64) []byte {
		return append([]byte{kind, flags, edge, 1, 1, 'Y', 0, 0}, uvarints(rest...)...)
	}
	grey := head(0, 0, 4, 1, 0, 1, 1)
	stored := func(tiles ...string) (b []byte) {
		for _, s := range tiles {
			b = binary.LittleEndian.AppendUint32(append(b, s...), uint32(xxh3.HashString(s)))
		}
		return b
	}
	frame := func(symbols string) string { // of zstd, with one block as it is
		return "\x28\xB5\x2F\xFD\x20" + string([]byte{byte(len(symbols)), byte(len(symbols)<<3 | 1), 0, 0}) + symbols
	}
	for _, tt := range []struct {
		name    string
		tiles   []byte
		streams [][]byte
		want    string // part of the error of Open or Check
	}{
		{"a constant tile", nil, [][]byte{grey, {1}, nil, {7}}, ""},
		{"a stored tile", stored("\x00\x07"), [][]byte{grey, {0}, {2}, nil}, ""},
		{"a set", nil, [][]byte{head(0, 1, 8, 2, 1001, 1, 1, 1002, 1, 1), {1, 1}, nil, {7}}, ""},
		{"three streams", nil, [][]byte{grey, {1}, nil}, "of 3 streams"},
		{"uint32", nil, [][]byte{head(2, 0, 4, 1, 0, 1, 1), {1}, nil, {7}}, "numbers of uint32"},
		{"another type", nil, [][]byte{head(5, 0, 4, 1, 0, 1, 1), {1}, nil, {7}}, "numbers of type 5"},
		{"another flag", nil, [][]byte{head(0, 2, 4, 1, 0, 1, 1), {1}, nil, {7}}, "more than 1 bits"},
		{"tiles of 8", nil, [][]byte{head(0, 0, 3, 1, 0, 1, 1), {1}, nil, {7}}, "not within 4..8"},
		{"no channel", nil, [][]byte{{0, 0, 4, 0, 0, 0, 1, 0, 1, 1}, {1}, nil, {7}}, "not within 1..64"},
		{"no image", nil, [][]byte{head(0, 0, 4, 0), {1}, nil, {7}}, "not within 1..9999"},
		{"an empty image", nil, [][]byte{head(0, 0, 4, 1, 0, 0, 1), {1}, nil, {7}}, "not within 1.."},
		{"a huge image", nil, [][]byte{head(0, 0, 4, 1, 0, 1<<20, 1<<20), {1}, nil, {7}}, "tiles: at most"},
		{"a huge edge", nil, [][]byte{head(0, 0, 4, 1, 0, 1<<20+1, 1), {1}, nil, {7}}, "want at most"},
		{"a set of 1000", nil, [][]byte{head(0, 0, 4, 1, 1000, 1, 1), {1}, nil, {7}}, "image 1000 of a set"},
		{"descending images", nil, [][]byte{head(0, 0, 4, 2, 1002, 1, 1, 1001, 1, 1), {1, 1}, nil, {7}}, "image 1001 behind image 1002"},
		{"more head", nil, [][]byte{head(0, 0, 4, 1, 0, 1, 1, 0), {1}, nil, {7}}, "left over"},
		{"fewer tiles", nil, [][]byte{head(0, 0, 4, 1, 0, 2, 2), {1}, nil, {7}}, "2 tiles in 1 bytes"},
		{"more tiles", nil, [][]byte{grey, {1, 1}, nil, {7}}, "left over"},
		{"a pixel beyond", nil, [][]byte{grey, {5}, nil, {7}}, "not within 0..0"},
		{"a pixel before", nil, [][]byte{grey, {3}, nil, {7}}, "not within 0..0"},
		{"a tile beyond", stored("\x00\x07"), [][]byte{grey, {4}, {2}, nil}, "not within 0..0"},
		{"no such tile", nil, [][]byte{grey, {0}, nil, nil}, "not within"},
		{"half a pixel", nil, [][]byte{head(1, 0, 4, 1, 0, 1, 1), {1}, nil, {7}}, "1 bytes of pixels"},
		{"a tile that is not there", nil, [][]byte{grey, {0}, {2}, nil}, "left over"},
		{"a size too few", stored("\x00\x07", "\x00\x08"), [][]byte{grey, {0}, {2}, nil}, "sizes of tiles"},
		{"a tile that nothing names", stored("\x00\x07"), [][]byte{grey, {1}, {2}, {7}}, "nothing names"},
		{"a large tile", stored("\x00" + strings.Repeat("x", 257)), [][]byte{grey, {0}, {0x82, 2}, nil}, "not within 1..257"},
		{"a tile of no bytes", stored("", "\x00\x07"), [][]byte{head(0, 0, 4, 1, 0, 2, 1), {0, 0}, {0, 2}, nil}, "not within 1.."},
		{"short pixels", stored("\x00"), [][]byte{grey, {0}, {1}, nil}, "too early"},
		{"long pixels", stored("\x00\x07\x08"), [][]byte{grey, {0}, {3}, nil}, "left over"},
		{"another head", stored("\x10\x07"), [][]byte{grey, {0}, {2}, nil}, "head 0x10"},
		{"folded integers", stored("\x0A\x03\x07\x00"), [][]byte{grey, {0}, {4}, nil}, "head 0xa"},
		{"the first channel apart", stored("\x02\x07\x07\x00"), [][]byte{grey, {0}, {4}, nil}, "mode 0x7"},
		{"too many low bytes", stored("\x02\x08\x07\x00\x00\x00"), [][]byte{grey, {0}, {6}, nil}, "mode 0x8"},
		{"a large base", stored("\x02\x03\x80\x02\x00"), [][]byte{grey, {0}, {5}, nil}, "not within 0..255"},
		{"one symbol", stored("\x02\x00\x07\x00" + frame("\x00")), [][]byte{grey, {0}, {14}, nil}, ""},
		{"two symbols", stored("\x02\x00\x07\x00" + frame("\x00\x00")), [][]byte{grey, {0}, {15}, nil}, "size"},
		{"another number of symbols", stored("\x02\x00\x07\x00" + frame("")), [][]byte{grey, {0}, {13}, nil}, "number of symbols"},
		{"a large residual too many", stored("\x02\x00\x07\x01\x09\x09" + frame("\x00")), [][]byte{head(1, 0, 4, 1, 0, 1, 1), {0}, {16}, nil}, "number of escapes"},
		{"an escape too many", stored("\x02\x00\x07\x00" + frame("\x80")), [][]byte{head(1, 0, 4, 1, 0, 1, 1), {0}, {14}, nil}, "number of escapes"},
		{"a rank beyond the table", stored("\x06\x01\x07\x00\x01\x00" + frame("\x00")), [][]byte{grey, {0}, {16}, nil}, "rank beyond"},
	} {
		b := file(tt.tiles, tt.streams...)
		a, err := texture.Open(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			err = a.Check(t.Context())
		}
		if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, new(*cursor.CorruptError)) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestHostile opens small files that ask for as much memory as they can.
func TestHostile(t *testing.T) {
	zeros := make([]byte, pages.MaxPage-1000)
	for i := range zeros {
		zeros[i] = 1
	}
	many := []byte{0, 0, 4, 1, 1, 'Y', 0, 0, 0x8F, 0x4E} // 9999 images
	for n := range uint64(9999) {
		many = append(many, uvarints(n, 1<<10, 1<<10)...)
	}
	for name, b := range map[string][]byte{
		"many sizes":  file(nil, []byte{0, 0, 4, 1, 1, 'Y', 0, 0, 1, 0, 1, 1}, []byte{1}, zeros, []byte{7}),
		"many tiles":  file(nil, append([]byte{0, 0, 4, 1, 1, 'Y', 0, 0, 1, 0}, uvarints(1<<16-1, 1<<15)...), zeros[:12<<20], nil, []byte{7}),
		"many pixels": file(nil, []byte{0, 0, 4, 1, 1, 'Y', 0, 0, 1, 0, 1, 1}, []byte{1}, nil, zeros),
		"many images": file(nil, many, zeros[:1<<20], nil, []byte{7}),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		texture.Open(bytes.NewReader(b), int64(len(b)))
		runtime.ReadMemStats(&after)
		if took, most := after.TotalAlloc-before.TotalAlloc, uint64(10*len(b)+256<<20); took > most {
			t.Errorf("%s: a file of %d bytes took %d bytes of memory, at most %d", name, len(b), took, most)
		}
	}
}

// FuzzOpen opens and reads whatever bytes.
func FuzzOpen(f *testing.F) {
	b := smallSet(f)
	f.Add(b)
	for _, of := range storable {
		for name := range pictures {
			size := raster.Size{Width: 20, Height: 17}
			f.Add(made(f, texture.Options{Tile: 16}, 0, &bitmap{h: raster.Header{Levels: []raster.Size{size}, Channels: channels(2), Type: of, Block: size}, pix: tileOf(name, size, 2, of)}))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = resealed(b)
		a, err := texture.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if err := a.Dump(io.Discard); err == nil {
			a.Check(t.Context())
		}
		a.Stats()
	})
}

// resealed makes the checksums of a file right, as far as it has any, so that fuzzing gets behind them.
func resealed(b []byte) []byte {
	const footer = 25
	if len(b) < 8+footer {
		return b
	}
	b = bytes.Clone(b)
	end := len(b) - footer
	at := binary.LittleEndian.Uint64(b[end:])
	if at > uint64(end) {
		return b
	}
	h := xxh3.New()
	h.Write(b[:8])
	h.Write(b[at : end+12])
	binary.LittleEndian.PutUint64(b[end+12:], h.Sum64())
	return b
}
