// Package tool edits open worlds as words say: the brushes of `cairn edit` and of POST /v1/brush, what
// replaces blocks, and what pastes a clip.
//
// Options are what a person or a program says. Find finds the volume that is meant, Options.Brush
// returns the brush, and Apply loads what it needs and applies it. Target.Check says whether the
// world, or the game that the world is of, knows a name.
package tool

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/game/brush"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// WordError is what is wrong with the words. Its text is for those who said them.
type WordError struct{ err error }

func (e *WordError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *WordError) Unwrap() error { return e.err }

func wrong(format string, args ...any) error { return &WordError{fmt.Errorf(format, args...)} }

// Options are the words. nil, 0 and "" are words that are not said.
type Options struct {
	Brush string `json:"brush"` // one of Names
	// At and R are the centre and the radius of a ball, or of the floor of a cylinder of Height.
	At     *[3]int  `json:"at,omitempty"`
	R      *float64 `json:"r,omitempty"`      // 0 is one cell wide
	Height int      `json:"height,omitempty"` // of a cylinder or a prism
	// From and To are opposite corners of a box, both included.
	From *[3]int `json:"from,omitempty"`
	To   *[3]int `json:"to,omitempty"`
	// Points are the corners X, Z of a prism, and Floor is its lowest height.
	Points [][2]int `json:"points,omitempty"`
	Floor  *int     `json:"floor,omitempty"`
	Y      *float64 `json:"y,omitempty"`      // the height of a surface
	By     float64  `json:"by,omitempty"`     // by how many cells a surface moves; 0 is 1
	Passes int      `json:"passes,omitempty"` // how many times to smooth; 0 is 1
	// Name or Cell says what to put there.
	Name     string `json:"name,omitempty"`
	Cell     *int   `json:"cell,omitempty"`
	Subtract bool   `json:"subtract,omitempty"` // remove what is there
	AnyName  bool   `json:"any_name,omitempty"` // allow a Name that neither the world nor its game knows
	Places

	// Region and Mask say which cells the edit may change, of those that it would: nil, and the
	// zero Mask, are all.
	Region region.Region `json:"-"`
	Mask   region.Mask   `json:"-"`
	// Dash stands before the words in errors: "--" for a command line. There, words are joined
	// by hyphens.
	Dash string `json:"-"`
}

// Places are where an edit of a world of a game may put blocks besides the heights and the columns
// that it has.
type Places struct {
	AnyHeight  bool `json:"any_height,omitempty"`  // beyond the heights of the game
	NewColumns bool `json:"new_columns,omitempty"` // where no column is; the game generates nothing there any more
}

// Limits of the numbers.
const (
	maxRadius = 4096
	maxPasses = 64
	maxBy     = 1024
)

var (
	shapeWords  = []string{"at", "r", "height", "from", "to", "points", "floor"}
	matterWords = []string{"name", "cell", "any_name"}
	placeWords  = []string{"any_height", "new_columns"}
)

// kind is a brush by its name.
type kind struct {
	help   string
	words  []string // that it takes
	liquid bool     // it edits the volume of the liquid if there is one
	brush  func(o *Options, in Target) (brush.Brush, error)
}

// kinds returns the brushes by name.
func kinds() map[string]kind {
	solid := func(words ...string) kind {
		return kind{words: append(append(words, matterWords...), "subtract"), brush: (*Options).solid}
	}
	surface := func(help string, make func(o *Options, s brush.Shape) brush.Brush, words ...string) kind {
		return kind{help: help, words: append(words, shapeWords...), brush: func(o *Options, _ Target) (brush.Brush, error) {
			s, err := o.shape()
			if err != nil {
				return nil, err
			}
			return make(o, s), nil
		}}
	}
	level := slices.Concat(shapeWords, matterWords, []string{"y"})
	return map[string]kind{
		"ball":     solid("at", "r"),
		"box":      solid("from", "to"),
		"cylinder": solid("at", "r", "height"),
		"prism":    solid("points", "floor", "height"),
		"paint":    {help: "SHAPE MATTER", words: slices.Concat(shapeWords, matterWords), brush: (*Options).paint},
		"smooth": surface("SHAPE [--passes N]", func(o *Options, s brush.Shape) brush.Brush {
			return brush.Smooth{Shape: s, Passes: max(1, o.Passes)}
		}, "passes"),
		"erode":   surface("SHAPE [--by N]", func(o *Options, s brush.Shape) brush.Brush { return brush.Erode{Shape: s, By: o.by()} }, "by"),
		"grow":    surface("SHAPE [--by N]", func(o *Options, s brush.Shape) brush.Brush { return brush.Grow{Shape: s, By: o.by()} }, "by"),
		"flatten": {help: "SHAPE --y N [MATTER]", words: level, brush: (*Options).flatten},
		"sea":     {help: "SHAPE --y N [MATTER]", words: level, liquid: true, brush: (*Options).sea},
	}
}

// Names returns the names of the brushes, sorted.
func Names() []string { return slices.Sorted(maps.Keys(kinds())) }

