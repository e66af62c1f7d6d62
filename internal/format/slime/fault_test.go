package slime_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// tiny returns a world of one small column that k holds; Hold may add to it.
func tiny(k kindOf) *collected {
	w := madeUp(k, "overworld")
	p := geom.ColumnPos{X: 0, Z: -1}
	c := w.columns[p]
	c.Sections, c.Cells = c.Sections[:2], c.Cells[:2]
	w.columns, w.order = map[geom.ColumnPos]*format.Column{p: c}, []geom.ColumnPos{p}
	return w
}

func TestTruncated(t *testing.T) {
	for _, k := range allKinds() {
		if k.world > 0 && k.world != 1 && k.world != 5 && k.world != 8 {
			continue
		}
		t.Run(k.String(), func(t *testing.T) {
			file := twinFile(tiny(k), k)
			for n := range file {
				_, _, err := read(file[:n])
				var corrupt *format.CorruptError
				if !errors.As(err, &corrupt) {
					t.Fatalf("%d of %d bytes: %v", n, len(file), err)
				}
			}
			if _, _, err := read(append(file, 0)); err == nil {
				t.Error("a byte too many was taken")
			}
		})
	}
}

// TestTruncatedWithin cuts the decoded chunks at every byte.
func TestTruncatedWithin(t *testing.T) {
	for _, k := range []kindOf{{3, 0, 0}, {9, 5, 1976}, {9, 8, 2975}, {13, 8, 3955}} {
		t.Run(k.String(), func(t *testing.T) {
			head, raw, tail := splitChunks(twinFile(tiny(k), k), k)
			for n := range raw {
				if n > 64 && n%97 != 0 && n < len(raw)-400 {
					continue // inside of arrays
				}
				if _, _, err := read(joinChunks(head, raw[:n], tail)); err == nil {
					t.Fatalf("%d of %d decoded bytes were taken", n, len(raw))
				}
			}
		})
	}
}

// splitChunks returns what lies before the blob of chunks, its decoded bytes,
// and what follows.
func splitChunks(file []byte, k kindOf) (head, raw, tail []byte) {
	at := 12 // of one column: magic, version, box, a byte of mask
	switch {
	case k.version >= 13:
		at = 8
	case k.version >= 10:
		at = 7
	case k.version >= 4:
		at = 13
	}
	n := int(binary.BigEndian.Uint32(file[at:]))
	return file[:at], unzstd(file[at+8 : at+8+n]), file[at+8+n:]
}

func joinChunks(head, raw, tail []byte) []byte {
	w := &twin{}
	w.put(head)
	w.blob(raw)
	w.put(tail)
	return w.Bytes()
}

func TestFlips(t *testing.T) {
	for _, k := range []kindOf{{3, 0, 0}, {9, 5, 1976}, {11, 8, 3955}, {13, 8, 3955}} {
		file := twinFile(tiny(k), k)
		head, raw, tail := splitChunks(file, k)
		for i := range file {
			file[i] ^= 0x81
			read(file)
			file[i] ^= 0x81
		}
		for i := 0; i < len(raw); i += 1 + i/32 {
			raw[i] ^= 0x81
			read(joinChunks(head, raw, tail))
			raw[i] ^= 0x81
		}
	}
}

// TestClaims reads files that claim far more than they hold.
func TestClaims(t *testing.T) {
	k := kindOf{13, 8, 3955}
	good := twinFile(tiny(k), k)
	n := binary.BigEndian.Uint32(good[8:])
	frame := func(b []byte) []byte { return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...) }
	lied := func(size uint32, b []byte) []byte {
		out := binary.BigEndian.AppendUint32(bytes.Clone(good[:8]), uint32(len(b)))
		out = append(binary.BigEndian.AppendUint32(out, size), b...)
		return append(out, good[16+n:]...)
	}
	content := []byte{0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0, 0, 0, 0x40, 1, 0, 0} // claims 1 GiB, holds nothing
	for name, file := range map[string][]byte{
		"size of the blob":         lied(1<<30, good[16:16+n]),
		"negative size":            lied(1<<31, good[16:16+n]),
		"content size of a frame":  lied(1<<30, content),
		"window of a frame":        lied(1, []byte{0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xFF, 1, 0, 0}),
		"a byte less than it has":  lied(binary.BigEndian.Uint32(good[12:])-1, good[16:16+n]),
		"a byte more than it has":  lied(binary.BigEndian.Uint32(good[12:])+1, good[16:16+n]),
		"no frame":                 lied(4, frame(nil)),
		"2 GiB stored":             append(bytes.Clone(good[:8]), 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1),
		"columns":                  joinChunks(good[:8], []byte{0x7F, 0xFF, 0xFF, 0xFF}, good[16+n:]),
		"sections":                 joinChunks(good[:8], append([]byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, 0x7F, 0xFF, 0xFF, 0xFF), good[16+n:]),
		"a bitmask of 512 MB":      {0xB1, 0x0B, 3, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF},
		"no columns":               {0xB1, 0x0B, 3, 0, 0, 0, 0, 0, 0, 0, 1},
		"a version to come":        {0xB1, 0x0B, 14, 0, 0, 0, 0},
		"version 0":                {0xB1, 0x0B, 0, 0, 0, 0, 0},
		"a world version to come":  {0xB1, 0x0B, 9, 9, 0, 0, 0, 0, 0, 1, 0, 1},
		"another format":           {'P', 'K', 3, 4, 0, 0},
		"compressed within":        {0xB1, 0x0B, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"two columns of one place": joinChunks(good[:8], twice(good, k), good[16+n:]),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := read(file)
			runtime.ReadMemStats(&after)
			var corrupt *format.CorruptError
			if !errors.As(err, &corrupt) {
				t.Errorf("got %v", err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
				t.Errorf("%d bytes allocated for a file of %d", n, len(file))
			}
		})
	}
}

