package server

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

func stoneRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/stack/NAME", role: Read, about: "the stones of a commit, the upper ones with their bytes", query: []param{
			{"at", "the id of the commit; default the head"},
			{"inline", "how many bytes of stones come with it; default 1 MiB, 0 for none"},
		}, status: 200, gives: bytesOf(client.RecordsType), tells: headTold, serve: (*call).stack},
		{method: "GET", path: "/v1/stones/ID/NAME", role: Read, about: "a stone, whole or in ranges; it never changes", headers: []string{"Range", "If-Range", "If-None-Match"},
			status: 200, gives: bytesOf("application/octet-stream"), tells: []string{"ETag"}, serve: (*call).stone},
		{method: "POST", path: "/v1/packs/NAME", role: Admin, about: "keeps a pack in place of stones that it stands for", takes: bytesOf(client.RecordsType), status: 204, serve: (*call).pack},
	}
}

// loadBytes is how many bytes of stones a load may bring before memory is asked
// for, so that a load of a small world is never turned away for large ones.
const loadBytes = 1 << 20

func (c *call) stack() error {
	at, err := c.commitID("at")
	if err != nil {
		return err
	}
	room, err := c.number("inline", loadBytes, 0, unbounded)
	if err != nil {
		return err
	}
	room = min(room, c.limits.InlineBytes)
	if room > loadBytes && !c.hold(room) {
		room = loadBytes
	}
	f, err := history.Fetch(c.ctx, c.st, c.name, at, room)
	if err != nil {
		return err
	}
	if at == (history.ID{}) {
		c.tell(f.Head)
	}
	c.stones = len(f.Layers)
	if !c.everywhere() {
		for i, l := range f.Layers {
			if f.Data[i] == nil { // it will be asked for
				c.granted.add(c.token.Hash, l.Stone.ID)
			}
		}
	}
	c.step("fetch")
	return c.sendStack(f)
}

func (c *call) sendStack(f history.Fetched) error {
	b := client.StackBody(f)
	c.giveBack()
	if !c.hold(b.Size()) {
		return fault(client.Busy, "too much is being sent at this moment")
	}
	h := c.w.Header()
	h["Content-Type"] = recordsMedia
	h["Content-Length"] = []string{strconv.FormatInt(b.Size(), 10)}
	c.secure(h)
	_, err := b.WriteTo(c)
	c.step("send")
	return err
}

var recordsMedia = []string{client.RecordsType}

// stone is GET /v1/stones.
func (c *call) stone() error {
	id, err := stoneID(c.id)
	if err != nil {
		return err
	}
	if err := c.mayOpen(id); err != nil {
		return err
	}
	o, err := c.open(id)
	if err != nil {
		return err
	}
	defer o.Close()
	h := c.w.Header()
	h["Content-Type"] = []string{"application/octet-stream"}
	h["Etag"] = []string{`"` + id.String() + `"`}
	h["Cache-Control"] = []string{"private, max-age=31536000, immutable"}
	c.secure(h)
	delete(c.r.Header, "If-Match") // is about heads here
	http.ServeContent(c, c.r, "", time.Time{}, io.NewSectionReader(o, 0, o.Size()))
	c.step("send")
	return nil
}

// mayOpen returns an error if the caller's token is for some names and the stone is
// none of the world's. A Store opens any stone whose name is known; what a token for
// other names may have is decided here. A token that was told of a stone with a stack
// may read it for as long as it is there, packed or not; else the world's history is
// walked.
func (c *call) mayOpen(id stone.ID) error {
	if c.everywhere() || c.granted.has(c.token.Hash, id) {
		return nil
	}
	if r, ok := c.st.(history.Reacher); ok {
		reaches, err := r.Reaches(c.ctx, c.name, id)
		if err != nil {
			return err
		}
		if reaches {
			c.granted.add(c.token.Hash, id)
			return nil
		}
	}
	return fmt.Errorf("stone %v: not of %q: %w", id, c.name, history.ErrGone)
}

// open opens a stone, of which not many are opened at a time, and counts what it
// takes as memory: of a few bytes that may be much.
func (c *call) open(id stone.ID) (*history.Opened, error) {
	if err := c.checks.enter(c.ctx); err != nil {
		return nil, err
	}
	defer c.checks.leave()
	o, err := c.st.Open(c.ctx, c.name, id)
	if err == nil && !c.hold(o.Memory()) {
		_ = o.Close() // it was read only
		return nil, fault(client.Busy, "too much is being sent at this moment")
	}
	return o, err
}

func stoneID(s string) (stone.ID, error) {
	id, err := history.ParseID(s)
	if err != nil || id.String() != s {
		return stone.ID{}, bad("a stone is named by %d hex digits", 2*len(id))
	}
	return stone.ID(id), nil
}

// pack is POST /v1/packs.
func (c *call) pack() error {
	if err := c.expect(); err != nil {
		return err
	}
	r, err := c.records()
	if err != nil {
		return err
	}
	defer recycle(r)
	p, s, err := client.ReadPack(r, c.limits.StoneBytes)
	if err != nil {
		return theirs(err)
	}
	if p.Upto == (history.ID{}) || p.Upto == p.After {
		return bad("upto must be a commit, and after another one below it")
	}
	if err := c.checkStone(s.Data); err != nil {
		return err
	}
	return c.doneUnless(c.st.PutPack(c.ctx, c.name, p, s))
}
