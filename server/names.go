package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
)

func nameRoutes() []route {
	fenced := []string{"If-Match", wire.FenceHeader}
	return []route{
		{method: "GET", path: "/v1/worlds", role: Read, about: "lists names in ascending order of bytes", query: []param{
			words("prefix", "beginning of the names; a token with prefixes needs one of its prefixes, or one and a slash and more"),
			words("after", "the list begins after this name"),
			most(wire.MaxNames),
		}, status: 200, gives: jsonOf(wire.WorldList{}), serve: (*call).list},
		{method: "PUT", path: "/v1/worlds/NAME", role: Write, about: "creates a world without commits", status: 201, gives: jsonOf(wire.HeadAnswer{}), tells: headHeaders, serve: (*call).create},
		{method: "DELETE", path: "/v1/worlds/NAME", role: Write, about: "deletes the world; undelete restores it for a time", headers: fenced, status: 204, serve: (*call).remove},
		{method: "GET", path: "/v1/deleted", role: Write, long: true, about: "lists deleted worlds that undelete can bring back, those deleted last first", query: []param{
			words("prefix", "beginning of the names; a token with prefixes needs one of its prefixes, or one and a slash and more"),
			most(wire.MaxNames),
		}, status: 200, gives: jsonOf(deletedAnswer{}), serve: (*call).deleted},
		{method: "POST", path: "/v1/undelete/NAME", role: Write, about: "restores a deleted world", status: 204, serve: (*call).undelete},
		{method: "POST", path: "/v1/purge/NAME", role: Admin, long: true, about: "removes a world, or all worlds deleted under the name, for good", headers: fenced, status: 200, gives: jsonOf(history.Purged{}), serve: (*call).purge},
		{method: "POST", path: "/v1/rename/NAME", role: Write, about: "renames a world with its history", headers: fenced, takes: jsonOf(wire.RenameCall{}), status: 204, serve: (*call).rename},
		{method: "POST", path: "/v1/fork/NAME", role: Write, about: "creates a world NAME that begins with a version of another world", takes: jsonOf(wire.ForkCall{}), status: 201, gives: jsonOf(wire.HeadAnswer{}), tells: headHeaders, serve: (*call).fork},
	}
}

var errPrefix = refuse("the token is for other names: prefix must be one of the token's prefixes, or begin with one and a slash")

// defaultListed is how many names or commits are listed if the call does not say.
const defaultListed = 100

func most(n int64) param {
	return whole("n", 1, n, fmt.Sprintf("the largest number of results; default %d", defaultListed))
}

func (c *call) list() error {
	prefix := c.query.Get("prefix")
	n, err := c.number("n", defaultListed)
	if err != nil {
		return err
	}
	names, err := c.namesOf(prefix, c.query.Get("after"), int(n)+1)
	if err != nil {
		return err
	}
	more := len(names) > int(n)
	names = append([]string{}, names[:min(len(names), int(n))]...)
	return c.answer(http.StatusOK, wire.WorldList{Worlds: names, More: more, Passed: c.o.Passed})
}

// deletedAnswer is the answer to GET /v1/deleted.
type deletedAnswer struct {
	Deleted []deletedWorld `json:"deleted"`
}

type deletedWorld struct {
	World   string    `json:"world"`
	Deleted time.Time `json:"deleted"`
}

