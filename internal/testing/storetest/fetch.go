package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// fetched returns an error unless Fetch returns a stack with its bytes: all of
// them, and only the topmost.
func fetched(ctx context.Context, s history.Store, name string, at history.ID, stack []history.Layer) error {
	for _, top := range []int{len(stack), min(1, len(stack)), 0} {
		var room int64
		for _, l := range stack[len(stack)-top:] {
			room += l.Stone.Size
		}
		f, err := history.Fetch(ctx, s, name, at, room)
		if err != nil {
			return err
		}
		if f.Head.Commit != at || !slices.Equal(f.Layers, stack) || len(f.Data) != len(stack) {
			return fmt.Errorf("fetch of %v: got %v of %v, want %v", at, f.Layers, f.Head, stack)
		}
		if err := data(f, top); err != nil {
			return err
		}
	}
	return nil
}

// data returns an error unless the bytes of the top stones are present, and other
// bytes only for equal stones.
func data(f history.Fetched, top int) error {
	for i, l := range f.Layers {
		there := i >= len(f.Layers)-top
		if got := f.Data[i]; (there || got != nil) && stone.ID(sha256.Sum256(got)) != l.Stone.ID {
			return fmt.Errorf("layer %d: %d bytes, not those of %v", i, len(got), l.Stone)
		}
		above := func(o history.Layer) bool { return o.Stone == l.Stone }
		if !there && f.Data[i] != nil && !slices.ContainsFunc(f.Layers[i+1:], above) {
			return fmt.Errorf("layer %d: %d bytes, for which there was no room", i, len(f.Data[i]))
		}
	}
	return nil
}
