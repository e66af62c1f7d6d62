package port

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Diff returns the differences of two worlds. It reads both in parts, and of two versions that
// stand on one stone, such as those of a world and its fork, only what differs. If what it
// reads of one would take more than maxBytes in memory, it fails with convert.ErrTooLarge; 0 is
// no bound.
func Diff(ctx context.Context, a, b stone.Content, maxBytes int64) (*convert.Difference, error) {
	return DiffIn(ctx, a, b, maxBytes, nil)
}

// DiffIn is Diff of what limit, if it is not nil, makes of the parts of both worlds that may
// differ.
func DiffIn(ctx context.Context, a, b stone.Content, maxBytes int64, limit func(a, b stone.Content) (stone.Content, stone.Content)) (*convert.Difference, error) {
	s, one := a.(*world.Snapshot)
	t, two := b.(*world.Snapshot)
	if one && two && s.Beside(t) && alike(s.About(), t.About()) {
		where := s.Apart(t)
		a, b = part{s, where}, part{t, where}
	}
	if limit != nil {
		a, b = limit(a, b)
	}
	return convert.DiffContent(ctx, convert.Within(a, maxBytes), convert.Within(b, maxBytes), EqualTags)
}

// EqualTags compares the meaning of NBT, for convert.Diff. The order of tags in a compound does
// not count, nor does how a file is compressed.
func EqualTags(kind string, a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	switch kind {
	case "tags":
		a, b = document(a), document(b)
	case "file":
		a, b = inflated(a), inflated(b)
	}
	_, same := nbt.Equal(a, b)
	return same
}

// inflated returns the tags of a file: its bytes, or what they are compressed by gzip. A file that is
// neither stays what it is.
func inflated(file []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return file
	}
	tags, err := io.ReadAll(io.LimitReader(z, convert.MaxTags+1))
	if err != nil || len(tags) > convert.MaxTags {
		return file
	}
	return tags
}

// document returns the payload of a compound as a document.
func document(payload []byte) []byte {
	return append(nbt.AppendCompound(make([]byte, 0, len(payload)+3), ""), payload...)
}

// alike reports whether cells that both worlds leave out are the same in both, and whether
// materials have the same numbers.
func alike(a, b stone.About) bool {
	for _, d := range a.Dimensions {
		for _, e := range b.Dimensions {
			if e.Name != d.Name {
				continue
			}
			for _, v := range d.Volumes {
				i := slices.IndexFunc(e.Volumes, func(u stone.VolumeInfo) bool { return u.Volume.Name == v.Volume.Name })
				if i >= 0 && !alikeVolumes(v, e.Volumes[i]) {
					return false
				}
			}
		}
	}
	return true
}

func alikeVolumes(v, u stone.VolumeInfo) bool {
	if v.Schema == voxel.Palette {
		same := v.Schema == u.Schema && v.Scale == u.Scale
		return same && v.Name(v.Default) == u.Name(u.Default)
	}
	n := min(len(v.Names), len(u.Names))
	return v.Volume == u.Volume && slices.Equal(v.Names[:n], u.Names[:n])
}

// part is a version of a world, reduced to where it may differ from another version.
type part struct {
	*world.Snapshot
	where *world.Apart
}

func (p part) About() stone.About {
	about := p.Snapshot.About()
	about.Files = slices.DeleteFunc(about.Files, func(f stone.File) bool {
		_, differs := slices.BinarySearch(p.where.Files, f.Path)
		return !differs
	})
	return about
}

func (p part) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	return func(yield func(geom.ChunkPos, bool) bool) {
		for _, pos := range p.where.Chunks(dim, vol) {
			if !yield(pos, true) {
				return
			}
		}
	}
}

func (p part) Columns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		for _, pos := range p.where.Columns(dim) {
			c, err := p.Column(ctx, dim, pos)
			if err == nil && c == nil {
				continue
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}
