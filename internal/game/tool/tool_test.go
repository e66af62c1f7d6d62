package tool_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/game/brush"
	"github.com/cairnvoxel/cairn/internal/game/tool"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

func create(t testing.TB) *world.World {
	t.Helper()
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("overworld", voxel.BlockVolumes(), nil)
		v := d.Volume(voxel.Block)
		v.Set(geom.Point{X: 500}, v.Named("minecraft:dirt"))
		tx.AddDimension("land", []voxel.Volume{{Name: "solid", Schema: voxel.Terrain, Scale: 1}, {Name: "liquid", Schema: voxel.Level, Scale: 1}}, map[string][]string{"solid": {"air", "rock"}})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func at(x, y, z int) *[3]int { return &[3]int{x, y, z} }

func number[T any](n T) *T { return &n }

// text returns a brush as text, without the addresses of functions.
func text(b brush.Brush) string {
	return regexp.MustCompile("0x[0-9a-f]+").ReplaceAllString(fmt.Sprintf("%T %+v", b, b), "")
}

// TestMake compares the brushes of words with those of package brush.
func TestMake(t *testing.T) {
	stone := brush.Named("minecraft:stone")
	ball := brush.Ball(geom.Point{Y: 7}, 3)
	box := brush.Box(geom.Box{Min: geom.Point{X: -1}, Max: geom.Point{X: 4, Y: 3, Z: 2}})
	for _, tt := range []struct {
		o    tool.Options
		want brush.Brush
	}{
		{tool.Options{Brush: "ball", At: at(0, 7, 0), R: number(3.), Name: "stone"}, brush.Add{Shape: ball, Of: stone}},
		{tool.Options{Brush: "box", From: at(3, 0, 1), To: at(-1, 2, 0), Subtract: true}, brush.Subtract{Shape: box}},
		{tool.Options{Brush: "cylinder", At: at(0, 7, 0), R: number(3.), Height: 2, Cell: number(1)}, brush.Add{Shape: brush.Cylinder(geom.Point{Y: 7}, 3, 2), Of: brush.Cell(1)}},
		{tool.Options{Brush: "paint", At: at(0, 7, 0), R: number(3.), Name: "minecraft:stone"}, brush.Paint{Shape: ball, Of: stone}},
		{tool.Options{Brush: "smooth", At: at(0, 7, 0), R: number(3.)}, brush.Smooth{Shape: ball, Passes: 1}},
		{tool.Options{Brush: "erode", From: at(3, 0, 1), To: at(-1, 2, 0)}, brush.Erode{Shape: box, By: 1}},
		{tool.Options{Brush: "grow", At: at(0, 7, 0), R: number(3.), By: .5}, brush.Grow{Shape: ball, By: .5}},
		{tool.Options{Brush: "flatten", At: at(0, 7, 0), R: number(3.), Y: number(2.5)}, brush.Flatten{Shape: ball, Height: 2.5}},
		{tool.Options{Brush: "sea", At: at(0, 7, 0), R: number(3.), Y: number(0.)}, brush.Sea{Shape: ball, Of: brush.Named("minecraft:water")}},
	} {
		w := create(t)
		in, err := tt.o.Find(w.View(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		b, err := tt.o.Make(in)
		if err != nil || text(b) != text(tt.want) {
			t.Errorf("%+v: %+v, %v, want %+v", tt.o, b, err, tt.want)
		}
		if words, ok := tool.Words(tt.o.Brush); !ok || !slices.Contains(tool.Names(), tt.o.Brush) || len(words) == 0 || !strings.Contains(tool.Help(), tt.o.Brush) {
			t.Errorf("%s takes %v", tt.o.Brush, words)
		}
	}
}

func TestApply(t *testing.T) {
	w := create(t)
	o := tool.Options{Brush: "box", From: at(0, 0, 0), To: at(9, 1, 0), Name: "stone"}
	in, err := o.Find(w.View(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := o.Make(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{20, 0} {
		change, err := o.Apply(t.Context(), w, in, b, 20)
		if err != nil || in.Changed(change) != want {
			t.Errorf("%d cells changed, want %d: %v", in.Changed(change), want, err)
		}
	}
	var wrong *tool.WordError
	if _, err := o.Apply(t.Context(), w, in, b, 19); !errors.As(err, &wrong) {
		t.Errorf("a box of 20 cells where 19 are allowed: %v", err)
	}
	o.Name = "ston"
	if b, err = o.Make(in); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Apply(t.Context(), w, in, b, 20); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("a name that is wrong: %v", err)
	}
}

// TestSea: a sea is in the liquid if there is one, and its floor in the solid.
func TestSea(t *testing.T) {
	w := create(t)
	rock := tool.Options{Brush: "box", From: at(0, 0, 0), To: at(9, 0, 9), Name: "rock"}
	sea := tool.Options{Brush: "sea", From: at(0, 0, 0), To: at(9, 9, 9), Y: number(3.)}
	for _, o := range []tool.Options{rock, sea} {
		in, err := o.Find(w.View(), "land", "")
		if err != nil {
			t.Fatal(err)
		}
		b, err := o.Make(in)
		if err != nil {
			t.Fatal(err)
		}
		if change, err := o.Apply(t.Context(), w, in, b, 1000); err != nil || in.Changed(change) == 0 {
			t.Errorf("%s: %v", o.Brush, err)
		}
	}
	land := w.View().Dimension("land")
	if c, _ := land.Volume("liquid").Cell(geom.Point{X: 5, Y: 1, Z: 5}); c == 0 {
		t.Error("there is no water above the rock")
	}
}

// TestWrong: each error is an Error that says the word as it was said.
func TestWrong(t *testing.T) {
	for want, o := range map[string]tool.Options{
		"no brush":                  {Brush: "hammer"},
		"takes no height":           {Brush: "ball", At: at(0, 0, 0), R: number(1.), Height: 1, Name: "stone"},
		"takes no any_name":         {Brush: "smooth", At: at(0, 0, 0), R: number(1.), AnyName: true},
		"want one shape":            {Brush: "smooth", At: at(0, 0, 0), R: number(1.), From: at(0, 0, 0)},
		"name or cell, not both":    {Brush: "ball", At: at(0, 0, 0), R: number(1.), Name: "stone", Cell: number(1)},
		"--any-name":                {Brush: "grow", AnyName: true, Dash: "--"},
		"--r 5000":                  {Brush: "ball", At: at(0, 0, 0), R: number(5000.), Name: "stone", Dash: "--"},
		"out of range":              {Brush: "ball", At: at(1<<40, 0, 0), R: number(5.), Name: "stone"},
		"y: want the height":        {Brush: "flatten", At: at(0, 0, 0), R: number(5.)},
		"by -1":                     {Brush: "erode", At: at(0, 0, 0), R: number(5.), By: -1},
		"not a block state":         {Brush: "ball", At: at(0, 0, 0), R: number(5.), Name: "stone["},
		"no cell of that number":    {Brush: "ball", At: at(0, 0, 0), R: number(5.), Cell: number(-1)},
		"minecraft:air: use sub":    {Brush: "ball", At: at(0, 0, 0), R: number(5.), Name: "minecraft:air"},
		"use subtract to remove":    {Brush: "ball", At: at(0, 0, 0), R: number(5.), Name: "air"},
		"a cylinder needs height":   {Brush: "cylinder", At: at(0, 0, 0), R: number(5.), Name: "stone"},
		"subtract takes neither":    {Brush: "box", From: at(0, 0, 0), To: at(0, 0, 0), Name: "stone", Subtract: true},
		"points [[1 1] [2 2]]":      {Brush: "prism", Points: [][2]int{{1, 1}, {2, 2}}, Floor: number(0), Height: 1, Name: "stone"},
		"r -1: 0 to 4096":           {Brush: "ball", At: at(0, 0, 0), R: number(-1.), Name: "stone"},
		"want one shape: at and r":  {Brush: "ball", At: at(0, 0, 0), Name: "stone"},
		"floor 9223372036854775807": {Brush: "prism", Points: [][2]int{{1, 1}, {2, 2}, {1, 4}}, Floor: number(1<<63 - 1), Height: 1, Name: "stone"},
	} {
		in, err := o.Find(create(t).View(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		var wrong *tool.WordError
		if _, err := o.Make(in); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	for _, place := range [][2]string{{"moon", ""}, {"", "dust"}, {"overworld", "solid"}} {
		var wrong *tool.WordError
		if _, err := new(tool.Options).Find(create(t).View(), place[0], place[1]); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", place, err)
		}
	}
}

// TestWithin: brushes change only what a region and a mask admit, by what was there before.
func TestWithin(t *testing.T) {
	mask, err := region.ParseMask("!dirt")
	if err != nil {
		t.Fatal(err)
	}
	in := region.Ball{Center: geom.Point{X: 1, Y: 1, Z: 1}, Radius: 2}
	for _, o := range []tool.Options{
		{Brush: "box", From: at(-3, 0, 0), To: at(3, 3, 3), Name: "stone"},
		{Brush: "box", From: at(-3, 0, 0), To: at(3, 3, 3), Subtract: true},
		{Brush: "paint", From: at(-3, 0, 0), To: at(3, 3, 3), Name: "stone"},
		{Brush: "flatten", From: at(-3, 0, 0), To: at(3, 3, 3), Y: number(2.), Name: "gravel"},
	} {
		for _, with := range []struct {
			in region.Region
			of region.Mask
		}{{nil, region.Mask{}}, {in, region.Mask{}}, {nil, mask}, {in, mask}} {
			cells := func(o tool.Options) (names []string) {
				w := create(t)
				_, err := w.Update(func(tx *world.Tx) error {
					v := tx.Dimension("overworld").Volume(voxel.Block)
					for i := range 64 {
						v.Set(geom.Point{X: i%8 - 4, Y: i / 16, Z: i / 8 % 2}, v.Named([]string{"air", "minecraft:dirt", "minecraft:sand"}[i%3]))
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				place, err := o.Find(w.View(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				if o.Brush != "" {
					b, err := o.Make(place)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := o.Apply(t.Context(), w, place, b, 1000); err != nil {
						t.Fatal(err)
					}
				}
				v := w.View().Dimension("overworld").Volume(voxel.Block)
				for i := range 512 {
					c, _ := v.Cell(geom.Point{X: i%8 - 4, Y: i/8%8 - 1, Z: i/64 - 1})
					names = append(names, v.CellName(c))
				}
				return names
			}
			o.Region, o.Mask = nil, region.Mask{}
			was, free := cells(tool.Options{}), cells(o)
			o.Region, o.Mask = with.in, with.of
			admits := o.Mask.Cells(was)
			for i, got := range cells(o) {
				p := geom.Point{X: i%8 - 4, Y: i/8%8 - 1, Z: i/64 - 1}
				want := free[i]
				if o.Region != nil && !o.Region.Contains(p) || admits != nil && !admits[i] {
					want = was[i]
				}
				if got != want {
					t.Fatalf("%s in %v, %v: %v is %s, want %s", o.Brush, o.Region, o.Mask, p, got, want)
				}
			}
		}
	}
}

// TestReplace replaces what a mask names.
func TestReplace(t *testing.T) {
	one := geom.Box{Min: geom.Point{X: 500}, Max: geom.Point{X: 501, Y: 2, Z: 1}}
	for _, tt := range []struct {
		mask, name string
		in         region.Region
		want       string // of the cells (500,0,0) and (500,1,0), or in the error
	}{
		{"dirt", "glass", nil, "minecraft:glass air"},
		{"stone", "glass", nil, "minecraft:dirt air"},
		{"dirt", "air", nil, "air air"},
		{"air", "glass", one, "minecraft:dirt minecraft:glass"},
		{"!stone", "glass", one, "minecraft:glass minecraft:glass"},
		{"air", "glass", nil, "air is without end"},
		{"dirt", "glsas", nil, "did you mean"},
	} {
		w := create(t)
		mask, err := region.ParseMask(tt.mask)
		if err != nil {
			t.Fatal(err)
		}
		o := tool.Options{Name: tt.name, Mask: mask, Region: tt.in}
		in, err := o.Find(w.View(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		var wrong *tool.WordError
		if err := o.Replace(t.Context(), w, in); err != nil {
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s by %s: %v, want %s", tt.mask, tt.name, err, tt.want)
			}
			continue
		}
		v := w.View().Dimension("overworld").Volume(voxel.Block)
		a, _ := v.Cell(geom.Point{X: 500})
		b, _ := v.Cell(geom.Point{X: 500, Y: 1})
		if got := v.CellName(a) + " " + v.CellName(b); got != tt.want {
			t.Errorf("%s by %s: %s, want %s", tt.mask, tt.name, got, tt.want)
		}
	}
}

// TestShapesOfWords: what a word says of a shape, the text of a region says too.
func TestShapesOfWords(t *testing.T) {
	for text, o := range map[string]tool.Options{
		"ball:1,2,3,0":                       {Brush: "ball", At: at(1, 2, 3), R: number(0.)},
		"ball:1,2,3,1.5":                     {Brush: "ball", At: at(1, 2, 3), R: number(1.5)},
		"cylinder:1,2,3,0,2":                 {Brush: "cylinder", At: at(1, 2, 3), R: number(0.), Height: 2},
		"box:3,2,1..0,0,0":                   {Brush: "box", From: at(3, 2, 1), To: at(0, 0, 0)},
		"prism:1..0:0,0;4,0;4,4":             {Brush: "prism", Points: [][2]int{{0, 0}, {4, 0}, {4, 4}}, Floor: number(0), Height: 2},
		"prism:0..1:0,0;4,0;4,4;0,0":         {Brush: "prism", Points: [][2]int{{0, 0}, {4, 0}, {4, 4}, {0, 0}}, Floor: number(0), Height: 2},
		"prism:0..1:0,0;0,0;4,0;4,4;0,4;0,0": {Brush: "prism", Points: [][2]int{{0, 0}, {0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}, Floor: number(0), Height: 2},
	} {
		r, err := region.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		w := create(t)
		o.Name = "stone"
		in, err := o.Find(w.View(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		b, err := o.Make(in)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if _, err := o.Apply(t.Context(), w, in, b, 1000); err != nil {
			t.Fatal(err)
		}
		v := w.View().Dimension("overworld").Volume(voxel.Block)
		stone, _ := v.Named("minecraft:stone")
		for i := range 4096 {
			p := geom.Point{X: i%16 - 4, Y: i/16%16 - 4, Z: i/256 - 4}
			if c, _ := v.Cell(p); (c == stone) != r.Contains(p) {
				t.Fatalf("%s: %v is %s", text, p, v.CellName(c))
			}
		}
	}
}

// TestOwnNames: a world of Hytale takes the blocks that it has, with any rotation, and no others.
func TestOwnNames(t *testing.T) {
	w := create(t)
	_, err := w.Update(func(tx *world.Tx) error {
		volumes := []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}, {Name: "fluid_level", Schema: voxel.Level, Scale: 1}}
		v := tx.AddDimension("default", volumes, nil).Volume(voxel.Block)
		v.Set(geom.Point{}, v.Named("Rock_Stone[rotation=1]"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, fits := range map[string]bool{"Rock_Stone": true, "Rock_Stone[rotation=2]": true, "Rock_Stain": false, "minecraft:stone": false} {
		o := tool.Options{Brush: "box", From: at(0, 0, 0), To: at(1, 1, 1), Name: name}
		in, err := o.Find(w.View(), "default", "")
		if err != nil {
			t.Fatal(err)
		}
		b, err := o.Make(in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Apply(t.Context(), w, in, b, 1000); (err == nil) != fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}
