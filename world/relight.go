package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Relight computes the light that follows from what updates changed since it was
// last called, in the volumes voxel.Sky and voxel.Light, and takes away that it
// is stale. It costs what the changes light and darken. What blocks are to light is learned
// from the light around and from full packs that know it, and guessed by name
// otherwise; light that differed from the rule differs as before. It does I/O: it
// brings what is around the changes into memory for as long as it works. Updates need not wait
// for it: the light of blocks that change while it computes stays stale until the next call.
//
// Without Options.Relight nobody knows what changed, and it does nothing. Light that
// was stale before stays so, and that of changes to more than 1024 chunks, or to what lights
// or darkens more than 4096 sections, or two million cells; and that of blocks over which
// an update with DimensionTx.Lit wrote others.
func (w *World) Relight(ctx context.Context) error {
	if err := w.enter(&w.saving); err != nil {
		return err
	}
	defer w.leave(&w.saving)
	if err := w.live(); err != nil {
		return err
	}
	return w.relight(ctx)
}

// relightTries is how often relight starts again when updates came while it loaded what
// it needs, or wrote light while it computed.
const relightTries = 4

// relight is Relight; the caller holds saving. The next call does what this one leaves.
func (w *World) relight(ctx context.Context) error {
	for range relightTries {
		w.mu.Lock()
		s, at := w.now.Load(), w.pendingChanges
		around := make(map[string][]geom.Box)
		for name, p := range w.pending {
			if i := s.dimension(name); i >= 0 {
				around[name] = p.Around(s.dimensions[i].lightOf(voxel.Block).cells)
			}
		}
		w.mu.Unlock()
		if len(around) == 0 {
			return nil
		}
		done, err := w.relightIn(ctx, around, at)
		if done || err != nil {
			return err
		}
	}
	return nil
}

// relightIn does the work in boxes that held all that was near to pending blocks after
// so many changes of pending. It reports false if pending changed since, or light did.
func (w *World) relightIn(ctx context.Context, around map[string][]geom.Box, at uint64) (done bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(around)) {
		for _, b := range around[name] {
			h, err := w.Load(ctx, name, b, w.lightVolumes(name)...)
			if err != nil {
				return false, err
			}
			defer h.Release()
		}
	}
	w.mu.Lock()
	if w.pendingChanges != at {
		w.mu.Unlock()
		return false, nil
	}
	s, pending := w.now.Load(), make(map[string]*relight.Pending)
	for name, p := range w.pending {
		pending[name] = p.Clone() // updates add to it
	}
	w.later = make(map[string]*relight.Pending)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.later = nil
	}()

	var found []relit
	for _, name := range slices.Sorted(maps.Keys(around)) {
		r, err := w.compute(ctx, s.dimensions[s.dimension(name)], pending[name], around[name])
		if err != nil {
			return false, err
		}
		found = append(found, r)
	}
	_, err = w.Update(func(tx *Tx) error {
		w.mu.Lock()
		later := w.later // no other update changes it now
		w.mu.Unlock()
		if done = later != nil; !done {
			return nil
		}
		tx.relit = true
		for _, r := range found {
			if !tx.Dimension(r.dimension.name).write(r, later[r.dimension.name]) {
				return errRelit
			}
		}
		return ctx.Err()
	})
	if errors.Is(err, errRelit) {
		return false, nil
	}
	return done, err
}

// errRelit makes an update fail that writes light which somebody else wrote meanwhile.
var errRelit = errors.New("world: light changed meanwhile")

// relit is the light of a dimension that was computed beside updates.
type relit struct {
	dimension *dimension                 // as the light was computed
	chunks    map[string][]grid.Replaced // by volume
	columns   []*voxel.Column            // that changed
}

// lightNames are the volumes of light.
var lightNames = [...]string{light.Sky: voxel.Sky, light.Block: voxel.Light}

