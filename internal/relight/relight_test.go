package relight_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

const (
	edge     = 96 // cells of a land along x and z
	allLight = voxel.HasSky | voxel.HasLight
)

// The blocks of a land.
const (
	air voxel.Cell = iota
	stone
	torch
	glowstone
)

func box(x0, y0, z0, x1, y1, z1 int) geom.Box {
	return geom.Box{Min: geom.Point{X: x0, Y: y0, Z: z0}, Max: geom.Point{X: x1, Y: y1, Z: z1}}
}

// land is flat stone below height 4, with its light and columns from -16 to 64.
type land struct {
	model   relight.Model
	pending *relight.Pending
	volumes map[string]*grid.View
	columns map[geom.ColumnPos]*voxel.Column
	gone    *geom.ColumnPos // a column that is not in memory
}

func newLand(columns bool) *land {
	l := &land{volumes: make(map[string]*grid.View), columns: make(map[geom.ColumnPos]*voxel.Column)}
	for _, v := range voxel.BlockVolumes() {
		l.volumes[v.Name] = grid.New(grid.Options{Schema: v.Schema, Default: v.Default})
	}
	ground := box(0, -16, 0, edge, 4, edge)
	l.write(voxel.Block, func(d *grid.Draft) { d.Fill(ground, stone) })
	l.write(voxel.Sky, func(d *grid.Draft) { d.Fill(ground, 0) })
	for i := range int32(edge / 16 * edge / 16) {
		c := &voxel.Column{Pos: geom.ColumnPos{X: i % (edge / 16), Z: i / (edge / 16)}}
		for y := int8(-1); y < 4; y++ {
			c.Sections = append(c.Sections, voxel.Section{Y: y, Has: voxel.HasBlock | allLight})
		}
		if columns {
			l.columns[c.Pos] = c
		}
	}
	return l
}

func (l *land) write(volume string, f func(d *grid.Draft)) (replaced []grid.Replaced) {
	d := l.volumes[volume].Edit()
	f(&d.Draft)
	l.volumes[volume], replaced = d.Publish()
	return replaced
}

// edit changes blocks in an update of its own.
func (l *land) edit(lit bool, f func(d *grid.Draft)) {
	replaced := l.write(voxel.Block, f)
	touched := relight.Touched(air, replaced)
	left := relight.NewLeft(air, replaced, touched, lit)
	for i, c := range touched {
		if old := l.columns[c.Pos]; left.Stale(i, old) {
			stale := *old
			stale.Stale = allLight
			l.columns[c.Pos] = &stale
		}
	}
	l.pending = l.pending.Add(left)
}

func (l *land) set(p geom.Point, c voxel.Cell) {
	l.edit(false, func(d *grid.Draft) { d.Set(p, c) })
}

func (l *land) relight() error {
	d := &relight.Input{Name: "land", Names: []string{"air", "stone", "torch", "glowstone"}, Blocks: l.volumes[voxel.Block],
		Levels: [2]*grid.View{light.Sky: l.volumes[voxel.Sky], light.Block: l.volumes[voxel.Light]}}
	if len(l.columns) > 0 {
		d.Column = func(pos geom.ColumnPos) (*voxel.Column, bool) {
			return l.columns[pos], l.gone == nil || *l.gone != pos
		}
	}
	columns, err := l.model.Run(context.Background(), d, l.pending, l.pending.Around(d.Blocks), func(kind light.Channel, b geom.Box, levels []voxel.Cell) {
		l.write([]string{voxel.Sky, voxel.Light}[kind], func(d *grid.Draft) { d.WriteBox(b, levels) })
	})
	for _, c := range columns {
		l.columns[c.Pos] = c
	}
	l.pending = nil
	return err
}

// stale counts the columns with stale light.
func (l *land) stale() (n int) {
	for c := range maps.Values(l.columns) {
		n += min(1, int(c.Stale))
	}
	return n
}

