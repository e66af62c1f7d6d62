package server

import (
	"strings"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// admit checks the caller's token, role and names, and whether there is room for
// the call.
func (c *call) admit() error {
	if c.route.role == Nobody {
		return nil
	}
	if err := c.identify(); err != nil {
		return err
	}
	if c.o.ReadOnly && !c.may(c.route.role) {
		return refuse("worlds are only shown here, and cannot be changed")
	}
	if !c.may(c.route.role) {
		return refuse("the token's role does not permit this")
	}
	if c.token != nil && c.token.Bound() && !c.route.part {
		return refuse("the token is for looking at a part of a world")
	}
	switch {
	case c.route.named():
		if err := history.CheckName(c.name); err != nil {
			return err
		}
		if err := c.reach(c.name); err != nil {
			return err
		}
	case c.route.role == Admin && !c.everywhere():
		return refuse("this call is about all worlds, and the token is for some")
	}
	return c.count()
}

// identify finds the token of the call: that of the header, or that of the cookie's
// session if there is no such header.
func (c *call) identify() error {
	if c.o.Tokens == nil {
		return local(c.r)
	}
	h := c.r.Header["Authorization"]
	if id := c.session(); len(h) == 0 && id != "" {
		if err := c.acceptGrant(c.sessions.Find(id, c.began)); err != nil {
			return err
		}
		return fromOurPage(c.r, c.route.changes() || c.route.socket)
	}
	var found *token.Grant
	if len(h) == 1 {
		if scheme, secret, ok := strings.Cut(h[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
			found = c.o.Tokens.Find(secret)
		}
	}
	return c.acceptGrant(found)
}

// who is whom queues count the call for: its token, or zero without tokens.
func (c *call) who() (h token.Hash) {
	if c.token != nil {
		h = c.token.Hash
	}
	return h
}

// may reports whether the caller has a role.
func (c *call) may(role token.Role) bool {
	return (role <= Read || !c.o.ReadOnly) && (c.token == nil || c.token.Role >= role)
}

// everywhere reports whether the caller may use all names.
func (c *call) everywhere() bool { return c.token == nil || len(c.token.Prefixes) == 0 }

// reach returns an error unless the caller's token is for this world.
func (c *call) reach(name string) error {
	if c.token != nil && !c.token.Reaches(name) {
		return refuse("the token is for other names")
	}
	return nil
}

// roomLeft returns an error if the token has used up its limits, for calls whose commits the
// server makes.
func (c *call) roomLeft() error {
	if c.token == nil {
		return nil
	}
	return c.token.Full(c.ctx, c.Server.st, c.began)
}

// sees returns an error unless the caller's token is for all blocks of a box.
func (c *call) sees(dimension string, b geom.Box) error {
	if c.token != nil && !c.token.Sees(dimension, b) {
		return refuse("the token is for another part of the world")
	}
	return nil
}

// count counts the call as in progress and refuses it if there are too many.
func (c *call) count() error {
	c.counted = true
	n := c.calls.Add(1)
	mine := int64(0)
	if c.token != nil {
		c.countedFor = c.token
		mine = c.countedFor.Calls.Add(1)
	}
	if n > c.limits.Calls || mine > c.limits.Calls/2 {
		return fault(wire.Busy, "too many calls at a time")
	}
	return nil
}

// uncount undoes room.
func (c *call) uncount() {
	if !c.counted {
		return
	}
	c.counted = false
	c.calls.Add(-1)
	if c.countedFor != nil {
		c.countedFor.Calls.Add(-1)
	}
}
