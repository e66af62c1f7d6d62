package backup_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// TestDeletedAtOnce deletes several worlds of one name in one millisecond.
func TestDeletedAtOnce(t *testing.T) {
	ends := "" // a table ends after each row of this name
	for i := 0; ends == ""; i++ {
		if name := fmt.Sprint("w", i); sha256.Sum256([]byte(name))[0] == 0 {
			ends = name
		}
	}
	for _, name := range []string{"w", ends} {
		at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
		still := func() time.Time { return at }
		st, b := memory.New(memory.Options{Now: still}).(*pair.Pair), newBucket()
		for range 3 {
			create(t, st, name)
			save(t, st, name, text(name, 1))
			if err := st.Delete(t.Context(), name, 0); err != nil {
				t.Fatal(err)
			}
		}
		create(t, st, name, "z")
		for range 2 { // the second uses the tables of the first
			if r := mustRun(t, st, b, backup.Options{Now: newClock().now}); r.Worlds != 5 {
				t.Errorf("%s: got %+v", name, r)
			}
			if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); err != nil {
				t.Fatalf("%s: verify: %+v, %v", name, v, err)
			}
			n := 0
			err := mustRestore(t, b, backup.Access{}).Outlines(t.Context(), func(m history.Outline) error {
				if m.Name == name && m.Deleted.Equal(at) {
					n++
				}
				return nil
			})
			if err != nil || n != 3 {
				t.Errorf("%s: restored %d deleted worlds, %v", name, n, err)
			}
		}
	}
}

// TestHurtAndRenamed loses a stone of a world that was renamed since the backup
// before. Another world has its old name.
func TestHurtAndRenamed(t *testing.T) {
	c := newClock()
	st, b := newStore(c), newBucket()
	create(t, st, "a")
	save(t, st, "a", text("first", 1))
	mustRun(t, st, b, backup.Options{Now: c.now})
	if err := st.Rename(t.Context(), "a", "b", 0); err != nil {
		t.Fatal(err)
	}
	save(t, st, "b", text("lost", 1))
	create(t, st, "a")
	save(t, st, "a", text("second", 1))
	lossy := &losing{Pair: st, id: stoneOf(text("lost", 1)).ID, err: history.ErrGone}
	if r, err := backup.Run(t.Context(), lossy, b, backup.Options{Now: c.now}); !errors.Is(err, backup.ErrHurt) || r.Worlds != 2 {
		t.Fatalf("got %+v, %v", r, err)
	}
	to := mustRestore(t, b, backup.Access{})
	for name, want := range map[string]string{"a": "second 1", "b": "first 1"} {
		if f, err := history.Fetch(t.Context(), to, name, history.ID{}, 1<<20); err != nil || len(f.Data) != 1 || string(f.Data[0]) != want {
			t.Errorf("%s: got %q, %v", name, f.Data, err)
		}
	}
}

// twins is a Store that names all its worlds alike.
type twins struct{ history.ArchiveReader }

func (s twins) Outlines(ctx context.Context, what func(history.Outline) error) error {
	return s.ArchiveReader.Outlines(ctx, func(m history.Outline) error {
		m.Name = "a"
		return what(m)
	})
}

// TestTwins backs up a Store that breaks its contract: no backup is better than one
// that cannot be restored.
func TestTwins(t *testing.T) {
	c := newClock()
	st, b := newStore(c), newBucket()
	create(t, st, "a", "b")
	if r, err := backup.Run(t.Context(), twins{st}, b, backup.Options{Now: c.now}); err == nil || r.Name != "" {
		t.Errorf("got %+v, %v", r, err)
	}
}
