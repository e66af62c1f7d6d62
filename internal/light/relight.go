package light

import (
	"cmp"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// SectionEdge is the edge of a section in cells, and SectionCells its number of
// cells.
const (
	SectionEdge  = 16
	SectionCells = SectionEdge * SectionEdge * SectionEdge
)

// SectionPos is a position counted in sections.
type SectionPos struct{ X, Y, Z int32 }

func (p SectionPos) to(f CellFace) SectionPos {
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
	// Before is the blocks at the time the light was computed, if Changed is set;
	// else those are Blocks.
	Before  [SectionCells]voxel.Cell
	Changed bool
	Levels  [SectionCells]uint8
	// Unlit says that no levels are stored. Sky light then continues from the
	// section above, and block light is 0.
	Unlit bool
	// Made says that the section is new where it changed. All of its light counts as
	// changed.
	Made bool
}

// Presence says what is at a section's position.
type Presence uint8

// The places.
const (
	Inside Presence = iota // a section
	Wall                   // nothing; light does not enter
	Open                   // nothing but full light
)

// Land provides the sections that a Relight works on.
type Land interface {
	// Section says what is at a position. For Inside it fills in s.
	Section(kind Channel, at SectionPos, s *Section) Presence
}

// maxSections bounds the sections of a Relight.
const maxSections = 4096

// maxCells bounds the cells that a Relight darkens and lights again.
const maxCells = 1 << 21

// A Relight updates light where blocks changed, from the existing light. It visits
// the cells that the change brightens or darkens and those beside them.
//
// Differences between the old light and the rule are kept. A cell that was too dark
// still weakens light by that much more, unless it or a cell beside it changed. A
// cell that was too bright still gets as much from the brightest cell beside it; if
// no such cell was brighter, or the cell is opaque, it emits its light itself. Where
// the light obeyed the rule, it still does.
//
// A Relight reuses its memory; see Rest. Goroutines must not share it.
type Relight struct {
	classes
	through []uint8

	kind     Channel
	land     Land
	sections map[SectionPos]*openSection
	free     []*openSection
	walls    [Open + 1]*openSection
	buf      Section
	removed  []removal
	pulls    []cellRef
	queue    [MaxLight + 1][]cellRef
	visited  int
	tooMany  bool
}

// openSection is a section of the current Run.
type openSection struct {
	at         SectionPos
	place      Presence
	changed    bool // a level changed
	unlit      bool
	made       bool
	next       [Sides]*openSection
	what       [SectionCells]uint8
	was        []uint8 // nil: same as what
	old, now   [SectionCells]uint8
	deviations [SectionCells]deviation
}

// cellRef is a cell of an open section.
type cellRef struct {
	p *openSection
	i int
}

type removal struct {
	cellRef
	level uint8
}

// Use sets the rule. m must be Valid.
func (r *Relight) Use(m Matters) {
	r.classes = newClasses(m)
	r.through = r.through[:0]
	for _, v := range r.list {
		r.through = append(r.through, max(1, v.absorbs()))
	}
}

// Run updates the light after the blocks of some sections changed. Changed then
// yields the sections whose light changed and those that are Made. It returns false
// and changes nothing if too much changed: more than 4096 sections, or two million
// cells to visit again.
func (r *Relight) Run(kind Channel, land Land, changed []SectionPos) bool {
	r.begin(kind, land)
	var edited []cellRef
	for _, at := range changed {
		p := r.open(at)
		for i := range p.was {
			if p.edited(i) {
				edited = append(edited, cellRef{p, i})
				p.changed = p.changed || p.made
			}
		}
	}
	for _, s := range edited {
		r.remove(s)
		r.pull(s)
		for f := range Sides {
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

// build makes the surroundings of the sections.
func (r *Relight) build() {
	r.sections = make(map[SectionPos]*openSection)
	for place := range r.walls {
		w := &openSection{place: Presence(place)}
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

// begin forgets the sections of the run before.
func (r *Relight) begin(kind Channel, land Land) {
	for _, p := range r.sections {
		r.free = append(r.free, p)
	}
	if r.sections == nil {
		r.build()
	}
	clear(r.sections)
	r.kind, r.land = kind, land
	if land != nil {
		r.visited, r.tooMany = 0, false
	}
	r.removed, r.pulls = r.removed[:0], r.pulls[:0]
	for l := range r.queue {
		r.queue[l] = r.queue[l][:0]
	}
}

// The memory that a Relight keeps between runs: enough for a lamp.
const (
	restSections = 64
	restCells    = 1 << 12
)

// Rest releases the land and the results of the last Run, and memory that few runs
// need.
func (r *Relight) Rest() {
	if r.sections == nil {
		return
	}
	large := len(r.sections) > restSections
	r.begin(r.kind, nil)
	if large {
		r.sections = make(map[SectionPos]*openSection)
	}
	for _, p := range r.free {
		clear(p.next[:])
	}
	if len(r.free) > restSections {
		r.free = slices.Clone(r.free[:restSections])
	}
	r.removed, r.pulls = rested(r.removed), rested(r.pulls)
	for l, q := range r.queue {
		r.queue[l] = rested(q)
	}
}

// rested returns s emptied, with references removed, or nil if it is large.
func rested[T any](s []T) []T {
	if cap(s) > restCells {
		return nil
	}
	clear(s[:cap(s)])
	return s[:0]
}

// Visited returns how many cells the last Run looked at. It counts each visit.
func (r *Relight) Visited() int { return r.visited }

// Changed yields the sections whose light the last Run changed, in ascending order,
// with all their levels. The caller must not keep the levels.
func (r *Relight) Changed() iter.Seq2[SectionPos, *[SectionCells]uint8] {
	return func(yield func(SectionPos, *[SectionCells]uint8) bool) {
		var at []SectionPos
		for pos, p := range r.sections {
			if p.changed && (p.made || p.old != p.now) {
				at = append(at, pos)
			}
		}
		slices.SortFunc(at, SectionPos.Compare)
		for _, pos := range at {
			if !yield(pos, &r.sections[pos].now) {
				return
			}
		}
	}
}

// open returns what is at a position.
func (r *Relight) open(at SectionPos) *openSection {
	if p := r.sections[at]; p != nil {
		return p
	}
	if r.tooMany || len(r.sections) == maxSections {
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
	r.sections[at] = p
	if p.unlit {
		r.fillFromAbove(p)
	}
	p.now = p.old
	return p
}

func (r *Relight) take() *openSection {
	if n := len(r.free); n > 0 {
		p := r.free[n-1]
		r.free = r.free[:n-1]
		clear(p.next[:])
		clear(p.deviations[:])
		return p
	}
	return new(openSection)
}

// fillFromAbove gives an unlit section the light that falls from above.
func (r *Relight) fillFromAbove(p *openSection) {
	clear(p.old[:])
	if r.kind == Block {
		return
	}
	above := r.open(p.at.to(Above))
	for i := SectionCells - 1; i >= 0; i-- {
		n := cellRef{p, i + 256}
		if i >= SectionCells-256 {
			n = cellRef{above, i & 255}
		}
		if n.p.old[n.i] == MaxLight && r.offered(MaxLight, n.p.before(n.i), p.before(i), Above) == MaxLight {
			p.old[i] = MaxLight
		}
	}
}

// before returns the block that was in a cell.
func (p *openSection) before(i int) uint8 {
	if len(p.was) > 0 {
		return p.was[i]
	}
	return p.what[i]
}

func (p *openSection) edited(i int) bool { return len(p.was) > 0 && p.was[i] != p.what[i] }

// beside returns the cell at a face of s.
func (r *Relight) beside(s cellRef, f CellFace) cellRef {
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
			return cellRef{s.p, s.i - step}
		}
		return cellRef{r.over(s.p, f), s.i + edge*step}
	}
	if at < edge {
		return cellRef{s.p, s.i + step}
	}
	return cellRef{r.over(s.p, f), s.i - edge*step}
}

// over returns the section at a face of p.
func (r *Relight) over(p *openSection, f CellFace) *openSection {
	n := p.next[f]
	if n == nil {
		n = r.open(p.at.to(f))
		p.next[f] = n
	}
	return n
}
