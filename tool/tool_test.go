package tool_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/brush"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/tool"
	"github.com/cairnvoxel/cairn/voxel"
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
		{tool.Options{Brush: "ball", At: at(0, 7, 0), R: 3, Name: "stone"}, brush.Add{Shape: ball, Of: stone}},
		{tool.Options{Brush: "box", From: at(3, 0, 1), To: at(-1, 2, 0), Subtract: true}, brush.Subtract{Shape: box}},
		{tool.Options{Brush: "cylinder", At: at(0, 7, 0), R: 3, Height: 2, Cell: number(1)}, brush.Add{Shape: brush.Cylinder(geom.Point{Y: 7}, 3, 2), Of: brush.Cell(1)}},
		{tool.Options{Brush: "paint", At: at(0, 7, 0), R: 3, Name: "minecraft:stone"}, brush.Paint{Shape: ball, Of: stone}},
		{tool.Options{Brush: "smooth", At: at(0, 7, 0), R: 3}, brush.Smooth{Shape: ball, Passes: 1}},
		{tool.Options{Brush: "erode", From: at(3, 0, 1), To: at(-1, 2, 0)}, brush.Erode{Shape: box, By: 1}},
		{tool.Options{Brush: "grow", At: at(0, 7, 0), R: 3, By: .5}, brush.Grow{Shape: ball, By: .5}},
		{tool.Options{Brush: "flatten", At: at(0, 7, 0), R: 3, Y: number(2.5)}, brush.Flatten{Shape: ball, Height: 2.5}},
		{tool.Options{Brush: "sea", At: at(0, 7, 0), R: 3, Y: number(0.)}, brush.Sea{Shape: ball, Of: brush.Named("minecraft:water")}},
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
	var wrong *tool.Error
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
		"takes no height":           {Brush: "ball", At: at(0, 0, 0), R: 1, Height: 1, Name: "stone"},
		"takes no any_name":         {Brush: "smooth", At: at(0, 0, 0), R: 1, AnyName: true},
		"want one shape":            {Brush: "smooth", At: at(0, 0, 0), R: 1, From: at(0, 0, 0)},
		"name or cell, not both":    {Brush: "ball", At: at(0, 0, 0), R: 1, Name: "stone", Cell: number(1)},
		"--any-name":                {Brush: "grow", AnyName: true, Dash: "--"},
		"--r 5000":                  {Brush: "ball", At: at(0, 0, 0), R: 5000, Name: "stone", Dash: "--"},
		"out of range":              {Brush: "ball", At: at(1<<40, 0, 0), R: 5, Name: "stone"},
		"y: want the height":        {Brush: "flatten", At: at(0, 0, 0), R: 5},
		"by -1":                     {Brush: "erode", At: at(0, 0, 0), R: 5, By: -1},
		"not a block state":         {Brush: "ball", At: at(0, 0, 0), R: 5, Name: "stone["},
		"no cell of that number":    {Brush: "ball", At: at(0, 0, 0), R: 5, Cell: number(-1)},
		"minecraft:air: use sub":    {Brush: "ball", At: at(0, 0, 0), R: 5, Name: "minecraft:air"},
		"use subtract to remove":    {Brush: "ball", At: at(0, 0, 0), R: 5, Name: "air"},
		"a cylinder needs height":   {Brush: "cylinder", At: at(0, 0, 0), R: 5, Name: "stone"},
		"subtract takes neither":    {Brush: "box", From: at(0, 0, 0), To: at(0, 0, 0), Name: "stone", Subtract: true},
		"points [[1 1] [2 2]]":      {Brush: "prism", Points: [][2]int{{1, 1}, {2, 2}}, Floor: number(0), Height: 1, Name: "stone"},
		"floor 9223372036854775807": {Brush: "prism", Points: [][2]int{{1, 1}, {2, 2}, {1, 4}}, Floor: number(1<<63 - 1), Height: 1, Name: "stone"},
	} {
		in, err := o.Find(create(t).View(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		var wrong *tool.Error
		if _, err := o.Make(in); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	for _, place := range [][2]string{{"moon", ""}, {"", "dust"}, {"overworld", "solid"}} {
		var wrong *tool.Error
		if _, err := new(tool.Options).Find(create(t).View(), place[0], place[1]); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", place, err)
		}
	}
}
