package living

import (
	"context"
	"time"
)

// RunOn is Run of a folder whose changes come from a channel.
func RunOn(ctx context.Context, changes <-chan struct{}, o Options, look func(context.Context) error) error {
	return run(ctx, changes, o.withDefaults(), look)
}

// Told returns the changes of a folder as the system tells them.
func Told(ctx context.Context, dir string) <-chan struct{} {
	changes, err := watch(ctx, dir, time.Hour)
	if err != nil {
		panic(err)
	}
	return changes
}

// Polled returns the changes of a folder as polling finds them.
func Polled(ctx context.Context, dir string) <-chan struct{} {
	out := make(chan struct{}, 1)
	go polled(ctx, dir, 10*time.Millisecond, out)
	return out
}
