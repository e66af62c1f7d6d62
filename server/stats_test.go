package server_test

import (
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/server"
)

// TestStats counts worlds and their bytes, once a minute.
func TestStats(t *testing.T) {
	s := newSite(t, server.Options{Packs: true})
	type answer struct {
		Time   string
		Worlds int
		Sizes  struct {
			Sampled                          int
			Bytes, Median, P90, P99, Largest int64
			Counts                           []struct {
				Upto   int64
				Worlds int
			}
		}
		Store  *struct{}
		Stream struct{ Viewers, Worlds int }
		Packs  bool
	}
	var none answer
	empty := newSite(t, server.Options{})
	empty.want(200, request{method: "GET", path: "/v1/stats"}, &none)
	if none.Worlds != 0 || none.Sizes.Sampled != 0 || none.Sizes.Largest != 0 || len(none.Sizes.Counts) == 0 || none.Packs {
		t.Errorf("without worlds: got %+v", none)
	}
	for i := range 5 {
		s.mustCommit(fmt.Sprint("w", i), i)
	}
	var got answer
	s.want(200, request{method: "GET", path: "/v1/stats"}, &got)
	one := int64(len(mustStone(t, 0).Data))
	sum := 0
	for i, c := range got.Sizes.Counts {
		sum += c.Worlds
		if last := i == len(got.Sizes.Counts)-1; last != (c.Upto == 0) {
			t.Errorf("count %d is up to %d", i, c.Upto)
		}
	}
	if got.Worlds != 5 || got.Sizes.Sampled != 5 || sum != 5 || got.Sizes.Largest < 4*one-16 || got.Sizes.Bytes < 10*one-64 || got.Sizes.Median < 2*one-16 || !got.Packs {
		t.Errorf("got %+v, a stone has %d bytes", got, one)
	}
	s.mustCommit("late", 1)
	var again answer
	s.want(200, request{method: "GET", path: "/v1/stats"}, &again)
	if again.Time != got.Time || again.Sizes.Sampled != 5 {
		t.Errorf("within a minute: got %+v", again)
	}
}
