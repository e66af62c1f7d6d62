package stone_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// asked returns some of the chunks of l and places that it has none at, in
// ascending order of code.
func (m *maker) asked(l stonetest.LevelSpec) (want []geom.ChunkPos) {
	share := 1 + m.IntN(5)
	for _, c := range l.Chunks {
		if m.one(share) {
			want = append(want, c.Pos)
		}
	}
	want = append(want, m.positions(l.Level)...)
	slices.SortFunc(want, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, l.Level).Compare(geom.CodeOf(b, l.Level)) })
	return slices.Compact(want)
}

// TestReadChunks compares chunks read together, whole and split by page, with
// what was written, and counts how often pages are read.
func TestReadChunks(t *testing.T) {
	unitAlone(t)
	for seed := range uint64(few(long.By(4, 12, 12))) {
		m := newMaker(500 + seed)
		s := m.spec()
		b := mustWrite(t, s, stone.Options{PageChunks: 1 + m.IntN(9), Effort: stone.Quick})
		src := &source{Reader: *bytes.NewReader(b)}
		r, err := stone.Open(src, int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		r = r.Through(stone.NewCache(0), stone.ID{})
		for _, d := range s.Dimensions {
			for _, v := range d.Volumes {
				for _, l := range v.Levels {
					want := m.asked(l)
					parts := r.PagesOf(d.Name, v.Name, l.Level, want)
					src.calls = 0
					whole := read(t, r, d.Name, v.Name, l.Level, want)
					var split []stone.Placed
					calls := src.calls
					for _, part := range parts {
						src.calls = 0
						split = append(split, read(t, r, d.Name, v.Name, l.Level, part)...)
						if src.calls > 1 {
							t.Errorf("a part takes %d reads", src.calls)
						}
						calls -= src.calls
					}
					if calls != 0 {
						t.Errorf("the whole takes %d reads more than its parts", calls)
					}
					kept := placed(l, want)
					if !reflect.DeepEqual(whole, kept) || !reflect.DeepEqual(split, kept) {
						t.Errorf("%q level %d: %d chunks, in parts %d, want %d", v.Name, l.Level, len(whole), len(split), len(kept))
					}
				}
			}
		}
	}
}

// memoryFile is a temporary file in memory.
type memoryFile struct{ bytes.Buffer }

func (f *memoryFile) ReadAt(b []byte, off int64) (int, error) {
	return bytes.NewReader(f.Bytes()).ReadAt(b, off)
}

func (*memoryFile) Close() error { return nil }

// A page that left the cache is read back from the cache's file and not decoded again.
func TestReadChunksSpilled(t *testing.T) {
	unitAlone(t)
	for seed := range uint64(few(long.By(4, 12, 12))) {
		m := newMaker(700 + seed)
		s := m.spec()
		cache := stone.NewCache(0).Spill(func() (tile.TempFile, error) { return new(memoryFile), nil })
		r := mustOpen(t, mustWrite(t, s, stone.Options{PageChunks: 1 + m.IntN(9)})).Through(cache, stone.ID{})
		var decoded int64
		for again := range 2 {
			for _, d := range s.Dimensions {
				for _, v := range d.Volumes {
					for _, l := range v.Levels {
						var want []geom.ChunkPos
						for _, c := range l.Chunks {
							want = append(want, c.Pos)
						}
						if got := read(t, r, d.Name, v.Name, l.Level, want); !reflect.DeepEqual(got, l.Chunks) {
							t.Errorf("%q level %d: other chunks the %d. time", v.Name, l.Level, again+1)
						}
					}
				}
			}
			if n := cache.Stats().Reads; again > 0 && n != decoded {
				t.Errorf("%d pages decoded, then %d again", decoded, n-decoded)
			}
			decoded = cache.Stats().Reads
		}
	}
}

func read(t *testing.T, r *stone.Reader, dim, vol string, level int, want []geom.ChunkPos) (got []stone.Placed) {
	t.Helper()
	err := r.ReadChunks(t.Context(), dim, vol, level, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		got = append(got, stone.Placed{Pos: pos, Chunk: c})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// placed is the slow twin of read.
func placed(l stonetest.LevelSpec, want []geom.ChunkPos) (got []stone.Placed) {
	for _, pos := range want {
		for _, c := range l.Chunks {
			if c.Pos == pos {
				got = append(got, c)
			}
		}
	}
	return got
}

func TestReadChunksEnds(t *testing.T) {
	r := mustOpen(t, mustWrite(t, tiny(), stone.Options{}))
	all := []geom.ChunkPos{at(-1<<31, 0, 0), at(0, 0, 0), at(0, 1, 0), at(4, 0, 0), at(9, 9, 9)}
	stop := errors.New("enough")
	n := 0
	err := r.ReadChunks(t.Context(), "earth", voxel.Block, 0, all, func(geom.ChunkPos, *voxel.Chunk) error { n++; return stop })
	if err != stop || n != 1 {
		t.Errorf("called %d times, %v", n, err)
	}
	never := func(pos geom.ChunkPos, _ *voxel.Chunk) error { return fmt.Errorf("called for %v", pos) }
	for _, tt := range []struct {
		dim, vol string
		level    int
		want     []geom.ChunkPos
	}{{"no", voxel.Block, 0, all}, {"earth", "no", 0, all}, {"earth", voxel.Block, 3, all}, {"earth", voxel.Block, 0, nil}, {"earth", voxel.Block, 0, all[4:]}} {
		if err := r.ReadChunks(t.Context(), tt.dim, tt.vol, tt.level, tt.want, never); err != nil {
			t.Errorf("%+v: %v", tt, err)
		}
		if parts := r.PagesOf(tt.dim, tt.vol, tt.level, tt.want); parts != nil {
			t.Errorf("%+v: parts %v", tt, parts)
		}
	}
}

// BenchmarkIsland opens the stones of players' islands and decodes their blocks, and then
// their light: what loading one costs behind the store.
func BenchmarkIsland(b *testing.B) {
	for _, seed := range []uint64{1, 2, 3} {
		w := mustLoad(b, terrain.Island(terrain.Options{Seed: seed, Version: terrain.Modern}))
		for name, effort := range map[string]stone.Effort{"good": stone.Good, "best": stone.Best} {
			var file bytes.Buffer
			if _, _, err := convert.WriteStone(context.Background(), w, &file, stone.Options{Effort: effort}); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("seed%d/%s/blocks", seed, name), func(b *testing.B) {
				for b.Loop() {
					readVolumes(b, mustOpen(b, file.Bytes()), voxel.Block)
				}
			})
			b.Run(fmt.Sprintf("seed%d/%s/light", seed, name), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					r := mustOpen(b, file.Bytes())
					readVolumes(b, r, voxel.Block)
					b.StartTimer()
					readVolumes(b, r, voxel.Sky, voxel.Light)
				}
			})
		}
	}
}

func readVolumes(b *testing.B, r *stone.Reader, volumes ...string) {
	b.ReportAllocs()
	n := 0
	dim := r.Dimensions()[0].Name
	for _, v := range volumes {
		var want []geom.ChunkPos
		for pos := range r.Entries(dim, v, 0) {
			want = append(want, pos)
		}
		err := r.ReadChunks(b.Context(), dim, v, 0, want, func(geom.ChunkPos, *voxel.Chunk) error { n++; return nil })
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n), "chunks")
}