// twice returns decoded chunks with the one of file twice.
func twice(file []byte, k kindOf) []byte {
	_, raw, _ := splitChunks(file, k)
	return append(append([]byte{0, 0, 0, 2}, raw[4:]...), raw[4:]...)
}

// TestTrailing reads chunks behind the declared count, which writers of
// versions 10 and 11 leave.
func TestTrailing(t *testing.T) {
	for version := 10; version <= 13; version++ {
		k := kindOf{version, 8, 3955}
		head, raw, tail := splitChunks(twinFile(tiny(k), k), k)
		_, w, err := read(joinChunks(head, append(raw, raw[4:]...), tail))
		if version >= 12 {
			if err == nil {
				t.Errorf("version %d: chunks behind the last were taken", version)
			}
			continue
		}
		if err != nil || w.Stats().Trailing != int64(len(raw)-4) {
			t.Errorf("version %d: %v, %d trailing bytes, want %d", version, err, w.Stats().Trailing, len(raw)-4)
		}
	}
}

// TestOutside reads objects of versions 1 to 10 that lie outside of all columns.
func TestOutside(t *testing.T) {
	k := kindOf{9, 1, 0}
	world := tiny(k)
	c := world.columns[world.order[0]]
	far := voxel.Object{Place: voxel.Moved, At: geom.Point{X: 1000, Y: 5, Z: -1}, Payload: nbt.AppendEnd(nil)}
	nowhere := voxel.Object{Payload: nbt.AppendEnd(nbt.AppendInt(nil, "x", 5))}
	c.Lists = []voxel.List{{Name: voxel.BlockEntities, Objects: []voxel.Object{far, nowhere, far}}}
	got, _ := mustRead(t, twinFile(world, k))
	if n := len(objectsOf(got.columns[geom.ColumnPos{X: 62, Z: -1}], voxel.BlockEntities)); n != 2 {
		t.Errorf("%d objects far away, want 2", n)
	}
	if n := len(objectsOf(got.columns[geom.ColumnPos{}], voxel.BlockEntities)); n != 1 {
		t.Errorf("%d objects without position, want 1", n)
	}
	_, lost := mustWrite(t, got, slime.ContainerOptions{Version: 9})
	want := slime.Losses{"columns without blocks": 2, voxel.BlockEntities: 2, "block_entities without position": 1}
	for name, n := range want {
		if lost[name] != n {
			t.Errorf("lost %d of %q, want %d", lost[name], name, n)
		}
	}
	world.columns[world.order[0]].Lists = []voxel.List{{Name: voxel.BlockEntities, Objects: []voxel.Object{far}}}
	if _, lost := mustWrite(t, world, slime.ContainerOptions{Version: 9}); lost["block_entities outside of all columns"] != 1 {
		t.Errorf("lost %v", lost)
	}
}

func TestGolden(t *testing.T) {
	for name, k := range map[string]kindOf{
		"v3.slime": {3, 0, 0}, "v9_1.slime": {9, 1, 0}, "v9_5.slime": {9, 5, 1976},
		"v9_8.slime": {9, 8, 2975}, "v13.slime": {13, 8, 3955},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := mustWrite(t, tiny(k), writtenKinds()[k])
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes written, the golden file has %d others; -update rewrites it", len(got), len(want))
			}
		})
	}
}

func FuzzFile(f *testing.F) {
	for _, k := range []kindOf{{1, 0, 0}, {8, 1, 0}, {9, 5, 1976}, {13, 8, 3955}} {
		f.Add(twinFile(tiny(k), k))
	}
	f.Fuzz(func(t *testing.T, file []byte) { mustComeBack(t, file) })
}

// FuzzChunks fuzzes what is compressed in a file.
func FuzzChunks(f *testing.F) {
	kinds := []kindOf{{3, 0, 0}, {8, 1, 0}, {9, 5, 1976}, {9, 8, 2975}, {10, 8, 3955}, {11, 8, 3955}, {13, 8, 3955}}
	heads := make([][2][]byte, len(kinds))
	for i, k := range kinds {
		head, raw, tail := splitChunks(twinFile(tiny(k), k), k)
		heads[i] = [2][]byte{head, tail}
		f.Add(uint8(i), raw)
	}
	f.Fuzz(func(t *testing.T, i uint8, raw []byte) {
		h := heads[int(i)%len(heads)]
		mustComeBack(t, joinChunks(h[0], raw, h[1]))
	})
}

// mustComeBack reads file and, where that is possible, writes and reads the
// world again: what Hold has left must come back, and all of it a second time.
func mustComeBack(t *testing.T, file []byte) {
	world, w, err := read(file)
	if err != nil {
		return
	}
	o := slime.ContainerOptions{Version: 13}
	if v := w.Head().Version; v < 10 {
		o.Version = max(3, v/9*9)
	}
	once, ok := rewrite(world, o)
	if !ok {
		return
	}
	back, _ := mustRead(t, once)
	again, ok := rewrite(back, o)
	if !ok || !bytes.Equal(once, again) {
		t.Errorf("written a second time: %v, %d bytes and %d", ok, len(once), len(again))
	}
}

func rewrite(world *collected, o slime.ContainerOptions) ([]byte, bool) {
	var out bytes.Buffer
	w, err := slime.Create(&out, o)
	if err == nil {
		err = world.write(w)
	}
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err == nil
}
