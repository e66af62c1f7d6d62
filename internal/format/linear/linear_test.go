package linear_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/linear"
	"github.com/klauspost/compress/zstd"
)

var xxh32 = linear.XXH32

// forms are the same content in every form of a file.
func forms(c *content) map[string][]byte {
	return map[string][]byte{
		"v1": c.twinV1(), "v2": c.twinV2(8), "v2, grid 1": c.twinV2(1), "v2, grid 2": c.twinV2(2), "v2, grid 32": c.twinV2(32),
		"buffered": c.twinBuffered(0),
	}
}

// order returns the slots as package anvil asks for them: in squares of four.
func order(g *linear.Chunks) (slots []int) {
	for a := range 16 {
		for b := range 16 {
			for i := range 4 {
				x, z := 2*b+i&1, 2*a+i>>1
				if g.ByColumn {
					x, z = z, x
				}
				slots = append(slots, x+32*z)
			}
		}
	}
	return slots
}

// read returns the content of a file, and what errors its chunks have.
func read(t testing.TB, file []byte) (c *content, g *linear.Chunks, faults map[int]error) {
	t.Helper()
	g, err := linear.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	c, faults = &content{stamps: g.Stamps}, map[int]error{}
	for _, slot := range order(g) {
		if g.Sizes[slot] == 0 {
			continue
		}
		doc, err := g.Chunk(slot)
		if err != nil {
			faults[slot] = err
			continue
		}
		c.docs[slot] = bytes.Clone(doc)
		if again, err := g.Chunk(slot); err != nil || !bytes.Equal(again, doc) {
			t.Fatalf("slot %d is another one when it is asked for again: %v", slot, err)
		}
	}
	return c, g, faults
}

func wantSame(t *testing.T, got, want *content) {
	t.Helper()
	for slot := range want.docs {
		if !bytes.Equal(got.docs[slot], want.docs[slot]) || got.stamps[slot] != want.stamps[slot] {
			t.Fatalf("slot %d: %d bytes of time %d, want %d of %d", slot, len(got.docs[slot]), got.stamps[slot], len(want.docs[slot]), want.stamps[slot])
		}
	}
}

func TestRead(t *testing.T) {
	want := made()
	for name, file := range forms(want) {
		t.Run(name, func(t *testing.T) {
			if !linear.Detect(file) {
				t.Error("not detected")
			}
			got, g, faults := read(t, file)
			if g.Fault != nil || len(faults) > 0 || len(g.Lost) > 0 {
				t.Fatalf("%v, %v, lost %v", g.Fault, faults, g.Lost)
			}
			wantSame(t, got, want)
		})
	}
}

// TestEmptyStamps: a time without a chunk stays where the format has a place for it.
func TestEmptyStamps(t *testing.T) {
	want := made()
	want.stamps[7] = 99
	for _, file := range [][]byte{want.twinV1(), want.twinV2(8)} {
		got, _, _ := read(t, file)
		wantSame(t, got, want)
	}
}

func TestLost(t *testing.T) {
	c := made()
	_, g, _ := read(t, c.twinBuffered(3))
	if n := g.Lost["milliseconds of times of chunks"]; n != 10 {
		t.Errorf("lost %v", g.Lost)
	}
	_, g, _ = read(t, c.twinV2(8, "feature_1", "other"))
	if len(g.Lost) != 2 || g.Lost[`feature "other" of region files`] != 1 {
		t.Errorf("lost %v", g.Lost)
	}
}

