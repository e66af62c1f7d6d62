package light

import (
	"cmp"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// SectionEdge is the edge of a section in cells, SectionCells how many it has.
const (
	SectionEdge  = 16
	SectionCells = SectionEdge * SectionEdge * SectionEdge
)

// SectionPos is a position counted in sections.
type SectionPos struct{ X, Y, Z int32 }

func (p SectionPos) to(f Face) SectionPos {
	step := int32(f&1)*2 - 1
	switch f {
	case West, East:
		p.X += step
	case Below, Above:
		p.Y += step
	default:
		p.Z += step
	}
	return p
}

// Compare orders positions by height, then z, then x.
func (p SectionPos) Compare(q SectionPos) int {
	return cmp.Or(cmp.Compare(p.Y, q.Y), cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X))
}

// Section is the cells of a section, index y*256+z*16+x.
type Section struct {
	Blocks [SectionCells]voxel.Cell
	// Before is the blocks that the light is that of, where Changed; else they are
	// Blocks.
	Before  [SectionCells]voxel.Cell
	Changed bool
	Levels  [SectionCells]uint8
	// Unlit says that no levels are kept: they follow from the section above, block
	// light is 0.
	Unlit bool
	// Made says that the section is new where it changed, and all of its light counts
	// as changed.
	Made bool
}

// Place says what is at a position of sections.
type Place uint8

// The places.
const (
	Inside Place = iota // a section
	Wall                // nothing, and no light goes there
	Open                // nothing but full light
)

// Land is what a Relight works on.
type Land interface {
	// Section says what is at a position, and writes down a section.
	Section(kind Kind, at SectionPos, s *Section) Place
}

// maxPages bounds the sections of a Relight.
const maxPages = 4096

// maxCells bounds the cells that a Relight removes and pulls.
const maxCells = 1 << 21

// A Relight computes light anew where blocks changed, from the light that is there.
// It looks at cells that the change lights or darkens, and at those beside them.
//
// What light differed from the rule before stays so: a cell that was darker takes
// that much more, unless it or one beside it changed; one that was brighter has
// from the brightest beside it as much as it had, or gives light of itself
// where none was brighter or it is opaque. Where light was as the rule has it, it is so after.
//
// It keeps its memory for the next: see Rest. Not safe for concurrent use.
type Relight struct {
	classes
	through []uint8

	kind    Kind
	land    Land
	pages   map[SectionPos]*page
	free    []*page
	walls   [Open + 1]*page
	buf     Section
	removed []removal
	pulls   []spot
	queue   [MaxLight + 1][]spot
	visited int
	tooMany bool
}

// page is a section under way.
type page struct {
	at       SectionPos
	place    Place
	changed  bool // a level
	unlit    bool
	made     bool
	next     [Faces]*page
	what     [SectionCells]uint8
	was      []uint8 // nil: as what
	old, now [SectionCells]uint8
	odd      [SectionCells]oddity
}

// spot is a cell of a page.
type spot struct {
	p *page
	i int
}

type removal struct {
	spot
	level uint8
}

// Follow makes the Relight go by a rule from now on, which must be Valid.
func (r *Relight) Follow(m Matters) {
	r.classes = newClasses(m)
	r.through = r.through[:0]
	for _, v := range r.list {
		r.through = append(r.through, max(1, v.takes()))
	}
}

// Run computes the light anew after the blocks of some sections changed; where light
// changed, and where a section was Made, Changed yields it. It reports false, the light being as it was, where too
// much changed: more than 4096 sections, or two million cells to look at again.
func (r *Relight) Run(kind Kind, land Land, changed []SectionPos) bool {
	r.begin(kind, land)
	var edited []spot
	for _, at := range changed {
		p := r.page(at)
		for i := range p.was {
			if p.edited(i) {
				edited = append(edited, spot{p, i})
				p.changed = p.changed || p.made
			}
		}
	}
	for _, s := range edited {
		r.remove(s)
		r.pull(s)
		for f := range Faces {
			if n := r.beside(s, f); n.p.place == Inside && !n.p.edited(n.i) {
				r.pull(n)
			}
		}
	}
	r.darken()
	if !r.tooMany {
		r.relit()
		r.spread()
	}
	if r.tooMany {
		r.begin(kind, nil)
	}
	return !r.tooMany
}

// build makes what is around the sections.
func (r *Relight) build() {
	r.pages = make(map[SectionPos]*page)
	for place := range r.walls {
		w := &page{place: Place(place)}
		for i := range w.what {
			w.what[i] = wall
		}
		if w.place == Open {
			clear(w.what[:])
			for i := range w.now {
				w.old[i], w.now[i] = MaxLight, MaxLight
			}
		}
		r.walls[place] = w
	}
}

