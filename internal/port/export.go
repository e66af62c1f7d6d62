package port

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/stone"
)

// ErrHolds is wrapped if a format cannot hold a world, even if parts are left out.
var ErrHolds = format.ErrHolds

// Pick returns w with one dimension: the one of that name. Without a name, a format of a
// single dimension gets the one that has columns. Pick counts the columns of the other dimensions as
// lost. It fails with a *inspect.DimensionError, or if columns cannot be read.
func Pick(ctx context.Context, w stone.Content, dimension string, single bool, lost map[string]int) (stone.Content, error) {
	if dimension == "" && !single {
		return w, nil
	}
	e := &inspect.DimensionError{Want: dimension}
	var chosen []stone.DimensionInfo
	all := w.About().Dimensions
	for _, d := range all {
		e.Have = append(e.Have, d.Name)
		columns, err := columnsOf(ctx, w, d.Name)
		if err != nil {
			return nil, err
		}
		if d.Name == dimension || dimension == "" && (columns > 0 || len(all) == 1) {
			chosen = append(chosen, d)
		} else if columns > 0 {
			lost["columns of "+d.Name] = columns
		}
	}
	if dimension != "" && len(chosen) == 0 || dimension == "" && len(chosen) > 1 {
		return nil, e
	}
	return picked{w, chosen}, nil
}

// picked is a world reduced to some dimensions.
type picked struct {
	stone.Content
	dimensions []stone.DimensionInfo
}

func (p picked) About() stone.About {
	about := p.Content.About()
	about.Dimensions = p.dimensions
	return about
}

// columnsOf returns how many columns a dimension has. It reads them if c cannot tell.
func columnsOf(ctx context.Context, c stone.Content, dim string) (n int, err error) {
	if c, ok := c.(interface{ ColumnCount(string) int }); ok {
		return c.ColumnCount(dim), nil
	}
	for _, err := range c.ReadColumns(ctx, dim) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// Target is the format that a world is written in.
type Target struct {
	// Format is the name of one of Formats.
	Format string
	// Version of the format, for formats that have versions. Default: the version that the
	// world was read from, or the one for its data version.
	Version int
	// DataVersion applies to what has none, in formats of schematics.
	DataVersion int32
	// Cache is that of format.WriteOptions.
	Cache bool
	// Name of the world, for formats that store one. A name in the world itself takes
	// precedence.
	Name string
}

// WriteFile writes a world, which it reads in parts, as a file. It adds what the format cannot
// hold to lost.
func WriteFile(ctx context.Context, w stone.Content, to io.Writer, t Target, through Through, lost map[string]int) error {
	return write(ctx, w, t, through, lost, func(k *format.Kind, o format.WriteOptions) (format.Writer, error) { return k.Create(to, o) })
}

// WriteFolder is WriteFile for formats of folders. The folder must be empty. After an error its
// content stays.
func WriteFolder(ctx context.Context, w stone.Content, dir string, t Target, through Through, lost map[string]int) error {
	return write(ctx, w, t, through, lost, func(k *format.Kind, o format.WriteOptions) (format.Writer, error) { return k.CreateFolder(dir, o) })
}

func write(ctx context.Context, w stone.Content, t Target, through Through, lost map[string]int, create func(*format.Kind, format.WriteOptions) (format.Writer, error)) error {
	k, ok := Format(t.Format)
	if !ok {
		return fmt.Errorf("port: no format %q: there are %s", t.Format, strings.Join(Formats(), ", "))
	}
	src := convert.Source(w)
	o := format.WriteOptions{Head: src.Head(), Name: t.Name, Version: t.Version, Cache: t.Cache}
	dimension, columns := "", false
	for _, d := range w.About().Dimensions {
		dimension = d.Name
		for _, err := range w.ReadColumns(ctx, d.Name) {
			if err != nil {
				return err
			}
			columns = true
			break
		}
	}
	facts, rest, level := levelIn(w)
	if level == "" && o.Head.Format == Slime {
		facts = slime.LevelOf(o.Head, dimension)
	} else if facts.Difficulty == "" {
		facts.Difficulty = normal
	}
	if !columns {
		o.DataVersion = facts.Version
	}
	if k.Piece {
		o.DataVersion = t.DataVersion
	}
	if level != "" || t.Format != o.Head.Format { // a world in its own format has the facts in its files
		o.Facts = facts
	}
	out, err := create(&k, o)
	if err != nil {
		return err
	}
	if k.Piece {
		err = sendChunks(ctx, w, through.sink(out))
	} else {
		err = src.Read(ctx, through.sink(out))
	}
	if err != nil {
		return errors.Join(err, out.Abort())
	}
	err = errors.Join(out.Close(), ctx.Err())
	maps.Copy(lost, out.Lost())
	if name := "file " + level; lost[name] > 0 {
		delete(lost, name)
		countLevel(rest, lost)
	}
	return err
}
