package region_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"pgregory.net/rapid"
)

func ExampleParse() {
	r, err := region.Parse("(box:0,60,0..63,90,63 + cylinder:64,60,32,10.5,31) - ball:32,60,32,8")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Bounds(), region.Count(r))
	text, err := region.Text(r)
	fmt.Println(text, err)
	_, err = region.Parse("box:0,0,0...9,9,9")
	fmt.Println(err)
	// Output:
	// [(0,60,0) (75,91,64)) 131558
	// box:0,60,0..63,90,63 + cylinder:64,60,32,10.5,31 - ball:32,60,32,8 <nil>
	// region: parse: offset 11: ".9,9,9": want an integer
}

func TestParse(t *testing.T) {
	box := func(n int) region.Region {
		return geom.Box{Max: geom.Point{X: n + 1, Y: 1, Z: 1}}
	}
	prism := mustPrism(t, []region.Corner{{X: -1, Z: 2}, {X: 33554432, Z: 0}, {X: 5, Z: 9}}, -64, 320)
	for _, tt := range []struct {
		text string
		want region.Region
		back string // "" is text
	}{
		{"box:0,0,0..63,255,63", geom.Box{Max: geom.Point{X: 64, Y: 256, Z: 64}}, ""},
		{" box:3,-2,1..-3,5,-9\n", geom.Box{Min: geom.Point{X: -3, Y: -2, Z: -9}, Max: geom.Point{X: 4, Y: 6, Z: 2}}, "box:-3,-2,-9..3,5,1"},
		{"ball:1,2,-3,4", region.Ball{Center: geom.Point{X: 1, Y: 2, Z: -3}, Radius: 4}, ""},
		{"ball:1,2,3,0.25", region.Ball{Center: geom.Point{X: 1, Y: 2, Z: 3}, Radius: 0.25}, ""},
		{"cylinder:1,2,3,4.5,6", region.Cylinder{Base: geom.Point{X: 1, Y: 2, Z: 3}, Radius: 4.5, Height: 6}, ""},
		{"prism:-64..319:-1,2;33554432,0;5,9", prism, ""},
		{"box:0,0,0..1,0,0 + box:0,0,0..2,0,0 + box:0,0,0..3,0,0", region.Union{box(1), box(2), box(3)}, ""},
		{"box:0,0,0..1,0,0-box:0,0,0..2,0,0-box:0,0,0..3,0,0", region.Difference{From: region.Difference{From: box(1), Without: box(2)}, Without: box(3)},
			"box:0,0,0..1,0,0 - box:0,0,0..2,0,0 - box:0,0,0..3,0,0"},
		{"box:0,0,0..1,0,0 - box:0,0,0..2,0,0 + box:0,0,0..3,0,0", region.Union{region.Difference{From: box(1), Without: box(2)}, box(3)}, ""},
		{"box:0,0,0..1,0,0 - (box:0,0,0..2,0,0 + box:0,0,0..3,0,0)", region.Difference{From: box(1), Without: region.Union{box(2), box(3)}}, ""},
		{"(box:0,0,0..1,0,0 + box:0,0,0..2,0,0) + box:0,0,0..3,0,0", region.Union{region.Union{box(1), box(2)}, box(3)}, ""},
		{"box:0,0,0..1,0,0 + box:0,0,0..2,0,0 & box:0,0,0..3,0,0", region.Union{box(1), region.Intersection{box(2), box(3)}}, ""},
		{"(box:0,0,0..1,0,0 + box:0,0,0..2,0,0) & (box:0,0,0..3,0,0 & box:0,0,0..4,0,0)",
			region.Intersection{region.Union{box(1), box(2)}, region.Intersection{box(3), box(4)}}, ""},
		{"prism:319..-64:-1,2;33554432,0;5,9", prism, "prism:-64..319:-1,2;33554432,0;5,9"},
		{"prism:-64..319:-1,2;33554432,0;5,9;-1,2", prism, "prism:-64..319:-1,2;33554432,0;5,9"},
		{"ball:1,2,3,0", region.Ball{Center: geom.Point{X: 1, Y: 2, Z: 3}}, ""},
		{"((box:0,0,0..1,0,0))", box(1), "box:0,0,0..1,0,0"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := region.Parse(tt.text)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if tt.back == "" {
				tt.back = tt.text
			}
			if back, err := region.Text(got); err != nil || back != tt.back {
				t.Errorf("the text is %q, %v", back, err)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	shape := "ball:0,0,0,1"
	for _, tt := range []struct {
		name, text string
		offset     int
		want       string
	}{
		{"nothing", "", 0, "the text ends, want \"box:\""},
		{"a word", "bax:1", 0, `"bax:1": want "box:"`},
		{"no number", "box:,0,0..1,1,1", 4, "want an integer"},
		{"a fraction", "box:1.5,0,0..1,1,1", 5, `want ","`},
		{"a sign alone", "box:-,0,0..1,1,1", 4, "want an integer"},
		{"one corner", "box:1,2,3", 9, `the text ends, want ".."`},
		{"a space in a shape", "box:1, 2,3..4,5,6", 6, "want an integer"},
		{"out of range", "box:1,2,3..33554432,5,6", 11, "33554432 is not within -33554432 to 33554431"},
		{"beyond an int", "box:1,2,3..99999999999999999999999,5,6", 11, "is not within"},
		{"no radius", "ball:1,2,3,", 11, "the text ends, want a radius"},
		{"negative radius", "ball:1,2,3,-1", 11, "-1 is not within 0 to"},
		{"two points", "ball:1,2,3,1.2.3", 14, `want "+", "-", "&" or the end`},
		{"no height", "cylinder:1,2,3,4,0", 17, "0 is not within 1 to"},
		{"two corners", "prism:0..1:1,2;3,4", 0, "2 corners, want at least 3"},
		{"no area", shape + " + prism:0..1:1,1;2,2;3,3", 15, "3 corners on one line"},
		{"operator at the end", shape + " & ", 15, "the text ends"},
		{"two shapes", shape + " " + shape, 13, `want "+", "-", "&" or the end`},
		{"open parenthesis", "(" + shape, 13, `the text ends, want "+", "-", "&" or ")"`},
		{"closed parenthesis", shape + ")", 12, "the end"},
		{"deep", strings.Repeat("(", 101) + shape, 101, "more than 100 parentheses"},
		{"many", strings.Repeat(shape+"-", 1000) + shape, 13000, "more than 1000 shapes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := region.Parse(tt.text)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("offset %d: ", tt.offset)) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v", got, err)
			}
			if outside := strings.Contains(tt.want, "is not within"); outside != errors.Is(err, geom.ErrOutOfRange) {
				t.Errorf("out of range: %v", err)
			}
		})
	}
	if _, err := region.Parse(strings.Repeat(" ", 5<<20)); err == nil {
		t.Error("a text of 5 MiB is read")
	}
}

