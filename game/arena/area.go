package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/game/masks"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Area is a part of a world. The zero Area is all of it.
type Area struct {
	Dimension string // "": all; with a Region, the first
	Region    string // as region.Parse reads it; "": everything
	Mask      string // as region.ParseMask reads it; "": every cell
}

// Check returns an error that wraps ErrArea if the Area is wrong.
func (a Area) Check() error {
	_, err := a.region()
	if err == nil {
		_, err = region.ParseMask(a.Mask)
	}
	if err == nil && strings.ContainsAny(a.Dimension+a.Mask, "\n\r") {
		err = errors.New("a dimension and a mask are one line")
	}
	if err != nil {
		return areaError{err}
	}
	return nil
}

// ErrArea says that an Area cannot be parsed by package region, or names things that the world does
// not have.
var ErrArea = errors.New("arena: wrong area")

type areaError struct{ error }

func (e areaError) Is(target error) bool { return target == ErrArea }

func (e areaError) Unwrap() error { return e.error }

// region returns the region, nil for everything.
func (a Area) region() (region.Region, error) {
	if a.Region == "" {
		return nil, nil
	}
	r, err := region.Parse(a.Region)
	if err != nil {
		return nil, fmt.Errorf("arena: region %q: %w", oneLine(a.Region), err)
	}
	if r.Bounds().Empty() {
		return nil, fmt.Errorf("arena: region %q: it has no cell", oneLine(a.Region))
	}
	return r, nil
}

// Within returns the part of a that is in b.
func (a Area) Within(b Area) (Area, error) {
	if a.Dimension != "" && b.Dimension != "" && a.Dimension != b.Dimension {
		return a, areaError{fmt.Errorf("arena: dimension %q: the snapshot is of %q", a.Dimension, b.Dimension)}
	}
	if err := errors.Join(a.Check(), b.Check()); err != nil {
		return a, err
	}
	return Area{
		Dimension: cmp.Or(a.Dimension, b.Dimension),
		Region:    both(a.Region, b.Region, "(%s) & (%s)"),
		Mask:      both(a.Mask, b.Mask, "%s & %s"),
	}, nil
}

func both(a, b, format string) string {
	if a == "" || b == "" || a == b {
		return cmp.Or(a, b)
	}
	return fmt.Sprintf(format, a, b)
}

// The words before the parts of an Area in a message, in their order, and the last line.
const (
	dimensionWord = "dimension "
	regionWord    = "region "
	maskWord      = "mask "
	lastLine      = "named snapshot"
)

// append returns a message with the lines of an Area at its end. The last line says that the
// commit is a named snapshot, and no commit of the world that it is of.
func (a Area) append(message string) (string, error) {
	lines := []string{strings.TrimRight(message, "\n")}
	for _, l := range [...]struct{ word, text string }{{dimensionWord, a.Dimension}, {regionWord, oneLine(a.Region)}, {maskWord, a.Mask}} {
		if l.text != "" {
			lines = append(lines, l.word+l.text)
		}
	}
	out := strings.Join(append(lines, lastLine), "\n")
	if back, in, _ := splitMessage(out); back != lines[0] || in != (Area{a.Dimension, oneLine(a.Region), a.Mask}) {
		return "", areaError{fmt.Errorf("arena: message %q: its last line reads like a line about the area", message)}
	}
	return out, nil
}

// splitMessage undoes append. A message without lines of an Area is about everything.
func splitMessage(message string) (text string, a Area, ok bool) {
	lines := strings.Split(message, "\n")
	if n := len(lines) - 1; n > 0 && lines[n] == lastLine {
		lines, ok = lines[:n], true
	}
	for _, l := range [...]struct {
		word string
		to   *string
	}{{maskWord, &a.Mask}, {regionWord, &a.Region}, {dimensionWord, &a.Dimension}} {
		if n := len(lines) - 1; n > 0 {
			if text, ok := strings.CutPrefix(lines[n], l.word); ok {
				*l.to, lines = text, lines[:n]
			}
		}
	}
	return strings.Join(lines, "\n"), a, ok
}

// oneLine returns the text of a region, in which spaces do not count, as one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// maxChanged bounds the chunks with cells that a mask about versions admits: 256 MiB of masks.
const maxChanged = 1 << 16

// area is an Area as an operation takes it.
type area struct {
	dimensions []string
	in         region.Region // nil: everything
	names      region.Mask   // the terms about names
}

