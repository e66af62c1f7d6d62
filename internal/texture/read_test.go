package texture_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/texture"
)

var update = flag.Bool("update", false, "write the golden file")

// TestReadAllocates: reading a tile allocates nothing.
func TestReadAllocates(t *testing.T) {
	for name := range pictures {
		for _, of := range storable {
			size := raster.Size{Width: 64, Height: 64}
			im := &bitmap{h: raster.Header{Levels: []raster.Size{size}, Channels: channels(3), Type: of, Block: size}, pix: tileOf(name, size, 3, of)}
			a := opened(t, made(t, texture.Options{}, 0, im))
			dst := make([]byte, len(im.pix))
			if n := testing.AllocsPerRun(20, func() {
				if err := a.ReadBlock(0, 0, 0, dst); err != nil {
					t.Fatal(err)
				}
			}); n >= 1 {
				t.Errorf("%s, %v: %v allocations", name, of, n)
			}
		}
	}
}

// TestReadTogether reads all tiles on many goroutines.
func TestReadTogether(t *testing.T) {
	im := painted(raster.Half, raster.Size{Width: 300, Height: 200}, "R", "G", "B")
	a := opened(t, made(t, texture.Options{Tile: 32}, 0, im))
	want := make([][]byte, len(a.Header().Levels))
	for l := range want {
		want[l] = levelOf(t, a, l)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for l := range want {
				if !bytes.Equal(levelOf(t, a, l), want[l]) {
					t.Errorf("level %d is another", l)
				}
			}
		})
	}
	wait.Wait()
}

// TestReadRefuses reads tiles that are not there.
func TestReadRefuses(t *testing.T) {
	a := opened(t, made(t, texture.Options{}, 0, painted(raster.Uint8, raster.Size{Width: 100, Height: 70}, "Y")))
	for _, tt := range []struct{ level, x, y, bytes int }{
		{-1, 0, 0, 4096}, {7, 0, 0, 1}, {0, 2, 0, 4096}, {0, -1, 0, 4096}, {0, 0, 2, 4096}, {0, 0, -1, 4096}, {0, 0, 0, 4095}, {0, 1, 1, 4096},
	} {
		if err := a.ReadBlock(tt.level, tt.x, tt.y, make([]byte, tt.bytes)); err == nil || !strings.Contains(err.Error(), "has no tile") {
			t.Errorf("%v: %v", tt, err)
		}
		if _, ok := a.Constant(tt.level, tt.x, tt.y); ok && tt.bytes != 4095 {
			t.Errorf("%v is constant", tt)
		}
	}
	if err := a.ReadBlock(0, 1, 1, make([]byte, 36*6)); err != nil {
		t.Error(err)
	}
}

// TestNewer: a file of a later version is one that the package does not read.
func TestNewer(t *testing.T) {
	b := []byte(texture.Magic + "\x02 and whatever such a file has")
	if _, err := texture.Open(bytes.NewReader(b), int64(len(b))); !errors.Is(err, raster.ErrUnsupported) {
		t.Error(err)
	}
}

// TestGolden compares files with ones that were written before.
func TestGolden(t *testing.T) {
	name := filepath.Join("testdata", "golden.ctex")
	got := smallSet(t)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want the %d of %s", len(got), len(want), name)
	}
	var dump strings.Builder
	if err := opened(t, want).Dump(&dump); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"directory at ", "image 1001 level 0 tile 1,0 of 16 x 16: at 8: ", "image 1001 level 0 tile 0,0 of 16 x 16: pixels 00bc00bc\n"} {
		if !strings.Contains(dump.String(), line) {
			t.Errorf("the dump has no %q:\n%s", line, dump.String())
		}
	}
}

// endless is an image that is nowhere, and looks at the memory while it is read.
type endless struct {
	h    raster.Header
	most uint64
}

func (e *endless) Header() *raster.Header { return &e.h }

func (e *endless) ReadBlock(level, x, y int, dst []byte) error {
	for i := range dst {
		dst[i] = byte(i%e.h.Levels[0].Width + 3*y)
	}
	if y%512 == 0 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		e.most = max(e.most, m.HeapAlloc)
	}
	return nil
}

// TestMakerMemory: a file is made in the memory of some rows.
func TestMakerMemory(t *testing.T) {
	s := raster.Size{Width: 512, Height: 1 << 15}
	e := &endless{h: raster.Header{Levels: []raster.Size{s}, Channels: channels(1), Block: raster.Size{Width: s.Width, Height: 1}}}
	made(t, texture.Options{Tile: 16}, 0, e) // fills the pools
	e.most = 0
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b := made(t, texture.Options{Tile: 16}, 0, e)
	if took := e.most - m.HeapAlloc; took > uint64(4<<20+4*len(b)) {
		t.Errorf("an image of %d bytes took %d bytes of memory, and its file %d", s.Width*s.Height, took, len(b))
	}
}