func (l *land) level(volume string, p geom.Point) voxel.Cell {
	c, _ := l.volumes[volume].Cell(p)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Too much at once stays stale, and the next change is lit again.
func TestRunTooMuch(t *testing.T) {
	l := newLand(true)
	l.edit(false, func(d *grid.Draft) {
		rock := voxel.Uniform(stone)
		for i := range int32(1100) {
			d.SetChunk(geom.ChunkPos{X: i % 40, Y: 9, Z: i / 40}, rock)
		}
	})
	must(t, l.relight())
	if n := l.stale(); n != len(l.columns) {
		t.Errorf("%d columns are stale, want all", n)
	}
	p := geom.Point{X: 20, Y: 40, Z: 20}
	if sky := l.level(voxel.Sky, p); sky != 15 {
		t.Errorf("light %d was computed", sky)
	}
	l.set(p, torch)
	must(t, l.relight())
	if got := l.level(voxel.Light, p.Add(geom.Point{X: 1})); got != 13 {
		t.Errorf("beside a torch: %d", got)
	}
}

// What is built beyond the sections that a column lists gets light, and the
// section a place for it; where only blocks have sections, air gets none.
func TestRunBeyond(t *testing.T) {
	l := newLand(true)
	l.set(geom.Point{X: 60, Y: 64 + 17, Z: 60}, glowstone)
	l.set(geom.Point{X: 57, Y: 64 + 17, Z: 60}, stone)
	must(t, l.relight())
	c := l.columns[geom.ColumnPos{X: 3, Z: 3}]
	if n := len(c.Sections); n != 6 || c.Sections[5].Y != 5 || c.Sections[5].Has != allLight {
		t.Errorf("sections %+v", c.Sections)
	}
	if n := l.stale(); n != 0 {
		t.Errorf("%d columns are stale", n)
	}
	for _, want := range []struct {
		x, y       int
		sky, light voxel.Cell
	}{{60, 81, 0, 15}, {60, 80, 14, 14}, {60, 82, 15, 14}, {61, 81, 15, 14}, {57, 80, 14, 11}, {60, 78, 15, 0}, {60, 63, 14, 0}} {
		p := geom.Point{X: want.x, Y: want.y, Z: 60}
		sky, light := l.level(voxel.Sky, p), l.level(voxel.Light, p)
		if sky != want.sky || light != want.light { // section 4, heights 64 to 79, has no place for light
			t.Errorf("at %v: got %d and %d, want %d and %d", p, sky, light, want.sky, want.light)
		}
	}
}

// Without columns the light of a chunk that is gone goes too.
func TestRunTop(t *testing.T) {
	l := newLand(false)
	for _, p := range []geom.Point{{X: 50, Y: 112, Z: 50}, {X: 50, Y: -112, Z: 50}} {
		for _, block := range []voxel.Cell{glowstone, air} {
			l.set(p, block)
			must(t, l.relight())
			for up := -1; up <= 1; up++ {
				want := voxel.Cell(15 - up*up)
				if block == air {
					want = 0
				}
				if got := l.level(voxel.Light, p.Add(geom.Point{Y: up})); got != want {
					t.Errorf("block %d at %v, %d above: light %d, want %d", block, p, up, got, want)
				}
			}
		}
	}
}

// What blocks are to light is not learned from light that is stale, nor where none
// is kept.
func TestRunLearnsFromLight(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(c *voxel.Column)
	}{
		{"no light", func(c *voxel.Column) { c.Sections[1].Has &^= voxel.HasSky }},
		{"stale", func(c *voxel.Column) {
			if c.Pos != (geom.ColumnPos{}) {
				c.Stale = allLight
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLand(true)
			l.write(voxel.Sky, func(d *grid.Draft) {
				d.Fill(box(0, -32, 0, 32, 16, 32), 15)
				d.Set(geom.Point{X: 30, Y: 30, Z: 30}, 3) // a chunk all alike teaches nothing
			})
			for i := range int32(4) {
				tt.spoil(l.columns[geom.ColumnPos{X: i & 1, Z: i >> 1}])
			}
			l.edit(false, func(d *grid.Draft) { d.Fill(box(4, 28, 4, 13, 29, 13), stone) })
			must(t, l.relight())
			if got := l.level(voxel.Sky, geom.Point{X: 8, Y: 27, Z: 8}); got != 10 {
				t.Errorf("below a roof: light %d, want 10", got)
			}
		})
	}
}

// What has to be in memory and is not is an error, and nothing is good again.
func TestRunNotLoaded(t *testing.T) {
	p := geom.Point{X: 50, Y: 30, Z: 50}
	gone := []grid.Placed{{Pos: p.Add(geom.Point{X: 15}).Chunk(), Chunk: grid.NotLoaded}}
	for name, drop := range map[string]func(l *land){
		"blocks": func(l *land) { l.volumes[voxel.Block] = l.volumes[voxel.Block].With(gone) },
		"light":  func(l *land) { l.volumes[voxel.Light] = l.volumes[voxel.Light].With(gone) },
		"column": func(l *land) { l.gone = &geom.ColumnPos{X: 4, Z: 3} },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLand(true)
			l.set(p, glowstone)
			drop(l)
			if err := l.relight(); !errors.Is(err, grid.ErrNotLoaded) || l.stale() != 1 {
				t.Errorf("error %v, %d columns are stale", err, l.stale())
			}
		})
	}
}

