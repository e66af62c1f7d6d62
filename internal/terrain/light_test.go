package terrain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// lights is a Sink that keeps the air of a world with its two lights.
type lights struct {
	refusing
	air map[geom.Point][2]int8
}

func (l *lights) Column(c *format.Column) error {
	for i, s := range c.Sections {
		min := c.Pos.Min(int(s.Y) * 16)
		for n := range 4096 {
			cells := c.Cells[i]
			if cells.Block[n%len(cells.Block)] == voxel.Empty {
				p := min.Add(geom.Point{X: n & 15, Y: n >> 8, Z: n >> 4 & 15})
				l.air[p] = [2]int8{nibble(cells.Sky, n, 15), nibble(cells.Light, n, 0)}
			}
		}
	}
	return nil
}

func nibble(a []byte, n int, otherwise int8) int8 {
	if a == nil {
		return otherwise
	}
	return int8(a[n/2] >> (n % 2 * 4) & 15)
}

// TestLight: light in the air differs by at most 1 from one cell to the next,
// also where footprints meet, and under the open sky it is 15.
func TestLight(t *testing.T) {
	l := &lights{air: map[geom.Point][2]int8{}}
	if err := terrain.Arena(terrain.Options{Seed: 9, Size: 3}).Read(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	for p, here := range l.air {
		for _, d := range []geom.Point{{X: 1}, {Y: 1}, {Z: 1}} {
			next, ok := l.air[p.Add(d)]
			if !ok {
				continue
			}
			for i := range here {
				if diff := here[i] - next[i]; diff < -1 || diff > 1 {
					t.Fatalf("light %d is %d at %v and %d at %v", i, here[i], p, next[i], p.Add(d))
				}
			}
		}
		if p.Y == 79 && here[0] != 15 {
			t.Fatalf("sky light %d at %v under the open sky", here[0], p)
		}
	}
}

func TestReadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range makers {
		if err := m.make(terrain.Options{Size: 2}).Read(ctx, newAudit(t)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", m.name, err)
		}
	}
	full := errors.New("full")
	if err := terrain.Plots(terrain.Options{Size: 2}).Read(context.Background(), refusing{full}); !errors.Is(err, full) {
		t.Errorf("the sink's error came back as %v", err)
	}
}

// refusing is a Sink that takes no column.
type refusing struct{ err error }

func (refusing) Dimension(*format.Dimension) error               { return nil }
func (r refusing) Column(*format.Column) error                   { return r.err }
func (refusing) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return nil }
func (refusing) File(format.File) error                          { return nil }
