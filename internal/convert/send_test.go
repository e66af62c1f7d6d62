package convert_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestSourceKeepsNames has a Terrain volume whose materials are named.
func TestSourceKeepsNames(t *testing.T) {
	w := mustLoad(t, levelSource())
	names := w.Dimensions[0].Volume("solid").Names
	if len(names) < 2 {
		t.Fatalf("names %v", names)
	}
	back := mustFromStone(t, mustStone(t, mustLoad(t, w.Source())))
	if got := back.Dimensions[0].Volume("solid").Names; fmt.Sprint(got) != fmt.Sprint(names) {
		t.Errorf("got %v, want %v", got, names)
	}
}

// TestSourceMixed has volumes of chunks beside columns.
func TestSourceMixed(t *testing.T) {
	w := island(t)
	d := w.Dimensions[0]
	d.Volumes = append(d.Volumes, &convert.LoadedVolume{Volume: voxel.Volume{Name: "fog", Schema: voxel.Level, Scale: 1}, Chunks: one(200)})
	if d := mustDiff(t, w, mustLoad(t, w.Source())); !d.Same() {
		t.Errorf("%+v", d)
	}
}

// TestSourceRefuses has worlds, as a hostile stone can hold, that cannot be
// handed on as they are.
func TestSourceRefuses(t *testing.T) {
	sky := &convert.LoadedVolume{Volume: voxel.Volume{Name: voxel.Sky, Schema: voxel.Level, Scale: 1}, Chunks: one(16)}
	lit := []voxel.Column{{Sections: []voxel.Section{{Has: voxel.HasSky}}}}
	named := func(names ...string) *convert.LoadedVolume {
		return &convert.LoadedVolume{Volume: voxel.BlockVolumes()[0], Names: names}
	}
	for _, tt := range []struct {
		name string
		d    *convert.LoadedDimension
		want string
	}{
		{"light above 15", &convert.LoadedDimension{Name: "d", Volumes: []*convert.LoadedVolume{sky}, Columns: lit}, "light above 15"},
		{"a name twice", &convert.LoadedDimension{Volumes: []*convert.LoadedVolume{named("air", "a", "a")}}, `cell 2 cannot be "a"`},
		{"air again", &convert.LoadedDimension{Volumes: []*convert.LoadedVolume{named("air", "air")}}, `cell 1 cannot be "air"`},
		{"no air", &convert.LoadedDimension{Volumes: []*convert.LoadedVolume{named("a")}}, `cell 0 cannot be "a"`},
	} {
		_, err := convert.Load(context.Background(), (&convert.Loaded{Dimensions: []*convert.LoadedDimension{tt.d}}).Source())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// refusing is a Sink that fails at the nth call.
type refusing struct{ n int }

var errRefused = errors.New("refused")

func (r *refusing) call() error {
	if r.n--; r.n < 0 {
		return errRefused
	}
	return nil
}

func (r *refusing) Dimension(*format.Dimension) error               { return r.call() }
func (r *refusing) Column(*format.Column) error                     { return r.call() }
func (r *refusing) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return r.call() }
func (r *refusing) File(format.File) error                          { return r.call() }

func TestSourceSinkError(t *testing.T) {
	small := island(t)
	small.Files = append(small.Files, fileOf("zz", ""))
	for name, w := range map[string]*convert.Loaded{"columns": small, "chunks": mustLoad(t, levelSource())} {
		calls := 0
		for ; ; calls++ {
			err := w.Source().Read(context.Background(), &refusing{calls})
			if err == nil {
				break
			}
			if !errors.Is(err, errRefused) {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if calls < 10 {
			t.Errorf("%s: only %d calls", name, calls)
		}
	}
}