// Around gives one box for each footprint of chunks, a column more on all sides.
func TestAround(t *testing.T) {
	l := newLand(true)
	l.set(geom.Point{X: 40, Y: 9, Z: 40}, stone)
	l.set(geom.Point{X: 20, Y: 9, Z: 40}, stone)
	l.set(geom.Point{X: 70, Y: 9, Z: 40}, stone)
	l.set(geom.Point{X: 70, Y: 9, Z: 40}, air) // as it was
	all := geom.Root.Box()
	want := []geom.Box{box(0, all.Min.Y, 16, 48, all.Max.Y, 64), box(16, all.Min.Y, 16, 64, all.Max.Y, 64)}
	if got := l.pending.Around(l.volumes[voxel.Block]); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A lamp in a column that keeps no light of blocks, as games write it where there is none, is lit; one in a
// column without any light leaves that stale.
func TestRunLampInTheDark(t *testing.T) {
	for _, tt := range []struct {
		name  string
		keeps voxel.Has
		light voxel.Cell
		stale bool
	}{{"sky alone", voxel.HasSky, 14, false}, {"none", 0, 0, true}, {"blocks alone", voxel.HasLight, 14, false}} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLand(true)
			for _, c := range l.columns {
				for i := range c.Sections {
					c.Sections[i].Has = voxel.HasBlock | tt.keeps
				}
			}
			p := geom.Point{X: 40, Y: 15, Z: 40}
			l.set(p, glowstone)
			must(t, l.relight())
			c := l.columns[geom.ColumnPos{X: 2, Z: 2}]
			for _, at := range []geom.Point{p.Add(geom.Point{X: 1}), p.Add(geom.Point{Y: 1}), p.Add(geom.Point{Y: -1})} {
				if got := l.level(voxel.Light, at); got != tt.light {
					t.Errorf("beside the lamp at %v: light %d, want %d", at, got, tt.light)
				}
			}
			if (c.Stale != 0) != tt.stale {
				t.Errorf("stale %v", c.Stale)
			}
			for _, s := range c.Sections {
				near := s.Y == 0 || s.Y == 1
				if want := voxel.HasBlock | tt.keeps | voxel.HasLight; near && tt.light > 0 && s.Has != want {
					t.Errorf("section %d has %v, want %v", s.Y, s.Has, want)
				}
			}
			if sky := l.level(voxel.Sky, geom.Point{X: 42, Y: 15, Z: 40}); sky != 15 {
				t.Errorf("sky light %d", sky)
			}
		})
	}
}
