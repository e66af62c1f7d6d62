package measure

import (
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/world"
)

// tidier packs worlds that were saved.
type tidier struct{ st world.Store }

// Saved packs a world if its stack is high.
func (p *tidier) Saved(name string) {
	ctx := context.Background()
	head, err := p.st.Head(ctx, name)
	if err != nil {
		return
	}
	layers, err := p.st.Stack(ctx, name, head.Commit)
	if err != nil || len(layers) < 8 {
		return
	}
	w, err := world.Open(ctx, p.st, name, world.Options{})
	if err != nil {
		return
	}
	_ = errors.Join(w.Pack(ctx), w.Close())
}

func (p *tidier) Close(context.Context) error { return nil }