func TestTextRefuses(t *testing.T) {
	for _, r := range []region.Region{
		nil, geom.Box{}, region.Ball{Radius: -1}, region.Ball{Radius: math.NaN()}, region.Ball{Center: geom.Point{X: 1 << 25}}, region.Cylinder{},
		region.Cylinder{Radius: math.Inf(1), Height: 1}, region.Prism{}, region.Union{}, region.Intersection{region.Ball{}, region.Intersection{}},
		region.Difference{}, plain{region.Ball{}},
	} {
		if text, err := region.Text(r); err == nil || text != "" {
			t.Errorf("%+v has the text %q", r, text)
		}
	}
}

// parsed leaves out what a text cannot have.
func parsed(r region.Region) region.Region {
	switch r := r.(type) {
	case plain:
		return parsed(r.Region)
	case region.Union:
		var out region.Union
		for _, part := range r {
			out = append(out, parsed(part))
		}
		if len(out) < 2 {
			return region.Ball{Radius: 1}
		}
		return out
	case region.Intersection:
		var out region.Intersection
		for _, part := range r {
			out = append(out, parsed(part))
		}
		if len(out) < 2 {
			return region.Ball{Radius: 2}
		}
		return out
	case region.Difference:
		return region.Difference{From: parsed(r.From), Without: parsed(r.Without)}
	}
	if _, err := region.Text(r); err != nil {
		return region.Ball{}
	}
	return r
}

// TestTextRoundTrip writes and reads random combinations.
func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, _ := drawSet(t, 3)
		want := parsed(r)
		text, err := region.Text(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := region.Parse(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is %+v, %v; want %+v", text, got, err, want)
		}
		for n := range text {
			r, err := region.Parse(text[:n])
			if err != nil {
				continue
			}
			if again, err := region.Text(r); err != nil {
				t.Fatalf("%q is read as %q, %v", text[:n], again, err)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"box:0,0,0..63,255,63", "ball:0,0,0,2.5 - box:-1,-1,-1..1,1,1", "cylinder:1,2,3,4,5&(ball:0,0,0,1+ball:1,1,1,1)", "prism:0..9:0,0;9,0;0,9",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := region.Parse(text)
		if err != nil {
			return
		}
		written, err := region.Text(r)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if again, err := region.Parse(written); err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%q is %+v, its text %q is %+v, %v", text, r, written, again, err)
		}
		r.Contains(r.Bounds().Min)
	})
}
