package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/cairnvoxel/cairn/arena"
	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/server/cells"
	"github.com/cairnvoxel/cairn/world"
)

func cellRoutes() []route {
	read := []param{{"at", "VERSION; default the head"}}
	for _, p := range cells.ReadParams() {
		read = append(read, param{p[0], p[1]})
	}
	records, fenced := bytesOf(client.RecordsType), []string{"If-Match", client.FenceHeader}
	return []route{
		{method: "GET", path: "/v1/cells/NAME", role: Read, part: true, about: "the cells of a box at a level; as records if Accept asks for them", query: read, headers: []string{"If-None-Match"}, needs: []string{"box"}, status: 200, gives: jsonOf(cells.Answer{}), also: records, tells: headHeaders, serve: (*call).readCells},
		{method: "PUT", path: "/v1/cells/NAME", role: Write, about: "writes the cells of a box with a commit; the body may also be records", headers: fenced, takes: jsonOf(cells.WriteForm{}), status: 200, gives: jsonOf(cells.Done{}), tells: []string{"ETag"}, serve: (*call).writeCells},
		{method: "POST", path: "/v1/brush/NAME", role: Write, about: "runs a brush with a commit", headers: fenced, takes: jsonOf(cells.BrushCall{}), status: 200, gives: jsonOf(cells.Done{}), tells: []string{"ETag"}, serve: (*call).brush},
	}
}

// cellsFault gives codes to errors of package cells.
func cellsFault(err error) error {
	if e := (*cells.Error)(nil); errors.As(err, &e) {
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
	v, known, err := c.at(true)
	if err != nil || known {
		return err
	}
	var body []byte
	records := c.wantsRecords()
	err = c.reading(v, func(s *world.Snapshot) error {
		h.Settle(s)
		if err := c.sees(h.Dimension, h.Blocks(s)); err != nil { // a token may be bound to a box
			return err
		}
		got, err := cells.Read(c.ctx, s, h, c.limits.WorldMemory/lightCalls)
		if err != nil {
			return cellsFault(err)
		}
		c.step("read")
		if body, err = got.Body(records); err == nil && !c.hold(int64(len(body))) { // until the caller has read it
			err = errTraffic
		}
		return err
	})
	if err != nil {
		return err
	}
	media := jsonType
	if records {
		media = client.RecordsType
	}
	c.send(http.StatusOK, media, body)
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
	records := strings.HasPrefix(c.r.Header.Get("Content-Type"), client.RecordsType)
	if !records && !c.hold(cells.Decoded*int64(len(text))) {
		return errTraffic
	}
	w, err := cells.Decode(text, records)
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

// edit opens the world, calls do and makes a commit of what it did.
func (c *call) edit(n cells.Note, message string, do func(context.Context, *world.World) (cells.Done, error)) error {
	if n.Message != "" {
		message = n.Message
	}
	if err := noteFault(message, n.Author); err != nil {
		return err
	}
	want, given, err := c.match()
	if err != nil {
		return err
	}
	var done cells.Done
	work := func() error {
		w, end, err := c.openWorld(n.Author, message)
		if err != nil {
			return err
		}
		if given && w.Head() != want {
			err = history.ErrConflict
		} else {
			done, err = do(c.ctx, w)
		}
		made, ended := end(err == nil)
		if err = errors.Join(err, ended); err == nil && made.Number != 0 {
			commit := client.CommitOf(made)
			done.Commit = &commit
		}
		return cellsFault(err)
	}
	for {
		err := c.changing(work)
		if errors.Is(err, history.ErrConflict) && !given && c.ctx.Err() == nil {
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	c.step("commit")
	if done.Commit != nil {
		c.w.Header()["Etag"] = []string{etag(history.ID(done.Commit.ID))}
		if c.o.Saved != nil && !done.Same {
			c.o.Saved(c.name)
		}
	}
	return c.answer(http.StatusOK, done)
}

// openWorld opens the world for one edit: under the caller's lease if there is one. A game that
// serves its own worlds gives the one that it has open; a stored world needs no lease of its own,
// because the commit fails if somebody else has changed or leased it. The function ends that, and
// commits if it is told to.
func (c *call) openWorld(author, message string) (*world.World, func(save bool) (history.Commit, error), error) {
	fence, err := c.fence()
	if err != nil {
		return nil, nil, err
	}
	if _, stored := c.o.Arenas.(*arena.Leased); fence == 0 && c.o.Arenas != nil && !stored {
		o, err := c.o.Arenas.Open(c.ctx, c.name, author)
		if err != nil {
			return nil, nil, err
		}
		end := func(save bool) (history.Commit, error) {
			if o.Close == nil {
				return history.Commit{}, nil
			}
			return o.Close(c.ctx, save, message)
		}
		if o.Sink != nil {
			_, err := end(false)
			return nil, nil, errors.Join(fault(client.Unsupported, "the game keeps the blocks of this world itself"), err)
		}
		return o.World, end, nil
	}
	w, err := world.Open(c.ctx, c.st, c.name, world.Options{Author: author, Fence: fence, Relight: true, Manual: c.o.Packs, Cache: c.snapshots.cache})
	if err != nil {
		return nil, nil, err
	}
	return w, func(save bool) (made history.Commit, err error) {
		if save {
			made, err = w.Commit(c.ctx, message)
		}
		return made, errors.Join(err, w.Close())
	}, nil
}
