package convert_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// mustRead loads a world that a test may change.
func mustRead(t *testing.T, src format.Source) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// inParts returns w as a stone whose cache keeps no page.
func inParts(t *testing.T, w *convert.Loaded) *stone.Reader {
	t.Helper()
	var b bytes.Buffer
	if _, _, err := convert.WriteStone(t.Context(), w, &b, stone.Options{Effort: stone.Quick}); err != nil {
		t.Fatal(err)
	}
	r, err := stone.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r.Through(stone.NewCache(1), stone.ID{})
}

// TestInParts: worlds that are read in parts, without room for a page, give what worlds in
// memory give.
func TestInParts(t *testing.T) {
	for _, tt := range []struct {
		name string
		src  format.Source
		at   geom.Point
		vol  string
		cell voxel.Cell
	}{
		{"survival", terrain.Survival(terrain.Options{Seed: 4, Size: long.By(6, 12, 12), Version: terrain.Modern}), geom.Point{X: 40, Y: 70, Z: -40}, voxel.Block, 1},
		{"old", terrain.Survival(terrain.Options{Seed: 4, Size: 5}), geom.Point{X: 3, Y: 70, Z: 3}, voxel.Block, 1},
		{"terrain", levelSource(), geom.Point{X: 3, Y: 20, Z: 3}, "solid", voxel.TerrainCell(1, 255)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := mustRead(t, tt.src)
			r := inParts(t, w)
			if d, err := diff.Worlds(t.Context(), w.Content(), mustRead(t, convert.Source(r)).Content(), diff.Options{Exact: true}); err != nil || !d.Same() {
				t.Fatalf("sent in parts: %+v, %v", d, err)
			}
			changed := mustRead(t, w.Source())
			d := changed.Dimensions[0]
			set(d, tt.vol, tt.at, tt.cell)
			set(d, tt.vol, tt.at.Add(geom.Point{X: 100, Y: 300}), tt.cell) // in a column that is not there, or above all sections
			if n := len(d.Columns); n > 0 {
				d.Columns = d.Columns[:n-1]
				d.Columns[0].Version++
			}
			want, err := diff.Worlds(t.Context(), w.Content(), changed.Content(), diff.Options{Exact: true})
			if err != nil || want.Same() {
				t.Fatalf("in memory: %+v, %v", want, err)
			}
			other := inParts(t, changed)
			if got, err := diff.Worlds(t.Context(), r, other, diff.Options{Exact: true}); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("in parts: %+v, %v, want %+v", got, err, want)
			}
			if _, err := diff.Worlds(t.Context(), r, convert.Within(other, 20_000), diff.Options{Exact: true}); !errors.Is(err, convert.ErrTooLarge) {
				t.Errorf("within a bound: %v", err)
			}
			if d, err := diff.Worlds(t.Context(), convert.Within(r, 1<<30), r, diff.Options{Exact: true}); err != nil || !d.Same() {
				t.Errorf("within a wide bound: %+v, %v", d, err)
			}
			again := mustRead(t, convert.Source(other))
			same, err := diff.Worlds(t.Context(), mustRead(t, changed.Source()).Content(), again.Content(), diff.Options{Exact: true})
			if err != nil || !same.Same() {
				t.Errorf("strays sent in parts: %+v, %v", same, err)
			}
		})
	}
}
