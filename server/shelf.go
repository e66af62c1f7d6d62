package server

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"math/bits"
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
	f, err := world.Fetch(c.ctx, c.st, c.name, at, room)
	if err != nil {
		return err
	}
	if at == (world.ID{}) {
		c.tell(f.Head)
	}
	c.stones = len(f.Layers)
	c.step("fetch")
	return c.sendStack(f)
}

// buffers are what answers of records are put together in.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

func (c *call) sendStack(f world.Fetched) error {
	parts := make([][]byte, 1, len(f.Data)+1)
	parts[0] = appendStack(make([]byte, 0, 64+layerBytes*len(f.Layers)), f)
	for i, data := range f.Data {
		if data != nil && !sentBefore(f, i) {
			parts = append(parts, data)
		}
	}
	total := 0
	for _, p := range parts {
		total += uvarintBytes(len(p)) + len(p)
	}
	c.giveBack()
	if !c.hold(int64(total)) {
		return fault(client.Busy, "too much is being sent at this moment")
	}
	h := c.w.Header()
	h["Content-Type"] = recordsMedia
	h["Content-Length"] = []string{strconv.Itoa(total)}
	c.secure(h)
	return c.sendRecords(parts)
}

// layerBytes is about how long a layer is in JSON.
const layerBytes = 280

// appendStack appends a client.Stack in JSON, for loads are many.
func appendStack(b []byte, f world.Fetched) []byte {
	b = append(b, `{"at":"`...)
	b = appendID(b, f.Head.Commit)
	b = append(b, `","layers":[`...)
	for i, l := range f.Layers {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"stone":"`...)
		b = appendID(b, world.ID(l.Stone.ID))
		b = append(b, `","size":`...)
		b = strconv.AppendInt(b, l.Stone.Size, 10)
		b = append(b, `,"after":"`...)
		b = appendID(b, l.After)
		b = append(b, `","upto":"`...)
		b = appendID(b, l.Upto)
		b = append(b, `","inline":`...)
		b = strconv.AppendBool(b, f.Data[i] != nil)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

func appendID(b []byte, id world.ID) []byte {
	if id == (world.ID{}) {
		return b
	}
	return hex.AppendEncode(b, id[:])
}

// sentBefore reports whether a lower layer has the same stone, and its bytes.
func sentBefore(f world.Fetched, i int) bool {
	for j, l := range f.Layers[:i] {
		if f.Data[j] != nil && l.Stone.ID == f.Layers[i].Stone.ID {
			return true
		}
	}
	return false
}

var recordsMedia = []string{client.RecordsType}

func uvarintBytes(n int) int { return (bits.Len(uint(n)|1) + 6) / 7 }

// sendRecords writes parts as records, small ones together.
func (c *call) sendRecords(parts [][]byte) error {
	whole := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(whole)
	buf := whole[:0]
	for _, p := range parts {
		if len(buf)+binary.MaxVarintLen64+len(p) > cap(buf) {
			if _, err := c.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
		buf = binary.AppendUvarint(buf, uint64(len(p)))
		if len(buf)+len(p) <= cap(buf) {
			buf = append(buf, p...)
			continue
		}
		for _, b := range [][]byte{buf, p} {
			if _, err := c.Write(b); err != nil {
				return err
			}
		}
		buf = buf[:0]
	}
	_, err := c.Write(buf)
	c.step("send")
	return err
}

// stone is GET /v1/stones.
func (c *call) stone() error {
	id, err := stoneID(c.id)
	if err != nil {
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

// open opens a stone, of which not many are opened at a time, and counts what it
// takes as memory: of a few bytes that may be much.
func (c *call) open(id stone.ID) (*world.Opened, error) {
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
	r := c.records(from)
	defer recordReaders.Put(r)
	p, s, err := client.ReadPack(r, c.limits.StoneBytes)
	if err != nil {
		return theirs(err)
	}
	if p.Upto == (world.ID{}) || p.Upto == p.After {
		return bad("upto must be a commit, and after another one below it")
	}
	if err := c.checkStone(s.Data); err != nil {
		return err
	}
	return c.doneUnless(c.st.PutPack(c.ctx, c.name, p, s))
}
