package pair_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestLarge reads a stone of several megabytes in small and in large parts, by
// several goroutines, and counts the calls of the bucket.
func TestLarge(t *testing.T) {
	n := &counts{n: make(map[string]int)}
	away := &awayBucket{Bucket: inmemory.NewBucket()}
	s := pair.New(inmemory.NewCatalogue(), countedBucket{away, n}, pair.Options{})
	noise := make([]byte, 4<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	large := stoneOf(t, base64.StdEncoding.EncodeToString(noise))
	ctx := t.Context()
	c := history.Commit{Stones: []history.StoneRef{large.Ref()}}
	_, err := s.Commit(ctx, "a", history.Head{}, c, large)
	if !errors.Is(err, history.ErrNoWorld) {
		t.Fatal(err)
	}
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx, "a", history.Head{}, c, large); err != nil {
		t.Fatal(err)
	}
	_ = n.String()
	o, err := s.Open(ctx, "a", large.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(o.Check(ctx), o.Close()); err != nil {
		t.Fatal(err)
	}
	blocks := int(large.Size()>>18) + 1
	if n.n["Get"] > blocks+4 {
		t.Errorf("opening and checking %d blocks: %v", blocks, n)
	}
	_ = n.String()
	st, release, err := s.ReadStone(ctx, large.ID)
	if err != nil {
		t.Fatal(err)
	}
	for i := range large.Size() / 1000 {
		one := make([]byte, 1000)
		if _, err := st.File.ReadAt(one, 1000*i); err != nil || !bytes.Equal(one, large.Data[1000*i:][:1000]) {
			t.Fatalf("part %d: %v", i, err)
		}
	}
	if got, want := n.String(), fmt.Sprint(blocks, " Get"); got != want {
		t.Errorf("small reads from beginning to end: got %s, want %s", got, want)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(7, uint64(i)))
			for range 200 {
				off := r.Int64N(large.Size())
				p := make([]byte, r.IntN(3<<uint(r.IntN(20))))
				got, err := st.File.ReadAt(p, off)
				want := large.Data[off:min(off+int64(len(p)), large.Size())]
				if (err != nil) != (len(want) < len(p)) || err != nil && err != io.EOF || !bytes.Equal(p[:got], want) {
					t.Errorf("%d bytes at %d: got %d, %v", len(p), off, got, err)
				}
			}
		})
	}
	wg.Wait()
	all, err := io.ReadAll(st.Open())
	if err != nil || !bytes.Equal(all, large.Data) {
		t.Errorf("all: %d bytes, %v", len(all), err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	st, release, err = s.ReadStone(ctx, large.ID)
	if err != nil {
		t.Fatal(err)
	}
	away.away = blob.ErrAway
	if _, err := st.File.ReadAt(make([]byte, 9), 0); !errors.Is(err, history.ErrAway) {
		t.Errorf("the bucket is away: got %v", err)
	}
	away.away = nil
	if _, err := st.File.ReadAt(make([]byte, 9), 0); err != nil {
		t.Errorf("the bucket is back: got %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}
