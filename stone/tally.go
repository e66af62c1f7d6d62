package stone

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// Tally counts what a dimension of a stone holds. Entries with a count of 0 are
// missing. A nil Tally counts nothing.
type Tally struct {
	Cells    map[string]int // of level 0 that are not empty, by volume
	Objects  map[string]int // by list
	Versions map[int32]int  // columns by data version
	Damaged  int            // parts of columns kept as they were stored
	Kept     int            // sections kept as tags alone (voxel.Column.KeptSections)
}

// NewTally returns an empty Tally.
func NewTally() *Tally {
	return &Tally{Cells: make(map[string]int), Objects: make(map[string]int), Versions: make(map[int32]int)}
}

// Chunk adds the cells of a chunk n times, which may be negative.
func (t *Tally) Chunk(volume string, c *voxel.Chunk, n int) {
	if t != nil && c != nil {
		add(t.Cells, volume, n*c.CountNonEmpty())
	}
}

// Column adds a column with its lists n times, which may be negative.
func (t *Tally) Column(c *voxel.Column, n int) {
	if t == nil {
		return
	}
	add(t.Versions, c.Version, n)
	t.Kept += n * c.KeptSections()
	for _, l := range c.Lists {
		add(t.Objects, l.Name, n*len(l.Objects))
	}
	for _, p := range c.Parts {
		if p.Damaged {
			t.Damaged += n
		}
	}
}

// Clone returns a copy.
func (t *Tally) Clone() *Tally {
	return &Tally{maps.Clone(t.Cells), maps.Clone(t.Objects), maps.Clone(t.Versions), t.Damaged, t.Kept}
}

// String returns the sums. The counts themselves may be very many.
func (t *Tally) String() string {
	return fmt.Sprintf("%d cells, %d objects and %d columns of %d versions, with %d damaged parts and %d kept sections", sum(t.Cells), sum(t.Objects), sum(t.Versions), len(t.Versions), t.Damaged, t.Kept)
}

func sum[K comparable](m map[K]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

func (t *Tally) equal(u *Tally) bool {
	return maps.Equal(t.Cells, u.Cells) && maps.Equal(t.Objects, u.Objects) && maps.Equal(t.Versions, u.Versions) && t.Damaged == u.Damaged && t.Kept == u.Kept
}

// add adds n to m[k] and removes entries that become 0.
func add[K comparable](m map[K]int, k K, n int) {
	if m[k] += n; m[k] == 0 {
		delete(m, k)
	}
}

// Tally returns the counts of a dimension. It reads only the directory and returns
// nil if that has no counts, as in stones of commits and in old stones. Check
// verifies the counts.
func (s *Reader) Tally(dim string) *Tally {
	t := s.dimension(dim).tally
	if t == nil {
		return nil
	}
	return t.Clone()
}

// appendTallies appends the tallies of all dimensions, if they have them.
func (d *directory) appendTallies(dst []byte) []byte {
	if !slices.ContainsFunc(d.dims, func(d dimension) bool { return d.tally != nil }) {
		return dst
	}
	for i := range d.dims {
		dim := &d.dims[i]
		for _, v := range dim.volumes {
			dst = binary.AppendUvarint(dst, uint64(dim.tally.Cells[v.Name]))
		}
		for _, l := range dim.lists {
			dst = binary.AppendUvarint(dst, uint64(dim.tally.Objects[l.name]))
		}
		dst = binary.AppendUvarint(dst, uint64(dim.tally.Damaged))
		dst = binary.AppendUvarint(dst, uint64(len(dim.tally.Versions)))
		for _, version := range slices.Sorted(maps.Keys(dim.tally.Versions)) {
			dst = binary.AppendVarint(dst, int64(version))
			dst = binary.AppendUvarint(dst, uint64(dim.tally.Versions[version]))
		}
	}
	if slices.ContainsFunc(d.dims, func(d dimension) bool { return d.tally.Kept > 0 }) {
		for i := range d.dims {
			dst = binary.AppendUvarint(dst, uint64(d.dims[i].tally.Kept))
		}
	}
	return dst
}

// maxTally is above any count in a stone.
const maxTally = 1 << 62

func (p *parser) tallies() {
	if p.Err() != nil || p.Left() == 0 {
		return // of a commit, or from before there were tallies
	}
	count := func() int { return int(p.Within(int64(min(p.Uvarint(), maxTally)), 0, maxTally-1)) }
	for i := range p.dir.dims {
		d := &p.dir.dims[i]
		t := NewTally()
		for _, v := range d.volumes {
			add(t.Cells, v.Name, count())
		}
		for _, l := range d.lists {
			add(t.Objects, l.name, count())
		}
		t.Damaged = count()
		last := int64(-1 << 32)
		for range p.Count(2, maxDirectory) {
			version := p.Varint()
			if version <= last || int64(int32(version)) != version {
				p.Fail(fmt.Errorf("data version %d after %d in a tally", version, last))
			}
			last = version
			n := count()
			if n == 0 {
				p.Fail(errors.New("a data version without columns in a tally"))
			}
			if p.Err() != nil {
				return
			}
			t.Versions[int32(version)] = n
		}
		d.tally = t
	}
	if p.Err() != nil || p.Left() == 0 {
		return
	}
	kept := 0
	for i := range p.dir.dims {
		n := count()
		p.dir.dims[i].tally.Kept, kept = n, kept|n
	}
	if kept == 0 && p.Err() == nil {
		p.Fail(errors.New("counts of kept sections in a tally, all 0"))
	}
}
