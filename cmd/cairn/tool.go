package main

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/game/tool"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/spf13/pflag"
)

// toolOptions are the flags of brushes. "" means not given.
type toolOptions struct {
	tool.Options
	at, from, to, points, cell, floor, y string
	r                                    float64
}

func (o *toolOptions) flags(f *pflag.FlagSet) {
	for _, s := range []struct {
		to         *string
		name, help string
	}{
		{&o.at, "at", "X,Y,Z: the centre of a ball, or of the floor of a cylinder"},
		{&o.from, "from", "X,Y,Z: a corner of a box"},
		{&o.to, "to", "X,Y,Z: the opposite corner of a box"},
		{&o.points, "points", "X,Z X,Z ...: the corners of a prism"},
		{&o.floor, "floor", "the lowest height of a prism"},
		{&o.y, "y", "the height of a surface"},
		{&o.Name, "name", "the name of what to put there"},
		{&o.cell, "cell", "the cell number of what to put there"},
	} {
		f.StringVar(s.to, s.name, "", s.help)
	}
	f.Float64Var(&o.r, "r", 0, "the radius in cells")
	f.Float64Var(&o.By, "by", 1, "by how many cells the surface moves")
	f.IntVar(&o.Height, "height", 0, "the height of a cylinder or prism")
	f.IntVar(&o.Passes, "passes", 1, "how many times to smooth")
	f.BoolVar(&o.Subtract, "subtract", false, "remove what is there")
	f.BoolVar(&o.AnyHeight, "any-height", false, "allow blocks beyond the heights of the world's game")
	f.BoolVar(&o.NewColumns, "new-columns", false, "allow blocks where the world of a game has no column")
	f.BoolVar(&o.AnyName, "any-name", false, "allow a --name that neither the world nor its game knows")
}

// options returns the words of the flags that are set.
func (o *toolOptions) options(brush string, f *pflag.FlagSet) (out *tool.Options, err error) {
	out = &o.Options
	out.Brush, out.Dash = brush, "--"
	for _, flag := range []struct {
		name  string
		unset func()
		zero  bool
	}{{"by", func() { out.By = 0 }, out.By == 0}, {"passes", func() { out.Passes = 0 }, out.Passes == 0}} {
		if !f.Changed(flag.name) {
			flag.unset()
		} else if flag.zero {
			return nil, usagef("--%s 0: more than 0", flag.name)
		}
	}
	for _, p := range []struct {
		name, text string
		to         **[3]int
	}{{"--at", o.at, &out.At}, {"--from", o.from, &out.From}, {"--to", o.to, &out.To}} {
		if p.text == "" {
			continue
		}
		n, err := parseInts(p.name, p.text, 3)
		if err != nil {
			return nil, err
		}
		*p.to = &[3]int{n[0], n[1], n[2]}
	}
	for word := range strings.FieldsSeq(o.points) {
		p, err := parseInts("--points", word, 2)
		if err != nil {
			return nil, err
		}
		out.Points = append(out.Points, [2]int{p[0], p[1]})
	}
	if f.Changed("r") {
		out.R = &o.r
	}
	if o.floor != "" {
		n, err := parseInts("--floor", o.floor, 1)
		if err != nil {
			return nil, err
		}
		out.Floor = &n[0]
	}
	if o.cell != "" {
		n, err := strconv.Atoi(o.cell)
		if err != nil {
			return nil, usagef("--cell %s: the volume has no cell of that number", o.cell)
		}
		out.Cell = &n
	}
	if o.y != "" {
		y, err := strconv.ParseFloat(o.y, 64)
		if err != nil {
			return nil, usagef("--y %s: want the height of the surface", o.y)
		}
		out.Y = &y
	}
	return out, nil
}

// toolUsage makes wrong words of a brush wrong usage.
func toolUsage(err error) error {
	var wrong *tool.WordError
	if errors.As(err, &wrong) {
		return usagef("%w", wrong)
	}
	return err
}

// parsePoint parses X,Y,Z.
func parsePoint(flag, s string) (p geom.Point, err error) {
	n, err := parseInts(flag, s, 3)
	if err != nil {
		return p, err
	}
	p = geom.Point{X: n[0], Y: n[1], Z: n[2]}
	if err := p.Check(); err != nil {
		return p, usagef("%s %s: %w", flag, s, err)
	}
	return p, nil
}

// parseInts parses n whole numbers separated by commas.
func parseInts(flag, s string, n int) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			break
		}
		out = append(out, v)
	}
	if len(out) != n || strings.Count(s, ",") != n-1 {
		return nil, usagef("%s %s: want %s", flag, cmp.Or(s, "is missing"), []string{"a whole number", "X,Z", "X,Y,Z"}[n-1])
	}
	return out, nil
}
