package server

import (
	"fmt"
	"io"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// stones gives out stacks and stones, and takes in packs.
type stones struct {
	st      history.Store // without limits of tokens
	worlds  *worlds
	checks  *checker
	granted token.Granted
}

func (h *stones) routes() []route {
	return []route{
		{method: "GET", path: "/v1/stack/NAME", role: token.Read, about: "the stones of a commit, the upper ones with their bytes", query: []param{
			commitOf("at", "id of the commit; default the head"),
			whole("inline", 0, limits.Unbounded, "how many bytes of stones the answer may contain; default 1 MiB, 0 for none"),
		}, headers: stale, status: 200, tells: staleHeaders, handler: plain(h.stack, records)},
		{method: "GET", path: "/v1/stones/ID/NAME", role: token.Read, about: "a stone, whole or in ranges; it never changes", headers: []string{"Range", "If-Range", "If-None-Match"},
			status: 200, tells: []string{"ETag"}, handler: plain(h.stone, octets)},
		{method: "POST", path: "/v1/packs/NAME", role: token.Admin, about: "stores a pack, which replaces the stones it was made from", status: 204, handler: done(h.pack).from(records)},
	}
}

// loadBytes is how many bytes of stones a load may return without a check of free
// memory, so that loads of small worlds are never refused because of large ones.
const loadBytes = 1 << 20

func (h *stones) stack(c *call) error {
	at, err := c.commitID("at")
	if err != nil {
		return err
	}
	room := min(c.number("inline", loadBytes), c.limits.InlineBytes)
	if room > loadBytes && !c.reserve(room) {
		room = loadBytes
	}
	oldest, err := h.worlds.oldest(c)
	if err != nil {
		return err
	}
	f, age, err := h.worlds.guard.Fetch(c.ctx, c.name, at, room, oldest)
	if err != nil {
		return err
	}
	c.setStale(age)
	if at == (history.ID{}) {
		c.setHead(f.Head)
	}
	c.stones = len(f.Layers)
	if !c.everywhere() {
		for i, l := range f.Layers {
			if f.Data[i] == nil { // the caller will ask for it
				h.granted.Add(c.token.Hash, token.Hash(l.Stone.ID))
			}
		}
	}
	c.step("fetch")
	return c.sendStack(f)
}

func (c *call) sendStack(f history.Fetched) error {
	b := wire.StackBody(f)
	c.release()
	if !c.reserve(b.Size()) {
		return errTraffic
	}
	h := c.w.Header()
	h["Content-Type"] = recordsMedia
	h["Content-Length"] = []string{strconv.FormatInt(b.Size(), 10)}
	c.secure(h)
	_, err := b.WriteTo(c)
	c.step("send")
	return err
}

var recordsMedia = []string{wire.RecordsType}

func (h *stones) stone(c *call) error {
	id, err := stoneID(c.id)
	if err != nil {
		return err
	}
	if err := h.mayOpen(c, id); err != nil {
		return err
	}
	o, err := h.open(c, id)
	if err != nil {
		return err
	}
	defer o.Close()
	to := c.w.Header()
	to["Etag"] = []string{`"` + id.String() + `"`}
	to["Cache-Control"] = []string{"private, max-age=31536000, immutable"}
	return c.sendRanges(octets.media, io.NewSectionReader(o, 0, o.Size()))
}

// mayOpen returns an error if the caller's token is limited to some names and the
// world does not reach the stone. A Store opens any stone by its hash; this method
// decides what a limited token may read. A token that received the stone in a stack
// may read it as long as it exists, even after it was packed. For other stones that exist
// the method walks the world's history, and few calls do so at a time.
func (h *stones) mayOpen(c *call, id stone.ID) error {
	if c.everywhere() || h.granted.Has(c.token.Hash, token.Hash(id)) {
		return nil
	}
	if r, ok := h.st.(history.Reacher); ok {
		var reaches bool
		err := within(h.worlds.light, c, func() error {
			o, err := h.st.Open(c.ctx, c.name, id) // a stone that nobody has needs no walk
			if err == nil {
				err = o.Close()
			}
			if err == nil {
				reaches, err = r.Reaches(c.ctx, c.name, id)
			}
			return err
		})
		if err != nil {
			return err
		}
		if reaches {
			h.granted.Add(c.token.Hash, token.Hash(id))
			return nil
		}
	}
	return fmt.Errorf("stone %v: not of %q: %w", id, c.name, history.ErrGone)
}

// open opens a stone. Few stones are opened at a time, and what each takes counts
// as memory, because few bytes may need much memory.
func (h *stones) open(c *call, id stone.ID) (o *history.Opened, err error) {
	err = within(h.checks.queue, c, func() error {
		o, err = c.st.Open(c.ctx, c.name, id)
		if err == nil && !c.reserve(o.Memory()) {
			_ = o.Close() // it was only read
			err = errTraffic
		}
		return err
	})
	return o, err
}

func stoneID(s string) (stone.ID, error) {
	id, err := history.ParseID(s)
	if err != nil || id.String() != s {
		return stone.ID{}, bad("want the %d hex digits of a stone", 2*len(id))
	}
	return stone.ID(id), nil
}

func (h *stones) pack(c *call) error {
	if err := c.expect(); err != nil {
		return err
	}
	r, err := c.records()
	if err != nil {
		return err
	}
	defer recycle(r)
	p, s, err := wire.ReadPack(r, c.limits.StoneBytes)
	if err != nil {
		return wire.OfCaller(err)
	}
	if p.Upto == (history.ID{}) || p.Upto == p.After {
		return bad("upto must be a commit, and after another commit below it")
	}
	if err := h.checks.check(c, s.Data, true); err != nil {
		return err
	}
	return c.st.PutPack(c.ctx, c.name, p, s)
}