// Words returns the words that a brush takes, as flags of a command line without dashes, and
// whether there is such a brush.
func Words(name string) (words []string, ok bool) {
	k, ok := kinds()[name]
	for _, w := range slices.Concat(k.words, placeWords) {
		words = append(words, strings.ReplaceAll(w, "_", "-"))
	}
	return words, ok
}

// Help lists the brushes as lines of a command line.
func Help() string {
	var b strings.Builder
	b.WriteString("  ball, box, cylinder, prism   SHAPE MATTER, or SHAPE --subtract\n")
	for _, name := range Names() {
		if k := kinds()[name]; k.help != "" {
			fmt.Fprintf(&b, "  %-28s %s\n", name, k.help)
		}
	}
	return b.String()
}

// said returns the words that are said.
func (o *Options) said() (words []string) {
	for _, w := range []struct {
		word string
		said bool
	}{
		{"at", o.At != nil}, {"r", o.R != nil}, {"height", o.Height != 0}, {"from", o.From != nil}, {"to", o.To != nil},
		{"points", o.Points != nil}, {"floor", o.Floor != nil}, {"y", o.Y != nil}, {"by", o.By != 0}, {"passes", o.Passes != 0},
		{"name", o.Name != ""}, {"cell", o.Cell != nil}, {"subtract", o.Subtract}, {"any_name", o.AnyName},
		{"any_height", o.AnyHeight}, {"new_columns", o.NewColumns},
	} {
		if w.said {
			words = append(words, w.word)
		}
	}
	return words
}

// kind returns the brush that is meant. The error says which word it does not take.
func (o *Options) kind() (kind, error) {
	k, ok := kinds()[o.Brush]
	if !ok {
		return k, wrong("no brush %.40q; there are %s", o.Brush, strings.Join(Names(), ", "))
	}
	for _, w := range o.said() {
		if !slices.Contains(k.words, w) && !slices.Contains(placeWords, w) {
			return k, wrong("%s takes no %s", o.Brush, o.word(w))
		}
	}
	if o.Brush == "cylinder" && o.Height == 0 {
		return k, wrong("a cylinder needs %s", o.word("height"))
	}
	return k, nil
}

// Make returns the brush that the words describe, for a place that Find found.
func (o *Options) Make(in Target) (brush.Brush, error) {
	k, err := o.kind()
	if err != nil {
		return nil, err
	}
	return k.brush(o, in)
}

// word returns a word as it is said.
func (o *Options) word(w string) string {
	if o.Dash != "" {
		return o.Dash + strings.ReplaceAll(w, "_", "-")
	}
	return w
}

// wrong returns a WordError about the value of a word.
func (o *Options) wrong(word, format string, args ...any) error {
	return wrong("%s "+format, append([]any{o.word(word)}, args...)...)
}

func (o *Options) by() float64 {
	if o.By == 0 {
		return 1
	}
	return o.By
}

// shape returns the shape that the words describe.
func (o *Options) shape() (brush.Shape, error) {
	box, prism := o.From != nil || o.To != nil, o.Points != nil || o.Floor != nil
	switch {
	case o.by() <= 0 || o.by() > maxBy || math.IsNaN(o.By):
		return brush.Shape{}, o.wrong("by", "%g: more than 0, at most %d", o.By, maxBy)
	case o.Passes < 0 || o.Passes > maxPasses:
		return brush.Shape{}, o.wrong("passes", "%d: 1 to %d", o.Passes, maxPasses)
	case o.Height < 0 || o.Height > maxRadius:
		return brush.Shape{}, o.wrong("height", "%d: 1 to %d", o.Height, maxRadius)
	case o.At != nil && o.R != nil && !box && !prism:
		return o.round()
	case o.From != nil && o.To != nil && o.At == nil && !prism && o.R == nil && o.Height == 0:
		return o.box()
	case o.Points != nil && o.Floor != nil && o.At == nil && !box && o.R == nil && o.Height > 0:
		return o.prism()
	}
	return brush.Shape{}, wrong("want one shape: %s and %s, with %s or without; %s and %s; or %s, %s and %s", o.word("at"), o.word("r"), o.word("height"),
		o.word("from"), o.word("to"), o.word("points"), o.word("floor"), o.word("height"))
}

// round returns a ball or a cylinder.
func (o *Options) round() (brush.Shape, error) {
	at, err := o.point("at", o.At)
	if err != nil {
		return brush.Shape{}, err
	}
	if r := *o.R; !(r >= 0 && r <= maxRadius) {
		return brush.Shape{}, o.wrong("r", "%g: 0 to %d", r, maxRadius)
	}
	if o.Height > 0 {
		return brush.Cylinder(at, *o.R, o.Height), nil
	}
	return brush.Ball(at, *o.R), nil
}

func (o *Options) box() (brush.Shape, error) {
	a, err := o.point("from", o.From)
	if err != nil {
		return brush.Shape{}, err
	}
	b, err := o.point("to", o.To)
	if err != nil {
		return brush.Shape{}, err
	}
	return brush.Box(Corners(a, b)), nil
}