// write returns a region in a version.
func write(t testing.TB, version int, c *content) []byte {
	t.Helper()
	var out bytes.Buffer
	of := linear.Content{X: -1, Z: 2, Stamps: c.stamps, Chunk: func(slot int) ([]byte, error) { return c.docs[slot], nil }}
	for slot, doc := range c.docs {
		of.Sizes[slot] = len(doc)
	}
	if err := linear.Write(&out, version, of); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestWrite: what is written is read again, and has the header of the twin.
func TestWrite(t *testing.T) {
	want := made()
	for _, tt := range []struct {
		version, same, size int // the first bytes are the twin's
		twin                []byte
	}{
		{linear.V1, 20, 1, want.twinV1()},
		{linear.V2, 9, 1, want.twinV2(8)},
		{linear.Buffered, 9, 1, want.twinBuffered(0)},
	} {
		file := write(t, tt.version, want)
		got, g, faults := read(t, file)
		if g.Fault != nil || len(faults) > 0 || g.Version != tt.version {
			t.Fatalf("version %d: %v, %v", g.Version, g.Fault, faults)
		}
		wantSame(t, got, want)
		if !bytes.Equal(file[:tt.same], tt.twin[:tt.same]) {
			t.Errorf("version %d begins with % x, want % x", tt.version, file[:tt.same], tt.twin[:tt.same])
		}
		if tt.version == linear.V2 && !bytes.Equal(file[17:26+128], tt.twin[17:26+128]) {
			t.Error("another grid, place or bitmap")
		}
		if !bytes.Equal(file, write(t, tt.version, want)) {
			t.Errorf("version %d: other bytes the second time", tt.version)
		}
		t.Logf("version %d: %d bytes", tt.version, len(file))
	}
	if err := linear.Write(&bytes.Buffer{}, 4, linear.Content{}); err == nil {
		t.Error("version 4 was written")
	}
}

// TestTooDense: what would not be read again is not written.
func TestTooDense(t *testing.T) {
	doc := make([]byte, 128<<10)
	c := linear.Content{Chunk: func(int) ([]byte, error) { return doc, nil }}
	for slot := range c.Sizes {
		c.Sizes[slot] = len(doc)
	}
	for _, version := range []int{linear.V1, linear.V2, linear.Buffered} {
		if err := linear.Write(io.Discard, version, c); err == nil {
			t.Errorf("version %d was written", version)
		}
	}
}

// TestSize pins what a version takes for a region.
func TestSize(t *testing.T) {
	for version, want := range map[int]int{linear.V1: 8153, linear.V2: 7643, linear.Buffered: 6878} {
		if got := len(write(t, version, made())); got != want {
			t.Errorf("version %d: %d bytes, want %d", version, got, want)
		}
	}
}

func wantPlace(t *testing.T, what string, err error) {
	t.Helper()
	var corrupt *format.CorruptError
	if !errors.As(err, &corrupt) {
		t.Errorf("%s: %v has no place", what, err)
	}
}

// TestTruncated: every truncation is a fault with its place, and no chunk is another one.
func TestTruncated(t *testing.T) {
	want := made()
	for name, file := range forms(want) {
		t.Run(name, func(t *testing.T) {
			for n := 0; n < len(file); n += 1 + n/50 {
				got, g, faults := read(t, file[:n])
				if g.Fault == nil && len(faults) == 0 {
					t.Fatalf("%d bytes of %d are no fault", n, len(file))
				}
				if g.Fault != nil {
					wantPlace(t, "fault", g.Fault)
				}
				for _, err := range faults {
					wantPlace(t, "chunk", err)
				}
				for slot, doc := range got.docs {
					if doc != nil && !bytes.Equal(doc, want.docs[slot]) {
						t.Fatalf("%d bytes: slot %d is another one", n, slot)
					}
				}
			}
		})
	}
}

// TestDamaged changes each of some bytes: a chunk that is another one then is a fault.
func TestDamaged(t *testing.T) {
	want := made()
	for name, file := range forms(want) {
		t.Run(name, func(t *testing.T) {
			for n := 0; n < len(file); n += 1 + n/20 {
				b := bytes.Clone(file)
				b[n] ^= 0x10
				got, g, faults := read(t, b)
				if g.Fault != nil || len(faults) > 0 {
					continue
				}
				for slot, doc := range got.docs {
					if !bytes.Equal(doc, want.docs[slot]) {
						t.Fatalf("byte %d: slot %d is another one", n, slot)
					}
				}
			}
		})
	}
}

// TestLies: files that claim much take little.
func TestLies(t *testing.T) {
	// bomb is a file whose chunks are said to have a size, and are so many bytes of zeros together.
	bomb := func(size uint32, zeros int) []byte {
		var frame bytes.Buffer
		enc, _ := zstd.NewWriter(&frame, zstd.WithEncoderConcurrency(1))
		table := make([]byte, 8192)
		for i := range 1024 {
			binary.BigEndian.PutUint32(table[8*i:], size)
		}
		enc.Write(table)
		for part := make([]byte, 1<<20); zeros > 0; zeros -= len(part) {
			enc.Write(part)
		}
		enc.Close()
		var out bytesOf
		out.u64(sign)
		out.u8(1)
		out.u64(0)
		out.u8(6)
		out.u16(1024)
		out.u32(frame.Len())
		out.u64(0)
		out.bytes(frame.Bytes())
		out.u64(sign)
		return out
	}
	for name, file := range map[string][]byte{
		"chunks that are not there": bomb(1000, 0), "huge chunks": bomb(1<<32-1, 1<<20), "a gigabyte of zeros": bomb(1<<20, 1<<30),
		"128 MiB in a few bytes": bomb(128<<10, 128<<20),
	} {
		_, g, faults := read(t, file)
		if len(faults) == 0 {
			t.Errorf("%s: no fault (%v)", name, g.Fault)
		}
		for _, err := range faults {
			wantPlace(t, name, err)
		}
	}
}

// TestWorlds reads real files and writes them in each version.
func TestWorlds(t *testing.T) {
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	files, err := filepath.Glob(filepath.Join(root, "linear", "*", "region", "*.linear"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, g, faults := read(t, file)
		if g.Fault != nil || len(faults) > 0 {
			t.Fatalf("%s: %v, %v", name, g.Fault, faults)
		}
		for _, version := range []int{linear.V1, linear.V2, linear.Buffered} {
			got, _, _ := read(t, write(t, version, want))
			wantSame(t, got, want)
		}
	}
}

func FuzzRegion(f *testing.F) {
	few := &content{}
	few.docs[0], few.docs[33], few.stamps[33] = []byte("a chunk"), []byte("another"), 5
	for name, file := range forms(few) {
		if name != "v2, grid 32" { // long, and slow
			f.Add(file)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		c, g, faults := read(t, file)
		if g.Fault != nil || len(faults) > 0 {
			return
		}
		again, _, _ := read(t, write(t, linear.V2, c))
		wantSame(t, again, c)
	})
}
