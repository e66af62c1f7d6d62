package cell

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
)

// PageCost is what pages of at most so many chunks cost in one world.
type PageCost struct {
	Path       string `json:"path"`
	Chunks     int    `json:"chunks"` // of the world
	PageChunks int    `json:"page_chunks"`
	Bytes      int64  `json:"bytes"`      // of the stone, without files
	Pages      int    `json:"pages"`      // of cells
	PageBytes  int64  `json:"page_bytes"` // of a page of cells on average: what reading one chunk reads
}

// pageWorlds is how many worlds, from the smallest to the largest, are written
// in pages of each size.
const pageWorlds = 5

func pageCosts(ctx context.Context, worlds []sizedPlace) ([]PageCost, error) {
	slices.SortStableFunc(worlds, func(a, b sizedPlace) int { return cmp.Compare(a.chunks, b.chunks) })
	out := []PageCost{}
	n := min(pageWorlds, len(worlds))
	for i := range n {
		p := worlds[i*(len(worlds)-1)/max(1, n-1)]
		w, err := lab.LoadPlace(ctx, p.Place)
		if err != nil {
			return nil, err
		}
		w.Files = nil
		for _, chunks := range []int{1, 8, 64, 512} {
			c, err := pageCost(ctx, w, chunks)
			if err != nil {
				return nil, err
			}
			c.Path, c.Chunks = p.Path, p.chunks
			out = append(out, c)
		}
	}
	return out, nil
}

func pageCost(ctx context.Context, w *convert.Loaded, chunks int) (c PageCost, err error) {
	var out bytes.Buffer
	c.PageChunks = chunks
	if _, c.Bytes, err = convert.WriteStone(ctx, w, &out, stone.Options{PageChunks: chunks}); err != nil {
		return c, err
	}
	r, err := stone.Open(bytes.NewReader(out.Bytes()), c.Bytes)
	if err != nil {
		return c, err
	}
	pages, err := r.Pages()
	if err != nil {
		return c, err
	}
	var sum int64
	for _, p := range pages {
		if p.Holds == "cells" {
			c.Pages++
			sum += int64(p.Size)
		}
	}
	c.PageBytes = sum / int64(max(1, c.Pages))
	return c, nil
}

func pagesTable(w io.Writer, pages []PageCost) {
	if len(pages) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := table.New(w, "world", "chunks", "chunks a page", "stone", "pages of cells", "page on average")
	for _, p := range pages {
		t.Row(filepath.Base(p.Path), fmt.Sprint(p.Chunks), fmt.Sprint(p.PageChunks), table.Size(p.Bytes), fmt.Sprint(p.Pages), table.Size(p.PageBytes))
	}
	t.Flush()
}
