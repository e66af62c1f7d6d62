package stone_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// countdown is a context that ends when it was asked so many times.
type countdown struct {
	context.Context
	left, asked int
}

func (c *countdown) Err() error {
	if c.asked++; c.asked > c.left {
		return context.Canceled
	}
	return nil
}

// readAll reads all chunks, columns and lists of a stone.
func readAll(ctx context.Context, r *stone.Reader) error {
	for _, d := range r.Dimensions() {
		for _, v := range d.Volumes {
			for _, level := range v.Levels {
				for _, err := range r.Chunks(ctx, d.Name, v.Volume.Name, level) {
					if err != nil {
						return err
					}
				}
			}
		}
		for _, err := range r.ReadColumns(ctx, d.Name) {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// TestContextEndsInside ends the context at many points while pages of each form are read. Chunks
// are more than the checks between pages.
func TestContextEndsInside(t *testing.T) {
	levels := []stone.Placed{}
	for i := range int32(20) {
		levels = append(levels, stone.Placed{Pos: at(i%4, i/8, i/4%2), Chunk: spotted(int(i), 9)})
	}
	plain := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{
		{Volume: voxel.Volume{Name: "v", Schema: voxel.Level, Scale: 1}, Levels: []stonetest.LevelSpec{{Chunks: byCode(levels)}}},
	}}}}
	tests := []struct {
		name  string
		spec  stonetest.Spec
		o     stone.Options
		least int // calls of Err
	}{
		{"columns", plain, stone.Options{Only: 1}, 20},
		{"odds", plain, stone.Options{Only: 5}, 20 + 8*32},
		{"light", house(1, 3, at(0, 0, 0), at(1, 0, 0), at(0, 1, 0)), stone.Options{Only: formLit}, 3 * 14},
		{"columns and lists", house(5, 3, at(0, 0, 0)), stone.Options{}, 1},
		{"images", mirrored("air", "dirt", "rock"), stone.Options{Only: 4}, 4},
		{"relief", landscape(hills(0, 0, 2)), stone.Options{Only: 2}, 4*32 + 10},
		{"height maps", ruled(3), stone.Options{}, 36 * 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := mustWrite(t, tt.spec, tt.o)
			for _, p := range mustForms(t, mustOpen(t, b)) {
				if o := tt.o.Only; o != 0 && p.Name != voxel.Block && p.Form != o {
					t.Errorf("%s of %q have form %d", p.Holds, p.Name, p.Form)
				}
			}
			whole := &countdown{Context: context.Background(), left: 1 << 30}
			if err := readAll(whole, mustOpen(t, b)); err != nil {
				t.Fatal(err)
			}
			if whole.asked < tt.least {
				t.Errorf("asked %d times whether it ended, want %d", whole.asked, tt.least)
			}
			for i := range 20 {
				ctx := &countdown{Context: context.Background(), left: whole.asked * i / 20}
				err := readAll(ctx, mustOpen(t, b))
				var c *stone.CorruptError
				if !errors.Is(err, context.Canceled) || errors.As(err, &c) {
					t.Errorf("ended after %d of %d: %v", ctx.left, whole.asked, err)
				}
				if more := ctx.asked - ctx.left; more > 40 {
					t.Errorf("asked %d times more", more)
				}
			}
		})
	}
}

func mustForms(t *testing.T, r *stone.Reader) []stone.PageInfo {
	t.Helper()
	infos, err := r.Forms()
	if err != nil {
		t.Fatal(err)
	}
	return infos
}

// TestFilesEnd ends the context between the pages of a file.
func TestFilesEnd(t *testing.T) {
	s := stonetest.Spec{Files: []stonetest.FileSpec{{Path: "f", Data: make([]byte, 5*stone.FilePage)}}}
	r := mustOpen(t, mustWrite(t, s, stone.Options{}))
	whole := &countdown{Context: context.Background(), left: 1 << 30}
	if err := r.Check(whole); err != nil || whole.asked < 5 {
		t.Fatalf("asked %d times, want 5: %v", whole.asked, err)
	}
	for left := range whole.asked {
		ctx := &countdown{Context: context.Background(), left: left}
		if err := r.Check(ctx); !errors.Is(err, context.Canceled) || ctx.asked > left+3 {
			t.Errorf("ended after %d: asked %d times, %v", left, ctx.asked, err)
		}
	}
}

