package server

import (
	"strconv"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// leaseRoutes need nothing but the caller's store.
func leaseRoutes() []route {
	fence := []string{wire.FenceHeader}
	return []route{
		{method: "GET", path: "/v1/leases/NAME", role: token.Read, about: "the lease that has not ended, or null", status: 200, tells: fence, handler: gives(leased)},
		{method: "POST", path: "/v1/leases/NAME", role: token.Write, about: "takes a lease", status: 201, tells: fence, handler: takes(lease)},
		{method: "PUT", path: "/v1/leases/NAME", role: token.Write, about: "renews the lease with the number in Cairn-Fence", headers: fence, needs: fence, status: 200, tells: fence, handler: takes(renewLease)},
		{method: "DELETE", path: "/v1/leases/NAME", role: token.Write, about: "ends the lease with the number in Cairn-Fence", headers: fence, needs: fence, status: 204, handler: done(endLease)},
	}
}

// leaseAnswer returns an answer with a lease, and sets its header.
func (c *call) leaseAnswer(l history.Lease, err error) (wire.Lease, error) {
	if err == nil {
		c.w.Header()[wire.FenceHeader] = []string{strconv.FormatUint(l.Fence, 10)}
	}
	return wire.LeaseOf(l), err
}

func leased(c *call) (*wire.Lease, error) {
	l, err := c.st.Leased(c.ctx, c.name)
	if err != nil || l == (history.Lease{}) {
		return nil, err
	}
	a, err := c.leaseAnswer(l, nil)
	return &a, err
}

// leaseFor returns how long a lease is asked for.
func leaseFor(l *wire.LeaseCall) (d time.Duration, err error) {
	d = l.Seconds.Duration()
	switch {
	case d < time.Millisecond:
		err = bad("seconds: at least 0.001")
	case len(l.Holder) > history.MaxHolder:
		err = bad("holder: at most %d bytes", history.MaxHolder)
	}
	return d, err
}

func lease(c *call, l *wire.LeaseCall) (a wire.Lease, err error) {
	d, err := leaseFor(l)
	if err != nil {
		return a, err
	}
	return c.leaseAnswer(c.st.Lease(c.ctx, c.name, l.Holder, d))
}

func renewLease(c *call, l *wire.LeaseCall) (a wire.Lease, err error) {
	fence, err := c.fence()
	if err != nil {
		return a, err
	}
	d, err := leaseFor(l)
	if err != nil {
		return a, err
	}
	return c.leaseAnswer(c.st.Renew(c.ctx, c.name, fence, d))
}

func endLease(c *call) error {
	fence, err := c.fence()
	if err == nil {
		err = c.st.Release(c.ctx, c.name, fence)
	}
	return err
}
