package server_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
)

// A cache tells the two forms of cells apart, and each form has its own 304.
func TestVary(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 1)
	const path = "/v1/cells/a?box=0,0,0..3,3,3"
	json, records := s.get(path), s.get(path, "Accept", wire.RecordsType)
	tags := []string{json.header.Get("ETag"), records.header.Get("ETag")}
	if json.status != 200 || records.status != 200 || tags[0] == tags[1] {
		t.Fatalf("got %d %s, %d %s", json.status, tags[0], records.status, tags[1])
	}
	for i, accept := range []string{"*/*", wire.RecordsType} {
		for j, tag := range tags {
			want := map[bool]int{true: 304, false: 200}[i == j]
			if got := s.get(path, "Accept", accept, "If-None-Match", tag); got.status != want || got.header.Get("Vary") != "Accept, Accept-Encoding" {
				t.Errorf("Accept %s, If-None-Match %s: got %d, Vary %q, want %d", accept, tag, got.status, got.header.Get("Vary"), want)
			}
		}
	}
	if got := s.get("/v1/log/a"); got.header.Get("Vary") != "Accept, Accept-Encoding" {
		t.Errorf("a log varies by %q", got.header.Get("Vary"))
	}
	write := []byte(`{"volume":"block","box":"0,0,0..0,0,0","names":["air"],"cells":[0]}`)
	for i, want := range []int{200, 412} { // the tag of either form is that of the version
		if got := s.do(request{"PUT", path[:len("/v1/cells/a")], write, []string{"If-Match", tags[1]}}); got.status != want {
			t.Errorf("write %d: got %d %s", i, got.status, got.body)
		}
	}
}