// gate is a context that waits when it is asked for the last time.
type gate struct {
	countdown
	waits, goes chan bool
}

func (g *gate) Err() error {
	if g.countdown.Err() != nil {
		g.waits <- true
		<-g.goes
	}
	return nil
}

// TestLightWaits reads light that another goroutine computes: waiting for that ends with the
// context.
func TestLightWaits(t *testing.T) {
	b := mustWrite(t, house(1, 3, at(0, 0, 0)), stone.Options{Only: formLit})
	read := func(r *stone.Reader, ctx context.Context) error {
		_, _, err := r.ReadChunk(ctx, "earth", voxel.Sky, 0, at(0, 0, 0))
		return err
	}
	whole := &countdown{Context: context.Background(), left: 1 << 30}
	if err := read(mustOpen(t, b), whole); err != nil {
		t.Fatal(err)
	}
	r := mustOpen(t, b)
	g := &gate{countdown{context.Background(), whole.asked - 1, 0}, make(chan bool), make(chan bool)}
	done := make(chan error)
	go func() { done <- read(r, g) }()
	<-g.waits
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := read(r, ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("another reader: %v", err)
	}
	g.goes <- true
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func byCode(chunks []stone.Placed) []stone.Placed {
	return lightOf(chunks, nil).Dimensions[0].Volumes[0].Levels[0].Chunks
}

// TestLightTooMuchWork has a page of light that needs few chunks of blocks, each in a page with
// 500 others that change in every cell: a Reader refuses it, and a Writer does not write it.
func TestLightTooMuchWork(t *testing.T) {
	long.Rest(t) // it writes 2,500 chunks twice
	long.Alone(t)
	var flat [voxel.ChunkCells]voxel.Cell
	for i := range flat {
		flat[i] = voxel.Cell((i + i>>10) & 1)
	}
	noise, few := voxel.FromFlat(&flat), spotted(7, 1)
	var blocks []stone.Placed
	for i := range int32(5 * 512) {
		pos := at(i&7|i>>9&1<<3, i>>3&7|i>>11<<3, i>>6&7|i>>10&1<<3)
		near := pos.X >= 7 && pos.X <= 9 && pos.Z >= 7 && pos.Z <= 9
		switch {
		case !near:
			blocks = append(blocks, stone.Placed{Pos: pos, Chunk: noise})
		case pos.Y&7 == 0:
			blocks = append(blocks, stone.Placed{Pos: pos, Chunk: few})
		}
	}
	s := lightOf(blocks, []stone.Placed{{Pos: at(8, 0, 8), Chunk: spotted(7, 9)}})
	mustRefuseLight(t, s, stone.Options{Effort: stone.Quick, PageChunks: 512, Only: formLit}, "take too long")
}

// mustRefuseLight checks that a Writer writes no light that follows from blocks, and that a Reader
// refuses it if a Writer does.
func mustRefuseLight(t *testing.T, s stonetest.Spec, o stone.Options, want string) {
	t.Helper()
	b := mustWrite(t, s, o)
	if n := litPages(t, mustOpen(t, b)); n != 0 {
		t.Errorf("a Writer made %d such pages", n)
	}
	if err := readAll(context.Background(), mustOpen(t, b)); err != nil {
		t.Error(err)
	}
	var buf bytes.Buffer
	w := stone.NewWriter(&buf, o)
	d := s.Dimensions[0]
	w.Dimension(d.Name, "")
	for _, v := range d.Volumes {
		w.Volume(v.Volume, v.Names)
		for _, c := range v.Levels[0].Chunks {
			w.Chunk(0, c.Pos, c.Chunk)
		}
		if v.Name == voxel.Block {
			w.Light(d.Matters, d.Towers())
			w.Reckless()
		}
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var c *stone.CorruptError
	if err := readAll(context.Background(), mustOpen(t, buf.Bytes())); !errors.As(err, &c) || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("read: %v", err)
	}
}

// TestMapsTooMuchWork has height maps that are as their rule says over towers that take a Reader
// too long: a Writer writes them without the rule.
func TestMapsTooMuchWork(t *testing.T) {
	var flat [voxel.ChunkCells]voxel.Cell
	for i := range flat {
		flat[i] = voxel.Cell(1 + (i+i>>5+i>>10)&1)
	}
	dense := voxel.FromFlat(&flat)
	for _, high := range []int32{4, 64} { // few chunks are no work
		var blocks []stone.Placed
		for i := range 16 * high {
			blocks = append(blocks, stone.Placed{Pos: at(i&3, i>>4, i>>2&3), Chunk: dense})
		}
		s := lightOf(blocks, nil)
		d := &s.Dimensions[0]
		d.Matters, d.Volumes = nil, d.Volumes[:1]
		d.Volumes[0].Names = []string{"air", "ore", "rock"}
		d.Rules = []light.Rule{{Map: "top", Cells: []voxel.Cell{1}}}
		for i := range int32(64) {
			m := voxel.Map{Name: "top"}
			for k := range m.Values {
				m.Values[k] = 32*high - int32(k+k>>4+1)&1
			}
			d.Columns = append(d.Columns, voxel.Column{Pos: geom.ColumnPos{X: i & 7, Z: i >> 3}, Maps: []voxel.Map{m}})
		}
		sortColumns(d.Columns)
		r := mustOpen(t, mustWrite(t, s, stone.Options{Effort: stone.Quick}))
		if byRule := residuals(t, r) == 0; byRule != (high == 4) {
			t.Errorf("%d chunks high: by rule: %v", high, byRule)
		}
		mustEqual(t, mustReadSpec(t, r), s)
	}
}

// TestLightTooFarSpread has light that would take floods through more blocks than a Reader does:
// nobody writes it.
func TestLightTooFarSpread(t *testing.T) {
	if testing.Short() {
		t.Skip("floods for seconds")
	}
	var flat [voxel.ChunkCells]voxel.Cell
	for i := range flat {
		flat[i] = voxel.Cell((i + i>>10) & 1)
	}
	noise := voxel.FromFlat(&flat)
	var blocks, sky []stone.Placed
	for i := range int32(60 * 40) {
		pos := at(i%20*3, i/60, i/20%3*3)
		blocks = append(blocks, stone.Placed{Pos: pos, Chunk: noise})
		if pos.Y == 0 {
			sky = append(sky, stone.Placed{Pos: pos, Chunk: spotted(7, 9)})
		}
	}
	b := mustWrite(t, lightOf(blocks, sky), stone.Options{Effort: stone.Quick, Only: formLit})
	if n := litPages(t, mustOpen(t, b)); n != 0 {
		t.Errorf("%d pages of light that take floods of %d chunks", n, len(blocks))
	}
}

// TestAtOnce writes pages on several goroutines: the bytes are the same.
func TestAtOnce(t *testing.T) {
	s := house(1, 3, at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(5, 0, 2))
	want := mustWrite(t, s, stone.Options{PageChunks: 1})
	for n := 1; n < 6; n++ {
		ran := 0
		got := mustWrite(t, s, stone.Options{PageChunks: 1, AtOnce: n, Run: func(n int, f func(int)) {
			done := make(chan bool)
			for i := range n {
				go func() { f(i); done <- true }()
			}
			for range n {
				<-done
			}
			ran += n
		}})
		if string(got) != string(want) {
			t.Errorf("%d at once: other bytes", n)
		}
		if n > 1 && ran == 0 {
			t.Errorf("%d at once: Run was not called", n)
		}
	}
}
