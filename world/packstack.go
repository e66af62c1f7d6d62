package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// PackStackOptions say when PackStack packs. The zero value is the default.
type PackStackOptions struct {
	// High is how many stones a stack may have. Default 8.
	High int
	// Empty is Options.Empty.
	Empty []string
}

// PackStack packs the top of a world's stack if that is too high. It returns how many
// stones are left, and whether it packed. It reads directories and what meets in
// a page, and no more of the world; it changes no commit, so it may run beside
// everything else. ErrGone says that someone else was quicker and the stones were
// collected.
func PackStack(ctx context.Context, st history.Store, name string, o PackStackOptions) (height int, packed bool, err error) {
	f, err := fetchStack(ctx, st, name, history.ID{}, packRoom)
	high := max(1, cmp.Or(o.High, maxStones))
	if err != nil || len(f.Layers) <= high {
		return len(f.Layers), false, err
	}
	height = len(f.Layers)
	made, err := whenMade(ctx, st, name, f.Layers)
	if err != nil {
		return height, false, err
	}
	from, to := history.PackRun(f.Layers, made, high)
	if from == 0 { // it is dearer than its bytes say
		if from, to, err = packRun(ctx, st, name, f.Layers, made, high); err != nil {
			return height, false, err
		}
	}
	if _, ok := st.(history.Fetcher); ok && slices.ContainsFunc(f.Data[from:to], func(b []byte) bool { return b == nil }) {
		var room int64
		for _, l := range f.Layers[from:] { // bytes come from the top down
			room += l.Stone.Size
		}
		layers := f.Layers
		if f, err = st.(history.Fetcher).Fetch(ctx, name, f.Head.Commit, min(room, fetchRoom)); err != nil {
			return height, false, err
		}
		if !slices.Equal(f.Layers, layers) { // someone else packs
			return len(f.Layers), false, nil
		}
	}
	if err := packFetched(ctx, st, name, layersOf(f, from, to), from == 0, emptyNames(o.Empty)); err != nil {
		return height, false, err
	}
	return height - (to - from) + 1, true, nil
}

// packRoom is for how many bytes of stones the first call asks: few packs are of more.
const packRoom = 64 << 10

// packRun is history.PackRun with the price of packing the lowest layer, which it opens.
func packRun(ctx context.Context, st history.Store, name string, layers []history.Layer, made []time.Time, high int) (from, to int, err error) {
	o, err := st.Open(ctx, name, layers[0].Stone.ID)
	if err != nil {
		return 0, 0, fmt.Errorf("world: %s: stone %v: %w", name, layers[0].Stone.ID, err)
	}
	defer o.Close()
	priced := slices.Clone(layers)
	priced[0].Stone.Size += workOf(o.Reader)
	from, to = history.PackRun(priced, made, high)
	return from, to, nil
}

// packFetched puts a pack in place of f, which is a run of a stack, or all of
// it.
func packFetched(ctx context.Context, st history.Store, name string, f history.Fetched, all bool, empty []string) (err error) {
	cache := stone.NewCache(stone.CacheBytes).Spill(tempIn(st))
	defer func() { err = errors.Join(err, cache.Close()) }()
	p, err := openLayers(ctx, st, name, f, nil, cache)
	if err != nil {
		return err
	}
	defer p.release()
	var s *state
	if all {
		if s, err = p.index(empty); err != nil {
			return fmt.Errorf("world: %s: pack: %w", name, err)
		}
	}
	return p.pack(ctx, st, name, s, empty, stone.Good)
}
