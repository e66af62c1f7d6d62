package away

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

const (
	// probeFor is how long the result of a probe counts.
	probeFor = time.Second
	// probeTime is how long a probe may take.
	probeTime = 2 * time.Second
)

// probe is the last result of asking whether the Store can be used. One call asks, and
// the others wait for its result.
type probe struct {
	mu      sync.Mutex
	running chan struct{} // closed when the probe in progress has ended; nil if there is none
	at      time.Time
	err     error
}

// Ready returns an error if the Store cannot be used. It asks the Store at most once a
// second, and takes at most some seconds.
func (g *Guard) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*probeTime)
	defer cancel()
	p := &g.now
	for {
		p.mu.Lock()
		running := p.running
		if running == nil {
			if !p.at.IsZero() && g.o.Now().Sub(p.at) < probeFor {
				defer p.mu.Unlock()
				return p.err
			}
			p.running = make(chan struct{})
			p.mu.Unlock()
			return g.probe(ctx)
		}
		p.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return fmt.Errorf("away: no answer within %v: %w", 2*probeTime, history.ErrAway)
		}
	}
}

// probe asks the Store and keeps the result, unless the caller left.
func (g *Guard) probe(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	err := g.ask(within)
	if err != nil && within.Err() != nil && !errors.Is(err, history.ErrAway) {
		err = fmt.Errorf("away: no answer within %v: %w (%v)", probeTime, history.ErrAway, err)
	}
	g.heard(err)
	p := &g.now
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() == nil {
		p.at, p.err = g.o.Now(), err
	}
	close(p.running)
	p.running = nil
	return err
}

func (g *Guard) ask(ctx context.Context) error {
	if g.ping != nil {
		return g.ping.Ping(ctx)
	}
	_, err := g.st.List(ctx, "", "", 1)
	return err
}
