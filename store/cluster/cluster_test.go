package cluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/cluster"
	"github.com/cairnvoxel/cairn/store/history"
)

// kept is a Store with the file that opens it again.
type kept struct {
	*cluster.Store
	file string
}

// kind returns the kind of Store that the text of a file describes. Each call of text
// describes an empty one.
func kind(text func(testing.TB) string) storetest.Kind {
	open := func(t *testing.T, file string, now func() time.Time) history.Store {
		t.Helper()
		s, err := cluster.Open(t.Context(), file, cluster.Options{Now: now, Trouble: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		return kept{s.(*cluster.Store), file}
	}
	return storetest.Kind{
		Open: func(t *testing.T, now func() time.Time) history.Store { return open(t, write(t, text(t)), now) },
		Reopen: func(t *testing.T, s history.Store, now func() time.Time) history.Store {
			t.Helper()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, s.(kept).file, now)
		},
	}
}

// A cluster on a folder that its servers share needs no other servers.
const folder = "[catalogue]\nkind = \"bucket\"\n[bucket]\nkind = \"dir\"\npath = \"bucket\"\n"

// TestShared opens one cluster several times, with a cache directory that they share.
func TestShared(t *testing.T) {
	file := write(t, folder+"[cache]\npath = \"cache\"\nbytes = 1000000\n")
	ctx := t.Context()
	for i := range 3 {
		s, err := cluster.Open(ctx, file, cluster.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := s.Create(ctx, fmt.Sprint("w", i)); err != nil {
			t.Error(err)
		}
		list, err := s.List(ctx, "", "", 10)
		if err != nil || len(list) != i+1 {
			t.Errorf("list: got %q, %v", list, err)
		}
		if err := s.(*cluster.Store).Ping(ctx); err != nil {
			t.Error(err)
		}
	}
	found, err := os.ReadDir(filepath.Join(filepath.Dir(file), "cache"))
	if err != nil || len(found) != 3 {
		t.Errorf("caches: got %v, %v", found, err)
	}
}

// checked saves a small and a large stone in a Store of a kind and checks the Store.
func checked(t *testing.T, k storetest.Kind) {
	s := k.Open(t, nil).(kept)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx := t.Context()
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	noise := rand.New(rand.NewPCG(1, 2))
	var c history.Commit
	var stones []history.Stone
	for _, size := range []int{1, 2000} {
		var text []byte
		for range size {
			text = fmt.Appendf(text, "%x", noise.Uint64())
		}
		var b bytes.Buffer
		id, err := stonetest.Spec{Properties: []stone.Property{{Key: "text", Value: string(text)}}}.Write(&b, stone.Options{})
		if err != nil {
			t.Fatal(err)
		}
		st := history.Stone{ID: id, Data: b.Bytes()}
		stones, c.Stones = append(stones, st), append(c.Stones, st.Ref())
	}
	if _, err := s.Commit(ctx, "a", history.Head{}, c, stones...); err != nil {
		t.Fatal(err)
	}
	found, err := s.Bucket().List(ctx, "", "", 9)
	if err != nil || len(found) != 1 {
		t.Errorf("bucket: got %v, %v", found, err)
	}
	r, err := s.Check(ctx, nil)
	if err != nil || len(r.Faults) > 0 || r.Stones != 2 || r.Bytes != stones[0].Size()+stones[1].Size() {
		t.Errorf("check: got %+v, %v", r, err)
	}
}

// TestCheck checks healthy clusters that need no servers.
func TestCheck(t *testing.T) {
	t.Run("Folder", func(t *testing.T) { checked(t, kind(func(testing.TB) string { return folder })) })
	t.Run("SeaweedFS", func(t *testing.T) { checked(t, kind(func(t testing.TB) string { return onOther(t) + onWeed(t) })) })
}
