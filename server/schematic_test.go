package server_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format/sponge"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestSchematic sends a schematic to the server and gets it back.
func TestSchematic(t *testing.T) {
	c := clip.Air(geom.Point{X: 4, Y: 3, Z: 5})
	c.Version, c.Offset = 3955, geom.Point{Y: -1}
	c.Block.Names = []string{"air", "minecraft:stone"}
	b := clip.NewBuilder(c.Size, 0, nil)
	b.Run(1, 30)
	b.Run(voxel.Empty, 30)
	var err error
	if c.Block.View, err = b.View(); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := sponge.Write(&file, c, clip.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	s := newSite(t, server.Options{})
	s.want(200, request{"POST", "/v1/import/hut", file.Bytes(), nil}, nil)
	got := s.do(request{"GET", "/v1/export/hut?format=sponge", nil, nil})
	back, err := sponge.Read(bytes.NewReader(got.body), int64(len(got.body)), clip.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d := clip.Difference(c, back); d != "" {
		t.Error(d)
	}
	if name := got.header.Get("Content-Disposition"); !strings.Contains(name, ".schem") {
		t.Errorf("the file is named %q", name)
	}
	s.do(request{"GET", "/v1/export/hut?format=mcedit", nil, nil}).wantCode(t, wire.Unsupported)

	// A box of it is a schematic, too. The corners stand in any order.
	got = s.do(request{"GET", "/v1/export/hut?format=sponge&box=1,0,1..0,-1,0", nil, nil})
	if back, err = sponge.Read(bytes.NewReader(got.body), int64(len(got.body)), clip.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := (geom.Point{X: 2, Y: 2, Z: 2}); back.Size != want || !slices.Contains(back.Block.Names, "minecraft:stone") {
		t.Errorf("the box has %v blocks of %q", back.Size, back.Block.Names)
	}
	for _, wrong := range []string{"format=slime&box=0,0,0..1,1,1", "box=0,0,0..1,1,1", "format=sponge&box=here"} {
		s.do(request{"GET", "/v1/export/hut?" + wrong, nil, nil}).wantCode(t, wire.BadRequest)
	}
}
