package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

func leaseRoutes() []route {
	fence := []string{wire.FenceHeader}
	return []route{
		{method: "GET", path: "/v1/leases/NAME", role: Read, about: "the lease that has not ended, or null", status: 200, gives: jsonOf((*wire.Lease)(nil)), tells: fence, serve: (*call).leased},
		{method: "POST", path: "/v1/leases/NAME", role: Write, about: "takes a lease", takes: jsonOf(wire.LeaseCall{}), status: 201, gives: jsonOf(wire.Lease{}), tells: fence, serve: (*call).lease},
		{method: "PUT", path: "/v1/leases/NAME", role: Write, about: "renews the lease with the number in Cairn-Fence", headers: fence, needs: fence, takes: jsonOf(wire.LeaseCall{}), status: 200, gives: jsonOf(wire.Lease{}), tells: fence, serve: (*call).renew},
		{method: "DELETE", path: "/v1/leases/NAME", role: Write, about: "ends the lease with the number in Cairn-Fence", headers: fence, needs: fence, status: 204, serve: (*call).releaseLease},
	}
}

func (c *call) leased() error {
	l, err := c.st.Leased(c.ctx, c.name)
	if err != nil {
		return err
	}
	if l == (history.Lease{}) {
		return c.answer(http.StatusOK, nil)
	}
	return c.leaseAnswer(http.StatusOK, l)
}

func (c *call) leaseAnswer(status int, l history.Lease) error {
	c.w.Header()[wire.FenceHeader] = []string{strconv.FormatUint(l.Fence, 10)}
	return c.answer(status, wire.LeaseOf(l))
}

// leaseCall reads the duration and the holder of a lease.
func (c *call) leaseCall() (holder string, d time.Duration, err error) {
	var l wire.LeaseCall
	if err := c.json(&l); err != nil {
		return "", 0, err
	}
	d = l.Seconds.Duration()
	switch {
	case d < time.Millisecond:
		err = bad("seconds: at least 0.001")
	case len(l.Holder) > history.MaxHolder:
		err = bad("holder: at most %d bytes", history.MaxHolder)
	}
	return l.Holder, d, err
}

func (c *call) lease() error {
	holder, d, err := c.leaseCall()
	if err != nil {
		return err
	}
	l, err := c.st.Lease(c.ctx, c.name, holder, d)
	if err != nil {
		return err
	}
	return c.leaseAnswer(http.StatusCreated, l)
}

func (c *call) renew() error {
	fence, err := c.fence()
	if err != nil {
		return err
	}
	_, d, err := c.leaseCall()
	if err != nil {
		return err
	}
	l, err := c.st.Renew(c.ctx, c.name, fence, d)
	if err != nil {
		return err
	}
	return c.leaseAnswer(http.StatusOK, l)
}

func (c *call) releaseLease() error {
	fence, err := c.fence()
	if err == nil {
		err = c.st.Release(c.ctx, c.name, fence)
	}
	return c.noContent(err)
}