// find resolves an Area in an open world. The terms of its mask about history become a part of the
// region. also are further volumes whose names the mask may have.
func (a Area) find(ctx context.Context, st history.Store, w *world.World, also ...stone.VolumeInfo) (*area, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	out := new(area)
	var have []string
	for _, d := range w.View().Dimensions() {
		have = append(have, d.Name())
	}
	switch {
	case a.Dimension != "" && !slices.Contains(have, a.Dimension):
		return nil, areaError{fmt.Errorf("arena: %s: no dimension %q; there are %q", w.Name(), a.Dimension, have)}
	case a.Dimension != "":
		out.dimensions = []string{a.Dimension}
	case a.Region != "" && len(have) > 0:
		out.dimensions = have[:1]
	default:
		out.dimensions = have
	}
	var err error
	if out.in, err = a.region(); err != nil {
		return nil, areaError{err}
	}
	if out.names, err = region.ParseMask(a.Mask); err != nil {
		return nil, areaError{err}
	}
	if err = masks.Check(out.names, append(masks.Volumes(w.View()), also...)); err != nil {
		return nil, areaError{fmt.Errorf("arena: %s: %w", w.Name(), err)}
	}
	changes := out.names.Changes()
	out.names = out.names.Names()
	if len(changes) > 0 && len(out.dimensions) != 1 {
		return nil, areaError{fmt.Errorf("arena: %s: mask %q: a mask about versions needs one dimension of %q", w.Name(), a.Mask, have)}
	}
	for _, c := range changes {
		if err := out.only(ctx, st, w, c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// In resolves an Area in an open world: to its dimensions, its region, nil for everything, and the
// terms of its mask about names. The terms about history become a part of the region.
func (a Area) In(ctx context.Context, st history.Store, w *world.World) (dimensions []string, in region.Region, names region.Mask, err error) {
	out, err := a.find(ctx, st, w)
	if err != nil {
		return nil, nil, names, err
	}
	return out.dimensions, out.in, out.names, nil
}

// only cuts the region down to the cells that a term about history admits.
func (a *area) only(ctx context.Context, st history.Store, w *world.World, term region.Changed) error {
	changed := &masks.Changed{Most: maxChanged}
	add := func(was *world.Snapshot, to history.ID) error {
		defer was.Close()
		is, err := w.SnapshotAt(ctx, to)
		if err != nil {
			return err
		}
		defer is.Close()
		for _, v := range w.View().Dimension(a.dimensions[0]).Volumes() {
			if v.Scale != 1 || v.Volume.Name == voxel.Sky || v.Volume.Name == voxel.Light {
				continue
			}
			if err := changed.Add(ctx, was, is, a.dimensions[0], v.Volume.Name); err != nil {
				return err
			}
		}
		return nil
	}
	if err := each(ctx, term, st, w, add); err != nil {
		return err
	}
	all := a.in
	if all == nil {
		all = world.Everywhere
	}
	if term.Not {
		a.in = region.Difference{From: all, Without: changed}
	} else {
		a.in = region.Intersection{all, changed}
	}
	return nil
}

// each calls add with the pairs of versions between which a term looks for changes: for an author,
// each version in the log by that author and the one before it.
func each(ctx context.Context, term region.Changed, st history.Store, w *world.World, add func(was *world.Snapshot, to history.ID) error) error {
	found := term.Not
	if term.By == "" {
		c, err := inspect.Find(ctx, st, w.Name(), term.Since)
		if err != nil {
			return areaError{fmt.Errorf("arena: %s: since %s: %w", w.Name(), term.Since, err)}
		}
		was, err := w.SnapshotAt(ctx, c.ID())
		if err == nil {
			err = add(was, w.Head())
		}
		return err
	}
	var others []string
	for c, err := range world.Commits(ctx, st, w.Name()) {
		if err != nil {
			return err
		}
		if c.Author != term.By {
			others = append(others, c.Author)
			continue
		}
		found = true
		was, err := w.SnapshotBefore(ctx, c)
		if errors.Is(err, world.ErrNoParent) {
			err = areaError{fmt.Errorf("arena: by %s: %w", term.By, err)}
		}
		if err == nil {
			err = add(was, c.ID())
		}
		if err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	near := ""
	if who := block.Near(term.By, slices.Values(others)); who != "" {
		near = fmt.Sprintf("; did you mean %q?", who)
	}
	return areaError{fmt.Errorf("arena: %s: by %s: the log has no version by that author%s", w.Name(), term.By, near)}
}

// masked reports whether the mask has terms about names.
func (a *area) masked() bool { return a.names.Cells([]string{""}) != nil }

// cellOf returns the cell of a chunk at a place, or def if there is no chunk.
func cellOf(c *voxel.Chunk, def voxel.Cell, at geom.Point) voxel.Cell {
	if c == nil {
		return def
	}
	in := at.InChunk()
	return c.Cell(in.X, in.Y, in.Z)
}
