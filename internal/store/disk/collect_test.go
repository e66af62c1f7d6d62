package disk_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/store/history"
)

// Collect finds what is needed, whether it reads records in order, as for many
// commits of logs, or looks them up, as for the few below a log that is short.
func TestCollectWalks(t *testing.T) {
	for _, keep := range []int{1, 45, 60} {
		s := mustOpen(t, filepath.Join(t.TempDir(), "store"), disk.Options{FileBytes: 2500})
		heads := fill(t, s)
		mustCreate(t, s, "long")
		ids := make([]history.ID, 60)
		for i := range ids {
			ids[i] = mustSave(t, s, "long", mustStone(t, fmt.Sprint("long", i), 10))
		}
		heads["long"] = ids[len(ids)-1]
		for i, upto := range []int{3, 20, 21, 50} {
			st := mustStone(t, fmt.Sprint("packed", i), 100)
			p := history.Pack{After: ids[upto-3], Upto: ids[upto], Stone: history.StoneRef{ID: st.ID, Size: int64(len(st.Data))}}
			if err := s.PutPack(t.Context(), "long", p, st); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, err := s.Collect(t.Context(), history.Policy{Keep: history.Retention{Newest: keep}, Grace: -1}); err != nil {
				t.Fatal(err)
			}
			wantHeads(t, s, heads)
		}
		mustCheck(t, s)
		for text, size := range map[string]int{"long49": 10, "packed1": 100} { // others stand for them
			_, err := s.Open(t.Context(), "long", mustStone(t, text, size).ID)
			if gone := errors.Is(err, history.ErrGone); gone != (keep == 1) {
				t.Errorf("newest %d: stone %q: %v", keep, text, err)
			}
		}
		mustClose(t, s)
	}
}
