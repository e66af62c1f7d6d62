package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Spot is a cell of a world, at the position of a block.
type Spot struct {
	// Dimension is "" for the first with solid content, Volume is "" for that content.
	Dimension, Volume string
	At                geom.Point // in blocks
}

// fill sets the defaults.
func (p *Spot) fill(c stone.Content) {
	if p.Dimension == "" || p.Volume == "" {
		d, v, _ := MatterOf(p.Dimension, c) // the reader of the cell reports what is missing
		p.Dimension, p.Volume = cmp.Or(p.Dimension, d.Name), cmp.Or(p.Volume, v.Volume.Name)
	}
}

// Blamed says which version of a world changed a cell last.
type Blamed struct {
	// Name is what the cell is at the version where the search began. For a Terrain cell it
	// is the name of the material, for a Level cell its number.
	Name string
	// Commit is the version that changed the cell to that, and Before what the cell was
	// until then. It is nil if no version that was searched did.
	Commit *history.Commit
	Before string
	// Searched counts the versions that were looked at.
	Searched int
	// Next is where to go on searching, zero if there is nothing left to search.
	Next history.ID
}

// BlameOptions of Blame. The zero value is the default.
type BlameOptions struct {
	Cache stone.PageCache // for pages; default a small one
	// Opens bounds how many versions are opened, because that takes time. Default 64.
	Opens int
}

// blameLog is how many versions of a log Blame looks at, at most.
const blameLog = 4096

// Blame finds the version that changed a cell last, up to the version at; zero is the head.
// It opens only versions whose stones cover the chunk of the cell, or that went back to
// another version. Changes of versions that have left the log it puts down to nobody. Errors of the first version are a *DimensionError or a *VolumeError.
func Blame(ctx context.Context, st history.Store, name string, at history.ID, spot Spot, o BlameOptions) (b Blamed, err error) {
	if o.Opens <= 0 {
		o.Opens = 64
	}
	o.Opens = max(2, o.Opens) // the version where a search goes on, and the one before it
	if o.Cache == nil {
		o.Cache = stone.NewCache(1 << 20)
	}
	w := blame{ctx: ctx, st: st, name: name, spot: spot, o: o}
	log, err := st.Log(ctx, name, at, 1)
	if err == nil && len(log) == 0 {
		err = history.ErrNoCommit
	}
	if err != nil {
		return b, err
	}
	w.log = log
	now, err := w.open(&log[0], true)
	if err != nil {
		return b, err
	}
	b.Name, b.Searched = now.name, 1
	for {
		older, err := w.older()
		if err != nil {
			return b, err
		}
		c := w.log[0]
		direct := older != nil && c.Parent == older.ID() && c.Base == c.Parent
		if direct && c.ID() != now.source {
			w.log = w.log[1:] // its stones do not cover the chunk
			if w.seen++; w.seen >= blameLog {
				b.Next = w.log[0].ID()
				return b, nil
			}
			continue
		}
		if older != nil && w.opened >= o.Opens {
			b.Next = c.ID()
			return b, nil
		}
		before, err := w.before(c)
		if errors.Is(err, world.ErrNoParent) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		if older != nil {
			b.Searched++
		}
		if !before.same(now) {
			b.Commit, b.Before = &c, before.name
			return b, nil
		}
		if older == nil {
			return b, nil
		}
		if c.Parent != older.ID() {
			if now, err = w.open(older, false); err != nil || !now.same(before) { // one that is gone changed it
				return b, err
			}
		} else {
			now = before
		}
		w.log = w.log[1:]
	}
}

type blame struct {
	ctx          context.Context
	st           history.Store
	name         string
	spot         Spot
	o            BlameOptions
	log          []history.Commit // the version that is looked at, and some below it
	ended        bool             // log has the oldest
	opened, seen int
}

// older returns the version below the first of the log, nil if there is none.
func (w *blame) older() (*history.Commit, error) {
	const batch = 128
	if len(w.log) == 1 && !w.ended {
		log, err := w.st.Log(w.ctx, w.name, w.log[0].ID(), batch)
		if err != nil || len(log) == 0 {
			return nil, errors.Join(err, w.ctx.Err())
		}
		w.log, w.ended = log, len(log) < batch
	}
	if len(w.log) == 1 {
		return nil, nil
	}
	return &w.log[1], nil
}

// cellNow is a cell at a version. The zero value is a cell of nothing.
type cellNow struct {
	name   string
	cell   voxel.Cell // of a schema without names by number
	empty  bool       // it is the default of its volume
	there  bool       // the version has the volume
	source history.ID // the newest version whose stone may have set it
}

func (c cellNow) same(d cellNow) bool {
	if !c.there || !d.there {
		return (!c.there || c.empty) && (!d.there || d.empty)
	}
	return c.name == d.name && c.cell == d.cell
}

// open reads the cell at a version. With need the volume must be there.
func (w *blame) open(c *history.Commit, need bool) (cellNow, error) {
	s, err := world.OpenSnapshot(w.ctx, w.st, w.name, c.ID(), world.Options{Cache: w.o.Cache})
	if err != nil {
		return cellNow{}, err
	}
	return w.read(s, need)
}

// before reads the cell as it was before a version.
func (w *blame) before(c history.Commit) (cellNow, error) {
	s, err := world.OpenBefore(w.ctx, w.st, w.name, c, world.Options{Cache: w.o.Cache})
	if err != nil {
		return cellNow{}, err
	}
	return w.read(s, false)
}

// read reads the cell of a snapshot, and closes it.
func (w *blame) read(s *world.Snapshot, need bool) (out cellNow, err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	w.opened++
	if need {
		w.spot.fill(s)
	}
	v, err := volumeOf(s, w.spot.Dimension, w.spot.Volume)
	if err != nil && !need {
		return out, nil // the volume is younger than this version
	}
	if err != nil {
		return out, err
	}
	at := w.spot.At.Over(v.Scale)
	if err := at.Check(); err != nil {
		return out, err
	}
	c, source, err := s.ReadSource(w.ctx, w.spot.Dimension, w.spot.Volume, at.Chunk())
	if err != nil {
		return out, err
	}
	cell := v.Default
	if c != nil {
		in := at.InChunk()
		cell = c.Cell(in.X, in.Y, in.Z)
	}
	out = cellNow{there: true, empty: cell == v.Default, source: source}
	switch v.Schema {
	case voxel.Palette:
		out.name = v.Name(cell)
	case voxel.Terrain:
		out.name, out.cell = v.Name(voxel.Cell(cell.Material())), cell&0xFF // its occupancy
	default:
		out.cell, out.name = cell, fmt.Sprint(cell)
	}
	return out, nil
}
