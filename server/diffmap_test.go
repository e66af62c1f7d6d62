package server_test

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
)

// TestDiffmap draws where versions of a world differ: each sets one cell of a chunk of
// its own.
func TestDiffmap(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 4)
	s.mustCommit("b", 1)
	added, removed := color.RGBA{86, 180, 233, 255}, color.RGBA{213, 94, 0, 255}
	for _, tt := range []struct {
		query, box string
		ink        color.Color
		pixels     int // of the colour
	}{
		{"?a=1&b=4", "32,0,0..127,31,31", added, 3 * 8 * 8},
		{"?a=4&b=3&dimension=a", "96,0,0..127,31,31", removed, 8 * 8},
		{"?a=4&b=4", "", added, 0},
		{"?a=2&with=b&b=1", "32,0,0..63,31,31", removed, 8 * 8},
	} {
		got := s.want(200, request{method: "GET", path: "/v1/diffmap/a" + tt.query}, nil)
		img, err := png.Decode(bytes.NewReader(got.body))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if color.RGBAModel.Convert(img.At(x, y)) == tt.ink {
					n++
				}
			}
		}
		if n != tt.pixels || got.header.Get("Cairn-Box") != tt.box {
			t.Errorf("%s: got %d pixels of %q, want %d of %q", tt.query, n, got.header.Get("Cairn-Box"), tt.pixels, tt.box)
		}
	}
	for query, want := range map[string]wire.Code{
		"?size=4096": wire.BadRequest, "?dimension=none": wire.BadRequest, "?a=9": wire.NoCommit, "?with=none": wire.NoWorld, "?with=A": wire.BadName,
	} {
		s.get("/v1/diffmap/a"+query).wantCode(t, want)
	}
	var d struct {
		Blocks []struct {
			Name           string
			Added, Removed int
		}
	}
	s.want(200, request{method: "GET", path: "/v1/diff/a?a=1&b=4"}, &d)
	if len(d.Blocks) != 2 || d.Blocks[0].Name != "air" || d.Blocks[0].Removed != 3 || d.Blocks[1].Name != "stone" || d.Blocks[1].Added != 3 {
		t.Errorf("got %+v", d.Blocks)
	}
}
