package diff

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Pair is two worlds to compare, without parts that are known to be the same. One goroutine may use it.
type Pair struct{ a, b stone.Content }

// Of returns a pair. Of two versions that stand on one stone, such as those of a world and its fork, it keeps what
// stones of either cover that the other does not have.
func Of(a, b stone.Content) Pair {
	s, one := a.(*world.Snapshot)
	t, two := b.(*world.Snapshot)
	if one && two && s.Beside(t) && alike(s.About(), t.About()) {
		where := s.Apart(t)
		return Pair{part{s, where}, part{t, where}}
	}
	return Pair{a, b}
}

// Within returns a pair that fails with convert.ErrTooLarge when more than maxBytes of one of its worlds were read, as
// they are in memory. 0 is no bound.
func (p Pair) Within(maxBytes int64) Pair {
	return Pair{convert.Within(p.a, maxBytes), convert.Within(p.b, maxBytes)}
}

// alike reports whether cells that both worlds leave out are the same in both, and whether
// materials have the same numbers.
func alike(a, b stone.About) bool {
	for _, d := range a.Dimensions {
		for _, v := range d.Volumes {
			if u := volumeIn(b, d.Name, v.Volume.Name); u != nil && !alikeVolumes(v, *u) {
				return false
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

func volumeIn(about stone.About, dim, vol string) *stone.VolumeInfo {
	for _, d := range about.Dimensions {
		for i := range d.Volumes {
			if d.Name == dim && d.Volumes[i].Volume.Name == vol {
				return &d.Volumes[i]
			}
		}
	}
	return nil
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

func (p part) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		for _, pos := range p.where.Columns(dim) {
			c, err := p.ReadColumn(ctx, dim, pos)
			if err == nil && c == nil {
				continue
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// Dimensions returns the dimensions and volumes of both worlds, by name. It describes them as the second does; those
// that the second lacks as the first.
func (p Pair) Dimensions() (out []stone.DimensionInfo) {
	for _, d := range p.dimensions() {
		one := stone.DimensionInfo{Name: cmp.Or(d[0], d[1]).Name}
		for _, v := range volumes(d) {
			one.Volumes = append(one.Volumes, *cmp.Or(v[1], v[0]))
		}
		out = append(out, one)
	}
	return out
}

// dimensions joins the dimensions of both worlds; nil is one that a world lacks.
func (p Pair) dimensions() [][2]*stone.DimensionInfo {
	return pairs(pointers(p.a.About().Dimensions), pointers(p.b.About().Dimensions), func(d *stone.DimensionInfo) string { return d.Name })
}

// volumes joins the volumes of a dimension of both worlds.
func volumes(d [2]*stone.DimensionInfo) [][2]*stone.VolumeInfo {
	var all [2][]*stone.VolumeInfo
	for side, one := range d {
		if one != nil {
			all[side] = pointers(one.Volumes)
		}
	}
	return pairs(all[0], all[1], func(v *stone.VolumeInfo) string { return v.Volume.Name })
}

// Columns calls f with the columns of a dimension in both worlds, in ascending order of position. nil stands for
// one that a world does not have.
func (p Pair) Columns(ctx context.Context, dim string, f func(a, b *voxel.Column) error) error {
	var failed error
	for c := range p.columns(ctx, dim, &failed) {
		if err := cmp.Or(failed, f(c.a, c.b)); err != nil {
			return err
		}
	}
	return failed
}

// columns yields the columns of a dimension. After an error, which it sets, it yields one more at most.
func (p Pair) columns(ctx context.Context, dim string, failed *error) iter.Seq[both[geom.ColumnPos, *voxel.Column]] {
	of := func(from stone.Content) iter.Seq2[geom.ColumnPos, *voxel.Column] {
		return func(yield func(geom.ColumnPos, *voxel.Column) bool) {
			for c, err := range from.ReadColumns(ctx, dim) {
				if *failed = cmp.Or(*failed, err, ctx.Err()); *failed != nil || !yield(c.Pos, c) {
					return
				}
			}
		}
	}
	return merged(of(p.a), of(p.b), geom.ColumnPos.Compare)
}

// positions yields where one of the worlds has a chunk of a volume, in ascending order of code.
func (p Pair) positions(dim, vol string) iter.Seq[geom.ChunkPos] {
	return func(yield func(geom.ChunkPos) bool) {
		for at := range merged(p.a.Entries(dim, vol, 0), p.b.Entries(dim, vol, 0), byCode) {
			if (at.a || at.b) && !yield(at.key) {
				return
			}
		}
	}
}

// list returns positions in one allocation: a stone of some hundred bytes may have a million.
func (p Pair) list(dim, vol string) []geom.ChunkPos {
	n := 0
	for range p.positions(dim, vol) {
		n++
	}
	return slices.AppendSeq(make([]geom.ChunkPos, 0, n), p.positions(dim, vol))
}

func byCode(p, q geom.ChunkPos) int { return geom.CodeOf(p, 0).Compare(geom.CodeOf(q, 0)) }

// both is what two sequences have at a key; the zero value if they do not have it.
type both[K, V any] struct {
	key  K
	a, b V
}

// merged yields what two sequences with ascending keys have.
func merged[K, V any](a, b iter.Seq2[K, V], compare func(K, K) int) iter.Seq[both[K, V]] {
	return func(yield func(both[K, V]) bool) {
		nextA, stopA := iter.Pull2(a)
		defer stopA()
		nextB, stopB := iter.Pull2(b)
		defer stopB()
		keyA, valueA, moreA := nextA()
		keyB, valueB, moreB := nextB()
		for moreA || moreB {
			order := 0
			switch {
			case !moreA:
				order = 1
			case !moreB:
				order = -1
			default:
				order = compare(keyA, keyB)
			}
			var out both[K, V]
			if order <= 0 {
				out.key, out.a = keyA, valueA
				keyA, valueA, moreA = nextA()
			}
			if order >= 0 {
				out.key, out.b = keyB, valueB
				keyB, valueB, moreB = nextB()
			}
			if !yield(out) {
				return
			}
		}
	}
}
