package measure

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Bytes are the sizes of a world in several forms.
type Bytes struct {
	Zip       int64 `json:"zip"`        // the folder in a zip archive
	Live      int64 `json:"live"`       // what its region files hold, without gaps and padding
	Slime     int64 `json:"slime"`      // as Slime, zstd's default level; a file for each dimension
	SlimeBest int64 `json:"slime_best"` // the same at zstd's strongest level
	Slim      int64 `json:"slim"`       // a stone with what the Slime file holds
	NoLight   int64 `json:"slim_nolight"`
	Full      int64 `json:"full"` // a stone with everything
}

func (b *Bytes) add(c Bytes) {
	b.Zip += c.Zip
	b.Live += c.Live
	b.Slime += c.Slime
	b.SlimeBest += c.SlimeBest
	b.Slim += c.Slim
	b.NoLight += c.NoLight
	b.Full += c.Full
}

// SavingsWorld is what was measured of one world.
type SavingsWorld struct {
	Path        string `json:"path"`
	Kind        string `json:"kind"`
	DataVersion int32  `json:"data_version"` // of its first column
	Chunks      int    `json:"chunks"`       // of 16x16 blocks
	Cells       int    `json:"cells"`        // blocks that are not air
	Bytes       Bytes  `json:"bytes"`
	// Forms are of the cells that the Slime file holds, in stones with the strongest forms.
	Forms FormWeights `json:"forms"`
}

// SavingsSum is the sum over several worlds.
type SavingsSum struct {
	Worlds int         `json:"worlds"`
	Cells  int         `json:"cells"`
	Bytes  Bytes       `json:"bytes"`
	Forms  FormWeights `json:"forms"`
}

func (s *SavingsSum) add(w *SavingsWorld) {
	s.Worlds++
	s.Cells += w.Cells
	s.Bytes.add(w.Bytes)
	s.Forms.add(w.Forms)
}

// SavingsKind is the sum over the worlds of one kind of game.
type SavingsKind struct {
	Kind string `json:"kind"`
	SavingsSum
}

// SkippedWorld is in no sum.
type SkippedWorld struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// SavingsReport is what Savings found. Kinds are in the order of their names.
type SavingsReport struct {
	Worlds  []SavingsWorld `json:"worlds"`
	Kinds   []SavingsKind  `json:"kinds"`
	Total   SavingsSum     `json:"total"`
	Skipped []SkippedWorld `json:"skipped"`
}

// Savings weighs every Anvil world below dirs. The kind of a world is what a
// MANIFEST.tsv in dir or up to two folders above says in its third field after
// "[minigame ", else the name of the folder the world is in. Worlds that are
// damaged, or that Slime cannot hold, are skipped.
func Savings(ctx context.Context, dirs []string, o Options) (*SavingsReport, error) {
	places, err := find(dirs)
	if err != nil {
		return nil, err
	}
	r := &SavingsReport{Worlds: []SavingsWorld{}, Kinds: []SavingsKind{}, Skipped: []SkippedWorld{}}
	for i, p := range places {
		o.progress(i, len(places), p.path)
		w, err := weigh(ctx, p, o.Stone)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			r.Skipped = append(r.Skipped, SkippedWorld{p.path, err.Error()})
		default:
			r.Worlds = append(r.Worlds, *w)
		}
	}
	o.progress(len(places), len(places), "")
	r.sum()
	return r, nil
}

func (r *SavingsReport) sum() {
	r.Total.Forms.add(FormWeights{}) // makes maps
	kinds := map[string]*SavingsKind{}
	for i := range r.Worlds {
		w := &r.Worlds[i]
		r.Total.add(w)
		k := kinds[w.Kind]
		if k == nil {
			k = &SavingsKind{Kind: w.Kind}
			kinds[w.Kind] = k
		}
		k.add(w)
	}
	for _, k := range slices.SortedFunc(maps.Values(kinds), func(a, b *SavingsKind) int { return cmp.Compare(a.Kind, b.Kind) }) {
		r.Kinds = append(r.Kinds, *k)
	}
}

const minigame = "minigame"

// Groups returns the sums over the maps of minigames and over all other worlds.
func (r *SavingsReport) Groups() []SavingsKind {
	groups := []SavingsKind{{Kind: "minigame maps"}, {Kind: "others"}}
	for i := range r.Worlds {
		g := 1
		if strings.HasPrefix(r.Worlds[i].Kind, minigame) {
			g = 0
		}
		groups[g].add(&r.Worlds[i])
	}
	return groups
}

var (
	errOld   = errors.New("a McRegion world, not an Anvil one")
	errEmpty = errors.New("no column with blocks")
)
