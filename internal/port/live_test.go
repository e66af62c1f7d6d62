package port_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// liveLook imports a folder that is written, and returns the columns of the version and what was torn.
func liveLook(t *testing.T, st history.Store, dir string, seen *port.Seen) (states map[int32][]byte, torn []string) {
	t.Helper()
	src, err := port.Open(dir, port.Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	seen.Now = time.Now()
	src.Since(*seen)
	c, err := src.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	done, err := src.Import(t.Context(), func(context.Context) (history.Store, error) { return st, nil }, "w", c, port.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	*seen = port.Seen{Head: done.Commit.ID(), Headers: src.Headers()}
	w, err := world.OpenSnapshot(t.Context(), st, "w", done.Commit.ID(), world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	states = map[int32][]byte{}
	for col, err := range w.ReadColumns(t.Context(), "overworld") {
		if err != nil {
			t.Fatal(err)
		}
		states[col.Pos.X] = bytes.Clone(col.Parts[0].Data)
	}
	return states, src.Remarks().Torn
}

// TestImportLive: beside a writer in a hurry each chunk of each version is as it was at one moment of the
// look, or is named and as in the version before; and in the end all is as the folder says.
func TestImportLive(t *testing.T) {
	dir := t.TempDir()
	s := anviltest.StartScribe(t, dir, "region/r.0.0.mca")
	st := memory.New(memory.Options{})
	var seen port.Seen
	before := map[int32]int64{}
	looks, tornLooks := 0, 0
	for end := time.Now().Add(time.Duration(long.Of(2, 120)) * time.Second); time.Now().Before(end); looks++ {
		var least []int64
		for _, i := range s.Items {
			least = append(least, i.Ended())
		}
		states, torn := liveLook(t, st, dir, &seen)
		for k, i := range s.Items {
			x := int32(i.X)
			data, named := states[x], false
			for _, text := range torn {
				named = named || strings.Contains(text, fmt.Sprintf("(%d,0)", x)) || strings.Contains(text, fmt.Sprintf("{%d 0}", x))
			}
			n, whole := i.State(data)
			switch {
			case named:
				tornLooks++
				if (data != nil) != (before[x] > 0) || data != nil && n != before[x] {
					t.Fatalf("look %d: the torn chunk %d is in state %d, before %d", looks, x, n, before[x])
				}
			case n < least[k] || n > i.Begun():
				t.Fatalf("look %d: chunk %d is in state %d; %d was there before, %d was the last; torn: %v", looks, x, n, least[k], i.Begun(), torn)
			}
			if data != nil && !whole {
				t.Fatalf("look %d: chunk %d is torn", looks, x)
			}
			before[x] = n
		}
	}
	s.Stop()
	states, torn := liveLook(t, st, dir, &seen)
	saves := int64(0)
	for _, i := range s.Items {
		if n, whole := i.State(states[int32(i.X)]); n != i.Ended() || !whole {
			t.Errorf("in the end chunk %d is in state %d, the folder has %d; torn: %v", i.X, n, i.Ended(), torn)
		}
		saves += i.Ended()
	}
	mustEqual(t, st, dir)
	t.Logf("%d looks beside %d saves; %d chunks were torn for long", looks, saves, tornLooks)
}
