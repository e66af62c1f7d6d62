package server

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

func shelfRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/stack/NAME", role: Read, about: "the stones of a commit, the upper ones with their bytes", query: []param{
			{"at", "the id of the commit; default the head"},
			{"inline", "how many bytes of stones come with it; default 1 MiB, 0 for none"},
		}, status: 200, gives: bytesOf(client.RecordsType), serve: (*call).stack},
		{method: "GET", path: "/v1/stones/ID/NAME", role: Read, about: "a stone, whole or in ranges; it never changes", headers: []string{"Range", "If-Range", "If-None-Match"},
			status: 200, gives: bytesOf("application/octet-stream"), serve: (*call).stone},
		{method: "POST", path: "/v1/packs/NAME", role: Write, about: "keeps a pack in place of stones that it stands for", takes: bytesOf(client.RecordsType), status: 204, serve: (*call).pack},
	}
}

// loadTries is how often a stack is asked for whose stones are gone when they are
// opened.
const loadTries = 3

func (c *call) stack() error {
	at, err := c.commitID("at")
	if err != nil {
		return err
	}
	inline, err := c.number("inline", 1<<20, 0, unbounded)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := c.load(at, min(inline, c.limits.InlineBytes))
		gone := errors.Is(err, world.ErrGone) || errors.Is(err, world.ErrNoCommit) && at == world.ID{}
		if !gone || c.sent || try == loadTries {
			return err
		}
	}
}

// load answers with the stack of a commit, of the head if at is zero.
func (c *call) load(at world.ID, inline int64) error {
	if at == (world.ID{}) {
		h, err := c.st.Head(c.ctx, c.name)
		if err != nil {
			return err
		}
		c.tell(h)
		at = h.Commit
		c.step("head")
	}
	layers, err := c.st.Stack(c.ctx, c.name, at)
	if err != nil {
		return err
	}
	c.stones = len(layers)
	c.step("stack")
	s := client.StackOf(at, layers)
	stones, err := c.openInline(s.Layers, inline)
	defer closeAll(stones)
	if err != nil {
		return err
	}
	c.step("stones")
	return c.sendStack(s, stones)
}

// openBytes is up to which size a stone that is open is in memory.
const openBytes = 64 << 10

// openInline opens the stones that come with a stack, and marks their layers:
// from the top down, as long as they have room. They are returned bottom first.
func (c *call) openInline(layers []client.Layer, room int64) ([]*world.Opened, error) {
	lowest, full := len(layers), room
	for lowest > 0 && layers[lowest-1].Size <= room {
		lowest--
		room -= layers[lowest].Size
	}
	if held := full - room; !c.hold(min(held, int64(len(layers)-lowest)*openBytes)) {
		return nil, fault(client.Busy, "too much is being sent at this moment")
	}
	var out []*world.Opened
	for i := lowest; i < len(layers); i++ {
		layers[i].Inline = true
		if again(layers[lowest:i], layers[i].Stone) {
			continue
		}
		o, err := c.st.Open(c.ctx, c.name, stone.ID(layers[i].Stone))
		if err != nil {
			return out, err
		}
		out = append(out, o)
	}
	return out, nil
}

// again reports whether a stone is one of layers.
func again(layers []client.Layer, id client.ID) bool {
	for _, l := range layers {
		if l.Stone == id {
			return true
		}
	}
	return false
}

func closeAll(stones []*world.Opened) {
	for _, o := range stones {
		_ = o.Close() // it was read only
	}
}

// buffers are what stones are read into on their way out.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// sendStack answers with a stack and the bytes of stones. They are read on the
// way, so that they need no memory.
func (c *call) sendStack(s client.Stack, stones []*world.Opened) error {
	head, err := json.Marshal(s)
	if err != nil {
		return err
	}
	total := int64(recordBytes(int64(len(head))))
	for _, o := range stones {
		total += recordBytes(o.Size())
	}
	h := c.w.Header()
	h["Content-Type"] = recordsMedia
	h["Content-Length"] = []string{strconv.FormatInt(total, 10)}
	c.secure(h)
	out := buffered{c: c, buf: buffers.Get().(*[64 << 10]byte)}
	defer buffers.Put(out.buf)
	if err := out.record(bytes.NewReader(head), int64(len(head))); err != nil {
		return err
	}
	for _, o := range stones {
		if err := out.record(o, o.Size()); err != nil {
			return err
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	c.step("send")
	return nil
}

var recordsMedia = []string{client.RecordsType}

// recordBytes is how many bytes a record of size bytes has.
func recordBytes(size int64) int64 {
	var b [binary.MaxVarintLen64]byte
	return int64(binary.PutUvarint(b[:], uint64(size))) + size
}

// buffered gathers records until there is something to send.
type buffered struct {
	c   *call
	buf *[64 << 10]byte
	n   int
}

func (b *buffered) flush() error {
	_, err := b.c.Write(b.buf[:b.n])
	b.n = 0
	return err
}

// record adds size bytes of r as a record.
func (b *buffered) record(r io.ReaderAt, size int64) error {
	if len(b.buf)-b.n < binary.MaxVarintLen64 {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.n += binary.PutUvarint(b.buf[b.n:], uint64(size))
	for at := int64(0); at < size; {
		if b.n == len(b.buf) {
			if err := b.flush(); err != nil {
				return err
			}
		}
		want := int(min(size-at, int64(len(b.buf)-b.n)))
		n, err := r.ReadAt(b.buf[b.n:b.n+want], at)
		if n < want {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
		b.n += n
		at += int64(n)
	}
	return nil
}

// stone is GET /v1/stones.
func (c *call) stone() error {
	id, err := stoneID(c.id)
	if err != nil {
		return err
	}
	o, err := c.st.Open(c.ctx, c.name, id)
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

func stoneID(s string) (stone.ID, error) {
	id, err := world.ParseID(s)
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
	from, err := c.body(c.limits.StoneBytes, true)
	if err != nil {
		return err
	}
	p, s, err := client.ReadPack(client.NewRecords(from, c.limits.StoneBytes), c.limits.StoneBytes)
	if err != nil {
		return err
	}
	if p.Upto == (world.ID{}) || p.Upto == p.After {
		return bad("upto must be a commit, and after another one below it")
	}
	if err := c.checkStone(s.Data); err != nil {
		return err
	}
	return c.doneUnless(c.st.PutPack(c.ctx, c.name, p, s))
}
