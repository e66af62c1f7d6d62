package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

// pairs are faults of two things at once, each of which alone loses nothing.
func (f *fleet) pairs(held *tenant) (out []fault) {
	c := f.cluster
	if c.Weed != nil {
		out = f.weed(c.Weed)
	}
	for i, s := range c.Servers {
		if c.MinIO == nil {
			break
		}
		out = append(out, fault{fmt.Sprintf("MinIO and server %d killed", i),
			func(context.Context) error { return errors.Join(c.MinIO.Kill(), s.Kill()) },
			func(ctx context.Context) error { return errors.Join(c.MinIO.Start(ctx), f.again(ctx, s.Process)) }, maxPart})
	}
	p := c.Postgres
	if p == nil {
		return out
	}
	whole := func(do func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			for limit := time.Now().Add(time.Minute); !p.Whole(); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(limit) {
					return errors.New("no standby after a minute")
				}
			}
			return do(ctx)
		}
	}
	lose := whole(func(ctx context.Context) error {
		return p.Lose(ctx, func() { time.Sleep(2*time.Second + rand.N(6*time.Second)) })
	})
	jump := func(ahead time.Duration) func(context.Context) error {
		return whole(func(ctx context.Context) error {
			if err := p.Jump(ctx, ahead); err != nil {
				return err
			}
			held.jumped.Add(1)
			return nil
		})
	}
	return append(out,
		fault{name: "PostgreSQL's standby killed, then its primary lost with its disk", begin: lose},
		fault{name: "PostgreSQL's standby killed, then its primary lost, again", begin: lose},
		fault{"PostgreSQL's clock an hour ahead, and a lease", jump(time.Hour), jump(0), maxOff})
}

// tenant holds a lease and renews it, while another wants it. Nobody may have it as long as
// it is renewed in time.
type tenant struct {
	jumped atomic.Int64 // how often the clock jumped
}

const (
	tenantLease  = 30 * time.Second
	tenantRenews = 3 * time.Second
	tenantLate   = 9 * time.Second // a renewal after this time may come too late: time goes twice as fast
)

// run goes on until ctx is over. Its error says that the lease was lost.
func (h *tenant) run(ctx context.Context, f *fleet) error {
	st, err := client.Open(ctx, f.cluster.URL(), client.Options{Token: f.cluster.Token})
	if err != nil {
		return err
	}
	defer st.Close()
	const name = "leased"
	if err := st.Create(ctx, name); err != nil {
		return err
	}
	var l history.Lease
	var renewed time.Time
	for ctx.Err() == nil {
		began := time.Now()
		next, err := st.Lease(ctx, name, "tenant", tenantLease)
		if err == nil {
			l, renewed = next, began
		}
		if errors.Is(err, history.ErrLeased) && time.Since(renewed) < tenantLate {
			return fmt.Errorf("lost: the lease %d was renewed %.1f s ago, and somebody else has it", l.Fence, time.Since(renewed).Seconds())
		}
		if err == nil && time.Since(renewed) < tenantLate {
			_, err := st.Lease(ctx, name, "stranger", time.Second)
			if took := time.Since(renewed); err == nil && took < tenantLate {
				return fmt.Errorf("lost: a stranger took the lease %d, %.1f s after it was renewed; clocks jumped %d times", l.Fence, took.Seconds(), h.jumped.Load())
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(tenantRenews):
		}
	}
	return nil
}
