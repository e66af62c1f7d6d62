package server_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/resourcepack"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
)

// stoneTextures returns the textures of a pack with stone.
func stoneTextures() *resourcepack.Atlas {
	var b bytes.Buffer
	err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 16)))
	if err == nil {
		var a *resourcepack.Atlas
		if a, err = resourcepack.LoadFS(fstest.MapFS{"assets/minecraft/textures/block/stone.png": {Data: b.Bytes()}}); err == nil {
			return a
		}
	}
	panic("server: textures for tests: " + err.Error())
}

// TestTextures asks for textures of a server with a pack, and of one without.
func TestTextures(t *testing.T) {
	s := newSite(t, server.Options{Textures: stoneTextures()})
	got := s.want(200, request{"POST", "/v1/textures", []byte(`{"names":["legacy:1/0","air","minecraft:stone"]}`), nil}, nil)
	if want := `{"faces":[[0,0,0,0,0,0],null,[0,0,0,0,0,0]],"shown":["minecraft:stone (1:0)","air","minecraft:stone"]}`; strings.TrimSpace(string(got.body)) != want {
		t.Errorf("got %s, want %s", got.body, want)
	}
	if got := s.get("/v1/textures"); !strings.HasPrefix(string(got.body), `{"tiles":1,"tile":16,"pad":8,"columns":1,"rows":1,`) {
		t.Errorf("got %s", got.body)
	}
	atlas := s.get("/v1/atlas")
	if img, err := png.Decode(bytes.NewReader(atlas.body)); err != nil || img.Bounds() != image.Rect(0, 0, 32, 32) {
		t.Errorf("the image: %v", err)
	}
	if again := s.get("/v1/atlas", "If-None-Match", atlas.header.Get("ETag")); again.status != 304 || len(again.body) != 0 {
		t.Errorf("again: %d with %d bytes", again.status, len(again.body))
	}

	s = newSite(t, server.Options{})
	s.get("/v1/atlas").wantCode(t, wire.NoRoute)
	if got := s.get("/v1/textures"); got.status != 200 || !strings.HasPrefix(string(got.body), `{"tiles":0,`) {
		t.Errorf("without a pack: %d %s", got.status, got.body)
	}
	got = s.want(200, request{"POST", "/v1/textures", []byte(`{"names":["minecraft:stone"]}`), nil}, nil)
	if want := `{"faces":[null],"shown":["minecraft:stone"]}`; strings.TrimSpace(string(got.body)) != want {
		t.Errorf("without a pack: %s", got.body)
	}
}
