package server_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// An answer that differs has another ETag, whatever it differs by, and an old one is not taken for it.
func TestTags(t *testing.T) {
	st := memory.New(memory.Options{})
	s, next := newSiteOf(t, st, server.Options{Program: "1"}), newSiteOf(t, st, server.Options{Program: "2"})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	s.post(200, "/v1/brush/a", `{"brush":"box","from":[5,120,5],"to":[9,120,9],"name":"red_wool"}`, nil)
	paths := []string{
		"/v1/worlds/a", "/v1/properties/a", "/v1/picture/a?size=16", "/v1/map/a", "/v1/tiles/a?zoom=3", "/v1/export/a?format=slime", "/v1/export/a",
		"/v1/chunks/a?dimension=overworld&volume=block&y=2", "/v1/cells/a?box=0,0,0..1,1,1", "/v1/cells/a?at=1&box=0,0,0..1,1,1",
	}
	seen := make(map[string]reply)
	wantOther := func(s *site, what string, paths ...string) {
		t.Helper()
		for _, path := range paths {
			was := seen[path]
			got := s.get(path, "If-None-Match", was.header.Get("ETag"))
			if got.status != 200 || got.header.Get("ETag") == was.header.Get("ETag") || got.header.Get("Cache-Control") != "private, no-cache" {
				t.Errorf("%s, %s: got %d, ETag %s, Cache-Control %s", what, path, got.status, got.header.Get("ETag"), got.header.Get("Cache-Control"))
			}
			seen[path] = got
			again := s.get(path, "If-None-Match", got.header.Get("ETag"))
			if again.status != 304 || len(again.body) > 0 || again.header.Get("ETag") != got.header.Get("ETag") || again.header.Get("Vary") != got.header.Get("Vary") {
				t.Errorf("%s, %s: got %d, ETag %s, Vary %q, want %s, %q", what, path, again.status, again.header.Get("ETag"), again.header.Get("Vary"), got.header.Get("ETag"), got.header.Get("Vary"))
			}
		}
	}
	wantOther(s, "first", paths...)
	wantOther(next, "another program", paths...)
	s.want(201, request{"POST", "/v1/leases/a", []byte(`{"holder":"game","seconds":600}`), nil}, nil)
	wantOther(next, "a lease", paths[0])
	s.want(204, request{"DELETE", "/v1/leases/a", nil, []string{"Cairn-Fence", "1"}}, nil)
	wantOther(next, "no lease", paths[0])
	w, err := world.Open(t.Context(), st, "a", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	last := newSiteOf(t, st, server.Options{Program: "2"})
	wantOther(last, "a pack", "/v1/worlds/a", "/v1/tiles/a?zoom=3", "/v1/export/a")
	s.do(request{"PUT", "/v1/cells/a", []byte(`{"box":"0,100,0..0,100,0","names":["stone"],"cells":[0]}`), []string{"If-Match", seen["/v1/cells/a?at=1&box=0,0,0..1,1,1"].header.Get("ETag")}}).wantCode(t, wire.Conflict)
	s.want(200, request{"PUT", "/v1/cells/a", []byte(`{"box":"0,100,0..0,100,0","names":["stone"],"cells":[0]}`), []string{"If-Match", seen["/v1/cells/a?box=0,0,0..1,1,1"].header.Get("ETag")}}, nil)
	wantOther(last, "a write", append(paths[2:9:9], paths[0])...)
}

// Text is compressed for who takes that, and a cache tells the forms apart.
func TestCompressed(t *testing.T) {
	long := newSite(t, server.Options{})
	long.mustCommit("a", 100)
	cells := newSite(t, server.Options{})
	cells.mustImport("a", mustSlime(t, madeUp(t, 1)))
	for _, tt := range []struct {
		site *site
		path string
		zips bool
	}{
		{cells, "/v1/openapi.json", true},
		{cells, "/v1/cells/a?box=-16,0,-16..15,90,15", true},
		{cells, "/v1/cells/a?box=0,60,0..0,60,0", false}, // short
		{cells, "/v1/picture/a?size=512", false},
		{long, "/v1/log/a?n=3", true},
		{long, "/v1/log/a", true}, // in parts
		{cells, "/v1/export/a", false},
		{cells, "/v1/login", false},
	} {
		plain := tt.site.want(200, request{"GET", tt.path, nil, []string{"Accept-Encoding", "identity"}}, nil)
		for _, accept := range []string{"gzip", "br, gzip;q=0.5", "gzip;q=0", "br"} {
			got := tt.site.get(tt.path, "Accept-Encoding", accept)
			zipped := tt.zips && accept != "br" && accept != "gzip;q=0"
			if (got.header.Get("Content-Encoding") == "gzip") != zipped || got.header.Get("Vary") != plain.header.Get("Vary") {
				t.Errorf("%s for %s: Content-Encoding %q, Vary %q", tt.path, accept, got.header.Get("Content-Encoding"), got.header.Get("Vary"))
				continue
			}
			if !zipped {
				continue
			}
			r, err := gzip.NewReader(bytes.NewReader(got.body))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(r); err != nil || !bytes.Equal(text, plain.body) || len(got.body) >= len(text) {
				t.Errorf("%s: %d bytes become %d, want %d: %v", tt.path, len(got.body), len(text), len(plain.body), err)
			}
			if tag := got.header.Get("ETag"); tag != "" {
				if again := tt.site.get(tt.path, "Accept-Encoding", accept, "If-None-Match", tag); tag == plain.header.Get("ETag") || again.status != 304 || again.header.Get("Vary") != got.header.Get("Vary") {
					t.Errorf("%s: ETag %s as for the plain one, or again %d, Vary %q", tt.path, tag, again.status, again.header.Get("Vary"))
				}
			}
		}
	}
}

// An export is sent in ranges, and a range of another version never.
func TestExportRanges(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	for _, path := range []string{"/v1/export/a", "/v1/export/a?format=slime", "/v1/export/a?format=anvil"} {
		whole := s.want(200, request{"GET", path, nil, nil}, nil)
		size := len(whole.body)
		for _, tt := range []struct {
			header   []string
			status   int
			from, to int
		}{
			{[]string{"Range", "bytes=0-9"}, 206, 0, 10},
			{[]string{"Range", "bytes=-7"}, 206, size - 7, size},
			{[]string{"Range", "bytes=5-", "If-Range", whole.header.Get("ETag")}, 206, 5, size},
			{[]string{"Range", "bytes=5-", "If-Range", `"other"`}, 200, 0, size},
			{[]string{"Range", "bytes=99999999-"}, 416, 0, 0},
		} {
			got := s.get(path, tt.header...)
			if got.status != tt.status || tt.to > 0 && !bytes.Equal(got.body, whole.body[tt.from:tt.to]) {
				t.Errorf("%s %q: got %d with %d bytes", path, tt.header, got.status, len(got.body))
			}
		}
		if whole.header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("%s: nobody learns of the ranges", path)
		}
	}
	s.post(200, "/v1/brush/a", `{"brush":"box","from":[5,120,5],"to":[9,120,9],"name":"red_wool"}`, nil)
}