// deleted is GET /v1/deleted.
func (c *call) deleted() error {
	prefix := c.query.Get("prefix")
	n, err := c.number("n", defaultListed)
	if err != nil {
		return err
	}
	if c.token != nil && !c.token.Covers(prefix) && !slices.Contains(c.token.Prefixes, prefix) {
		return errPrefix
	}
	a := deletedAnswer{Deleted: []deletedWorld{}}
	err = c.heavyWork(func() error {
		st, ok := c.Server.st.(history.ArchiveReader)
		if !ok {
			return nil // nobody can tell
		}
		return st.Outlines(c.ctx, func(o history.Outline) error {
			if !o.Deleted.IsZero() && strings.HasPrefix(o.Name, prefix) && c.reach(o.Name) == nil {
				a.Deleted = append(a.Deleted, deletedWorld{o.Name, o.Deleted})
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(a.Deleted, func(x, y deletedWorld) int { return y.Deleted.Compare(x.Deleted) })
	a.Deleted = a.Deleted[:min(len(a.Deleted), int(n))]
	return c.answer(http.StatusOK, a)
}

// namesOf returns the names that begin with a prefix. If prefix is one of the
// token's own, it stands for all names of that prefix.
func (c *call) namesOf(prefix, after string, n int) ([]string, error) {
	switch {
	case c.token == nil || c.token.Covers(prefix):
		return c.st.List(c.ctx, prefix, after, n)
	case !slices.Contains(c.token.Prefixes, prefix):
		return nil, errPrefix
	}
	names, err := c.st.List(c.ctx, prefix, after, 1)
	if err != nil {
		return nil, err
	}
	below, err := c.st.List(c.ctx, prefix+"/", after, n)
	if len(names) == 1 && names[0] == prefix {
		below = append(names, below...)
	}
	return below, err
}

func (c *call) create() error {
	if err := c.st.Create(c.ctx, c.name); err != nil {
		return err
	}
	return c.answerHead(http.StatusCreated, history.Head{})
}

// answerHead sends a head.
func (c *call) answerHead(status int, h history.Head) error {
	c.setHead(h)
	return c.answer(status, wire.HeadAnswer{Commit: wire.HexID(h.Commit), Fence: h.Fence})
}

// fenced returns the fence of a call, after it checked If-Match.
func (c *call) fenced() (uint64, error) {
	fence, err := c.fence()
	if err == nil {
		err = c.expect()
	}
	return fence, err
}

func (c *call) remove() error {
	fence, err := c.fenced()
	if err == nil {
		err = c.st.Delete(c.ctx, c.name, fence)
	}
	return c.noContent(err)
}

func (c *call) undelete() error { return c.noContent(c.st.Undelete(c.ctx, c.name)) }

func (c *call) purge() error {
	fence, err := c.fenced()
	if err != nil {
		return err
	}
	c.snapshots.Clear()
	p, err := c.st.Purge(c.ctx, c.name, fence)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, p)
}

func (c *call) rename() error {
	var to wire.RenameCall
	if err := c.json(&to); err != nil {
		return err
	}
	if err := c.other(to.To); err != nil {
		return err
	}
	fence, err := c.fenced()
	if err == nil {
		err = c.st.Rename(c.ctx, c.name, to.To, fence)
	}
	return c.noContent(err)
}

// other checks a name in a body.
func (c *call) other(name string) error {
	if err := history.CheckName(name); err != nil {
		return err
	}
	return c.reach(name)
}

func (c *call) fork() error {
	var from wire.ForkCall
	if err := c.json(&from); err != nil {
		return err
	}
	if err := c.other(from.From); err != nil {
		return err
	}
	at, err := c.version(from.From, from.At)
	if err != nil {
		return err
	}
	if err := c.st.Fork(c.ctx, from.From, at, c.name); err != nil {
		return err
	}
	return c.answerHead(http.StatusCreated, history.Head{Commit: at})
}

// version returns the commit that a VERSION names.
func (c *call) version(name, version string) (history.ID, error) {
	if id, err := history.ParseID(version); err == nil {
		if id != (history.ID{}) {
			return id, nil // the Store checks whether it exists
		}
		if _, err = c.st.Head(c.ctx, name); err == nil {
			err = history.ErrNoCommit // restoring it would empty the world
		}
		return id, err
	}
	commit, err := inspect.Find(c.ctx, c.st, name, version)
	if errors.Is(err, inspect.ErrVersion) {
		err = bad("%v", err)
	}
	if err != nil {
		return history.ID{}, err
	}
	return commit.ID(), nil
}