// begin forgets the pages of the run before.
func (r *Relight) begin(kind Kind, land Land) {
	for _, p := range r.pages {
		r.free = append(r.free, p)
	}
	if r.pages == nil {
		r.build()
	}
	clear(r.pages)
	r.kind, r.land = kind, land
	if land != nil {
		r.visited, r.tooMany = 0, false
	}
	r.removed, r.pulls = r.removed[:0], r.pulls[:0]
	for l := range r.queue {
		r.queue[l] = r.queue[l][:0]
	}
}

// What a Relight at rest keeps: what a lamp needs.
const (
	restPages = 64
	restCells = 1 << 12
)

// Rest lets go of the land of the last Run, what that changed, and the memory that few
// runs need.
func (r *Relight) Rest() {
	if r.pages == nil {
		return
	}
	large := len(r.pages) > restPages
	r.begin(r.kind, nil)
	if large {
		r.pages = make(map[SectionPos]*page)
	}
	for _, p := range r.free {
		clear(p.next[:])
	}
	if len(r.free) > restPages {
		r.free = slices.Clone(r.free[:restPages])
	}
	r.removed, r.pulls = rested(r.removed), rested(r.pulls)
	for l, q := range r.queue {
		r.queue[l] = rested(q)
	}
}

// rested returns an empty slice in the memory of s, which names no page, unless that
// is much.
func rested[T any](s []T) []T {
	if cap(s) > restCells {
		return nil
	}
	clear(s[:cap(s)])
	return s[:0]
}

// Visited returns how many cells the last Run looked at, each as often as it did.
func (r *Relight) Visited() int { return r.visited }

// Changed yields the sections whose light the last Run changed, in ascending order,
// with their levels, all of them, which are not to be kept.
func (r *Relight) Changed() iter.Seq2[SectionPos, *[SectionCells]uint8] {
	return func(yield func(SectionPos, *[SectionCells]uint8) bool) {
		var at []SectionPos
		for pos, p := range r.pages {
			if p.changed && (p.made || p.old != p.now) {
				at = append(at, pos)
			}
		}
		slices.SortFunc(at, SectionPos.Compare)
		for _, pos := range at {
			if !yield(pos, &r.pages[pos].now) {
				return
			}
		}
	}
}

// page returns what is at a position.
func (r *Relight) page(at SectionPos) *page {
	if p := r.pages[at]; p != nil {
		return p
	}
	if r.tooMany || len(r.pages) == maxPages {
		r.tooMany = true
		return r.walls[Wall]
	}
	r.buf.Changed, r.buf.Unlit, r.buf.Made = false, false, false
	place := r.land.Section(r.kind, at, &r.buf)
	if place != Inside {
		return r.walls[place]
	}
	p := r.take()
	p.at, p.changed, p.unlit, p.made = at, false, r.buf.Unlit, r.buf.Made
	for i, c := range r.buf.Blocks {
		p.what[i] = r.cell(c)
	}
	if p.was = p.was[:0]; r.buf.Changed {
		for _, c := range r.buf.Before {
			p.was = append(p.was, r.cell(c))
		}
	}
	p.old = r.buf.Levels
	r.pages[at] = p
	if p.unlit {
		r.imagine(p)
	}
	p.now = p.old
	return p
}

func (r *Relight) take() *page {
	if n := len(r.free); n > 0 {
		p := r.free[n-1]
		r.free = r.free[:n-1]
		clear(p.next[:])
		clear(p.odd[:])
		return p
	}
	return new(page)
}

// imagine gives a section without light that which falls from above.
func (r *Relight) imagine(p *page) {
	clear(p.old[:])
	if r.kind == Block {
		return
	}
	above := r.page(p.at.to(Above))
	for i := SectionCells - 1; i >= 0; i-- {
		n := spot{p, i + 256}
		if i >= SectionCells-256 {
			n = spot{above, i & 255}
		}
		if n.p.old[n.i] == MaxLight && r.offered(MaxLight, n.p.before(n.i), p.before(i), Above) == MaxLight {
			p.old[i] = MaxLight
		}
	}
}

// before returns what was in a cell.
func (p *page) before(i int) uint8 {
	if len(p.was) > 0 {
		return p.was[i]
	}
	return p.what[i]
}

func (p *page) edited(i int) bool { return len(p.was) > 0 && p.was[i] != p.what[i] }

// beside returns the cell at a face of another.
func (r *Relight) beside(s spot, f Face) spot {
	const edge = SectionEdge - 1
	at, step := s.i&edge, 1
	switch f {
	case Below, Above:
		at, step = s.i>>8, SectionEdge*SectionEdge
	case North, South:
		at, step = s.i>>4&edge, SectionEdge
	}
	if f&1 == 0 {
		if at > 0 {
			return spot{s.p, s.i - step}
		}
		return spot{r.over(s.p, f), s.i + edge*step}
	}
	if at < edge {
		return spot{s.p, s.i + step}
	}
	return spot{r.over(s.p, f), s.i - edge*step}
}

// over returns the page at a face of another.
func (r *Relight) over(p *page, f Face) *page {
	n := p.next[f]
	if n == nil {
		n = r.page(p.at.to(f))
		p.next[f] = n
	}
	return n
}