// A version that is one stone is downloaded as it is stored.
func TestExportStored(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustImport("a", mustSlime(t, madeUp(t, 1)))
	log, err := s.st.Log(t.Context(), "a", [32]byte{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.get("/v1/export/a"); hashOf(got.body) != log[0].Stones[0].ID || got.header.Get("Cairn-Lost") != "{}" {
		t.Errorf("%d bytes are not the stone of %d: lost %s", len(got.body), log[0].Stones[0].Size, got.header.Get("Cairn-Lost"))
	}
	s.post(200, "/v1/brush/a", `{"brush":"box","from":[5,120,5],"to":[9,120,9],"name":"red_wool"}`, nil)
	got := s.want(200, request{"GET", "/v1/export/a", nil, nil}, nil)
	s.mustImport("b", got.body)
	var d diff.Difference
	if s.want(200, request{"GET", "/v1/diff/a?with=b", nil, nil}, &d); !d.Same() {
		t.Errorf("a version of two stones is another one as a file: %+v", d)
	}
	if old := s.get("/v1/export/a?at=1"); hashOf(old.body) != log[0].Stones[0].ID {
		t.Error("an old version is not its stone")
	}
}

// Programs that are made from openapi.json escape the slashes of names.
func TestEscapedSlashes(t *testing.T) {
	s := newSite(t, server.Options{})
	head := s.mustCommit("t/ann/b", 1)
	for _, name := range []string{"t/ann/b", "t%2Fann%2Fb", "t%2fann/b"} {
		if got := s.get("/v1/head/" + name); got.header.Get("ETag") != tag(head) {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
	st := mustStone(t, 0)
	if got := s.get("/v1/stones/" + st.ID.String() + "/t%2Fann%2Fb"); !bytes.Equal(got.body, st.Data) {
		t.Errorf("a stone: got %d", got.status)
	}
	for _, path := range []string{"/v1/head/t%2F%61nn%2Fb", "/v1/head/t%252Fann", "/v1/head/t%2F%2Fb", "/v1/head/%2Ft", "/v1/head/t%2F..%2Ft", "/v1/stones/" + st.ID.String() + "%2Ft/ann/b", "/v1/head/t%5Cann"} {
		s.get(path).wantCode(t, wire.BadName)
	}
	for _, path := range []string{"/v1%2Fhead/t/ann/b", "/%76%31/head/t"} {
		if got := s.get(path); got.status < 400 {
			t.Errorf("%s: got %d", path, got.status)
		}
	}
}
