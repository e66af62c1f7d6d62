package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

func cellRoutes() []route {
	read := append([]param{atVersion}, cells.ReadParams()...)
	records, fenced := bytesOf(wire.RecordsType), []string{"If-Match", wire.FenceHeader}
	return []route{
		{method: "GET", path: "/v1/cells/NAME", role: Read, part: true, about: "the cells of a box at a level; as records if Accept asks for them", query: read, headers: append([]string{"If-None-Match"}, stale...), needs: []string{"box"}, status: 200, gives: jsonOf(cells.Answer{}), also: records, tells: staleHeaders, serve: (*call).readCells},
		{method: "PUT", path: "/v1/cells/NAME", role: Write, about: "writes the cells of a box with a commit; the body may also be records", headers: fenced, takes: jsonOf(cells.WriteForm{}), status: 200, gives: jsonOf(cells.Done{}), tells: []string{"ETag"}, serve: (*call).writeCells},
		{method: "POST", path: "/v1/brush/NAME", role: Write, about: "runs a brush with a commit", headers: fenced, takes: jsonOf(cells.BrushCall{}), status: 200, gives: jsonOf(cells.Done{}), tells: []string{"ETag"}, serve: (*call).brush},
	}
}

// cellsFault gives codes to errors of package cells.
func cellsFault(err error) error {
	if e := (*cells.CallError)(nil); errors.As(err, &e) {
		return fault(e.Code, "%v", e)
	}
	return err
}

// readCells is GET /v1/cells.
func (c *call) readCells() error {
	h, err := cells.Query(c.query)
	if err != nil {
		return cellsFault(err)
	}
	v, err := c.at(true)
	if err != nil || c.tagged(v) {
		return err
	}
	if !c.reserve(h.Bytes()) { // a slow caller keeps the answer in memory
		return errTraffic
	}
	var got *cells.Cells
	err = c.reading(v, func(s *world.Snapshot) error {
		h.Settle(s)
		err := c.sees(h.Dimension, h.Blocks(s)) // a token may be bound to a box
		if err == nil {
			got, err = cells.Read(c.ctx, s, h, c.limits.WorldMemory/lightCalls)
		}
		return cellsFault(err)
	})
	if err != nil {
		return err
	}
	c.step("read")
	if !c.wantsRecords() {
		b, err := got.JSON()
		if err == nil {
			c.send(http.StatusOK, jsonType, b)
		}
		return err
	}
	body, err := got.Records()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := body.WriteTo(&b); err != nil {
		return err
	}
	c.send(http.StatusOK, wire.RecordsType, b.Bytes())
	return nil
}

// writeCells is PUT /v1/cells.
func (c *call) writeCells() error {
	from, err := c.body(cells.MaxBody, true)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	if !c.reserve(cells.DecodeBytes * int64(len(text))) {
		return errTraffic
	}
	w, err := cells.Decode(text, strings.HasPrefix(c.r.Header.Get("Content-Type"), wire.RecordsType))
	if err != nil {
		return cellsFault(err)
	}
	c.step("receive")
	return c.edit(w.Note, "write cells", w.Apply)
}

// brush is POST /v1/brush.
func (c *call) brush() error {
	var b cells.BrushCall
	if err := c.json(&b); err != nil {
		return err
	}
	return c.edit(b.Note, "brush "+b.Brush, b.Apply)
}

// edit makes a commit of what do does, and answers with what was done.
func (c *call) edit(n cells.Note, message string, do func(context.Context, *world.World) (cells.Done, error)) error {
	done, err := c.change(n, message, do)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, done)
}

// change makes a commit of what do does. Everything that changes a world for one call goes this way: a world that a game has
// open is changed there, and else do runs again if somebody else was faster.
func (c *call) change(n cells.Note, message string, do func(context.Context, *world.World) (cells.Done, error)) (done cells.Done, err error) {
	n.Author = c.author(n.Author)
	e := cells.EditCall{Store: c.st, World: c.name, Arenas: c.o.Arenas, Message: cmp.Or(n.Message, message),
		Options: world.Options{Author: n.Author, Relight: true, Manual: c.o.Packs, Cache: c.snapshots.Cache}, Made: c.snapshots.Keep}
	if err := noteFault(e.Message, n.Author); err != nil {
		return done, err
	}
	if err := c.roomLeft(); err != nil {
		return done, err
	}
	want, given, err := c.match()
	if given {
		e.On = &want
	}
	if err == nil {
		e.Options.Fence, err = c.fence()
	}
	if err != nil {
		return done, err
	}
	for again := true; again; again = errors.Is(err, history.ErrConflict) && !given && c.ctx.Err() == nil {
		err = c.changing(func(s *world.Snapshot, part int) (err error) {
			e.Options.From, e.Options.Part = s, part
			done, err = e.Run(c.ctx, do)
			return cellsFault(err)
		})
	}
	if err != nil {
		return done, err
	}
	c.step("commit")
	if done.Commit != nil {
		c.w.Header()["Etag"] = []string{etag(history.ID(done.Commit.ID))}
		if !done.Same {
			c.saved(c.name, done.Commit.Number)
		}
	}
	return done, nil
}
