package textures

import (
	"context"
	"path/filepath"
)

// Choice is what a cache of textures may do otherwise.
type Choice struct {
	Over   float64 `json:"over,omitempty"`             // tile.Options.Over
	Packed int     `json:"packed_megabytes,omitempty"` // tile.Options.Packed
	Batch  int     `json:"sorted_calls,omitempty"`     // so many calls are sorted by tile and then served
	Varied bool    `json:"no_constants,omitempty"`     // no tile is of one colour
}

// choices are what the article about texture caches tried, on painted images and on masks. All have as
// much memory.
var choices = []struct {
	what   string
	budget int
	Choice
}{
	{"the default", 4, Choice{}},
	{"a quarter packed", 3, Choice{Packed: 1}},
	{"half packed", 2, Choice{Packed: 2}},
	{"no constants", 4, Choice{Varied: true}},
	{"over 1", 4, Choice{Over: 1}},
	{"over 4", 4, Choice{Over: 4}},
	{"sorted", 4, Choice{Batch: 4096}},
}

// playChoices plays inc with each choice.
func playChoices(ctx context.Context, dir string, quick bool, progress func(done, all int)) (rows []Row, err error) {
	images := []image{{2048, 1, theirs, false}, {2048, 1, ours, false}, {2048, 1, theirs, true}, {2048, 1, ours, true}}
	for n, of := range images {
		name, err := of.make(ctx, dir)
		if err != nil {
			return nil, err
		}
		for m, c := range choices {
			progress(n*len(choices)+m, len(images)*len(choices))
			s := Setting{Trace: "inc", What: filepath.Base(name) + ", " + c.what, Files: []string{name}, Threads: 2, Calls: 24_000, Budget: c.budget, Choice: c.Choice}
			if quick {
				s.Calls /= 100
			}
			row := Row{Setting: s}
			if row.Cairn, err = s.playApart(ctx); err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}
