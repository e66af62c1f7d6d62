package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

// fault is something that fails and is mended after a while.
type fault struct {
	name   string
	begin  func(context.Context) error
	end    func(context.Context) error // may be nil
	atMost time.Duration
}

const (
	late    = 500 * time.Millisecond
	maxOff  = 5 * time.Second // of what all servers need
	maxPart = 8 * time.Second // of what one server needs
)

// fail makes things fail at random for the time of the plan: engines, one at a time,
// and beside them servers and the network.
func (f *fleet) fail(ctx context.Context, p plan) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(p.minutes*float64(time.Minute)), errOver)
	defer cancel()
	errs := make(chan error)
	kinds := [][]fault{f.engines(), f.around()}
	if p.alone {
		kinds = [][]fault{{f.loseMachine(ctx)}}
	}
	held := make(chan error, 1)
	if p.pairs {
		h := new(tenant)
		kinds = [][]fault{f.pairs(h)}
		go func() { held <- h.run(ctx, f) }()
	}
	for i, all := range kinds {
		rng := rand.New(rand.NewPCG(f.seed, 1000+uint64(i)))
		go func() { errs <- f.loop(ctx, rng, all) }()
	}
	var err error
	for range kinds {
		err = errors.Join(err, <-errs)
	}
	if p.pairs {
		cancel()
		if lost := <-held; lost != nil && !errors.Is(lost, context.Canceled) && !errors.Is(lost, context.DeadlineExceeded) {
			err = errors.Join(err, lost)
		}
	}
	return err
}

var errOver = errors.New("the time is over")

// loop lets one of the faults happen after the other.
func (f *fleet) loop(ctx context.Context, rng *rand.Rand, all []fault) error {
	order := rng.Perm(len(all))
	for i := 0; idle(ctx, rng, time.Second, 4*time.Second); i++ {
		if i == len(order) {
			order, i = rng.Perm(len(all)), 0
		}
		x := all[order[i]]
		f.count(x.name)
		f.say("%s", x.name)
		lasting, began := context.WithoutCancel(ctx), time.Now()
		if err := x.begin(lasting); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		if x.end == nil {
			continue
		}
		idle(ctx, rng, x.atMost/5, x.atMost)
		if err := x.end(lasting); err != nil {
			return fmt.Errorf("the end of: %s: %w", x.name, err)
		}
		if took := time.Since(began); took > x.atMost+time.Second {
			f.say("mended after %.1f s: %s", took.Seconds(), x.name)
		}
	}
	return nil
}

// idle reports whether ctx is not over after some time.
func idle(ctx context.Context, rng *rand.Rand, least, most time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(least + time.Duration(rng.Int64N(int64(most-least)))):
		return true
	}
}

// engines are the faults of what keeps the data.
func (f *fleet) engines() []fault {
	c := f.cluster
	if w := c.Weed; w != nil {
		return append(f.weed(w), f.catalogues()...)
	}
	out := []fault{
		{"MinIO killed", func(context.Context) error { return c.MinIO.Kill() }, c.MinIO.Start, maxOff},
		{"MinIO stopped where it was", func(context.Context) error { return c.MinIO.Pause() },
			func(context.Context) error { return c.MinIO.Continue() }, maxOff},
	}
	drive := 0
	out = append(out, fault{name: "a drive of MinIO is to be emptied", begin: func(context.Context) error {
		drive++
		return f.wipe(drive % drives)
	}})
	if os.Geteuid() == 0 {
		out = append(out, fault{"the disk of MinIO full", func(context.Context) error { return c.MinIO.Fill() },
			func(context.Context) error { return c.MinIO.Unfill() }, maxOff})
	}
	return append(out, f.catalogues()...)
}

// weed are the faults of SeaweedFS: one volume server dies, and another has no room.
func (f *fleet) weed(w *parts.Weed) []fault {
	one := w.Volumes[0]
	dead := fault{"a volume server of SeaweedFS killed", func(context.Context) error { return one.Kill() }, one.Start, maxPart}
	out := []fault{dead, {"SeaweedFS's master killed", func(context.Context) error { return w.Master.Kill() }, w.Master.Start, maxOff}}
	if os.Geteuid() != 0 {
		return out
	}
	full := fault{"the disk of a volume server of SeaweedFS full", func(context.Context) error { return w.Fill() },
		func(context.Context) error { return w.Unfill() }, maxPart}
	both := fault{"a volume server of SeaweedFS killed, and another full", full.begin, func(ctx context.Context) error {
		err := dead.begin(ctx)
		time.Sleep(maxOff / 2)
		return errors.Join(err, full.end(ctx), dead.end(ctx))
	}, maxOff}
	return append(out, full, both)
}

