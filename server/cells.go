package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// boxes are cells of versions of worlds.
type boxes struct{ *worlds }

func (h *boxes) routes() []route {
	read := append([]param{atVersion}, cells.ReadParams()...)
	return []route{
		{method: "GET", path: "/v1/cells/NAME", role: token.Read, part: true, about: "the cells of a box at a level; as records if Accept asks for them", query: read, headers: known, needs: []string{"box"}, status: 200, also: records, tells: staleHeaders, handler: plain(h.cells, jsonOf(cells.Answer{}))},
		{method: "GET", path: "/v1/chunks/NAME", role: token.Read, about: "one chunk of any level", query: []param{
			atVersion, words("dimension", "name of the dimension"), words("volume", "name of the volume"), whole("level", 0, geom.MaxLevel, "default 0"), chunks("x"), chunks("y"), chunks("z"),
		}, headers: known, needs: []string{"dimension", "volume"}, status: 200, tells: staleHeaders, handler: plain(h.chunk, records)},
	}
}

func (h *boxes) cells(c *call) error {
	head, err := cells.Query(c.query)
	if err != nil {
		return err
	}
	v, known, err := h.unknown(c)
	if err != nil || known {
		return err
	}
	if !c.reserve(head.Bytes()) { // a slow caller keeps the answer in memory
		return errTraffic
	}
	var got *cells.Cells
	err = h.reading(c, v, func(s *world.Snapshot) (err error) {
		head.Settle(s)
		if c.token != nil && !c.token.Sees(head.Dimension, head.Blocks(s)) {
			return refuse("the token is for another part of the world")
		}
		got, err = cells.Read(c.ctx, s, head, c.limits.WorldMemory/lightCalls)
		return err
	})
	if err != nil {
		return err
	}
	c.step("read")
	if c.wantsRecords() {
		body, err := got.Records()
		if err != nil {
			return err
		}
		return c.sendRecords(http.StatusOK, body)
	}
	b, err := got.JSON()
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, jsonType, b)
}

// chunkHead is the first record of the answer with a chunk.
type chunkHead struct {
	Dimension string   `json:"dimension"`
	Volume    string   `json:"volume"`
	Schema    string   `json:"schema"`
	Level     int      `json:"level"`
	Pos       [3]int32 `json:"pos"`
	Names     []string `json:"names"`
}

func (h *boxes) chunk(c *call) error {
	head := chunkHead{Dimension: c.query.Get("dimension"), Volume: c.query.Get("volume"), Level: int(c.number("level", 0)),
		Pos: [3]int32{int32(c.number("x", 0)), int32(c.number("y", 0)), int32(c.number("z", 0))}}
	if head.Dimension == "" || head.Volume == "" {
		return bad("dimension and volume are required")
	}
	v, known, err := h.unknown(c)
	if err != nil || known {
		return err
	}
	b, err := keep(h.worlds, c, v, fmt.Sprintf("chunk %q %q %d %v", head.Dimension, head.Volume, head.Level, head.Pos), func() ([]byte, int64, error) {
		b, err := h.chunkBody(c, v, head)
		return b, int64(len(b)), err
	})
	if err != nil {
		return err
	}
	c.step("read")
	return c.send(http.StatusOK, wire.RecordsType, b)
}

// chunkBody returns the answer with a chunk.
func (h *boxes) chunkBody(c *call, v version, head chunkHead) ([]byte, error) {
	open := h.reading
	if head.Level >= stone.FirstFar {
		open = h.heavily
	}
	var got *inspect.BoxCells
	err := open(c, v, func(s *world.Snapshot) (err error) {
		at := geom.ChunkPos{X: head.Pos[0], Y: head.Pos[1], Z: head.Pos[2]}
		got, err = inspect.Chunk(c.ctx, s, head.Dimension, head.Volume, head.Level, at, c.limits.WorldMemory)
		return err
	})
	switch {
	case errors.Is(err, geom.ErrOutOfRange), err == nil && got == nil:
		return nil, fault(wire.NoChunk, "there is no chunk at this position")
	case err != nil:
		return nil, err
	}
	if head.Schema, head.Names = got.Schema.String(), got.Names; head.Names == nil {
		head.Names = []string{}
	}
	first, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	var body wire.Body
	body.Add(first)
	body.Add(codec.AppendBitRLE(nil, got.Cells, geom.ChunkEdge, got.Schema))
	b := bytes.NewBuffer(make([]byte, 0, body.Size()))
	_, err = body.WriteTo(b)
	return b.Bytes(), err
}
