package local_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/world"
)

// Collect finds what is needed, whether it reads records in order, as for many
// commits of logs, or looks them up, as for the few below a log that is short.
func TestCollectWalks(t *testing.T) {
	for _, keep := range []int{1, 3, 30, 60} {
		s := mustOpen(t, filepath.Join(t.TempDir(), "store"), local.Options{FileBytes: 2500})
		heads := fill(t, s)
		mustCreate(t, s, "long")
		ids := make([]world.ID, 60)
		for i := range ids {
			ids[i] = mustSave(t, s, "long", mustStone(t, fmt.Sprint("long", i), 10))
		}
		heads["long"] = ids[len(ids)-1]
		for i, upto := range []int{3, 20, 21, 50} {
			st := mustStone(t, fmt.Sprint("packed", i), 100)
			p := world.Pack{After: ids[upto-3], Upto: ids[upto], Stone: world.StoneRef{ID: st.ID, Size: int64(len(st.Data))}}
			if err := s.PutPack(t.Context(), "long", p, st); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, err := s.Collect(t.Context(), world.Policy{Keep: world.Retention{Newest: keep}, Grace: -1}); err != nil {
				t.Fatal(err)
			}
			wantHeads(t, s, heads)
		}
		if r := mustCheck(t, s); keep == 1 && r.Stones >= 60 {
			t.Errorf("%d stones stay", r.Stones)
		}
		mustClose(t, s)
	}
}
