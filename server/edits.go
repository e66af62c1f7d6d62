package server

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// edits change worlds with a commit each.
type edits struct {
	worlds *worlds
	arenas arena.Opener // nil: no game has worlds open
	packs  bool         // somebody packs the worlds
	saved  func(name string, number uint64)
}

func (h *edits) routes() []route {
	fenced, etag := []string{"If-Match", wire.FenceHeader}, []string{"ETag"}
	return []route{
		{method: "PUT", path: "/v1/cells/NAME", role: token.Write, about: "writes the cells of a box with a commit; the body may also be records", headers: fenced, status: 200, tells: etag, handler: gives(h.write).from(jsonOf(cells.WriteForm{}))},
		{method: "POST", path: "/v1/brush/NAME", role: token.Write, about: "runs a brush with a commit", headers: fenced, status: 200, tells: etag, handler: takes(h.brush)},
		{method: "PATCH", path: "/v1/properties/NAME", role: token.Write, about: "changes properties of the world with a commit", headers: fenced, status: 200, tells: etag, handler: takes(h.properties)},
	}
}

func (h *edits) write(c *call) (done cells.Done, err error) {
	text, err := c.readAll(cells.MaxBody)
	if err != nil {
		return done, err
	}
	if !c.reserve(cells.DecodeBytes * int64(len(text))) {
		return done, errTraffic
	}
	w, err := cells.Decode(text, strings.HasPrefix(c.r.Header.Get("Content-Type"), wire.RecordsType))
	if err != nil {
		return done, err
	}
	c.step("receive")
	return h.change(c, w.Note, "write cells", w.Apply)
}

func (h *edits) brush(c *call, b *cells.BrushCall) (cells.Done, error) {
	return h.change(c, b.Note, "brush "+b.Brush, b.Apply)
}

type propertiesCall struct {
	Set    map[string]string `json:"set,omitempty"`
	Remove []string          `json:"remove,omitempty"`
	cells.Note
}

// check returns what is wrong with the call.
func (p *propertiesCall) check() error {
	if len(p.Set)+len(p.Remove) == 0 {
		return bad("set or remove must name a property")
	}
	for _, key := range p.Remove {
		if _, twice := p.Set[key]; twice {
			return bad("%.100q is in both set and remove", key)
		}
	}
	for key, value := range p.Set {
		if key == "" || value == "" {
			return bad("a property needs a key and a value; use remove to delete one")
		}
	}
	return nil
}

func (h *edits) properties(c *call, p *propertiesCall) (made wire.Commit, err error) {
	if err := p.check(); err != nil {
		return made, err
	}
	done, err := h.change(c, p.Note, "", p.setProperties)
	if err != nil {
		return made, err
	}
	if done.Commit != nil {
		return *done.Commit, nil
	}
	head, err := inspect.Find(c.ctx, c.st, c.name, "") // a game saves it later
	return wire.CommitOf(head), err
}

// setProperties sets the properties of a world.
func (p *propertiesCall) setProperties(_ context.Context, w *world.World) (done cells.Done, err error) {
	_, err = w.Update(func(tx *world.Tx) error {
		for key, value := range p.Set {
			tx.SetProperty(key, value)
		}
		for _, key := range p.Remove {
			tx.SetProperty(key, "")
		}
		return nil
	})
	if err != nil {
		err = bad("the properties cannot be set: %v", err)
	}
	return done, err
}

// change makes a commit of what do does. Everything that changes a world for one call goes this way: a world that a game has
// open is changed there, and else do runs again if somebody else was faster.
func (h *edits) change(c *call, n cells.Note, message string, do func(context.Context, *world.World) (cells.Done, error)) (done cells.Done, err error) {
	e := cells.EditCall{Store: c.st, World: c.name, Arenas: h.arenas, Message: cmp.Or(n.Message, message),
		Options: world.Options{Relight: true, Manual: h.packs, Cache: h.worlds.open.Cache}, Made: h.worlds.open.Keep}
	if e.Options.Author, err = c.note(e.Message, n.Author); err != nil {
		return done, err
	}
	if err := token.Full(c.ctx, c.st); err != nil {
		return done, err
	}
	if e.On, e.Options.Fence, err = c.conditions(); err != nil {
		return done, err
	}
	for again := true; again; again = errors.Is(err, history.ErrConflict) && e.On == nil && c.ctx.Err() == nil {
		err = h.worlds.changing(c, func(s *world.Snapshot, part int) (err error) {
			e.Options.From, e.Options.Part = s, part
			done, err = e.Run(c.ctx, do)
			return err
		})
	}
	if err != nil {
		return done, err
	}
	c.step("commit")
	if done.Commit != nil {
		c.w.Header()["Etag"] = []string{etag(history.ID(done.Commit.ID))}
		if !done.Same {
			h.saved(c.name, done.Commit.Number)
		}
	}
	return done, nil
}
