package stone

import (
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ReadChunks calls f for each chunk of want that the stone has an entry for, in the
// order of want. A chunk without cells is nil. If want is in ascending order of code
// (geom.CodeOf), it looks up each page once. It returns the first error, including
// one of f. A chunk that is stored as what differs from the stones below is ErrNoBase: see ReadStack.
func (s *Reader) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	return s.readParts(ctx, dim, vol, level, want, func(pos geom.ChunkPos, c *voxel.Chunk, d *Delta) error {
		if d != nil {
			return fmt.Errorf("stone: chunk %v of %q: %w", pos, vol, ErrNoBase)
		}
		return f(pos, c)
	})
}

// readParts is ReadChunks for who knows what the stones below say: of what differs from that f gets a
// Delta in place of a chunk.
func (s *Reader) readParts(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk, *Delta) error) error {
	v, entries := s.entries(dim, vol, level)
	finder := finder{entries: entries, level: level, at: -1}
	var asked []askedChunk // since the last page
	var page []entry
	for _, pos := range want {
		bit, moved, ok := finder.next(pos)
		if !ok {
			continue
		}
		if moved {
			if err := s.answer(ctx, v, page, asked, f); err != nil {
				return err
			}
			asked, page = asked[:0], entries[finder.from:finder.to]
		}
		a := askedChunk{pos, finder.alike, -1}
		if e := &entries[finder.at]; e.paged() {
			a.index = e.at(bit)
		}
		asked = append(asked, a)
	}
	return s.answer(ctx, v, page, asked, f)
}

// askedChunk is a chunk to read.
type askedChunk struct {
	pos   geom.ChunkPos
	alike *voxel.Chunk // the chunk, if it is in no page
	index int          // its index in the page, or -1
}

// answer calls f with chunks that are in one page or in none.
func (s *Reader) answer(ctx context.Context, v *volume, group []entry, asked []askedChunk, f func(geom.ChunkPos, *voxel.Chunk, *Delta) error) error {
	var want []int
	for _, a := range asked {
		if a.index >= 0 {
			want = append(want, a.index)
		}
	}
	page := &cellsPage{}
	if len(want) > 0 {
		var err error
		if page, err = s.lit(ctx, v, group, want); err != nil {
			return fmt.Errorf("stone: chunk %v of %q: %w", asked[0].pos, v.Name, err)
		}
	}
	for _, a := range asked {
		c, d := a.alike, (*Delta)(nil)
		if a.index >= 0 {
			c = page.chunks[a.index]
			if page.deltas != nil {
				d = page.deltas[a.index]
			}
		}
		if err := f(a.pos, c, d); err != nil {
			return err
		}
	}
	return nil
}

// PagesOf returns the chunks of want that the stone has entries for, split so that
// no two parts need the same page. want must be in ascending order of code.
// ReadChunks may read the parts concurrently.
func (s *Reader) PagesOf(dim, vol string, level int, want []geom.ChunkPos) (parts [][]geom.ChunkPos) {
	_, entries := s.entries(dim, vol, level)
	finder := finder{entries: entries, level: level, at: -1}
	covered := make([]geom.ChunkPos, 0, len(want)) // backing array of parts
	begin, pages := 0, 0
	for _, pos := range want {
		_, moved, ok := finder.next(pos)
		if !ok {
			continue
		}
		if moved {
			if pages++; pages > 1 {
				parts = append(parts, covered[begin:len(covered):len(covered)])
				begin = len(covered)
			}
		}
		covered = append(covered, pos)
	}
	if begin < len(covered) {
		parts = append(parts, covered[begin:])
	}
	return parts
}

// finder looks up chunks one after another.
type finder struct {
	entries  []entry
	level    int
	at       int          // entry of the last chunk found, -1 before the first
	alike    *voxel.Chunk // its chunk, if the entry has no page
	from, to int          // group of the last found entry with a page
}

// next looks up the chunk at pos. It returns the chunk's bit in entry at, and moved
// if that entry has another page than the last.
func (f *finder) next(pos geom.ChunkPos) (bit int, moved, ok bool) {
	if len(f.entries) == 0 || !inLevel(pos, f.level) {
		return 0, false, false
	}
	key, bit := cubeKey(pos, f.level)
	if f.at < 0 || f.entries[f.at].key != key || f.entries[f.at].mask>>bit&1 == 0 {
		i := find(f.entries, key, bit)
		if i < 0 {
			return 0, false, false
		}
		f.at, f.alike = i, f.entries[i].chunk()
	}
	if !f.entries[f.at].paged() || f.from <= f.at && f.at < f.to {
		return bit, false, true
	}
	f.from = groupStart(f.entries, f.at)
	f.to = f.from + len(group(f.entries, f.at))
	return bit, true, true
}
