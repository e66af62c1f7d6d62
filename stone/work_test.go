package stone_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
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
		for _, err := range r.Columns(ctx, d.Name) {
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
	plain := stone.Spec{Dimensions: []stone.DimensionSpec{{Name: "d", Volumes: []stone.VolumeSpec{
		{Volume: voxel.Volume{Name: "v", Schema: voxel.Level, Scale: 1}, Levels: []stone.LevelSpec{{Chunks: byCode(levels)}}},
	}}}}
	tests := []struct {
		name  string
		spec  stone.Spec
		o     stone.Options
		least int // calls of Err
	}{
		{"columns", plain, stone.Options{Only: 1}, 20},
		{"odds", plain, stone.Options{Only: 5}, 20 + 8*32},
		{"light", house(1, 3, at(0, 0, 0), at(1, 0, 0), at(0, 1, 0)), stone.Options{Only: formLit}, 3 * 14},
		{"columns and lists", house(5, 3, at(0, 0, 0)), stone.Options{}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := mustWrite(t, tt.spec, tt.o)
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

func byCode(chunks []stone.Placed) []stone.Placed {
	return lightOf(chunks, nil).Dimensions[0].Volumes[0].Levels[0].Chunks
}

// TestLightTooMuchWork has a page of light for which blocks would have to be decoded that change
// in every cell: a Reader refuses it, and a Writer does not write it.
func TestLightTooMuchWork(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 2,304 chunks")
	}
	var flat [voxel.ChunkCells]voxel.Cell
	for i := range flat {
		flat[i] = voxel.Cell((i + i>>10) & 1)
	}
	noise, light := voxel.Pack(&flat), spotted(7, 9)
	var blocks, sky []stone.Placed
	for i := range int32(72 * 32) {
		pos := at(i%24, i/72, i/24%3)
		blocks = append(blocks, stone.Placed{Pos: pos, Chunk: noise})
		if pos.X%3 == 1 && pos.Z == 1 && pos.Y == 0 {
			sky = append(sky, stone.Placed{Pos: pos, Chunk: light})
		}
	}
	s := lightOf(blocks, sky)
	r := mustOpen(t, mustWrite(t, s, stone.Options{Effort: stone.Quick, Only: formLit}))
	var c *stone.CorruptError
	if err := readAll(context.Background(), r); !errors.As(err, &c) || !strings.Contains(fmt.Sprint(err), "take too long") {
		t.Errorf("read: %v", err)
	}
	if _, _, err := r.Chunk(context.Background(), "earth", voxel.Sky, 0, sky[0].Pos); err != nil {
		t.Errorf("one chunk of the page: %v", err)
	}
	if n := litPages(t, mustOpen(t, mustWrite(t, s, stone.Options{Effort: stone.Quick}))); n != 0 {
		t.Errorf("a Writer made %d such pages", n)
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
