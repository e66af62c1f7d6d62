// Package savings weighs worlds: the size of each as a zipped folder, as a Slime file
// and as a stone.
//
// The package writes to no folder that it weighs.
package savings

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/stone"
)

// Bytes are the sizes of a world in several forms.
type Bytes struct {
	Folder    int64 `json:"folder"`     // its files as they are
	Zip       int64 `json:"zip"`        // the folder in a zip archive
	Live      int64 `json:"live"`       // what its region files hold, without gaps and padding
	Slime     int64 `json:"slime"`      // as Slime, zstd's default level; a file for each dimension
	SlimeBest int64 `json:"slime_best"` // the same at zstd's strongest level
	Slim      int64 `json:"slim"`       // a stone with what the Slime file holds
	NoLight   int64 `json:"slim_nolight"`
	Full      int64 `json:"full"` // a stone with everything
}

// Weighed is the sizes and counts of one world.
type Weighed struct {
	Path        string `json:"path"`
	Kind        string `json:"kind"`
	DataVersion int32  `json:"data_version"` // of its first column
	Chunks      int    `json:"chunks"`       // of 16x16 blocks
	Cells       int    `json:"cells"`        // blocks that are not air
	Bytes       Bytes  `json:"bytes"`
}

// asSlime reports whether a Slime file can hold the world, so that all forms were weighed.
func (w *Weighed) asSlime() bool { return w.Bytes.Slime > 0 }

// Sum is the sum over several worlds.
type Sum struct {
	Worlds int   `json:"worlds"`
	Cells  int   `json:"cells"`
	Bytes  Bytes `json:"bytes"`
}

func (s *Sum) add(w *Weighed) {
	b, c := &s.Bytes, w.Bytes
	s.Worlds, s.Cells = s.Worlds+1, s.Cells+w.Cells
	b.Folder, b.Zip, b.Live = b.Folder+c.Folder, b.Zip+c.Zip, b.Live+c.Live
	b.Slime, b.SlimeBest = b.Slime+c.Slime, b.SlimeBest+c.SlimeBest
	b.Slim, b.NoLight, b.Full = b.Slim+c.Slim, b.NoLight+c.NoLight, b.Full+c.Full
}

// KindSum is the sum over the worlds of one kind of game.
type KindSum struct {
	Kind string `json:"kind"`
	Sum
}

// SkippedWorld is in no sum.
type SkippedWorld struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Savings is the result of Of. Kinds are in the order of their names. Total is of the worlds that Slime can hold.
type Savings struct {
	Worlds  []Weighed      `json:"worlds"`
	Kinds   []KindSum      `json:"kinds"`
	Total   Sum            `json:"total"`
	Skipped []SkippedWorld `json:"skipped"`
}

// Options of weighing. The zero value is the default.
type Options struct {
	// Progress, if not nil, is told how many of all worlds are done, and which is
	// next.
	Progress func(done, all int, next string)
	// Stone is how the stones are written.
	Stone stone.Options
	// Memory is the most bytes that a world may take in memory, 0 for any number. Forms
	// such as Slime hold a whole world, so one that takes more is skipped.
	Memory int64
	// Short measures only what Savings.Print prints without all.
	Short bool
}

// Of weighs every world below dirs. Of one in another format than Anvil it weighs the folder, the zip and the stone alone. The kind of a world stands in the third
// field of a MANIFEST.tsv in dir or up to two folders above, after "[minigame "; else it
// is the name of the folder the world is in. Worlds that are
// damaged, or that Slime cannot hold, are skipped.
func Of(ctx context.Context, dirs []string, o Options) (*Savings, error) {
	places, err := findAll(dirs)
	if err != nil {
		return nil, err
	}
	step := o.Progress
	if step == nil {
		step = func(int, int, string) {}
	}
	r := &Savings{Worlds: []Weighed{}, Kinds: []KindSum{}, Skipped: []SkippedWorld{}}
	for i, p := range places {
		step(i, len(places), p.Path)
		w, err := weigh(ctx, p, o)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			r.Skipped = append(r.Skipped, SkippedWorld{p.Path, err.Error()})
		default:
			r.Worlds = append(r.Worlds, *w)
		}
	}
	step(len(places), len(places), "")
	kinds := map[string]*KindSum{}
	for i := range r.Worlds {
		w := &r.Worlds[i]
		if w.asSlime() {
			r.Total.add(w)
		}
		if kinds[w.Kind] == nil {
			kinds[w.Kind] = &KindSum{Kind: w.Kind}
		}
		kinds[w.Kind].add(w)
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		r.Kinds = append(r.Kinds, *kinds[name])
	}
	return r, nil
}

// Groups returns the sums over the maps of minigames and over all other worlds.
func (r *Savings) Groups() []KindSum {
	groups := []KindSum{{Kind: "minigame maps"}, {Kind: "others"}}
	for i := range r.Worlds {
		if !r.Worlds[i].asSlime() {
			continue
		}
		g := 1
		if strings.HasPrefix(r.Worlds[i].Kind, "minigame") {
			g = 0
		}
		groups[g].add(&r.Worlds[i])
	}
	return groups
}
