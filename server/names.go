package server

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

// names are the names of worlds.
type names struct {
	st     history.Store // without limits of tokens
	worlds *worlds
	passed []string // files that are not served
}

func (h *names) routes() []route {
	fenced := []string{"If-Match", wire.FenceHeader}
	prefix := words("prefix", "beginning of the names; a token with prefixes needs one of its prefixes, or one and a slash and more")
	return []route{
		{method: "GET", path: "/v1/worlds", role: token.Read, about: "lists names in ascending order of bytes",
			query: []param{prefix, words("after", "the list begins after this name"), most(wire.MaxNames)}, status: 200, handler: gives(h.list)},
		{method: "PUT", path: "/v1/worlds/NAME", role: token.Write, about: "creates a world without commits", status: 201, tells: headHeaders, handler: gives(h.create)},
		{method: "DELETE", path: "/v1/worlds/NAME", role: token.Write, about: "deletes the world; undelete restores it for a time", headers: fenced, status: 204, handler: done(h.remove)},
		{method: "GET", path: "/v1/deleted", role: token.Write, long: true, about: "lists deleted worlds that undelete can bring back, those deleted last first",
			query: []param{prefix, most(wire.MaxNames)}, status: 200, handler: gives(h.deleted)},
		{method: "POST", path: "/v1/undelete/NAME", role: token.Write, about: "restores a deleted world", status: 204, handler: done(h.undelete)},
		{method: "POST", path: "/v1/purge/NAME", role: token.Admin, long: true, about: "removes a world, or all worlds deleted under the name, for good", headers: fenced, status: 200, handler: gives(h.purge)},
		{method: "POST", path: "/v1/rename/NAME", role: token.Write, about: "renames a world with its history", headers: fenced, status: 204, handler: done(h.rename).from(jsonOf(wire.RenameCall{}))},
		{method: "POST", path: "/v1/fork/NAME", role: token.Write, about: "creates a world NAME that begins with a version of another world", status: 201, tells: headHeaders, handler: takes(h.fork)},
	}
}

// defaultListed is how many names or commits are listed if the call does not say.
const defaultListed = 100

func most(n int64) param {
	return whole("n", 1, n, fmt.Sprintf("the largest number of results; default %d", defaultListed))
}

var errPrefix = refuse("the token is for other names: prefix must be one of the token's prefixes, or begin with one and a slash")

func (h *names) list(c *call) (a wire.WorldList, err error) {
	n := int(c.number("n", defaultListed))
	found, err := c.namesOf(c.query.Get("prefix"), c.query.Get("after"), n+1)
	return wire.WorldList{Worlds: append([]string{}, found[:min(len(found), n)]...), More: len(found) > n, Passed: h.passed}, err
}

// namesOf returns the names that begin with a prefix, without hidden ones unless the prefix is of these. If prefix is one of the
// token's own, it stands for all names of that prefix.
func (c *call) namesOf(prefix, after string, n int) (names []string, err error) {
	for {
		batch, err := c.storedNames(prefix, after, n)
		for _, name := range batch {
			if !record.Hidden(name) || record.Hidden(prefix+"x") {
				names = append(names, name)
			}
		}
		if err != nil || len(batch) < n || len(names) >= n {
			return names[:min(n, len(names))], err
		}
		after = batch[len(batch)-1]
	}
}

func (c *call) storedNames(prefix, after string, n int) ([]string, error) {
	switch {
	case c.token == nil || c.token.Covers(prefix):
		return c.st.List(c.ctx, prefix, after, n)
	case !slices.Contains(c.token.Prefixes, prefix):
		return nil, errPrefix
	}
	found, err := c.st.List(c.ctx, prefix, after, 1)
	if err != nil {
		return nil, err
	}
	below, err := c.st.List(c.ctx, prefix+"/", after, n)
	if len(found) == 1 && found[0] == prefix {
		below = append(found, below...)
	}
	return below, err
}

type deletedAnswer struct {
	Deleted []deletedWorld `json:"deleted"`
}

type deletedWorld struct {
	World   string    `json:"world"`
	Deleted time.Time `json:"deleted"`
}

func (h *names) deleted(c *call) (a deletedAnswer, err error) {
	prefix := c.query.Get("prefix")
	if c.token != nil && !c.token.Covers(prefix) && !slices.Contains(c.token.Prefixes, prefix) {
		return a, errPrefix
	}
	a.Deleted = []deletedWorld{}
	err = h.worlds.alone(c, func() error {
		st, ok := h.st.(history.ArchiveReader)
		if !ok {
			return nil // nobody can tell
		}
		return st.Outlines(c.ctx, func(o history.Outline) error {
			if !record.Hidden(o.Name) && !o.Deleted.IsZero() && strings.HasPrefix(o.Name, prefix) && c.reach(o.Name) == nil {
				a.Deleted = append(a.Deleted, deletedWorld{o.Name, o.Deleted})
			}
			return nil
		})
	})
	slices.SortStableFunc(a.Deleted, func(x, y deletedWorld) int { return y.Deleted.Compare(x.Deleted) })
	a.Deleted = a.Deleted[:min(len(a.Deleted), int(c.number("n", defaultListed)))]
	return a, err
}

func (h *names) create(c *call) (wire.HeadAnswer, error) {
	return c.headAnswer(history.Head{}), c.st.Create(c.ctx, c.name)
}

// headAnswer returns an answer with a head, and sets its headers.
func (c *call) headAnswer(h history.Head) wire.HeadAnswer {
	c.setHead(h)
	return wire.HeadAnswer{Commit: wire.HexID(h.Commit), Fence: h.Fence}
}

func (h *names) remove(c *call) error {
	fence, err := c.fenced()
	if err == nil {
		err = c.st.Delete(c.ctx, c.name, fence)
	}
	return err
}

func (h *names) undelete(c *call) error { return c.st.Undelete(c.ctx, c.name) }

func (h *names) purge(c *call) (p history.Purged, err error) {
	fence, err := c.fenced()
	if err != nil {
		return p, err
	}
	h.worlds.open.Clear()
	return c.st.Purge(c.ctx, c.name, fence)
}

func (h *names) rename(c *call) error {
	var to wire.RenameCall
	if err := c.json(c.limits.JSONBytes, &to); err != nil {
		return err
	}
	if err := c.other(to.To); err != nil {
		return err
	}
	fence, err := c.fenced()
	if err == nil {
		err = c.st.Rename(c.ctx, c.name, to.To, fence)
	}
	return err
}

func (h *names) fork(c *call, from *wire.ForkCall) (a wire.HeadAnswer, err error) {
	if err := c.other(from.From); err != nil {
		return a, err
	}
	at, err := c.version(from.From, from.At)
	if err != nil {
		return a, err
	}
	return c.headAnswer(history.Head{Commit: at}), c.st.Fork(c.ctx, from.From, at, c.name)
}