// catalogues are the faults of the catalogue.
func (f *fleet) catalogues() (out []fault) {
	c := f.cluster
	if p := c.Postgres; p != nil {
		out = append(out, fault{name: "PostgreSQL's primary killed", begin: f.killPrimary},
			fault{name: "PostgreSQL's primary killed, again", begin: f.killPrimary},
			fault{name: "PostgreSQL's standby killed", begin: func(context.Context) error { return p.KillStandby() }},
			fault{"PostgreSQL's primary stopped where it was", func(context.Context) error { return p.Pause() },
				func(context.Context) error { return p.Continue() }, maxOff})
	}
	if x := c.Ferret; x != nil {
		out = append(out, fault{"FerretDB killed", func(context.Context) error { return x.Kill() }, x.Start, maxOff})
	}
	return out
}

// killPrimary waits until a standby has everything, as an operator would before he
// pulls a plug.
func (f *fleet) killPrimary(ctx context.Context) error {
	for limit := time.Now().Add(time.Minute); !f.cluster.Postgres.Whole(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			return errors.New("no standby after a minute")
		}
	}
	return f.cluster.Postgres.KillPrimary()
}

// wipe empties a drive, if every object has a part on at least two others: with less
// MinIO does not promise to keep it. After another drive was emptied it takes minutes
// until that is so.
func (f *fleet) wipe(drive int) error {
	weak, err := f.weak(drive)
	if err != nil {
		return err
	}
	if len(weak) > 0 { // some may be under way
		time.Sleep(3 * time.Second)
		again, err := f.weak(drive)
		if err != nil {
			return err
		}
		maps.DeleteFunc(weak, func(name string, _ bool) bool { return !again[name] })
	}
	if len(weak) > 0 {
		f.say("not yet: %d objects have too few parts", len(weak))
		return nil
	}
	f.count("a drive of MinIO emptied")
	return f.cluster.MinIO.WipeDrive(drive)
}

// weak returns the objects that have fewer than two parts besides those on a drive.
func (f *fleet) weak(drive int) (map[string]bool, error) {
	parts := make(map[string]int)
	for i := range drives {
		all, err := f.cluster.MinIO.Objects(i)
		if err != nil {
			return nil, err
		}
		for name := range all {
			if i == drive {
				parts[name] += 0
			} else {
				parts[name]++
			}
		}
	}
	weak := make(map[string]bool)
	for name, n := range parts {
		if n < 2 {
			weak[name] = true
		}
	}
	return weak, nil
}

const drives = 4

// around are the faults of servers and of the network.
func (f *fleet) around() (out []fault) {
	for i, s := range f.cluster.Servers {
		out = append(out, fault{fmt.Sprintf("server %d killed", i), func(context.Context) error { return s.Kill() },
			func(ctx context.Context) error { return f.again(ctx, s.Process) }, maxPart})
		for _, link := range []struct {
			to   string
			over []*parts.Proxy
		}{{"its clients", []*parts.Proxy{s.Clients}}, {"the bucket", []*parts.Proxy{s.Bucket}}, {"the catalogue", s.Catalogue}} {
			l, between := link.over, fmt.Sprintf("between server %d and %s", i, link.to)
			if len(l) == 0 || l[0] == nil {
				continue
			}
			mend := every(l, (*parts.Proxy).Heal)
			out = append(out,
				fault{"nothing passes " + between, every(l, (*parts.Proxy).Drop), mend, maxPart},
				fault{"connections end " + between, every(l, (*parts.Proxy).Cut), mend, maxPart},
				fault{"500 ms " + between, every(l, func(p *parts.Proxy, ctx context.Context) error { return p.Delay(ctx, late) }), mend, maxPart})
		}
	}
	return out
}

// again starts a process until it stays. A server does not start while the catalogue is
// away; systemd starts it again too.
func (f *fleet) again(ctx context.Context, p *parts.Process) error {
	for limit := time.Now().Add(time.Minute); ; {
		err := p.Start(ctx)
		if err == nil || time.Now().After(limit) {
			return err
		}
		f.count("a server did not start, as something was away")
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func every(all []*parts.Proxy, do func(*parts.Proxy, context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		var errs []error
		for _, p := range all {
			errs = append(errs, do(p, ctx))
		}
		return errors.Join(errs...)
	}
}

// loseMachine is the loss of a primary whose standby is some time behind.
func (f *fleet) loseMachine(ctx context.Context) fault {
	return fault{name: "PostgreSQL's primary lost with its disk", begin: func(ctx context.Context) error {
		// the link is slow already if the fault came before
		link := f.cluster.Standby
		if err := cmp.Or(link.Heal(ctx), link.Delay(ctx, late)); err != nil {
			return err
		}
		time.Sleep(3 * time.Second)
		return f.killPrimary(ctx)
	}}
}
