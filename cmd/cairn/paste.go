package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/game/tool"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/pflag"
)

// pasteVerb is the argument of edit that is not a brush and takes a file.
const pasteVerb = "paste"

// pasteOptions are the flags of edit paste.
type pasteOptions struct {
	rotate int
	mirror string
	noAir  bool
}

func (o *pasteOptions) flags(f *pflag.FlagSet) {
	f.IntVar(&o.rotate, "rotate", 0, "90, 180 or 270: turn what is pasted, clockwise from above")
	f.StringVar(&o.mirror, "mirror", "", "x, z or xz: mirror what is pasted, before it is rotated")
	f.BoolVar(&o.noAir, "no-air", false, "keep what is there where the schematic has air")
}

// turn returns the turn that the flags describe.
func (o *pasteOptions) turn() (t clip.Turn, err error) {
	if o.rotate%90 != 0 {
		return t, usagef("--rotate %d: a multiple of 90", o.rotate)
	}
	t.Quarters = o.rotate / 90
	switch o.mirror {
	case "":
	case "x":
		t.MirrorX = true
	case "z":
		t.MirrorZ = true
	case "xz", "zx":
		t.MirrorX, t.MirrorZ = true, true
	default:
		return t, usagef("--mirror %s: x, z or xz", o.mirror)
	}
	return t, nil
}

// pasted is the result of edit paste.
type pasted struct {
	edited
	File string         `json:"file"`
	Lost map[string]int `json:"lost"`
}

// runPaste pastes a schematic into a world and commits it.
func (o *editOptions) runPaste(ctx context.Context, sf *storeFlag, name, file string, f *pflag.FlagSet) (*pasted, error) {
	if err := onlyFlags(f, pasteVerb, "dimension", "at", "rotate", "mirror", "no-air", "any-name", "any-height", "new-columns", "region", "mask"); err != nil {
		return nil, err
	}
	at, err := parsePoint("--at", o.tool.at)
	if err != nil {
		return nil, err
	}
	turn, err := o.paste.turn()
	if err = errors.Join(err, checkArea(o.area(""))); err != nil {
		return nil, err
	}
	c, err := port.ReadClip(ctx, file, port.Options{MaxBytes: sf.memory.world()})
	if _, ofPath := err.(*fs.PathError); ofPath {
		return nil, pathError(file, err)
	} else if err != nil {
		return nil, err // it names the file
	}
	r := &pasted{edited: edited{volume: voxel.Block}, File: file, Lost: c.Lost}
	return r, sf.withWorld(ctx, name, o.author, func(w *world.World) (err error) {
		where := tool.PasteOptions{Dimension: o.dimension, At: at, Turn: turn, NoAir: o.paste.noAir, AnyName: o.tool.AnyName,
			AnyHeight: o.tool.AnyHeight, NewColumns: o.tool.NewColumns}
		if area := o.area(""); area.Region != "" || area.Mask != "" {
			if _, where.Region, where.Mask, err = area.In(ctx, sf.st, w); err != nil {
				return pasteUsage(file, err)
			}
		}
		turned, err := tool.Paste(ctx, w, c, where)
		if err != nil {
			return pasteUsage(file, err)
		}
		for what, n := range turned {
			r.Lost[what] += n
		}
		return r.commit(ctx, w, o.message)
	})
}

// pasteUsage makes wrong words of a paste wrong usage.
func pasteUsage(file string, err error) error {
	var which *inspect.DimensionError
	var unknown *block.NameError
	switch {
	case errors.As(err, &which):
		return noDimension(which)
	case errors.As(err, &unknown):
		return usagef("%s: %w; --any-name allows it", file, err)
	}
	return usageOf(toolUsage(tool.NoPlace(err, "--")))
}

func (r *pasted) print(out io.Writer) {
	r.edited.print(out)
	console.PrintCounts(out, fmt.Sprintf("not pasted as %s has it:", r.File), r.Lost)
}
