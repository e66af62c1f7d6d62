package voxel_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// mapChunks bounds how much of the real worlds a benchmark loads.
const mapChunks = 2048

// mapLevel returns chunks of the block worlds below CAIRN_WORLDS, some of each
// folder; none where that is not set.
var mapLevel = sync.OnceValue(func() level {
	l := level{name: "maps"}
	var b voxel.ChunkBuilder
	for _, dir := range worldFolders(os.Getenv("CAIRN_WORLDS")) {
		w, err := anvil.Open(dir, anvil.Options{})
		if err != nil {
			continue
		}
		g := gatherer{}
		_ = w.Read(context.Background(), &g) // what is damaged is no part of this
		w.Close()
		for i, f := range g.order {
			if i == mapChunks/32 {
				break
			}
			l.flats = append(l.flats, f)
			l.chunks = append(l.chunks, b.FromFlat(f))
		}
		if len(l.chunks) >= mapChunks {
			break
		}
	}
	return l
})

// worldFolders returns the folders below dir that are Anvil worlds, in order.
func worldFolders(dir string) (out []string) {
	if dir == "" {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && anvil.DetectFS(os.DirFS(path)) {
			out = append(out, path)
			return fs.SkipDir
		}
		return nil
	})
	return out
}

// gatherer is a Sink that keeps the block cells, in order of arrival.
type gatherer struct {
	at    map[geom.ChunkPos]*flat
	order []*flat
}

func (g *gatherer) Dimension(*format.Dimension) error {
	g.at = map[geom.ChunkPos]*flat{}
	return nil
}

func (g *gatherer) Column(c *format.Column) error {
	for i, cells := range c.Cells {
		if len(cells.Block) == 0 || len(cells.Block) == 1 && cells.Block[0] == voxel.Empty {
			continue
		}
		min := c.Pos.Min(int(c.Sections[i].Y) * 16)
		f := g.at[min.Chunk()]
		if f == nil {
			f = new(flat)
			g.at[min.Chunk()] = f
			g.order = append(g.order, f)
		}
		p := min.InChunk()
		for i := range 4096 {
			v := cells.Block[i%len(cells.Block)]
			f[at(p.X+i&15, p.Y+i>>8, p.Z+i>>4&15)] = v
		}
	}
	return nil
}

func (g *gatherer) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return nil }
func (g *gatherer) File(format.File) error                          { return nil }

// Chunks of real worlds must read as they were made, in half the memory of
// palettes over 16x16x16 cells.
func TestMaps(t *testing.T) {
	if testing.Short() {
		t.Skip("reads real worlds")
	}
	l := mapLevel()
	if len(l.chunks) == 0 {
		t.Skip("CAIRN_WORLDS is not set")
	}
	rule := &voxel.Rule{}
	ours, theirs := 0, 0
	for i, c := range l.chunks {
		mustEqual(t, c, l.flats[i])
		c.Mip(rule, 1)
		ours += c.Bytes() + c.MipBytes()
		theirs += palettedBytes(l.flats[i])
	}
	t.Logf("%d chunks of %d bytes with mips, %d as palettes: %.3f", len(l.chunks), ours/len(l.chunks), theirs/len(l.chunks), float64(ours)/float64(theirs))
	if float64(ours) > .6*float64(theirs) {
		t.Errorf("%d bytes, more than 0.6 of %d", ours, theirs)
	}
}

// palettedBytes is what dragonfly's chunks take: for each 16x16x16 that is not
// air a palette of 4-byte values, as many indexes to a 4-byte word as fit, and
// 184 bytes of structures.
func palettedBytes(f *flat) int {
	total := 0
	for o := range 8 {
		seen := map[voxel.Cell]bool{}
		for i := range 4096 {
			seen[f[at(o&1*16+i&15, o>>2*16+i>>8, o>>1&1*16+i>>4&15)]] = true
		}
		if len(seen) == 1 && seen[voxel.Empty] {
			continue
		}
		total += 184 + 4*len(seen)
		for _, width := range []int{0, 1, 2, 3, 4, 5, 6, 8, 16} {
			if 1<<width >= len(seen) {
				total += palettedWords(width) * 4
				break
			}
		}
	}
	return total
}

func palettedWords(width int) int {
	if width == 0 {
		return 0
	}
	per := 32 / width
	return (4096 + per - 1) / per
}
