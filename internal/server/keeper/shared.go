package keeper

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// endTime is how long the end of a claim may take.
const endTime = 5 * time.Second

// claimed calls do, unless another Keeper of the same Store does the job now or did it
// less than every ago. It reports whether it called do. The context of do ends when the
// claim of the job is lost. If finish is set, a job that ended well counts as done, so
// that the others wait for every until they do it again.
//
// A claim saves work. It protects nothing: a Keeper that sleeps through its claim may go
// on for a moment, and packs, collections and backups by two at a time are right too.
func (k *Keeper) claimed(ctx context.Context, job string, every time.Duration, finish bool, do func(context.Context) error) (mine bool, err error) {
	if k.shared == nil {
		return true, do(ctx)
	}
	got, err := k.shared.Claim(ctx, job, k.o.Holder, every, k.o.Claim)
	kind, _, _ := strings.Cut(job, "/")
	k.o.Metrics.Claimed(kind, got, err)
	if err != nil || !got {
		return false, err
	}
	within, lost := context.WithCancelCause(ctx)
	renewing, stop := context.WithCancel(within)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		k.prolong(renewing, job, every, lost)
	}()
	err = do(within)
	stop()
	<-renewed
	if cause := context.Cause(within); cause != nil && ctx.Err() == nil {
		err = errors.Join(err, cause)
	}
	lost(nil)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	end := k.shared.Finish(ending, job, k.o.Holder, finish && err == nil)
	if errors.Is(end, history.ErrFenced) && err != nil {
		end = nil // it was said already
	}
	return true, errors.Join(err, end)
}

// prolong prolongs a claim until ctx ends. It calls lost when another Keeper may have
// the job.
func (k *Keeper) prolong(ctx context.Context, job string, every time.Duration, lost context.CancelCauseFunc) {
	tick := time.NewTicker(k.o.Claim / 3)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		within, cancel := context.WithDeadline(ctx, last.Add(k.o.Claim))
		got, err := k.shared.Claim(within, job, k.o.Holder, every, k.o.Claim)
		cancel()
		switch {
		case err == nil && got:
			last = asked
		case ctx.Err() != nil:
			return
		case err == nil || time.Since(last) >= k.o.Claim:
			lost(fmt.Errorf("keeper: the claim of %s was lost: %w", job, history.ErrFenced))
			return
		}
	}
}
