package world

import (
	"cmp"
	"context"
	"fmt"
)

// TidyOptions say when Tidy packs. The zero value is the default.
type TidyOptions struct {
	// High is how many stones a stack may have. Default 8.
	High int
	// Empty is Options.Empty.
	Empty []string
}

// Tidy packs the top of a world's stack if that is too high, and reports whether
// it was. It reads directories and what meets in a page, and no more of the world;
// it changes no commit, so it may run beside everything else. ErrGone says that
// someone else was quicker and the stones were collected.
func Tidy(ctx context.Context, st Store, name string, o TidyOptions) (bool, error) {
	h, err := st.Head(ctx, name)
	if err != nil {
		return false, err
	}
	layers, err := st.Stack(ctx, name, h.Commit)
	high := max(1, cmp.Or(o.High, maxStones))
	if err != nil || len(layers) <= high {
		return false, err
	}
	from := PackFrom(layers, high)
	p, err := openPile(ctx, st, name, layers[from:], nil)
	if err != nil {
		return false, err
	}
	defer p.release()
	var s *state
	empty := Options{Empty: o.Empty}.withDefaults().Empty
	if from == 0 {
		if s, err = p.index(empty); err != nil {
			return false, fmt.Errorf("world: %s: pack: %w", name, err)
		}
	}
	err = p.pack(ctx, st, name, s, empty)
	return err == nil, err
}
