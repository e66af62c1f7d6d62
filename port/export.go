package port

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/format/slime"
)

// ErrHolds is wrapped if a format cannot hold a world, even if parts are left out.
var ErrHolds = format.ErrHolds

// DimensionError says that a world does not have the requested dimension, or that a dimension
// must be chosen.
type DimensionError struct {
	Want string   // "" if none was asked for
	Have []string // in the world's order
}

func (e *DimensionError) Error() string {
	if e.Want == "" {
		return "port: a Slime file holds one dimension; the world has " + strings.Join(e.Have, ", ")
	}
	return fmt.Sprintf("port: no dimension %q: the world has %s", e.Want, strings.Join(e.Have, ", "))
}

// Pick keeps one dimension in w: the one of that name. Without a name, a format of one
// dimension gets the one that has columns. Pick counts the columns of the other dimensions as
// lost. Errors are a *DimensionError.
func Pick(w *convert.World, dimension, to string, lost map[string]int) error {
	if k, _ := Format(to); dimension == "" && !k.Single {
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

// Target is the format that a world is written in.
type Target struct {
	// Format is the name of one of Formats.
	Format string
	// Version of the format, for formats that have versions. Default: the version that the
	// world was read from, or the one for its data version.
	Version int
	// Name of the world, for formats that store one. A name in the world itself takes
	// precedence.
	Name string
}

// WriteFile writes a world as a file. It adds what the format cannot hold to lost.
func WriteFile(ctx context.Context, w *convert.World, to io.Writer, t Target, through Through, lost map[string]int) error {
	return write(ctx, w, t, through, lost, func(k *format.Kind, o format.WriteOptions) (format.Writer, error) { return k.Create(to, o) })
}

// WriteFolder is WriteFile for formats of folders. The folder must be empty. After an error its
// content stays.
func WriteFolder(ctx context.Context, w *convert.World, dir string, t Target, through Through, lost map[string]int) error {
	return write(ctx, w, t, through, lost, func(k *format.Kind, o format.WriteOptions) (format.Writer, error) { return k.CreateFolder(dir, o) })
}

func write(ctx context.Context, w *convert.World, t Target, through Through, lost map[string]int, create func(*format.Kind, format.WriteOptions) (format.Writer, error)) error {
	k, ok := Format(t.Format)
	if !ok {
		return fmt.Errorf("port: no format %q: there are %s", t.Format, strings.Join(Formats(), ", "))
	}
	o := format.WriteOptions{Head: w.Head, Name: t.Name, Version: t.Version}
	dimension, columns := "", 0
	for _, d := range w.Dimensions {
		dimension, columns = d.Name, columns+len(d.Columns)
	}
	facts, rest, ok := levelIn(w)
	if !ok && w.Head.Format == Slime {
		facts = slime.LevelOf(w.Head, dimension)
	}
	if columns == 0 {
		o.DataVersion = facts.Version
	}
	if ok || t.Format != w.Head.Format { // a world in its own format has the facts in its files
		o.Facts = facts
	}
	out, err := create(&k, o)
	if err != nil {
		return err
	}
	if err := w.Source().Read(ctx, through.sink(out)); err != nil {
		return errors.Join(err, out.Abort())
	}
	err = errors.Join(out.Close(), ctx.Err())
	maps.Copy(lost, out.Lost())
	if name := "file " + anvil.LevelPath; ok && lost[name] > 0 {
		delete(lost, name)
		countLevel(rest, lost)
	}
	return err
}
