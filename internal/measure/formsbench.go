package measure

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
)

// FormsKind is what the cells of the worlds of one kind take by form.
type FormsKind struct {
	Kind   string      `json:"kind"`
	Worlds int         `json:"worlds"`
	Cells  int         `json:"cells"` // blocks that are not air
	Forms  FormWeights `json:"forms"`
}

// FormsReport is what BenchForms found. Kinds are in the order of their names,
// those of made worlds behind the others.
type FormsReport struct {
	Kinds   []FormsKind    `json:"kinds"`
	Skipped []SkippedWorld `json:"skipped"`
}

// BenchForms writes made worlds and all worlds below dirs, those of Luanti too, in
// each form of cells, and sums by the kind of world.
func BenchForms(ctx context.Context, dirs []string, o Options) (*FormsReport, error) {
	places, err := findBy(dirs, func(dir string) bool { return anvil.Detect(dir) || isLuanti(dir) })
	if err != nil {
		return nil, err
	}
	r := &FormsReport{Kinds: []FormsKind{}, Skipped: []SkippedWorld{}}
	made := madeKinds(o)
	for i, m := range made {
		o.progress(i, len(made)+len(places), m.kind)
		w, err := convert.Load(ctx, m.src)
		if err == nil {
			err = r.add(ctx, m.kind+madeMark, w)
		}
		if err != nil {
			return nil, err
		}
	}
	for i, p := range places {
		o.progress(len(made)+i, len(made)+len(places), p.path)
		w, err := loadAny(ctx, p)
		if err == nil {
			err = r.add(ctx, classOf(p), w)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.Skipped = append(r.Skipped, SkippedWorld{p.path, err.Error()})
		}
	}
	slices.SortFunc(r.Kinds, func(a, b FormsKind) int {
		made := func(k FormsKind) int { return strings.Index(k.Kind, madeMark) }
		return cmp.Or(cmp.Compare(min(0, made(a)), min(0, made(b))), cmp.Compare(a.Kind, b.Kind))
	})
	return r, nil
}

// loadAny reads a world of Anvil or Luanti.
func loadAny(ctx context.Context, p place) (*convert.World, error) {
	if isLuanti(p.path) {
		return loadLuanti(p.path)
	}
	return loadPlace(ctx, p)
}

// classOf keeps worlds of Luanti apart from others.
func classOf(p place) string {
	if isLuanti(p.path) {
		return "Luanti's " + p.class
	}
	return p.class
}

// madeMark is behind the kind of worlds that are made here.
const madeMark = ", made"

const madeSeeds = 3

type madeKind struct {
	kind string
	src  format.Source
}

// madeKinds are worlds of package terrain, of some seeds each.
func madeKinds(o Options) (out []madeKind) {
	for i := range cmp.Or(o.Worlds, madeSeeds) {
		seed := o.Seed + uint64(i)
		modern := terrain.Options{Seed: seed, Version: terrain.Modern}
		level := land(Options{Seed: seed, LandEdge: o.LandEdge})
		out = append(out, madeKind{"arenas", terrain.Arena(modern)}, madeKind{"builds", terrain.Plots(modern)},
			madeKind{"generated terrain", level}, madeKind{"islands", terrain.Island(modern)}, madeKind{"survival", terrain.Survival(modern)})
	}
	return out
}

// add weighs a world of a kind.
func (r *FormsReport) add(ctx context.Context, kind string, w *convert.World) error {
	f, err := weighForms(ctx, w)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(r.Kinds, func(k FormsKind) bool { return k.Kind == kind })
	if i < 0 {
		i = len(r.Kinds)
		r.Kinds = append(r.Kinds, FormsKind{Kind: kind})
	}
	k := &r.Kinds[i]
	k.Worlds++
	k.Forms.add(f)
	for _, d := range w.Dimensions {
		for _, v := range d.Volumes {
			if v.Volume.Name == voxel.Block || v.Volume.Name == levelVolume {
				k.Cells += v.Count()
			}
		}
	}
	return nil
}

// Table prints a line for each kind of world.
func (r *FormsReport) Table(w io.Writer) {
	var rows []formsRow
	for _, k := range r.Kinds {
		rows = append(rows, formsRow{fmt.Sprintf("%s (%d)", k.Kind, k.Worlds), k.Forms})
	}
	formsTable(w, "kind (worlds)", rows)
	fmt.Fprint(w, formsLegend)
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", filepath.Base(s.Path), s.Why)
	}
}