// lightVolumes returns the names of what Load must bring to compute light.
func (w *World) lightVolumes(dimension string) []string {
	s := w.now.Load()
	d := s.dimensions[s.dimension(dimension)]
	names := []string{voxel.Block, Columns}
	for _, name := range lightNames {
		if d.lightOf(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

// compute computes the light of pending blocks.
func (w *World) compute(ctx context.Context, d *dimension, p *relight.Pending, around []geom.Box) (relit, error) {
	blocks := d.lightOf(voxel.Block)
	in := &relight.Input{Name: d.name, Blocks: blocks.cells, Names: blocks.names.list, Matters: d.matters}
	if len(d.columns.tree()) > 0 {
		in.Column = (&Dimension{d}).Column
	}
	var drafts [len(lightNames)]*grid.Edit
	for kind, name := range lightNames {
		if v := d.lightOf(name); v != nil {
			in.Levels[kind], drafts[kind] = v.cells, v.cells.Edit()
		}
	}
	r := relit{dimension: d, chunks: make(map[string][]grid.Replaced)}
	var err error
	r.columns, err = w.lightModel.Run(ctx, in, p, around, func(kind light.Channel, b geom.Box, levels []voxel.Cell) {
		drafts[kind].WriteBox(b, levels)
	})
	for kind, draft := range drafts {
		if draft != nil {
			err = cmp.Or(err, draft.Err())
			_, r.chunks[lightNames[kind]] = draft.Publish()
		}
	}
	if err != nil {
		return relit{}, fmt.Errorf("world: light of %q: %w", d.name, notLoaded(err))
	}
	return r, nil
}

// write writes light that was computed before the blocks of later changed, nil if none did. It
// reports false if somebody else wrote light since.
func (d *DimensionTx) write(r relit, later *relight.Pending) bool {
	if later.Lit() {
		return false
	}
	for name, chunks := range r.chunks {
		v := d.Volume(name)
		for _, c := range chunks {
			if now, ok := v.Chunk(c.Pos); !ok || now != c.Old {
				return false
			}
			v.SetChunk(c.Pos, c.New)
		}
	}
	for _, c := range r.columns {
		was, now := r.dimension.columns.at(c.Pos), d.Column(c.Pos)
		if now == nil {
			continue
		}
		edited := *now
		edited.Sections = listing(now.Sections, c.Sections)
		if c.Stale != was.Stale && now.Stale == was.Stale && !later.MarkGood(c.Pos) {
			edited.Stale = c.Stale
		}
		d.put(c.Pos, &edited, parts{column: true})
	}
	return true
}

// listing returns sections with the light that others have.
func listing(sections, lit []voxel.Section) []voxel.Section {
	const light = voxel.HasSky | voxel.HasLight
	out := slices.Clone(sections)
	for _, s := range lit {
		i := slices.IndexFunc(out, func(o voxel.Section) bool { return o.Y == s.Y })
		if i < 0 {
			i = len(out)
			out = append(out, voxel.Section{Y: s.Y})
		}
		out[i].Has |= s.Has & light
	}
	return out
}

// hasLight reports whether the dimension has blocks and volumes for their light.
func (d *dimension) hasLight() bool {
	v := d.lightOf(voxel.Block)
	return v != nil && v.Schema == voxel.Palette && (d.lightOf(voxel.Sky) != nil || d.lightOf(voxel.Light) != nil)
}

// lightOf returns a volume of the dimension if light can be computed in it, or
// from it.
func (d *dimension) lightOf(name string) *volume {
	i := d.volume(name)
	if i < 0 || d.volumes[i].Scale != 1 || name != voxel.Block && d.volumes[i].Schema != voxel.Level {
		return nil
	}
	return d.volumes[i]
}

// The callers of what follows hold w.mu.

// addPending adds the blocks that a Tx left without light.
func (w *World) addPending(tx *Tx) {
	switch {
	case tx.exact:
		w.forgetPending()
		return
	case tx.relit:
		w.pending, w.later = w.later, nil
		w.pendingChanges++
		return
	}
	for name, l := range tx.left {
		if w.pending == nil {
			w.pending = make(map[string]*relight.Pending)
		}
		if w.later != nil {
			w.later[name] = w.later[name].Add(l)
		}
		w.pending[name] = w.pending[name].Add(l)
		w.pendingChanges++
	}
}

func (w *World) forgetPending() {
	w.pending, w.later = nil, nil
	w.pendingChanges++
}
