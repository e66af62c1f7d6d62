package brush_test

import (
	"errors"
	"math"
	"testing"

	"github.com/cairnvoxel/cairn/game/brush"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// What a shape covers is about what points within cells say.
func TestCovers(t *testing.T) {
	corners := []region.Corner{{X: -9, Z: 3}, {X: 8, Z: -7}, {X: 12, Z: 9}, {X: 1, Z: 2}}
	prism, err := brush.Prism(corners, -2, 5)
	if err != nil {
		t.Fatal(err)
	}
	at := geom.Point{X: 2, Y: 1, Z: -3}
	for _, tt := range []struct {
		name  string
		shape brush.Shape
		in    func(x, y, z float64) bool // whether a point is in it
		apart int                        // at most, in 256ths
	}{
		{"ball", brush.Ball(at, 6.4), func(x, y, z float64) bool {
			return math.Sqrt((x-2.5)*(x-2.5)+(y-1.5)*(y-1.5)+(z+2.5)*(z+2.5)) <= 6.4
		}, 48},
		{"cylinder", brush.Cylinder(at, 7.5, 4), func(x, y, z float64) bool {
			return y >= 1 && y < 5 && math.Hypot(x-2.5, z+2.5) <= 7.5
		}, 48},
		{"prism", prism, func(x, y, z float64) bool { return y >= -2 && y < 5 && odd(corners, x, z) }, 0},
		{"box", brush.Box(geom.Box{Min: at, Max: at.Add(geom.Point{X: 3, Y: 1, Z: 2})}), func(x, y, z float64) bool {
			return x >= 2 && x < 5 && y >= 1 && y < 2 && z >= -3 && z < -1
		}, 0},
	} {
		box(geom.Point{}, 14, func(p geom.Point) {
			hits := 0
			box(geom.Point{}, 2, func(d geom.Point) {
				if d.X < 2 && d.Y < 2 && d.Z < 2 && tt.in(float64(p.X)+.625+.25*float64(d.X), float64(p.Y)+.625+.25*float64(d.Y), float64(p.Z)+.625+.25*float64(d.Z)) {
					hits++
				}
			})
			got, want := tt.shape.Covers(p), hits*4
			if got < want-tt.apart || got > want+tt.apart || got > 0 && !tt.shape.Bounds().Contains(p) {
				t.Errorf("%s: %v: got %d, want %d", tt.name, p, got, want)
			}
		})
	}
}

// odd reports whether a ray from a point crosses edges an odd number of times.
func odd(corners []region.Corner, x, z float64) (in bool) {
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		ax, az, bx, bz := float64(a.X), float64(a.Z), float64(b.X), float64(b.Z)
		if (az > z) != (bz > z) && x < ax+(z-az)*(bx-ax)/(bz-az) {
			in = !in
		}
	}
	return in
}

func TestPrismErrors(t *testing.T) {
	const far = geom.MaxChunk * geom.ChunkEdge
	for _, tt := range []struct {
		name    string
		corners []region.Corner
		want    error
	}{
		{"a line", []region.Corner{{}, {X: 1}, {X: 2}}, nil},
		{"out of range", []region.Corner{{}, {X: 1}, {Z: far + 1}}, geom.ErrOutOfRange},
		{"too wide", []region.Corner{{}, {X: 1}, {Z: far}}, geom.ErrOutOfRange},
	} {
		if _, err := brush.Prism(tt.corners, 0, 1); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
	s, err := brush.Prism([]region.Corner{{X: far - 8, Z: far - 8}, {X: far, Z: far - 8}, {X: far, Z: far}}, 0, 1)
	if n := s.Covers(geom.Point{X: far - 2, Z: far - 8}); err != nil || n != brush.Whole {
		t.Errorf("at the edge: got %d, %v", n, err)
	}
}