// Corners returns the box of two opposite corners, both included.
func Corners(a, b geom.Point) geom.Box {
	one := func(p geom.Point) geom.Box {
		return geom.Box{Min: p, Max: geom.Point{X: p.X + 1, Y: p.Y + 1, Z: p.Z + 1}}
	}
	return one(a).Union(one(b))
}

func (o *Options) prism() (brush.Shape, error) {
	var corners []region.Corner
	for _, p := range o.Points {
		corners = append(corners, region.Corner{X: p[0], Z: p[1]})
	}
	if f := *o.Floor; f < -geom.MaxChunk*geom.ChunkEdge || f > geom.MaxChunk*geom.ChunkEdge {
		return brush.Shape{}, o.wrong("floor", "%d: %w", f, geom.ErrOutOfRange)
	}
	s, err := brush.Prism(corners, *o.Floor, *o.Floor+o.Height)
	if err != nil {
		return s, o.wrong("points", "%v: %w", o.Points, err)
	}
	return s, nil
}

// point returns a point in range.
func (o *Options) point(word string, at *[3]int) (geom.Point, error) {
	p := geom.Point{X: at[0], Y: at[1], Z: at[2]}
	if err := p.Check(); err != nil {
		return p, o.wrong(word, "%d,%d,%d: %w", p.X, p.Y, p.Z, err)
	}
	return p, nil
}

// matter returns the matter of Name or Cell, the zero value if neither is said.
func (o *Options) matter(in Target) (brush.Matter, error) {
	v := in.Volume
	switch {
	case o.Name != "" && o.Cell != nil:
		return brush.Matter{}, wrong("%s or %s, not both", o.word("name"), o.word("cell"))
	case o.Cell != nil:
		if n := *o.Cell; n < 0 || n > int(voxel.MaxCell) || !v.Schema.Valid(voxel.Cell(n), len(v.Names())) {
			return brush.Matter{}, o.wrong("cell", "%d: the volume %s has no cell of that number", n, v.Volume.Name)
		}
		return brush.Cell(voxel.Cell(*o.Cell)), nil
	case o.Name == "":
		return brush.Matter{}, nil
	}
	name, err := in.Named(o.Name)
	if err != nil {
		return brush.Matter{}, o.wrong("name", "%w", err)
	}
	if c, ok := v.Named(name); ok && c == voxel.Empty { // by another name
		name = v.CellName(c)
	}
	return brush.Named(name), nil
}

// need returns the matter for a brush that requires some.
func (o *Options) need(in Target) (brush.Matter, error) {
	m, err := o.matter(in)
	switch {
	case err != nil:
	case m == (brush.Matter{}):
		err = wrong("the brush needs %s or %s: what to put there", o.word("name"), o.word("cell"))
	case m == brush.Named(in.Volume.CellName(voxel.Empty)):
		err = o.wrong("name", "%s: use %s to remove cells", o.Name, o.word("subtract"))
	}
	return m, err
}

func (o *Options) solid(in Target) (brush.Brush, error) {
	s, err := o.shape()
	if err != nil {
		return nil, err
	}
	if o.Subtract {
		if o.Name != "" || o.Cell != nil {
			return nil, wrong("%s takes neither %s nor %s", o.word("subtract"), o.word("name"), o.word("cell"))
		}
		return brush.Subtract{Shape: s}, nil
	}
	m, err := o.need(in)
	return brush.Add{Shape: s, Of: m}, err
}

func (o *Options) paint(in Target) (brush.Brush, error) {
	s, err := o.shape()
	if err != nil {
		return nil, err
	}
	m, err := o.need(in)
	return brush.Paint{Shape: s, Of: m}, err
}

func (o *Options) flatten(in Target) (brush.Brush, error) {
	s, y, err := o.surface()
	if err != nil {
		return nil, err
	}
	m, err := o.matter(in)
	return brush.Flatten{Shape: s, Height: y, Of: m}, err
}

// sea uses water if no matter is said.
func (o *Options) sea(in Target) (brush.Brush, error) {
	s, y, err := o.surface()
	if err != nil {
		return nil, err
	}
	m, err := o.matter(in)
	if err == nil && m == (brush.Matter{}) {
		switch in.Volume.Schema {
		case voxel.Palette:
			m = brush.Named(in.spaced("water"))
		case voxel.Level:
			m = brush.Cell(brush.Whole - 1)
		default:
			m, err = o.need(in)
		}
	}
	return brush.Sea{Shape: s, Height: y, Of: m}, err
}

func (o *Options) surface() (s brush.Shape, y float64, err error) {
	if s, err = o.shape(); err != nil {
		return s, 0, err
	}
	if o.Y == nil || !(math.Abs(*o.Y) <= float64(geom.MaxChunk)*geom.ChunkEdge) {
		return s, 0, wrong("%s: want the height of the surface", o.word("y"))
	}
	return s, *o.Y, nil
}
