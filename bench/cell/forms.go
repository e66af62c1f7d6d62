package cell

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/savings"
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
	Kinds   []FormsKind            `json:"kinds"`
	Skipped []savings.SkippedWorld `json:"skipped"`
}

// BenchForms writes made worlds and all worlds below dirs in each form of cells, and
// sums by the kind of world.
func BenchForms(ctx context.Context, dirs []string, o lab.Options) (*FormsReport, error) {
	places, err := savings.Find(dirs)
	if err != nil {
		return nil, err
	}
	r := &FormsReport{Kinds: []FormsKind{}, Skipped: []savings.SkippedWorld{}}
	made := madeKinds(o)
	for i, m := range made {
		o.Step(i, len(made)+len(places), m.kind)
		w, err := convert.Load(ctx, m.src)
		if err == nil {
			err = r.add(ctx, m.kind+madeMark, w)
		}
		if err != nil {
			return nil, err
		}
	}
	for i, p := range places {
		o.Step(len(made)+i, len(made)+len(places), p.Path)
		w, err := lab.LoadPlace(ctx, p)
		if err == nil {
			err = r.add(ctx, classOf(p), w)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.Skipped = append(r.Skipped, savings.SkippedWorld{Path: p.Path, Why: err.Error()})
		}
	}
	slices.SortFunc(r.Kinds, func(a, b FormsKind) int {
		made := func(k FormsKind) int { return strings.Index(k.Kind, madeMark) }
		return cmp.Or(cmp.Compare(min(0, made(a)), min(0, made(b))), cmp.Compare(a.Kind, b.Kind))
	})
	return r, nil
}

// classes are the kinds of worlds by a word that a manifest notes between brackets;
// the first that is there counts.
var classes = []struct{ word, class string }{
	{"[minigame", "competition maps"},
	{"island", "islands"},
	{"lobby", "lobbies"},
	{"parkour", "builds"},
	{"build", "builds"},
	{"built", "builds"},
	{"server", "survival"},
	{"synthetic", "generated terrain"},
	{"terrain", "survival"},
	{"survival", "survival"},
	{"tiny", "single columns"},
}

// classOf returns the kind of a world. One that its manifest does not note is the name
// of the folder that holds the world.
func classOf(p savings.Place) string {
	for _, c := range classes {
		if strings.Contains(p.Note, c.word) {
			return c.class
		}
	}
	abs, err := filepath.Abs(p.Path)
	if err != nil {
		abs = p.Path
	}
	return filepath.Base(filepath.Dir(abs))
}

// madeMark is behind the kind of worlds that are made here.
const madeMark = ", made"

const madeSeeds = 3

type madeKind struct {
	kind string
	src  format.Source
}

// madeKinds are worlds of package terrain, of some seeds each.
func madeKinds(o lab.Options) (out []madeKind) {
	for i := range cmp.Or(o.Worlds, madeSeeds) {
		seed := o.Seed + uint64(i)
		modern := terrain.Options{Seed: seed, Version: terrain.Modern}
		level := lab.Land(lab.Options{Seed: seed, LandEdge: o.LandEdge})
		out = append(out, madeKind{"arenas", terrain.Arena(modern)}, madeKind{"builds", terrain.Plots(modern)},
			madeKind{"generated terrain", level}, madeKind{"islands", terrain.Island(modern)}, madeKind{"survival", terrain.Survival(modern)})
	}
	return out
}

// add weighs a world of a kind.
func (r *FormsReport) add(ctx context.Context, kind string, w *convert.Loaded) error {
	f, err := WeighForms(ctx, w)
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
	k.Forms.Add(f)
	for _, d := range w.Dimensions {
		for _, v := range d.Volumes {
			if v.Volume.Name == voxel.Block || v.Volume.Name == lab.LandVolume {
				k.Cells += v.Count()
			}
		}
	}
	return nil
}

// Table prints a line for each kind of world.
func (r *FormsReport) Table(w io.Writer) {
	var rows []FormsRow
	for _, k := range r.Kinds {
		rows = append(rows, FormsRow{Name: fmt.Sprintf("%s (%d)", k.Kind, k.Worlds), FormWeights: k.Forms})
	}
	FormsTable(w, "kind (worlds)", rows)
	fmt.Fprint(w, FormsLegend)
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", filepath.Base(s.Path), s.Why)
	}
}
