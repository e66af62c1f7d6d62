package port

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/format/slime"
)

// The formats of an export.
const (
	Anvil = "anvil"
	Slime = "slime"
)

// SlimeVersions are those that can be written.
func SlimeVersions() []int { return []int{3, 9, 13} }

// ErrHolds is wrapped where a format cannot hold a world, whatever is left out.
var ErrHolds = errors.New("the format cannot hold the world")

// DimensionError says that a world lacks the dimension that was asked for, or that
// one must be asked for.
type DimensionError struct {
	Want string   // "" if none was asked for
	Have []string // in the world's order
}

func (e *DimensionError) Error() string {
	if e.Want == "" {
		return "port: a Slime file holds one dimension, the world has " + strings.Join(e.Have, ", ")
	}
	return fmt.Sprintf("port: no dimension %q: the world has %s", e.Want, strings.Join(e.Have, ", "))
}

// Pick leaves in w the dimension of a name, or, for a Slime file without a name,
// the one with columns, and counts the columns of the others as lost. Errors are
// a *DimensionError.
func Pick(w *convert.World, dimension, to string, lost map[string]int) error {
	if dimension == "" && to != Slime {
		return nil
	}
	e := &DimensionError{Want: dimension}
	var picked []*convert.Dimension
	for _, d := range w.Dimensions {
		e.Have = append(e.Have, d.Name)
		if d.Name == dimension || dimension == "" && (len(d.Columns) > 0 || len(w.Dimensions) == 1) {
			picked = append(picked, d)
		} else if len(d.Columns) > 0 {
			lost["columns of "+d.Name] = len(d.Columns)
		}
	}
	if dimension != "" && len(picked) == 0 || dimension == "" && len(picked) > 1 {
		return e
	}
	w.Dimensions = picked
	return nil
}

// WriteSlime writes a world of one dimension as a Slime file and adds to lost what
// that does not hold. Version 0 is the one that the world was read from, if it can
// be written, or what its data version asks for.
func WriteSlime(ctx context.Context, w *convert.World, to io.Writer, version int, through Through, lost map[string]int) error {
	if v := w.Head.Version; version == 0 && w.Head.Format == Slime && slices.Contains(SlimeVersions(), v) {
		version = v
	}
	o := slime.WriteOptions{Version: version}
	dimension := ""
	for _, d := range w.Dimensions {
		if dimension = d.Name; len(d.Columns) == 0 && w.Head.Format == Slime {
			o.DataVersion = versionOf(w.Head)
		}
	}
	level, rest, hasLevel := levelIn(w)
	o.Properties = propertiesOf(level, dimension)
	out, err := slime.Create(to, o)
	if err == nil {
		err = w.Source().Read(ctx, through.sink(out))
	}
	if err == nil {
		err = errors.Join(out.Close(), ctx.Err())
		maps.Copy(lost, out.Lost())
	}
	if hasLevel {
		delete(lost, "file "+anvil.LevelPath)
		countLevel(rest, lost)
	}
	return err
}

// WriteAnvil writes a world into an empty folder, which is left as it is after an
// error, and adds to lost what it does not hold. A world from elsewhere gets a
// level.dat with that name; an Anvil world that had none gets none.
func WriteAnvil(ctx context.Context, w *convert.World, dir, name string, through Through, lost map[string]int) error {
	if w.Head.Format == "mcregion" {
		return fmt.Errorf("the world was read from McRegion; to write it as Anvil would be a conversion nobody asked for: %w", ErrHolds)
	}
	if w.Head.Format == Anvil {
		name = ""
	}
	dimension := ""
	for _, d := range w.Dimensions {
		dimension = d.Name
	}
	out, err := anvil.Create(dir, anvil.WriteOptions{LevelName: name, Facts: levelOf(w.Head, dimension)})
	if err != nil {
		return err
	}
	if err := w.Source().Read(ctx, through.sink(out)); err != nil {
		return errors.Join(err, out.Abort())
	}
	err = errors.Join(out.Close(), ctx.Err())
	maps.Copy(lost, out.Lost())
	return err
}
